//! `choose attention`, held against AOTriton's own names of its images and AITER's own dispatch.
#![cfg(all(feature = "cli", feature = "engines"))]

use crate::common::fixture;
use crate::common::program::{run, said};
use crate::common::seen::folder;
use crate::schema::is_as_its_schema_says;
use amdgpu_samples::{CodeObject, Kernel, Processor};
use rocm_audit::engines::attention::step::Environment;
use rocm_audit::engines::attention::{AttentionCall, AttentionType, aiter, aotriton, vllm};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The rows of a fixture, or of the file that a variable names.
fn rows(variable: &str, file: &str) -> String {
    let whole = std::env::var_os(variable).map(std::path::PathBuf::from);
    fs::read_to_string(whole.unwrap_or_else(|| fixture(file))).unwrap()
}

/// What AOTriton's generator says of its images is what their names say; `ROCM_AUDIT_AOTRITON_NAMES` may name
/// the whole of what fixtures/attention.py writes.
#[test]
fn names_of_images_say_what_their_generator_says() {
    let text = rows("ROCM_AUDIT_AOTRITON_NAMES", "attention/aotriton.tsv");
    let mut plain = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [_, path, ty, dim, padded, dropout, causal, bias] = words[..] else { panic!("{line}") };
        let read = aotriton::of_path(path);
        if dropout != "False" || bias != "0" {
            assert_eq!(read, None, "{line}");
            continue;
        }
        let read = read.unwrap_or_else(|| panic!("{line}"));
        assert_eq!(format!("*{}:16", read.ty), ty, "{line}");
        assert_eq!((read.dim.to_string().as_str(), read.value_dim), (dim, read.dim), "{line}");
        assert_eq!((read.causal, read.padded), (causal != "0", Some(padded == "True")), "{line}");
        plain += 1;
    }
    assert!(plain >= 50, "{plain}");
}

/// The first backend that is taken is the function that AITER's `_flash_attn_forward` calls.
#[test]
fn aiter_takes_what_its_own_dispatch_calls() {
    let text = fs::read_to_string(fixture("attention/aiter.tsv")).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [processor, ty, dim, value_dim, causal, called] = words[..] else { panic!("{line}") };
        let call = AttentionCall {
            ty: AttentionType::of_name(ty).unwrap(),
            dim: dim.parse().unwrap(),
            value_dim: value_dim.parse().unwrap(),
            causal: causal == "1",
        };
        let steps = aiter::steps(&call, processor, &Environment::default());
        let taken = steps.iter().find(|step| step.refused.is_none()).unwrap();
        assert_eq!(taken.backend.split(' ').next(), Some(called), "{line}");
        compared += 1;
    }
    assert_eq!(compared, 480);
}

/// Each seventh row of what fixtures/attention.py writes of thirteen releases; `ROCM_AUDIT_VLLM_ROWS` may name all of it.
#[test]
fn vllm_takes_what_its_own_functions_say() {
    let text = rows("ROCM_AUDIT_VLLM_ROWS", "attention/vllm.tsv");
    let mut compared = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [release, processor, variables, ty, dim, backend] = words[..] else { panic!("{line}") };
        let dim: u32 = dim.parse().unwrap();
        let call =
            AttentionCall { ty: AttentionType::of_name(ty).unwrap(), dim, value_dim: dim, causal: true };
        let mut environment = Environment::default();
        let switched: &[&str] = match variables {
            "-" => &[],
            "aiter" => &["VLLM_ROCM_USE_AITER"],
            "split" => &["VLLM_V1_USE_PREFILL_DECODE_ATTENTION"],
            "unified" => &[
                "VLLM_ROCM_USE_AITER",
                "VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION",
                "VLLM_USE_AITER_UNIFIED_ATTENTION",
            ],
            other => panic!("{other}"),
        };
        assert!(switched.iter().all(|name| environment.set(name, "1")), "{line}");
        let release = vllm::release(release).unwrap();
        let steps = vllm::steps(&call, processor, release, true, &environment);
        let taken = steps.iter().find(|step| step.refused.is_none());
        assert_eq!(taken.map_or("-", |step| step.backend), backend, "{line}: {steps:?}");
        compared += 1;
    }
    assert!(compared >= 700, "{compared}");
}

