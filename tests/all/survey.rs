//! What a card gets from a tree: the summary by target, several cards, the survey, and requirements.

use crate::common::program::{json, run, run_in, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn the_first_screen_says_for_each_target_what_runs_and_fits_a_terminal() {
    let screen = text(&["fixtures/ggml/plain"]);
    assert!(
        screen.lines().count() <= 20 && screen.lines().all(|line| line.chars().count() <= 80),
        "{screen}"
    );
    assert!(screen.contains("gfx900") && screen.contains("ggml runs"), "{screen}");
    assert!(!screen.contains("What was read"), "the tables come with --full");
    assert!(text(&["--full", "fixtures/ggml/plain"]).contains("What was read"));
    assert!(
        text(&["-f", "md", "fixtures/ggml/plain"]).contains("What was read"),
        "a page has no screen to fit"
    );
}

#[test]
fn every_target_has_a_verdict_and_overrides_are_of_those_that_were_asked_for() {
    let report = json(&["fixtures/rocm"]);
    let verdicts = report["verdicts"].as_array().unwrap();
    let targets = report["targets"].as_array().unwrap();
    let own = targets.iter().filter(|target| target["runtime_kernels_only"] == false);
    let names = |rows: Vec<&Value>| rows.into_iter().map(|row| row["processor"].clone()).collect::<Vec<_>>();
    assert_eq!(names(verdicts.iter().collect()), names(own.collect()));
    assert!(verdicts.iter().all(|verdict| verdict["overrides"].as_array().unwrap().is_empty()));
    assert!(report["mixed_host"].as_array().unwrap().is_empty());
}

#[test]
fn a_host_with_two_cards_is_told_what_it_loses() {
    let screen = text(&["--gpu", "MI50,RX 6600", "fixtures/rocm"]);
    for expected in ["✗ gfx906 (MI50)", "✗ gfx1032 (Radeon RX 6600)", "together", "ROCR_VISIBLE_DEVICES"]
    {
        assert!(screen.contains(expected), "{expected}: {screen}");
    }
    let report = json(&["--gpu", "MI50,RX 6600", "fixtures/rocm"]);
    let sentences = report["mixed_host"].as_array().unwrap();
    let of_rocblas = |text: &Value| text["text"].as_str().unwrap().contains("fail on gfx1032");
    assert!(sentences.iter().any(of_rocblas), "rocBLAS has gfx906 and not gfx1032: {sentences:?}");
    // Two names for one processor give one verdict.
    assert_eq!(json(&["--gpu", "MI50,MI60", "fixtures/rocm"])["verdicts"].as_array().unwrap().len(), 1);
}

#[test]
fn the_card_that_was_named_stands_in_the_verdict() {
    assert!(text(&["--gpu", "rx 6650 xt", "fixtures/rocm"]).contains("gfx1032 (Radeon RX 6650 XT)"));
    let all = json(&["--gpu", "rx 6650 xt", "fixtures/rocm"])["verdicts"][0]["products"].clone();
    assert_eq!(all[0], "Radeon RX 6650 XT");
}

#[test]
fn code_decides_where_the_tables_do_not() {
    // LLVM's tables: gfx906 lacks gfx900's v_mad_mix_f32, which the code here does not use.
    let verdict = json(&["--arch", "gfx906", "fixtures/ggml/plain"])["verdicts"][0].clone();
    let best = &verdict["overrides"][0];
    assert_eq!((best["value"].as_str(), best["is_legal"].as_bool()), (Some("9.0.0"), Some(true)), "{best}");
    assert!(best["lacking"].as_u64() > Some(0) && best["answer"] == "legal", "{best}");
    let code = best["code"].as_array().unwrap();
    assert!(!code.is_empty() && code.iter().all(|library| library["instructions"].as_u64().unwrap() > 0));
    // rocFFT and MIOpen compile kernels for the processor that is claimed, and these can have the instruction.
    let trees = ["--arch", "gfx906", "fixtures/rocm", "fixtures/ggml/plain"];
    let best = json(&trees)["verdicts"][0]["overrides"][0].clone();
    assert_eq!(
        (best["answer"].as_str(), best["is_legal"].as_bool()),
        (Some("not-decoded"), Some(false)),
        "{best}"
    );
    let because = best["because"].as_str().unwrap();
    assert!(because.contains("compile more for gfx900 at run time"), "{because}");
}

#[test]
fn a_library_that_compiles_its_own_kernels_is_no_loss() {
    let verdict = json(&["--arch", "gfx90a", "fixtures/rocm"])["verdicts"][0].clone();
    let libraries = verdict["libraries"].as_array().unwrap();
    let of = |name: &str| libraries.iter().find(|library| library["library"] == name).unwrap();
    let said = |name: &str| (of(name)["coverage"].as_str().unwrap(), of(name)["answer"].as_str().unwrap());
    assert_eq!(said("MIOpen"), ("run-time", "compiles"));
    // Of rocFFT only its cache of compiled kernels is here.
    assert_eq!(said("rocFFT"), ("run-time", "unknown"));
}

#[test]
fn multiprocessors_come_from_the_card() {
    let gemm = ["select", "gemm", "-m", "512", "-n", "512", "-k", "512", "fixtures/tensile"];
    let output = run(&[&gemm[..], &["--gpu", "MI25"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    // ROCm's hardware table: the MI25 has 64 compute units.
    assert!(output.status.success() && said.contains("--cu 64, as MI25 has"), "{said}");
    for (words, expected) in [
        (["--arch", "gfx906"], "60 (MI50), 64 (Instinct MI60)"),
        (["--gpu", "Radeon RX 5700XTB"], "is not known"),
        // Its name states the compute units.
        (["--gpu", "vega 56"], "--cu 56"),
        (["--gpu", "RX 6800 XT"], "--cu 36"),
    ] {
        let output = run(&[&gemm[..], &words].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

/// The types that fallback kernels alone serve have the names that the audit's tables have, and all are there.
#[test]
fn fallback_types_are_those_of_the_catalogs() {
    let report = json(&["survey", "gfx900", "fixtures/tensile"]);
    let layers = report["sides"][0]["layers"].as_array().unwrap();
    let said = layers.iter().find(|layer| layer["layer"] == "fallback").unwrap()["conclusion"].clone();
    let audit = json(&["--gpu", "gfx900", "fixtures/tensile"]);
    let rows = audit["gemm"].as_array().unwrap().iter().filter(|row| row["processor"] == "gfx900");
    let types = rows.flat_map(|row| row["types"].as_array().unwrap()).filter(|row| row["all"] == "fallback");
    let names: Vec<&str> = types.map(|row| row["type"].as_str().unwrap()).collect();
    let said = said.as_str().unwrap();
    assert!(!names.is_empty() && names.iter().all(|name| said.contains(name)), "{names:?}: {said}");
}

#[test]
fn a_survey_concludes_layer_by_layer() {
    let trees = ["fixtures/tensile", "fixtures/miopen", "fixtures/ggml/plain"];
    let report = json(&[&["survey", "gfx900", "--vs", "gfx1030"], &trees[..]].concat());
    let [own, other] = &report["sides"].as_array().unwrap()[..] else { panic!("{report}") };
    let layer = |side: &Value| {
        side["layers"].as_array().unwrap().iter().map(|l| l["layer"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(layer(own), ["build", "selection", "fallback", "ship"]);
    assert_eq!((own["answer"].as_str(), other["answer"].as_str()), (Some("runs"), Some("not")));
    let families = own["families"].as_array().unwrap();
    let solvers =
        |side: &str| -> usize { families.iter().map(|family| family[side].as_array().unwrap().len()).sum() };
    // MIOpen 3.3.0 registers 103 convolution solvers (`solver.cpp`), each in one family.
    assert_eq!(solvers("admitted") + solvers("refused"), 103);
    let mlir = families.iter().find(|family| family["name"] == "MLIR, implicit GEMM").unwrap();
    let because = mlir["refused"][0]["because"].as_str().unwrap();
    assert!(mlir["admitted"].as_array().unwrap().is_empty() && because.contains("excluded"), "{mlir}");
    assert!(mlir["refused"][0]["source"].as_str().unwrap().contains("conv_mlir_igemm"), "{mlir}");
    let removed = |event: &&Value| event["library"] == "Composable Kernel" && event["is_first"] == false;
    let removed = own["history"].as_array().unwrap().iter().find(removed).unwrap();
    // ROCm/composable_kernel, pull request 1351.
    assert_eq!(removed["date"], "2024-06-19");
    let routes = own["routes"].as_array().unwrap();
    assert!(routes.iter().all(|row| row["decode"]["route"].is_string()));
}

#[test]
fn a_survey_speaks_of_libraries_that_are_here() {
    let side = |tree: &str| json(&["survey", "gfx900", tree])["sides"][0].clone();
    let projects = |side: &Value| -> std::collections::BTreeSet<String> {
        let events = side["history"].as_array().unwrap().iter();
        events.map(|event| event["library"].as_str().unwrap().to_owned()).collect()
    };
    let is_empty = |side: &Value, field: &str| side[field].as_array().unwrap().is_empty();
    let ggml = side("fixtures/ggml/plain");
    assert_eq!(projects(&ggml).into_iter().collect::<Vec<_>>(), ["ggml"]);
    assert!(is_empty(&ggml, "families") && !is_empty(&ggml, "routes") && ggml["since"].is_null(), "{ggml}");
    let rocblas = side("fixtures/tensile");
    assert!(projects(&rocblas).contains("Tensile") && !projects(&rocblas).contains("MIOpen"), "{rocblas}");
    assert!(is_empty(&rocblas, "families") && is_empty(&rocblas, "routes"));
    let miopen = side("fixtures/miopen");
    assert!(!is_empty(&miopen, "families") && projects(&miopen).contains("Composable Kernel"), "{miopen}");
    let said = text(&["survey", "gfx900", "fixtures/containers/pe/kernels.dll"]);
    for word in ["MIOpen's", "Composable Kernel", "llama.cpp", "histories"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
}

#[test]
fn solvers_are_listed_for_cards_side_by_side() {
    let list = text(&["list", "solvers", "--gpu", "RX 6600,MI100"]);
    let line = list.lines().find(|line| line.contains(" ConvAsm3x3U ")).unwrap();
    // conv_asm_3x3u.cpp: gfx8 and gfx9 only.
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(&words[words.len() - 2..], ["no", "yes"], "{line}");
    let why = text(&["list", "solvers", "ConvMlirIgemmFwd", "--arch", "gfx900"]);
    assert!(why.contains("conv_mlir_igemm_fwd.cpp"), "{why}");
    assert_eq!(text(&["list", "solvers"]).lines().count(), 104, "a head and 103 solvers");
    // Read in rocm-libraries: the lists of processors change with 3.5.1, and fourteen solvers are gone with
    // 3.5.2.
    let two = text(&["list", "solvers", "--miopen", "3.5.1", "--vs", "3.5.2"]);
    let gone = two.lines().filter(|line| line.contains("all of them")).count();
    assert_eq!(gone, 14, "{two}");
    let lists =
        text(&["list", "solvers", "--miopen", "3.4.0", "--vs", "3.5.1", "--arch", "gfx950,gfx942,gfx940"]);
    let line = lists.lines().find(|line| line.contains("ConvHipImplicitGemmGroupFwdXdlops")).unwrap();
    assert!(line.contains("gfx940") && line.contains("gfx950") && !line.contains("gfx942"), "{line}");
    // Debian's library of 3.4.0 has no symbol of these.
    let three = text(&["list", "solvers", "--vs", "3.4.0"]);
    let gone = three.lines().filter(|line| line.contains("F16F8F16") && line.contains("all of them"));
    assert_eq!((gone.count(), three.lines().count()), (3, 4), "{three}");
}

#[test]
fn a_baseline_fails_only_where_something_is_worse() {
    let dir = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = root.join("fixtures/ggml/plain");
    let library = library.to_str().unwrap();
    let output = run_in(dir.path(), &["-q", "-o", "old.json", library]);
    assert!(output.status.success());
    let check = |words: &[&str]| {
        let output = run_in(dir.path(), &[&["check", library], words].concat());
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said)
    };
    assert_eq!(check(&["--baseline", "old.json"]).0, 0);
    // A target that the older release supported.
    let old = fs::read_to_string(dir.path().join("old.json")).unwrap();
    fs::write(dir.path().join("more.json"), old.replace("gfx900", "gfx906")).unwrap();
    let (status, said) = check(&["--baseline", "more.json"]);
    assert!(status == 1 && said.contains("gfx906 ggml  absent; it was native"), "{said}");
    for (name, content, expected) in [
        ("cut.json", &old[..old.len() / 2], "column"),
        ("other.json", "{\"schema\": \"rocm-audit/kernel\"}", "expected rocm-audit/report"),
        ("none.json", "[]", "no \"schema\""),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
        let (status, said) = check(&["--baseline", name]);
        assert!(status == 2 && said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn a_file_says_what_is_required_and_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ggml/plain");
    let check = |toml: &str| {
        fs::write(dir.path().join("rocm-audit.toml"), toml).unwrap();
        let output = run_in(dir.path(), &["check", library.to_str().unwrap()]);
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said)
    };
    let (status, said) = check("require = [\"gfx900\"]\n");
    assert!(status == 0 && said.contains("rocm-audit.toml says what is required"), "{said}");
    assert_eq!(check("require = [\"gfx900\", \"gfx1201\"]\n").0, 1);
    let ignoring = "require = [\"gfx900\", \"gfx1201\"]\n[[ignore]]\ntarget = \"gfx1201\"\nlibrary = \"ggml\"\nreason = \"next release\"\n";
    let (status, said) = check(ignoring);
    assert!(status == 0 && said.contains("ignored: next release"), "{said}");
    let (status, said) =
        check(&format!("{ignoring}[[ignore]]\nrule = \"cut-end\"\nreason = \"an old upload\"\n"));
    assert!(status == 0 && said.contains("unused ignore") && said.contains("an old upload"), "{said}");
    for (toml, expected) in [
        ("require = [\"gfx900\"\nx = 1", "line 2, column"),
        ("require = [\"gfx9000\"]", "gfx9000"),
        ("demand = [\"gfx900\"]", "demand"),
        ("require = [\"gfx900\"]\n[[ignore]]\nrule = \"cut-end\"\n", "reason"),
        ("require = [\"gfx900\"]\n[[ignore]]\nrule = \"cut-end\"\nreason = \" \"\n", "empty reason"),
        ("require = [\"gfx900\"]\n[[ignore]]\nrule = \"no-such-rule\"\nreason = \"x\"\n", "no-such-rule"),
        ("require = [\"gfx900\"]\n[[ignore]]\nreason = \"x\"\n", "names no rule"),
        ("fail-on = [\"nonsense\"]\nrequire = [\"gfx900\"]", "nonsense"),
    ] {
        let (status, said) = check(toml);
        assert!(status == 2 && said.contains(expected), "{toml}: {said}");
    }
}

#[test]
fn a_library_with_a_damaged_file_is_not_known_to_run() {
    let dir = tempfile::tempdir().unwrap();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ggml/plain/libggml-hip.so");
    let bytes = fs::read(library).unwrap();
    // The section headers are at the end.
    fs::write(dir.path().join("libggml-hip.so"), &bytes[..bytes.len() - 100]).unwrap();
    let output = run_in(dir.path(), &["--arch", "gfx900", ".", "-f", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdict = &report["verdicts"][0];
    assert_eq!((output.status.code(), verdict["answer"].as_str()), (Some(1), Some("unknown")), "{verdict}");
    let told = verdict["libraries"].as_array().unwrap().len() + verdict["damaged"].as_array().unwrap().len();
    assert_eq!(told, 1, "one file, one row: {verdict}");
}

/// Markdown has the four layers as a flow chart, each behind the one before.
#[test]
fn the_layers_are_drawn_as_a_chart() {
    let drawn = text(&["survey", "gfx900", "-f", "md", "fixtures/rocm"]);
    let chart = drawn.split("```mermaid").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let place =
        |word: &str| chart.find(&format!("[\"{word}<br/>")).unwrap_or_else(|| panic!("{word}: {chart}"));
    let places = ["gfx900 (MI25)", "build", "selection", "fallback", "ship"].map(place);
    assert!(places.is_sorted(), "{chart}");
}
