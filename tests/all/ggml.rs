//! ggml's routes: the command and the library, on our own small backends (`fixtures/ggml.sh`).

use crate::common::program::{json, run};
use rocm_audit::answers::{Answers, RouteQuestion};
use rocm_audit::engines::ggml::presence::{Library, Presence};
use rocm_audit::engines::ggml::{Architecture, Query, binary, route};
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Output;

const PLAIN: &str = "fixtures/ggml/plain/libggml-hip.so";

fn select(words: &[&str]) -> Output {
    run(&[&["select", "mul-mat", "--type", "q4_K"], words].concat())
}

fn library(folder: &str) -> Library {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/ggml").join(folder);
    Library::open(&path.join("libggml-hip.so")).unwrap()
}

fn presence(folder: &str, arch: &str, query: &str) -> Presence {
    let query: Query = query.parse().unwrap();
    let answer = route(&Architecture::parse(arch).unwrap(), &query, None).unwrap();
    library(folder).presence(&TargetId::parse(arch).unwrap(), &answer.kernel.unwrap())
}

#[test]
fn presence_has_its_states() {
    for folder in ["plain", "compressed"] {
        let name = |arch: &str, query: &str| presence(folder, arch, query).name();
        assert_eq!(name("gfx900", "mm q4_K K4096 N4096 ne11=1 prec=0"), "real", "{folder}");
        assert_eq!(name("gfx1100", "mm q4_K K4096 N4096 ne11=16 prec=0"), "trap stub", "{folder}");
        assert_eq!(name("gfx1100", "mm q4_K K4096 N4096 ne11=512 prec=0"), "real", "{folder}");
        assert_eq!(name("gfx1100", "mm q6_K K4096 N4096 ne11=1 prec=0"), "absent", "{folder}");
        assert_eq!(name("gfx1201", "mm q4_K K4096 N4096 ne11=1 prec=0"), "no code object", "{folder}");
    }
}