fn code(processor: &str, kernel: &str) -> Vec<u8> {
    let processor = Processor::by_name(processor).unwrap();
    CodeObject::new(processor, vec![Kernel::new(kernel)]).bytes()
}

/// An environment with PyTorch 2.9, AOTriton's images and AITER's assembly with its list.
fn environment() -> tempfile::TempDir {
    let image = |arch: &str, name: &str| {
        format!("torch/lib/aotriton.images/amd-{arch}/flash/attn_fwd/FONLY__{name}___{arch}.hsaco")
    };
    let list = "dtype,hdim_q,hdim_v,mask,mode,bf16_cvt,ts_qo,ts_kv,knl_name,co_name
bf16,128,128,2,0,0,256,32,_ZN5aiter31fmha_fwd_hd128_bf16_causal_rtneE,fwd_hd128_bf16_causal_rtne.co
bf16,192,128,2,0,0,256,32,_ZN5aiter36fmha_fwd_hd192x128_bf16_causal_rtneE,fwd_hd192x128_bf16_causal_rtne.co
";
    let metadata = b"Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1+rocm7.2\n";
    folder(&[
        (&image("gfx942", "＊bf16@16_128_F_F_3_0"), &code("gfx942", "attn_fwd")),
        (&image("gfx942", "＊bf16@16_64_F_F_3_0"), &code("gfx942", "attn_fwd")),
        (&image("gfx11xx", "＊fp16@16_512_F_F_0_0"), &code("gfx1030", "attn_fwd")),
        (
            "aiter_meta/hsa/gfx942/fmha_v3_fwd/fwd_hd128_bf16_causal_rtne.co",
            &code("gfx942", "_ZN5aiter31fmha_fwd_hd128_bf16_causal_rtneE"),
        ),
        ("aiter_meta/hsa/gfx942/fmha_v3_fwd/fmha_fwd.csv", list.as_bytes()),
        ("torch-2.9.1.dist-info/METADATA", metadata),
    ])
}

fn asked(root: &Path, words: &[&str]) -> Value {
    let root = root.to_str().unwrap();
    let output = run(&[&["choose", "attention", root, "-f", "json"], words].concat());
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    is_as_its_schema_says(&rocm_audit::report::v1::document::ATTENTION, &document);
    document
}

fn library<'a>(document: &'a Value, name: &str) -> &'a Value {
    document["libraries"].as_array().unwrap().iter().find(|one| one["library"] == name).unwrap()
}

fn framework<'a>(document: &'a Value, name: &str) -> &'a Value {
    document["frameworks"].as_array().unwrap().iter().find(|one| one["framework"] == name).unwrap()
}

