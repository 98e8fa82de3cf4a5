//! Observed routes, tested without the library.

mod observed;

use super::*;
use observed::{ANSWERS, TABLES};
use std::collections::BTreeMap;

fn asked(arch: &str, query: &str, version: Option<&str>) -> Answer<'static> {
    let version = version.map(|text| text.parse().unwrap());
    route(&Architecture::parse(arch).unwrap(), &query.parse().unwrap(), version).unwrap()
}

#[test]
fn route_tables_are_those_that_were_observed() {
    for (arch, rows) in TABLES {
        let expected: BTreeMap<&str, &str> =
            rows.iter().flat_map(|(types, routes)| types.split(' ').map(|ty| (ty, *routes))).collect();
        let table = table::route_table(&Architecture::parse(arch).unwrap(), None).unwrap();
        assert_eq!((table.len(), expected.len()), (26, 26), "{arch}");
        for row in table {
            let ranges: Vec<String> = row.ranges.iter().map(ToString::to_string).collect();
            assert_eq!(ranges.join(", "), expected[row.ty.name], "{arch} {}", row.ty.name);
        }
    }
}

#[test]
fn answers_are_those_that_were_observed() {
    for (arch, query, expected, prefix) in ANSWERS {
        let answer = asked(arch, query, None);
        let kernel = answer.kernel.as_ref().map(Kernel::prefix).unwrap_or_default();
        assert_eq!(
            (answer.route.to_string().as_str(), kernel.as_str()),
            (*expected, *prefix),
            "{arch} {query}"
        );
        let sizes = query.starts_with("fa") && answer.route == Route::Unsupported;
        assert!(answer.rule.is_some() || sizes, "{arch} {query}: no rule");
    }
}

#[test]
fn a_rule_names_itself_and_its_source() {
    let answer = asked("gfx908", "mm q4_K K4096 N4096 ne11=257 prec=0", None);
    let rule = answer.rule.unwrap();
    assert_eq!((answer.route.name(), rule.id), ("BLAS", "mmq-cdna-256"));
    assert!(rule.source.contains("12236b4a") && answer.is_documented);
}

/// A published study states one rule of one version as if it applied to all GPUs and versions; the sources
/// differ (`ggml_cuda_should_use_mmq` of each tag in src/ggml-cuda/mmq.cu).
#[test]
fn rules_change_with_versions() {
    let route = |arch: &str, columns: u64, version: &str| {
        let query = format!("mm q4_K K4096 N4096 ne11={columns} prec=0");
        asked(arch, &query, Some(version)).route.name()
    };
    for arch in ["gfx908", "gfx90a"] {
        let routes = [8, 9, 256, 257].map(|columns| route(arch, columns, "0.9.1"));
        assert_eq!(routes, ["MMVQ", "MMQ", "MMQ", "BLAS"], "{arch}");
    }
    assert_eq!(route("gfx90a", 8, "0.13.0"), "MMVQ");
    assert_eq!(route("gfx90a", 8, "0.13.1"), "MMQ");
    assert_eq!(route("gfx1201", 63, "0.9.4"), "MMQ");
    assert_eq!(route("gfx1201", 64, "0.9.4"), "BLAS");
    assert_eq!(route("gfx1201", 64, "0.9.5"), "MMQ");
    assert_eq!(route("gfx900", 64, "0.15.0"), "MMQ");
    assert_eq!(route("gfx900", 64, "0.16.0"), "BLAS");
    assert_eq!(route("gfx90c", 8, "0.27.0"), "MMVQ");
    assert_eq!(route("gfx90c", 9, "0.27.0"), "BLAS");
}

