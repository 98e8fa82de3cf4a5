//! The command line as users see it: exit status, outputs, misuse, and reproducible answers.

use crate::common::program::{PROGRAM, run, run_at, said, shown};
use std::path::Path;
use std::process::Command;

/// A matrix product with one wrong option.
fn product<'a>(wrong: &[&'a str]) -> Vec<&'a str> {
    let call = ["select", "gemm", "-m", "64", "-n", "8", "-k", "8", "--arch", "gfx900", "fixtures/tensile"];
    let units: &[&str] = if wrong.contains(&"--cu") { &[] } else { &["--cu", "56"] };
    [&call[..], units, wrong].concat()
}

#[test]
fn products_that_cannot_be_are_refused_with_the_alternatives() {
    for (wrong, expected) in [
        (&["--type", "banana"][..], "known are SS"),
        (&["--api", "banana"], "gemm_strided_batched"),
        (&["--cu", "0"], "0 is not in 1"),
        (&["--lda", "3"], "leading dimension of A is 3"),
        (&["--trans", "xn"], "letters of N, T and C"),
    ] {
        let output = run(&product(wrong));
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {told}");
        assert!(told.contains(expected), "{wrong:?}: {told}");
    }
    // Common spellings are mapped to rocBLAS's names.
    for (written, name) in [("i8ii", "I8I"), ("fp16", "HHS"), ("ss", "SS"), ("bf16", "BBS")] {
        let of = |ty: &str| shown(&run(&product(&["--type", ty, "-f", "json"])));
        assert_eq!(of(written), of(name), "{written}");
        assert!(!of(name).is_empty());
    }
}

#[test]
fn misuse_is_answered_with_what_to_do() {
    for (words, expected) in [
        (&["fatbn"][..], "a similar subcommand exists: 'fatbin'"),
        (&["fixtures/rocm", "fatbin", "x.so"], "a subcommand goes first: rocm-audit fatbin"),
        (&["nowhere"], "nowhere: no such file or directory"),
        (&["--arch", "gfx906x", "fixtures/rocm"], "is gfx906 meant?"),
        (&["--only", "everything", "fixtures/rocm"], "no such scanner; there are"),
        (&["-o", "nowhere/x.json", "fixtures/rocm"], "the folder does not exist"),
        (&["-o", "x.pdf", "fixtures/rocm"], "known are .txt .md"),
        (&["--jobs", "0", "fixtures/rocm"], "at least one thread"),
        (&["fatbin", "--kernels", "(", "fixtures/rocm/lib/librccl.so.1.0"], "--kernels: regex"),
        (&["fatbin"], "required"),
        (&["fatbin", "--isa-class", "dots", "x"], "no such class; there are dot"),
        (
            &["--arch", "gfx103", "fixtures/rocm"],
            "is gfx1030, gfx1031, gfx1032, gfx1033, gfx1034, gfx1035 or gfx1036 meant?",
        ),
        (&["explain", "gfx103", "--isa"], "the instructions of gfx103 are not known (is gfx1030, gfx1031"),
        (&["gfx1010"], "a target goes behind --arch: rocm-audit --arch gfx1010 PATH"),
        (&["--allow-incomplete", "--fail-on", "damage", "fixtures/rocm"], "leave one of them out"),
        (
            &["explain", "gfx9999", "--isa"],
            "the instructions of gfx9999 are not known; known are those of gfx600",
        ),
        (&["select", "gemm", "-m", "1", "-n", "1", "-k", "1", "--cu", "1", "fixtures"], "name one target"),
        (&["select", "gemm", "--problems", "README.md", "fixtures"], "README.md, line 1: not a problem"),
        (&["select", "gemm", "--problems", "README.md", "docs"], "not a problem"),
        (&[], "Name a path"),
    ] {
        let output = run(words);
        // On a machine with ROCm in /opt, a call without arguments prints a report.
        if words.is_empty() && output.status.success() {
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains(expected), "{words:?}: {}", said(&output));
        assert_eq!(shown(&output), "", "{words:?}");
    }
}

#[test]
fn options_stand_before_or_behind_a_subcommand() {
    let before = run(&["-f", "json", "fatbin", "fixtures/rocm/lib/librccl.so.1.0"]);
    let behind = run(&["fatbin", "fixtures/rocm/lib/librccl.so.1.0", "-f", "json"]);
    assert!(before.status.success());
    assert_eq!(before.stdout, behind.stdout);
    assert_eq!(run(&["audit", "fixtures/rocm"]).stdout, run(&["fixtures/rocm"]).stdout);
}

#[test]
fn a_file_behind_kernels_is_a_file() {
    let path = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    let all = run(&["fatbin", "--kernels", path]);
    assert_eq!(shown(&all), shown(&run(&["fatbin", path, "--kernels"])));
    assert!(shown(&all).lines().count() > 2);
    let none = run(&["fatbin", "--kernels", "nosuchname", path]);
    assert!(said(&none).contains("no kernel matches nosuchname in 1 file"), "{}", said(&none));
}

