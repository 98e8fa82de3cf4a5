//! The command `explain`, with and without trees.

use super::rows::ROWS;
use crate::common::program::run_with;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn json(words: &[&str], input: &[u8]) -> Value {
    let output = run_with(&[&["explain", "-f", "json"], words].concat(), input);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_answer_fits_fifteen_lines_of_a_terminal() {
    for (id, text, _) in ROWS {
        let output = run_with(&["explain", "--error", text], b"");
        let shown = String::from_utf8(output.stdout).unwrap();
        let answer: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
        assert!(answer.len() <= 15, "{id}: {} lines\n{shown}", answer.len());
        let long =
            shown.lines().find(|line| line.chars().count() > 80 && line.split_whitespace().count() > 1);
        assert_eq!(long, None, "{id}");
        assert!(answer[0].starts_with(id), "{shown}");
        assert!(answer.iter().any(|line| line.starts_with("  do")), "{shown}");
    }
}

#[test]
fn a_tree_decides() {
    let missing = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1012";
    let answer = json(&["--error", missing, "fixtures/tensile"], b"");
    assert_eq!(answer["tree"]["verdict"], "confirmed");
    assert_eq!(answer["rules"][0], "RB-ARCH-MISSING");
    assert_eq!(answer["target"], "gfx1012");
    assert_eq!(answer["library"], "rocBLAS");
    assert_eq!(answer["path"], "/x/rocblas/library/TensileLibrary.dat");
    // The folder has TensileLibrary_lazy_gfx900.dat.
    let there = missing.replace("gfx1012", "gfx900");
    let answer = json(&["--error", &there, "fixtures/tensile"], b"");
    assert_eq!(answer["tree"]["verdict"], "not-the-files");
    let rules: Vec<&str> =
        answer["rules"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect();
    assert!(rules[0] == "RB-PATH-WRONG" && !rules.contains(&"RB-ARCH-MISSING"), "{rules:?}");
    let path = answer["tree"]["serving"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("TensileLibrary_lazy_gfx900.dat"), "{path}");
    // One library, with code for gfx900 but not for gfx1201.
    let library = "fixtures/ggml/plain/libggml-hip.so";
    for (arch, verdict) in [("gfx900", "not-the-files"), ("gfx1201", "confirmed")] {
        let answer = json(&["--arch", arch, "--error", "HIP error: invalid device function", library], b"");
        assert_eq!(answer["tree"]["verdict"], verdict, "{arch}: {answer}");
        assert_eq!(answer["target"], arch);
    }
    let answer = json(&["--error", "HIP error: invalid device function", library], b"");
    assert_eq!(answer["tree"]["verdict"], "not-decided", "no target is known");
    let answer = json(
        &["--error", "Unable to open /dev/kfd read-write: Permission denied", "--arch", "gfx900", library],
        b"",
    );
    assert_eq!(
        (&answer["tree"]["verdict"], &answer["class"]),
        (&"not-the-files".into(), &"environment".into())
    );
    let answer = json(&["--error", "Torch not compiled with CUDA enabled", "docs"], b"");
    assert_eq!(answer["tree"]["verdict"], "confirmed", "a tree without any device code");
}

/// A message that was printed while an override was set is about the processor that it names.
#[test]
fn a_message_under_an_override_is_decided_for_the_claimed_processor() {
    // Code for gfx900, gfx906 and others, not for gfx1030.
    let library = "fixtures/ggml/plain/libggml-hip.so";
    let error = "HIP error: invalid device function";
    let asked = ["--error", error, "--override", "10.3.0", "--gpu", "RX 6600", library];
    let answer = json(&asked, b"");
    assert_eq!((&answer["target"], &answer["tree"]["verdict"]), (&"gfx1030".into(), &"confirmed".into()));
    let claim = &answer["claim"];
    assert_eq!(
        (&claim["card"], &claim["claimed"], &claim["answer"]),
        (&"gfx1032".into(), &"gfx1030".into(), &"legal".into())
    );
    assert_eq!(answer["of_another"], Value::Null);
    // Without a tree nothing to load is the first thing to suppose.
    let answer = json(&["--error", error, "--override", "10.3.0", "--gpu", "RX 6600"], b"");
    assert_eq!(
        (&answer["rules"][0], &answer["overrides"][0]),
        (&"OV-NOTHING-TO-LOAD".into(), &"10.3.0".into())
    );
    // The card is the one that the log names, where none is asked about.
    let log = "  Device 0: AMD Radeon RX 6600, gfx1032 (0x1032), VMM: no\nROCm error: invalid device function\n  current device: 0";
    let answer = json(&["--error", log, "--override", "10.3.0"], b"");
    assert_eq!(answer["claim"]["card"], "gfx1032", "{answer}");
    // A fault under an override of another generation is the override's.
    let fault = "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x2. Reason: Unknown.";
    let answer = json(&["--error", fault, "--override", "9.0.0", "--gpu", "RX 6600"], b"");
    assert_eq!(answer["rules"][0], "OV-CROSS-MAJOR", "{answer}");
}

/// A number alone is answered with all that it can mean, and a status by its name needs no `--error`.
#[test]
fn numbers_and_names_of_statuses_are_explained() {
    let names = |word: &str| -> Vec<String> {
        let answer = json(&[word], b"");
        let all = answer["numbers"].as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    // hip_runtime_api.h; 98 is also the id of a solver in MIOpen's registry.
    assert_eq!(names("98"), ["hipErrorInvalidDeviceFunction", "ConvMlirIgemmFwd"]);
    assert_eq!(names("0x1008"), ["HSA_STATUS_ERROR_OUT_OF_RESOURCES"]);
    assert!(names("-11")[0].starts_with("SIGSEGV"));
    assert_eq!(json(&["hipErrorInvalidDeviceFunction"], b"")["message"], "invalid-device-function");
    let refused = run_with(&["explain", "31337"], b"");
    assert_eq!(refused.status.code(), Some(2));
}

/// The missing end of a truncated file may contain what is searched for.
#[test]
fn what_could_not_be_read_whole_decides_nothing() {
    let whole = std::fs::read("fixtures/ggml/plain/libggml-hip.so").unwrap();
    let cut = &whole[..whole.len() * 6 / 10];
    let error = "HIP error: invalid device function";
    let ask = |tree: &Path, error: &str, arch: &str| {
        let output = run_with(
            &["explain", "--arch", arch, "--error", error, "-f", "json", tree.to_str().unwrap()],
            b"",
        );
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer, output.status.code())
    };
    // Alone, under its own name: its bundles lie beyond the cut.
    let tree = tempfile::tempdir().unwrap();
    std::fs::write(tree.path().join("libggml-hip.so"), cut).unwrap();
    // The whole file contains gfx900 but not gfx1201; the rest shows neither.
    for arch in ["gfx900", "gfx1201"] {
        let (answer, status) = ask(tree.path(), error, arch);
        assert_eq!(answer["tree"]["verdict"], "not-decided", "{arch}: {answer}");
        let because = answer["tree"]["because"].as_str().unwrap();
        assert!(because.contains("libggml-hip.so could not be read whole"), "{because}");
        assert_eq!((&answer["complete"], status), (&false.into(), Some(1)), "{arch}");
        assert_eq!(answer["findings"][0]["locations"][0]["path"], "libggml-hip.so");
    }
    // Next to a complete library that serves the target, the truncated one still may not.
    std::fs::create_dir(tree.path().join("other")).unwrap();
    std::fs::write(tree.path().join("other/libggml-hip.so"), &whole).unwrap();
    let (answer, status) = ask(tree.path(), error, "gfx900");
    assert_eq!((answer["tree"]["verdict"].as_str(), status), (Some("not-decided"), Some(1)), "{answer}");
    // Permissions are unrelated to the files.
    let kfd = "Unable to open /dev/kfd read-write: Permission denied";
    let (answer, status) = ask(tree.path(), kfd, "gfx900");
    assert_eq!((answer["class"].as_str(), status), (Some("environment"), Some(1)), "{answer}");
    // A tree with only a truncated file is not a tree without device code.
    let tree = tempfile::tempdir().unwrap();
    let object = std::fs::read("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco").unwrap();
    std::fs::write(tree.path().join("x.hsaco"), &object[..object.len() / 3]).unwrap();
    for error in [error, "Torch not compiled with CUDA enabled"] {
        let (answer, status) = ask(tree.path(), error, "gfx906");
        assert_eq!((answer["tree"]["verdict"].as_str(), status), (Some("not-decided"), Some(1)), "{answer}");
        assert!(answer["tree"]["because"].as_str().unwrap().contains("x.hsaco could not be read whole"));
    }
    // A complete tree ends with 0.
    let (answer, status) = ask(Path::new("fixtures/ggml/plain"), error, "gfx900");
    assert_eq!((&answer["complete"], status), (&true.into(), Some(0)));
    assert_eq!(answer["tree"]["verdict"], "not-the-files");
}

/// A program opens the file for its GPU. Each compressed file is a separate place.
#[test]
fn files_of_other_targets_lack_nothing() {
    let tree = tempfile::tempdir().unwrap();
    for arch in ["gfx906", "gfx1030"] {
        let version = if arch == "gfx906" { "v4" } else { "v5" };
        let object = std::fs::read(format!("fixtures/rocm/lib/codeobject/{version}_{arch}.hsaco")).unwrap();
        let path = tree.path().join(format!("kernel_{arch}.fatbin.zst"));
        std::fs::write(path, zstd::encode_all(&object[..], 1).unwrap()).unwrap();
    }
    let root = tree.path().to_str().unwrap();
    let ask = |arch: &str| json(&["--arch", arch, "--error", "hipErrorNoBinaryForGpu", root], b"");
    let answer = ask("gfx906");
    assert_eq!(answer["tree"]["verdict"], "not-the-files", "{answer}");
    let path = answer["tree"]["serving"][0]["path"].as_str().unwrap();
    assert!(path.contains("kernel_gfx906"), "{path}");
    let answer = ask("gfx1201");
    assert_eq!(answer["tree"]["verdict"], "confirmed", "{answer}");
    let lacking = answer["tree"]["lacking"].as_array().unwrap();
    let paths: BTreeSet<&str> = lacking.iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), lacking.len(), "each file by its own name: {answer}");
}