#[test]
fn kernels_are_those_of_the_bytes_and_frameworks_those_of_their_rules() {
    let root = environment();
    let bf16 = ["--arch", "gfx942", "--type", "bf16", "--causal", "--head-dim"];
    let document = asked(root.path(), &[&bf16[..], &["128"]].concat());
    assert_eq!(library(&document, "AOTriton")["answer"], "holds");
    assert_eq!(library(&document, "AITER")["known"], "observed");
    let pytorch = framework(&document, "PyTorch");
    assert_eq!((&pytorch["takes"], &pytorch["held"]), (&"flash attention".into(), &"holds".into()));
    assert_eq!(framework(&document, "AITER")["takes"], "fmha_v3_fwd");
    // The list names a kernel of heads of 192 that no file has.
    assert_eq!(document["missing"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(library(&document, "AITER")["kernels"].as_array().unwrap().len(), 1);

    // Heads of 100 are padded to 128, and no image is for padded heads.
    let document = asked(root.path(), &[&bf16[..], &["100"]].concat());
    let pytorch = framework(&document, "PyTorch");
    assert_eq!((&pytorch["takes"], &pytorch["held"]), (&"flash attention".into(), &"not".into()));
    assert_eq!(library(&document, "AOTriton")["answer"], "not");

    // Without a mask there is no image of that size; nothing holds a kernel, and the run says so.
    let words = ["choose", "attention", root.path().to_str().unwrap(), "--arch", "gfx942", "--type", "bf16"];
    let output = run(&[&words[..], &["--head-dim", "64"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let output = run(&[&words[..], &["--head-dim", "64", "--causal"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn a_card_without_code_and_wrong_calls_are_said() {
    let root = environment();
    let document = asked(root.path(), &["--arch", "gfx90a", "--type", "fp16", "--head-dim", "64"]);
    let pytorch = framework(&document, "PyTorch");
    assert_eq!(pytorch["takes"], "math");
    assert_eq!(pytorch["steps"][0]["refused"], "AOTriton has no code for gfx90a");
    let because = library(&document, "AOTriton")["because"].as_str().unwrap();
    assert_eq!(because, "no kernel for gfx90a; it has some for gfx1030 gfx942");
    let root = root.path().to_str().unwrap();
    let wrong = |words: &[&str]| {
        let output =
            run(&[&["choose", "attention", root, "--type", "fp16", "--head-dim", "64"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    assert!(wrong(&[]).contains("none is named"));
    assert!(wrong(&["--arch", "gfx90a", "--env", "HOME=1"]).contains("no rule here reads it"));
    assert!(wrong(&["--arch", "gfx90a", "--head-dim", "0"]).contains("head-dim"));
}

/// Images for a card that the release does not know, and heads of two sizes before 0.12.
#[test]
fn images_are_answered_by_the_release_of_their_library() {
    let image =
        |name: &str| format!("lib/aotriton.images/amd-gfx1200/flash/attn_fwd/FONLY__{name}___gfx1200.hsaco");
    let held = |library: &str, words: &[&str]| {
        let root = folder(&[
            (&image("＊fp16@16_64_F_F_0_0"), &code("gfx1200", "attn_fwd")),
            (&image("＊fp16@16_64_T_F_0_0"), &code("gfx1200", "attn_fwd")),
            (library, b"none"),
        ]);
        let document = asked(root.path(), &[&["--arch", "gfx1200", "--type", "fp16"], words].concat());
        let one = library_of(&document);
        (one["answer"].clone(), one["because"].as_str().unwrap().to_owned())
    };
    let (old, new) = ("lib/libaotriton_v2.so.0.10.0", "lib/libaotriton_v2.so.0.12.1");
    let (answer, because) = held(old, &["--head-dim", "64"]);
    assert_eq!(answer, "not");
    assert_eq!(because, "AOTriton 0.10 does not know gfx1200 and takes no image for it");
    assert_eq!(held(new, &["--head-dim", "64"]).0, "holds");
    let two_sizes = ["--head-dim", "64", "--value-dim", "40"];
    assert_eq!(held(new, &two_sizes).0, "holds");
    assert_eq!(held("lib/libaotriton_v2.so.0.11.2", &two_sizes).0, "not");
}

fn library_of(document: &Value) -> &Value {
    library(document, "AOTriton")
}

/// Lists that are no lists, and names that lie, are no kernels.
#[test]
fn hostile_lists_and_names_are_no_kernels() {
    let list = "knl_name,dtype,hdim_q,hdim_v,mask,co_name\n,,,,\nx,bf16,4294967296,1,0,y\n\u{0}\nx,bf16,128,128,0,y\n";
    let root = folder(&[
        ("hsa/gfx942/fmha_v3_fwd/fmha_fwd.csv", list.as_bytes()),
        ("hsa/gfx942/fmha_v3_fwd/x.co", &code("gfx942", "fmha_fwd_hd99999999999_bf16")),
        (
            "lib/aotriton.images/amd-gfx942/flash/attn_fwd/FONLY__＊bf16@16_x_F_F_0_0___gfx942.hsaco",
            &code("gfx942", "attn_fwd"),
        ),
    ]);
    let document = asked(root.path(), &["--arch", "gfx942", "--type", "bf16", "--head-dim", "128"]);
    assert_eq!(document["libraries"].as_array().unwrap().len(), 0, "{document}");
    assert_eq!(document["missing"].as_array().unwrap().len(), 1, "{document}");
}