#[test]
fn output_is_the_same_with_any_number_of_threads() {
    for format in ["table", "md", "json", "jsonl"] {
        let one = run(&["-f", format, "-j", "1", "fixtures/rocm"]);
        let eight = run(&["-f", format, "-j", "8", "fixtures/rocm"]);
        assert!(one.status.success() && !one.stdout.is_empty());
        assert_eq!(one.stdout, eight.stdout, "{format}");
    }
}

#[test]
fn one_scan_writes_many_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let names = ["a.md", "a.json", "a.jsonl", "a.txt"].map(path);
    let mut words = vec!["-q", "fixtures/rocm"];
    names.iter().for_each(|name| words.extend(["-o", name]));
    let output = run(&words);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(shown(&output), "");
    let read = |name: &str| std::fs::read_to_string(Path::new(name)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&read(&names[1])).unwrap();
    assert_eq!(report["schema"], "rocm-audit/report");
    let kernels = report["summary"]["kernels"].as_u64().unwrap();
    assert_eq!(read(&names[2]).lines().count() as u64, kernels, "a line for each kernel");
    for line in read(&names[2]).lines() {
        let kernel: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(kernel["type"], "kernel");
    }
    // Shared reports call a root by its name.
    assert!(read(&names[0]).starts_with("# rocm\n"));
}

#[test]
fn json_of_lists_is_one_document() {
    // In three bundles: four targets plus the host's empty entry; three have a kernel.
    for (option, schema, key, count) in
        [("--list", "rocm-audit/entries", "entries", 12), ("--kernels", "rocm-audit/kernels", "kernels", 9)]
    {
        let words = ["fatbin", option, "-f", "json", "fixtures/rocm/lib/librccl.so.1.0"];
        let output = run(&words);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["schema"], schema, "{words:?}");
        assert_eq!(document["tool"]["name"], "rocm-audit", "{words:?}");
        assert_eq!(document[key].as_array().unwrap().len(), count, "{words:?}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let script = format!("{} fatbin --list fixtures/rocm/lib | head -n 1; exit ${{PIPESTATUS[0]}}", PROGRAM);
    let output =
        Command::new("bash").args(["-c", &script]).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn colours_only_where_asked_for_and_ascii_is_ascii() {
    assert!(!shown(&run(&["fixtures/rocm"])).contains('\u{1b}'), "not into a pipe");
    assert!(shown(&run(&["--color", "always", "fixtures/rocm"])).contains('\u{1b}'));
    assert!(shown(&run(&["--ascii", "-v", "fixtures/rocm"])).is_ascii());
}

/// The help of a command lists exactly the options that it accepts.
#[test]
fn help_has_no_option_that_is_refused() {
    for (name, needed) in [
        ("tables", &["--into", "x", "README.md"][..]),
        ("generate", &["schema", "report"]),
        ("generate", &["completions", "bash"]),
        ("generate", &["man"]),
    ] {
        for refused in [&["-f", "json"][..], &["-q"]] {
            let words = [&[name], refused, needed].concat();
            let output = run(&words);
            assert!(
                output.status.code() == Some(2) && said(&output).contains("no meaning here"),
                "{words:?}"
            );
        }
        for asked in [&[name, "--help"][..], &["help", name], &[name, "-h"]] {
            let help = shown(&run(asked));
            for option in ["--format", "--output", "--quiet", "--rows"] {
                assert!(!help.contains(option), "{asked:?}: {option}");
            }
            assert!(help.contains("--verbose"), "{asked:?}: {help}");
        }
    }
    for asked in [&["--help"][..], &["needs", "--help"], &["help", "diff"]] {
        let help = shown(&run(asked));
        assert!(help.contains("--format") && help.contains("--quiet"), "{asked:?}");
    }
    assert!(shown(&run(&["tables", "--help"])).contains("--fail-on"));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [80, 120] {
        for words in [&["fixtures/rocm"][..], &["fatbin", "fixtures/rocm/lib/librocblas.so.4.4"], &["--help"]]
        {
            let output = run_at(width, words);
            let longest = shown(&output).lines().map(|l| l.chars().count()).max().unwrap();
            assert!(
                longest <= width.max(100) && (longest <= width || words == ["--help"]),
                "{words:?}: {longest} at {width}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_path_holds_cannot_command_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("a\u{1b}]0;x\u{7}b")).unwrap();
    let output = run(&[dir.path().to_str().unwrap()]);
    assert!(shown(&output).contains("a?]0;x?b"), "{}", shown(&output));
    assert!(!shown(&output).contains('\u{1b}'));
}

#[test]
fn extraction_gives_what_llvm_would() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let words = [
        "fatbin",
        "--extract",
        out.to_str().unwrap(),
        "--arch",
        "gfx90a:xnack+",
        "fixtures/rocm/lib/librccl.so.1.0",
    ];
    assert!(run(&words).status.success());
    let files: Vec<_> = std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(files.len(), 3);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(goblin::elf::Elf::parse(&bytes).unwrap().header.e_flags, 0x73f, "{}", file.display());
    }
    assert_eq!(run(&words).status.code(), Some(2), "a folder that is not empty is left alone");
}

/// A missing card is no reason for three hundred names.
#[test]
fn a_missing_value_is_refused_in_few_words() {
    let output = crate::common::program::run(&["--gpu"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.len() < 400 && said.contains("list gpus") && !said.contains("gfx1030,"), "{said}");
}