#[test]
fn a_tree_says_what_to_do_for_the_gpu_that_is_refused() {
    let library = "fixtures/ggml/plain/libggml-hip.so";
    let error = "HIP error: invalid device function";
    let advice = |gpus: &str, tree: &str, error: &str| {
        let answer = json(&["--arch", gpus, "--error", error, tree], b"");
        let refused = gpus.split(',').next_back().unwrap();
        assert_eq!(answer["target"], refused);
        (answer["rules"][0].as_str().unwrap().to_owned(), answer["advice"].as_str().unwrap().to_owned())
    };
    // gfx90c can decode all code for gfx900, which exists here.
    let (cause, alone) = advice("gfx90c", library, error);
    assert_eq!(cause, "FB-ARCH-MISSING");
    assert!(alone.contains("HSA_OVERRIDE_GFX_VERSION=9.0.0") && alone.contains("hide it"), "{alone}");
    // Next to a card that is served, hiding it is the advice, not an override, which would affect every GPU.
    let (cause, beside) = advice("gfx900,gfx90c", library, error);
    assert_eq!(cause, "SYS-MULTI-ARCH");
    assert!(beside.contains("Hide gfx90c") && beside.contains("HIP_VISIBLE_DEVICES"), "{beside}");
    assert!(!beside.contains("OVERRIDE"), "{beside}");
    // The card is not an APU, and nothing here has code of its generation.
    let (_, card) = advice("gfx1201", library, error);
    assert!(!card.contains("OVERRIDE") && !card.contains("hide"), "{card}");
    // A card that is served is not refused.
    let (_, served) = advice("gfx900", library, error);
    assert!(!served.contains("OVERRIDE"), "{served}");
}