/// `ggml_cuda_should_use_mmf`, `ggml_cuda_should_use_mmvf` and `ggml_cuda_should_use_mmq` in each tag, and
/// `ggml_backend_cuda_device_supports_op` for the types.
#[test]
fn stages_and_types_come_with_their_version() {
    let route = |arch: &str, ty: &str, columns: u64, version: &str| {
        let answer = asked(arch, &format!("mm {ty} K4096 N4096 ne11={columns} prec=0"), Some(version));
        answer.route.name()
    };
    for (arch, ty, columns, version, expected) in [
        ("gfx1201", "f16", 6, "0.9.4", "BLAS"),
        ("gfx1201", "f16", 6, "0.9.5", "MMF"),
        ("gfx1100", "bf16", 4, "0.9.1", "BLAS"),
        ("gfx1100", "bf16", 4, "0.9.5", "MMF"),
        ("gfx1100", "f16", 5, "0.9.4", "MMVF"),
        ("gfx1100", "f16", 5, "0.9.5", "MMF"),
        ("gfx942", "f32", 16, "0.9.5", "BLAS"),
        ("gfx942", "f32", 16, "0.9.6", "MMF"),
        ("gfx950", "q8_0", 512, "0.9.11", "MMQ"),
        ("gfx950", "q8_0", 512, "0.10.0", "BLAS"),
        ("gfx1100", "nvfp4", 1, "0.9.8", "UNSUPPORTED"),
        ("gfx1100", "nvfp4", 1, "0.9.9", "MMVQ"),
        ("gfx1100", "nvfp4", 64, "0.9.10", "BLAS"),
        ("gfx1100", "nvfp4", 64, "0.9.11", "MMQ"),
        ("gfx1100", "q1_0", 1, "0.9.11", "UNSUPPORTED"),
        ("gfx1100", "q1_0", 1, "0.10.0", "MMVQ"),
        ("gfx1100", "q2_0", 1, "0.17.0", "UNSUPPORTED"),
        ("gfx1100", "q2_0", 1, "0.18.0", "MMVQ"),
        ("gfx1100", "mxfp4", 1, "0.9.1", "MMVQ"),
    ] {
        assert_eq!(route(arch, ty, columns, version), expected, "{arch} {ty} {columns} {version}");
    }
}

#[test]
fn no_rule_claims_to_be_the_only_one() {
    let rules = rules::rules().unwrap();
    let notes = rules.all().iter().filter_map(|rule| rule.note);
    assert!(notes.clone().all(|note| !note.contains("the only 256") || note.starts_with("not the only 256")));
    // Two rules end MMQ at 256 columns.
    let ends = rules.stage("mmq").filter(|rule| rule.at_most == Some(256)).map(|rule| rule.id);
    assert_eq!(ends.collect::<Vec<_>>(), ["mmq-cdna-256", "mmq-rdna3.5-q6_K"]);
}

#[test]
fn attention_of_0_21_took_fewer_matrices_and_types() {
    let route = |arch: &str, query: &str, version: &str| asked(arch, query, Some(version)).route.name();
    let large = "fa f16 D576 DV512 nq=512 nh=32 nkv=1 kv=1024 mask=1";
    assert_eq!((route("gfx90a", large, "0.21.0"), route("gfx90a", large, "0.27.0")), ("TILE", "MMA"));
    let middle = "fa f16 D256 DV256 nq=512 nh=32 nkv=4 kv=1024 mask=1";
    assert_eq!((route("gfx1100", middle, "0.21.0"), route("gfx1100", middle, "0.27.0")), ("TILE", "MMA"));
    let q5 = "fa q5_1 D128 DV128 nq=1 nh=32 nkv=4 kv=1024 mask=1";
    assert_eq!((route("gfx906", q5, "0.21.0"), route("gfx906", q5, "0.27.0")), ("UNSUPPORTED", "VEC"));
}

#[test]
fn kernels_have_the_arguments_of_their_version() {
    let name = |query: &str, version: &str| asked("gfx906", query, Some(version)).kernel.unwrap().name();
    let vector = "mm q4_K K4096 N4096 ne11=1 prec=0";
    assert_eq!(name(vector, "0.27.0"), "mul_mat_vec_q<(ggml_type)12, 1, false, false, false>");
    assert_eq!(name(vector, "0.9.6"), "mul_mat_vec_q<(ggml_type)12, 1, false>");
    assert_eq!(name(vector, "0.9.4"), "mul_mat_vec_q<(ggml_type)12, 1>");
    let matrix = "mm q4_K K4096 N4096 ne11=64 prec=0";
    assert_eq!(name(matrix, "0.27.0"), "mul_mat_q<(ggml_type)12, 64, false, (ggml_prec)30>");
    assert_eq!(name(matrix, "0.21.0"), "mul_mat_q<(ggml_type)12, 64, false>");
}