#[test]
fn a_kernel_that_is_not_static_is_found() {
    // Symbol names without the `L` of internal linkage, one byte shorter, as for `fwht_cuda`.
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(PLAIN);
    let mut bytes = std::fs::read(path).unwrap();
    let (old, mut changed) = (b"\0_ZL13mul_mat_vec_q", 0);
    while let Some(at) = memchr::memmem::find(&bytes, old) {
        let end = at + 1 + bytes[at + 1..].iter().position(|byte| *byte == 0).unwrap();
        bytes.copy_within(at + 4..end, at + 3);
        bytes[end - 1] = 0;
        changed += 1;
    }
    assert!(changed > 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libggml-hip.so");
    std::fs::write(&path, bytes).unwrap();
    let query: Query = "mm q4_K K4096 N4096 ne11=1 prec=0".parse().unwrap();
    let kernel = route(&Architecture::parse("gfx900").unwrap(), &query, None).unwrap().kernel.unwrap();
    let found = Library::open(&path).unwrap().presence(&TargetId::parse("gfx900").unwrap(), &kernel);
    assert_eq!(found.name(), "real");
}

#[test]
fn versions_are_read_or_concluded() {
    let version = |folder: &str| binary::version_of(&library(folder)).unwrap().versions.to_string();
    assert_eq!((version("plain"), version("compressed")), ("0.27.0".to_owned(), "0.27.0".to_owned()));
    assert_eq!(version("older"), "0.9.5 to 0.12.9");
}

#[test]
fn a_report_has_route_rule_kernel_and_body() {
    let report = json(&["select", "mul-mat", "--type", "q4_K", "--ne11", "1", "--arch", "gfx900", PLAIN]);
    assert_eq!(report["schema"], "rocm-audit/select-route");
    assert_eq!((report["route"].as_str(), report["rule"]["id"].as_str()), (Some("MMVQ"), Some("mmvq")));
    let kernel = &report["kernel"];
    assert_eq!((kernel["presence"].as_str(), kernel["code_objects"].as_u64()), (Some("real"), Some(1)));
    assert_eq!(kernel["symbol"], "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0ELb0EEvPKvS2_Pf");
    assert!(kernel["vgprs"].as_u64().unwrap() > 0 && kernel["classes"]["valu"].as_u64().unwrap() > 0);
    let about = |report: &Value, about: &str| {
        let all = report["statements"].as_array().unwrap().iter();
        all.filter(|s| s["about"] == about).map(|s| s["text"].to_string()).collect::<String>()
    };
    assert!(about(&report, "8, 256, BLAS").contains("CDNA 1 and 2 only"));
    assert!(about(&report, "predicted").contains("not a dispatch"));
    let stub = json(&["select", "mul-mat", "--type", "q4_K", "--ne11", "16", "--arch", "gfx1100", PLAIN]);
    let ids = |report: &Value| -> Vec<String> {
        let all = report["findings"].as_array().unwrap().iter();
        all.map(|f| f["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&stub), ["trap-stub"]);
    assert_eq!(stub["findings"][0]["effect"], "a launch ends the process");
    let none = json(&["select", "mul-mat", "--type", "q4_K", "--ne11", "16", "--arch", "gfx1201", PLAIN]);
    assert_eq!((none["route"].as_str(), &ids(&none)[0][..]), (Some("MMQ"), "target-without-code"));
    // The host names the same kernel for all targets, so its symbol is known if another target has it.
    assert!(none["kernel"]["symbol"].as_str().unwrap().starts_with("_ZL9mul_mat_qIL9ggml_type12ELi16E"));
}

#[test]
fn blas_is_followed_to_a_solution_or_to_the_reason_why_not() {
    let words = ["select", "mul-mat", "--type", "f32", "--ne11", "512", "--arch", "gfx900", "--ne00", "1024"];
    let asked = |more: &[&str]| json(&[&words[..], &[PLAIN], more].concat())["blas"].clone();
    let blas = asked(&[]);
    assert_eq!((blas["function"].as_str(), blas["type"].as_str()), (Some("hipblasSgemm"), Some("SS")));
    // On a machine with ROCm in /opt there is an answer.
    let missing = blas["missing"].as_str();
    assert!(
        missing.is_none_or(|text| text.contains("name the path of its install")) || !blas["answer"].is_null(),
        "{missing:?}"
    );
    let tensile = asked(&["fixtures/rocm", "--cu", "64"]);
    assert!(tensile["answer"].is_object() || tensile["missing"].is_string());
    assert_eq!(tensile["multiprocessors_assumed"], false);
    let half = |arch: &str| {
        let query: Query = "mm f16 K4096 N4096 ne11=64 prec=0".parse().unwrap();
        let target = TargetId::parse(arch).unwrap();
        let question = RouteQuestion { target, query, version: None, multiprocessors: None };
        let answer = Answers::open(&[]).route(&library("plain"), question).unwrap();
        answer.blas.unwrap().ty
    };
    assert_eq!(
        [half("gfx900"), half("gfx90a"), half("gfx1100"), half("gfx1201")],
        ["HH", "HSS", "HH", "HSS"]
    );
}

#[test]
fn a_table_counts_stubs_and_shows_two_side_by_side() {
    let one = json(&["select", "mul-mat", "--table", "--arch", "gfx1100", PLAIN]);
    let rows = one["rows"].as_array().unwrap();
    let of = |rows: &[Value], ty: &str, from: u64| {
        let has = |row: &&Value| row["types"].as_array().unwrap().contains(&ty.into()) && row["from"] == from;
        rows.iter().find(has).unwrap()["cells"].clone()
    };
    let mmq = &of(rows, "q4_K", 9)[0];
    assert_eq!((mmq["route"].as_str(), mmq["stubs"].as_u64()), (Some("MMQ"), Some(1)));
    assert_eq!(mmq["kernels"].as_u64().unwrap(), mmq["real"].as_u64().unwrap() + 1);
    let two = json(&["select", "mul-mat", "--table", "--arch", "gfx900", "--vs", "gfx1100", PLAIN]);
    let cells = of(two["rows"].as_array().unwrap(), "q4_K", 9);
    assert_eq!((cells[0]["route"].as_str(), cells[1]["route"].as_str()), (Some("BLAS"), Some("MMQ")));
    let older = "fixtures/ggml/older";
    let builds = json(&["select", "mul-mat", "--table", "--arch", "gfx900", "--vs-library", older, PLAIN]);
    assert_eq!(builds["columns"][1]["library"]["version"], "0.9.5 to 0.12.9");
    let cells = of(builds["rows"].as_array().unwrap(), "q4_K", 9);
    assert_eq!((cells[0]["route"].as_str(), cells[1]["route"].as_str()), (Some("BLAS"), Some("MMQ")));
    assert_eq!((cells[1]["real"].as_u64(), cells[1]["absent"] == cells[1]["kernels"]), (Some(0), true));
}

/// Later types and stages have no row, and what was not read in a version is marked, as in the single answer.
#[test]
fn a_table_of_an_older_version_has_its_types_and_says_what_is_carried_over() {
    let table = |version: &str, target: &str| {
        json(&["select", "mul-mat", "--table", "--version", version, "--arch", target, PLAIN])
    };
    let rows = |report: &Value| report["rows"].as_array().unwrap().clone();
    let types = |report: &Value| {
        rows(report).iter().map(|row| row["types"].to_string()).collect::<Vec<_>>().join(" ")
    };
    let (old, new) = (table("0.9.1", "gfx1201"), table("0.27.0", "gfx1201"));
    for ty in ["nvfp4", "q1_0", "q2_0"] {
        assert!(!types(&old).contains(ty) && types(&new).contains(ty), "{ty}");
    }
    assert_eq!(old["columns"][0]["types_not_taken"], serde_json::json!(["nvfp4", "q1_0", "q2_0"]));
    assert_eq!(new["columns"][0]["types_not_taken"], serde_json::json!([]));
    let routes = |report: &Value| {
        rows(report).iter().map(|row| row["cells"][0]["route"].to_string()).collect::<String>()
    };
    assert!(!routes(&old).contains("MMF\"") && routes(&new).contains("MMF\""), "{}", routes(&old));
    // A cell is carried over exactly if the single answer is.
    let single = |ty: &str, ne11: &str| {
        let words = [
            "select",
            "mul-mat",
            "--type",
            ty,
            "--ne11",
            ne11,
            "--version",
            "0.9.1",
            "--arch",
            "gfx1201",
            PLAIN,
        ];
        json(&words)["rule"]["is_documented"].as_bool().unwrap()
    };
    let cell = |ty: &str, from: u64| {
        let has = |row: &&Value| row["types"].as_array().unwrap().contains(&ty.into()) && row["from"] == from;
        rows(&old).iter().find(has).unwrap()["cells"][0].clone()
    };
    assert_eq!((cell("f32", 9)["carried_over"].as_bool(), single("f32", "9")), (Some(true), false));
    assert_eq!((cell("f32", 1)["carried_over"].as_bool(), single("f32", "1")), (Some(false), true));
    let told = |report: &Value| report["findings"].to_string().contains("rule-carried-over");
    assert!(told(&old), "{}", old["findings"]);
    let words = ["select", "mul-mat", "--table", "--version", "0.9.1", "--arch", "gfx1201", PLAIN];
    let text = String::from_utf8(run(&words).stdout).unwrap();
    assert!(
        text.contains("BLAS (carried over)") && text.contains("nvfp4, q1_0, q2_0: the backend"),
        "{text}"
    );
}

#[test]
fn families_are_counted_for_all_targets() {
    for folder in ["plain", "compressed"] {
        let path = format!("fixtures/ggml/{folder}");
        let report = json(&["select", "mul-mat", "--families", &path]);
        assert_eq!(report["targets"], serde_json::json!(["gfx900", "gfx1100"]));
        let rows = report["rows"].as_array().unwrap();
        let row = |name: &str| rows.iter().find(|row| row["family"] == name).unwrap()["cells"].clone();
        let cells = |all: u64, real: [u64; 2]| {
            serde_json::json!(
                real.map(|real| serde_json::json!({"kernels": all, "real": real, "stubs": all - real}))
            )
        };
        assert_eq!(row("mul_mat_vec_q"), cells(8, [8, 8]), "{folder}");
        assert_eq!(row("mul_mat_q"), cells(9, [7, 6]), "{folder}");
        assert_eq!(report["total"], cells(18, [16, 15]), "{folder}");
    }
}

#[test]
fn problems_are_answered_in_their_order() {
    let file = std::env::temp_dir().join(format!("rocm-audit-ggml-{}.tsv", std::process::id()));
    let text = "id\tarch\tquery\n1\tgfx900\tmm q4_K K4096 N4096 ne11=1 prec=0\n2\tgfx1201\tmm f32 K4096 N4096 ne11=9 prec=0\n";
    std::fs::write(&file, text).unwrap();
    let output = run(&["select", "mul-mat", "--problems", file.to_str().unwrap(), PLAIN]);
    std::fs::write(&file, "arch\tquery\ngfx900\tmm q9 K1 N1 ne11=1 prec=0\n").unwrap();
    let bad = run(&["select", "flash-attn", "--problems", file.to_str().unwrap(), PLAIN]);
    std::fs::remove_file(&file).unwrap();
    let expected = "arch\tquery\troute\tmain_kernel_mangled\n\
                    gfx900\tmm q4_K K4096 N4096 ne11=1 prec=0\tMMVQ\t\
                    _ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0ELb0EEvPKvS2_Pf\n\
                    gfx1201\tmm f32 K4096 N4096 ne11=9 prec=0\tBLAS:hipblasSgemm\t\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let errors = String::from_utf8(bad.stderr).unwrap();
    assert!(errors.contains("line 2: q9 is no type of ggml; known are f32"), "{errors}");
}

#[test]
fn misuse_and_other_files_are_answered_with_what_is_known() {
    let usual = ["--ne11", "1", "--arch", "gfx900"];
    for (words, expected) in [
        (&["--ne11", "1", PLAIN][..], "name one target with --arch"),
        (
            &[&usual[..], &["--version", "9.9", PLAIN]].concat(),
            "known are those of 0.9.1 to 0.21.0 and 0.27.0",
        ),
        (&[&usual[..], &["--version", "new", PLAIN]].concat(), "known are those of 0.9.1"),
        (&[&usual[..], &["fixtures/ggml/cuda/libggml-cuda.so"]].concat(), "a build for CUDA"),
        (&[&usual[..], &["fixtures/ggml/vulkan/libggml-vulkan.so"]].concat(), "backend for Vulkan"),
        (&[&usual[..], &["README.md"]].concat(), "no AMD device code"),
        (&[&usual[..], &["fixtures/rocm/lib/librccl.so.1.0"]].concat(), "none of ggml's kernels"),
        (&[&usual[..], &["fixtures/ggml"]].concat(), "several libraries"),
        (&[&usual[..], &["docs"]].concat(), "no libggml-hip.so was found below docs"),
        (&[&usual[..], &["nowhere.so"]].concat(), "no such file"),
        (&["--ne11", "0", "--arch", "gfx900", PLAIN], "0 is not in"),
        (&["--ne11", "1", "--experts", "8", "--arch", "gfx900", PLAIN], "--used"),
        (&["--ne11", "1", "--arch", "gfx9999", PLAIN], "no such target"),
    ] {
        let output = select(words);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
    let output = run(&["select", "mul-mat", "--type", "q9_K", "--ne11", "1", "--arch", "gfx900", PLAIN]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("known are f32, f16"));
}

#[test]
fn experts_attention_and_markdown_are_drawn() {
    let text = |words: &[&str]| String::from_utf8(run(words).stdout).unwrap();
    let words =
        ["--type", "q4_K", "--ne11", "1", "--experts", "64", "--used", "8", "--arch", "gfx1100", PLAIN];
    assert!(text(&[&["select", "mul-mat"], &words[..]].concat()).contains("MUL_MAT_ID"));
    let attention = text(&["select", "flash-attn", "--nq", "1", "--arch", "gfx900", PLAIN]);
    assert!(attention.contains("flash_attn_tile<128, 128,"), "{attention}");
    let words = ["select", "mul-mat", "--table", "--arch", "gfx900", "-f", "md", "fixtures/ggml/plain"];
    assert!(
        text(&words).contains("| ne11 | route | kernels | real | stubs | absent | types of the weights |")
    );
}