#[test]
fn of_the_gpus_that_a_log_counts_those_that_stay_are_numbered() {
    let advice = |devices: &[&str], current: usize| {
        let listed: String = (0..devices.len())
            .map(|n| format!("  Device {n}: AMD Radeon, {} (0x1), VMM: no, Wave Size: 32\n", devices[n]))
            .collect();
        let log = format!(
            "ggml_cuda_init: found {} ROCm devices:\n{listed}ROCm error: invalid device function\n  \
             current device: {current}, in function ggml_cuda_op_mul_mat at ggml-cuda.cu:1500",
            devices.len()
        );
        json(&["--error", &log], b"")["advice"].as_str().unwrap().to_owned()
    };
    for (devices, current, says) in [
        (&["gfx900", "gfx1036"][..], 1, "Hide gfx1036: HIP_VISIBLE_DEVICES=0 leaves gfx900"),
        (&["gfx1036", "gfx1100"], 0, "Hide gfx1036: HIP_VISIBLE_DEVICES=1 leaves gfx1100"),
        (
            &["gfx1201", "gfx1103", "gfx1100"],
            1,
            "Hide gfx1103: HIP_VISIBLE_DEVICES=0,2 leaves gfx1100, gfx1201",
        ),
    ] {
        let said = advice(devices, current);
        assert!(said.starts_with(says), "{devices:?}: {said}");
    }
    // Two of one kind: the other one would fail as well.
    for devices in [&["gfx1103", "gfx1103"][..], &["gfx1103"]] {
        let said = advice(devices, 0);
        assert!(!said.contains("VISIBLE_DEVICES="), "{devices:?}: {said}");
    }
}

