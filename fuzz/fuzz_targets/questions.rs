//! Arbitrary lines as problems for rocBLAS, MIOpen and ggml on the fixtures: each is answered, or refused
//! with a sentence.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::answers::{Answers, ConvolutionQuestion, NamedRoutes, check_environment, open_ggml};
use rocm_audit::engines::ggml::Query;
use rocm_audit::engines::ggml::presence::Library;
use rocm_audit::engines::miopen::device::Device;
use rocm_audit::engines::miopen::notation;
use rocm_audit::engines::miopen::solver::{BuildPart, Version};
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::library;
use rocm_audit::target::{PROCESSORS, TargetId};
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::fixtures;
use std::sync::LazyLock;

static ROCBLAS: LazyLock<library::Library> = LazyLock::new(|| {
    library::Library::open(&fixtures().join("tensile/library"), "gfx900:xnack-")
        .expect("the catalogs of the fixtures")
});
static MIOPEN: LazyLock<Answers> = LazyLock::new(|| Answers::open(&[fixtures().join("miopen")]));
static GGML: LazyLock<Library> = LazyLock::new(|| {
    open_ggml(&fixtures().join("ggml/plain/libggml-hip.so")).expect("the library of the fixtures")
});

/// A line of JSON, as `select gemm --problems` reads it.
fn gemm(line: &[u8]) {
    let Ok(mut call) = serde_json::from_slice::<GemmCall>(line) else { return };
    if let Err(what) = call.check() {
        assert!(what.len() > 10);
        return;
    }
    let _ = call.contraction().map(|contraction| contraction.outputs());
    if let (Ok(one), Ok(again)) = (ROCBLAS.select(&call, None), ROCBLAS.select(&call, None)) {
        assert_eq!(
            one.solution.map(|solution| solution.index),
            again.solution.map(|solution| solution.index)
        );
        assert!(one.launches.iter().all(|launch| {
            let _ = launch.is_cut();
            true
        }));
    }
}

fn convolution(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let known = PROCESSORS[choices.below(PROCESSORS.len().min(256))].name();
    let device = Device { target: TargetId::bare(known), compute_units: u32::from(choices.word()) };
    let without = BuildPart::ALL.iter().copied().filter(|_| choices.seldom()).collect();
    let mut environment = std::collections::BTreeMap::new();
    if choices.seldom() {
        let name = choices.of(&[
            "MIOPEN_DEBUG_CONV_WINOGRAD",
            "MIOPEN_FIND_MODE",
            "MIOPEN_FIND_ENFORCE",
            "MIOPEN_DEVICE_CU",
        ]);
        environment.insert(name.to_owned(), choices.text(&["0", "1", "FAST", "no", "99999999999"]));
    }
    let version = choices.of(&["", "3.3.0", "2.20.0", "3.5.1", "0.0.0", "99.99.99"]);
    let workspace = choices.seldom().then(|| choices.number());
    let text = String::from_utf8_lossy(choices.all());
    let key = notation::key(&text).unwrap_or_else(|_| text.into_owned());
    if check_environment(&environment).is_err() {
        return;
    }
    let version = Version::parse(version);
    let question = ConvolutionQuestion { key, device, without, environment, version, workspace };
    let Ok(find_dbs) = MIOPEN.find_dbs(&question, None) else { return };
    if let Ok((_, selection)) = MIOPEN.selection(&question, &find_dbs) {
        assert!(selection.pick.is_none_or(|at| at < selection.recorded.len()));
    }
}

fn route(line: &str) {
    let (arch, text) = line.split_once('\t').unwrap_or(("gfx906", line));
    let Ok(query) = text.parse::<Query>() else { return };
    let Ok(mut routes) = NamedRoutes::from_library(&GGML, None) else {
        panic!("the version of the fixture is known")
    };
    if let Ok((route, _)) = routes.answer(arch, &query) {
        assert!(!route.to_string().is_empty());
    }
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind % 3 {
        0 => gemm(rest),
        1 => convolution(rest),
        _ => route(&String::from_utf8_lossy(rest)),
    }
});