#[test]
fn an_override_without_its_option_is_sent_to_it() {
    let output = run_with(&["explain", "override", "11.0.0", "fixtures/ggml/plain"], b"");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("explain --override 11.0.0 --gpu"), "{said}");
}

#[test]
fn no_other_library_is_named_in_place_of_the_one_of_the_message() {
    let error =
        "Cannot find CO in the bundle /opt/rocm/lib/librocsparse.so.1 for ISA: amdgcn-amd-amdhsa--gfx1201";
    let answer = json(&["--error", error, "fixtures/ggml/plain/libggml-hip.so"], b"");
    assert_eq!(answer["tree"]["verdict"], "not-decided", "{answer}");
    assert_eq!(answer["tree"]["lacking"].as_array().unwrap().len(), 0);
    // ggml's own message is about ggml, so another library's code for gfx906 in the same tree does not
    // matter.
    let tree = tempfile::tempdir().unwrap();
    std::fs::copy("fixtures/ggml/plain/libggml-hip.so", tree.path().join("libggml-hip.so")).unwrap();
    let other = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    std::fs::create_dir_all(tree.path().join("rocsparse")).unwrap();
    std::fs::copy(other, tree.path().join("rocsparse/x.hsaco")).unwrap();
    let root = tree.path().to_str().unwrap();
    let verdict =
        |error: &str| json(&["--arch", "gfx900", "--error", error, root], b"")["tree"]["verdict"].clone();
    assert_eq!(verdict("ROCm error: invalid device function"), "not-the-files");
    assert_eq!(verdict("RuntimeError: HIP error: invalid device function"), "confirmed");
    // A library folder is named by its path, since its files belong to other targets.
    let error = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1012";
    let answer = json(&["--error", error, "fixtures/tensile"], b"");
    let path = answer["tree"]["lacking"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("library") && !path.contains("gfx"), "{path}");
}

#[test]
fn standard_input_and_unknown_text() {
    let answer = json(&["--error", "-"], b"x\nhipErrorNoBinaryForGpu\n");
    assert_eq!((&answer["class"], &answer["messages"][0]["line"]), (&"file".into(), &2.into()));
    let answer = json(&["--error", "-"], b"");
    assert_eq!(answer["class"], "unknown");
    assert_eq!(answer["rules"].as_array().unwrap().len(), 0);
    let answer = json(&["--log", "fixtures/explain/ollama.log"], b"");
    assert_eq!(answer["message"], "rocblas-cannot-read");
    assert_eq!(answer["path"], "/usr/lib/ollama/rocblas/library/TensileLibrary.dat", "its line is broken");
    assert_eq!((&answer["target"], &answer["messages"][0]["line"]), (&"gfx1103".into(), &3.into()));
    assert_eq!(answer["messages"][0]["count"], 1);
    assert_eq!(json(&["--error", "--- a text that begins so"], b"")["class"], "unknown");
}

#[test]
fn words_are_explained_and_near_ones_suggested() {
    let text = |word: &str| String::from_utf8(run_with(&["explain", word], b"").stdout).unwrap();
    assert!(text("kernel-absent").contains("no kernel of this name"));
    assert!(text("fb-arch-missing").contains("no-binary-for-gpu"));
    // A fact about files that no message has as its cause leads to its rule.
    assert!(text("LT-TRANSFORM-TARGETS").contains("transform-missing"));
    assert!(text("vgpr-budget").contains("registers-beyond-work-group"), "the rules that show a cause");
    assert!(text("fb-ccob-collision").contains("magic-in-compressed-bytes"));
    assert!(text("GFX1032").contains("gfx10-3-generic"));
    assert!(text("no-device").contains("DEV-NONE"));
    let solver = text("ConvAsm1x1U");
    assert!(solver.contains("no padding") && solver.contains("conv_asm_1x1u.cpp:521-622"), "{solver}");
    for (words, expected) in [
        (&["explain", "gfx103"][..], "is gfx1030, gfx1031"),
        (&["explain", "kernel-absnt"], "is kernel-absent meant?"),
        (&["explain", "ConvAsm1x1"], "is ConvAsm1x1U or ConvAsm1x1UV2 meant?"),
        (&["explain", "docs"], "a path is read without a word before it"),
        (&["explain", "HIP", "error"], "in quotes"),
        (&["explain"], "name a rule"),
        (&["explain", "--error", ""], "is empty"),
        (&["explain", "--error", "README.md"], "is a file"),
        (&["explain", "--error", "x", "nowhere"], "nowhere: no such file or directory"),
        (&["explain", "gfx900", "--arch", "gfx906"], "--arch has no meaning"),
        (&["explain", "-f", "jsonl", "gfx900"], "use -f json"),
        (&["explain", "gfx900", "--fail-on", "error"], "finds nothing"),
    ] {
        let output = run_with(words, b"");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

/// A known message needs no `--error`; an unknown text is refused like an unknown word.
#[test]
fn a_pasted_message_is_explained_as_one() {
    let text = "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1103";
    assert_eq!(json(&[text], b""), json(&["--error", text], b""));
    assert_eq!(json(&[text, "fixtures/rocm"], b""), json(&["--error", text, "fixtures/rocm"], b""));
    let output = run_with(&["explain", "no such words at all"], b"");
    assert_eq!(output.status.code(), Some(2));
}

/// Files are cleared only of what they were checked for.
#[test]
fn what_was_not_looked_at_is_not_acquitted() {
    let library = "fixtures/ggml/plain/libggml-hip.so";
    let ask = |error: &str| json(&["--arch", "gfx900", "--error", error, library], b"");
    for (error, open) in [
        ("Memory access fault by GPU node-1 on address 0x7f00. Reason: Page not present", "firmware"),
        ("HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid.", "fatbin --isa"),
        ("UserWarning: Torch was not compiled with flash attention.", "AOTriton"),
    ] {
        let answer = ask(error);
        assert_eq!(answer["tree"]["verdict"], "not-decided", "{error}: {answer}");
        assert!(answer["tree"]["because"].as_str().unwrap().contains(open), "{answer}");
    }
    assert_eq!(ask("HIP error: invalid device function")["tree"]["verdict"], "not-the-files");
}

/// A program's output is explained if it is given as a tree, or after `explain` without `--log`.
#[test]
fn a_log_given_as_a_path_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("server.log");
    let error = "rocBLAS error: Cannot read /x/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1032";
    std::fs::write(&log, format!("starting\n{error}\n")).unwrap();
    let log = log.to_str().unwrap();
    for words in [&["explain", log][..], &[log]] {
        let output = run_with(words, b"");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.starts_with("rocblas-cannot-read"), "{words:?}: {shown}");
        assert_eq!(output.status.code(), Some(0));
    }
    // The card and the folder come from the message.
    let advice = json(&["--log", log], b"")["advice"].as_str().unwrap().to_owned();
    assert!(advice.contains("rocm-audit --gpu gfx1032 /x/lib") && advice.contains("gfx103X-all"), "{advice}");
    // A text without a message, and a binary that contains one, are trees.
    std::fs::write(folder.path().join("a.txt"), "nothing of the kind\n").unwrap();
    std::fs::write(folder.path().join("b.so"), [b"\x7fELF\0\0\0\0", error.as_bytes()].concat()).unwrap();
    for file in ["a.txt", "b.so"] {
        let output = run_with(&[folder.path().join(file).to_str().unwrap()], b"");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("rocblas-cannot-read"), "{file}");
    }
}

/// The GPUs of a log, the one in use, and an override are stated.
#[test]
fn the_facts_of_a_log_are_in_the_answer() {
    let log = "HSA_OVERRIDE_GFX_VERSION=10.3.0\nggml_cuda_init: found 2 ROCm devices:\n  Device 0: Radeon RX Vega, gfx900:xnack- \
               (0x900), VMM: no\n  Device 1: AMD Radeon Graphics, gfx1036 (0x1036), VMM: no\nROCm error: invalid device function\n  \
               current device: 1, in function f at a.cu:1\n";
    let answer = json(&["--error", log], b"");
    assert_eq!(answer["target"], "gfx1036");
    let devices = serde_json::json!([
        {"number": 0, "processor": "gfx900", "in_use": false},
        {"number": 1, "processor": "gfx1036", "in_use": true},
    ]);
    assert_eq!((&answer["devices"], &answer["overrides"]), (&devices, &serde_json::json!(["10.3.0"])));
}

/// What ROCm's debug agent prints of a wave, and its debugger where it stands: kernel, instruction and line
/// are those that `fatbin --at` finds.
#[test]
fn waves_of_a_log_are_looked_up_in_the_tree() {
    let agent = "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x7f0000000000. Reason: Page not present or supervisor privilege.\n\
                 wave_1: pc=0x7fd4f0009a28 (kernel_code_entry=0x7fd4f0009900 <dot_rows>)\n\
                 wave_2: pc=0x7fd4f0009a28 (kernel_code_entry=0x7fd4f0009900 <dot_rows>)\n";
    let debugger = "Thread 5 \"x\" received signal SIGSEGV\n=> 0x7fd4f0009a28 <dot_rows+296>:\tv_add_f32_e32 v5, v5, v7\n";
    for log in [agent, debugger] {
        let answer = json(&["--error", "-", "fixtures/lines"], log.as_bytes());
        let places = answer["places"].as_array().unwrap();
        assert!(!places.is_empty(), "{log}");
        let in_line = |place: &&Value| place["source"][0]["line"] == 12 && place["offset"] == 0x128;
        assert!(places.iter().any(|place| in_line(&place)), "{log}: {places:?}");
        assert!(places.iter().all(|place| place["function"] == "dot_rows"), "{places:?}");
        let alone = json(&["--error", "-"], log.as_bytes());
        assert_eq!(alone["places"][0]["asked"], "dot_rows+0x128");
        assert_eq!(alone["places"][0]["function"], Value::Null);
    }
    assert_eq!(json(&["--error", "-", "fixtures/lines"], agent.as_bytes())["message"], "memory-access-fault");
    let lost = json(&["--error", "-", "fixtures/tensile"], agent.as_bytes());
    assert_eq!(lost["places"][0]["what"], "no file of the tree has a kernel of this name");
}

/// An override that a log says was set counts for the tree as if the call named it.
#[test]
fn an_override_of_the_log_counts_for_the_tree() {
    let log = "HSA_OVERRIDE_GFX_VERSION=11.0.0\nDevice 0: AMD Radeon Graphics, gfx1103 (0x1103), VMM: no\nROCm error: invalid device function";
    let asked = |more: &[&str]| json(&[&["--error", log, "fixtures/ggml/plain"], more].concat(), b"");
    let (by_log, by_call) = (asked(&[]), asked(&["--override", "11.0.0"]));
    assert_eq!(by_log["tree"], by_call["tree"]);
    assert_eq!(by_log["claim"], by_call["claim"]);
    assert!(by_log["claim"].is_object(), "{}", by_log["claim"]);
}

/// An override that was only tried besides does not count for the tree, and is judged all the same.
#[test]
fn an_override_that_was_tried_acquits_no_files() {
    let device =
        "Device 0: AMD Radeon Graphics, gfx1103 (0x1103), VMM: no\nROCm error: invalid device function";
    let tried = format!("{device}\nIf I set HSA_OVERRIDE_GFX_VERSION=11.0.0 the machine hangs");
    let asked = |log: &str| json(&["--error", log, "fixtures/ggml/plain"], b"");
    let (with, without) = (asked(&tried), asked(device));
    assert_eq!((&with["tree"], &with["target"]), (&without["tree"], &without["target"]));
    assert_eq!(with["rules"][0], without["rules"][0]);
    assert_eq!(with["claim"]["claimed"], "gfx1100");
    assert!(with["claim"]["because"].as_str().unwrap().contains("11.0.2"), "{}", with["claim"]);
}

/// A library of one file for each target is named by its folder where it lacks the card's.
#[test]
fn a_library_of_one_file_for_each_target_is_named_by_its_folder() {
    let tree = tempfile::tempdir().unwrap();
    let folder = tree.path().join("cycles/lib");
    std::fs::create_dir_all(&folder).unwrap();
    for arch in ["v4_gfx906", "v5_gfx1030"] {
        let object = std::fs::read(format!("fixtures/rocm/lib/codeobject/{arch}.hsaco")).unwrap();
        let name = format!("kernel_{}.fatbin.zst", &arch[3..]);
        std::fs::write(folder.join(name), zstd::encode_all(&object[..], 1).unwrap()).unwrap();
    }
    let message = "HIP binary kernel for this graphics card compute capability (10.3) not found.";
    let root = tree.path().to_str().unwrap();
    let answer = json(&["--gpu", "Steam Deck", "--error", message, root], b"");
    let lacking = answer["tree"]["lacking"].as_array().unwrap();
    assert_eq!(lacking.len(), 1, "{answer}");
    assert!(lacking[0]["path"].as_str().unwrap().ends_with("cycles/lib"), "{answer}");
}

#[test]
fn a_dash_is_standard_input() {
    let log = b"loading\nRuntimeError: HIP error: invalid device function\n";
    let by_option = json(&["--error", "-"], log);
    assert_eq!(by_option["message"], "invalid-device-function");
    assert_eq!(json(&["-"], log), by_option);
}
