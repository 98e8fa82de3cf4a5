//! The exit status of every command on clean, flawed, damaged and unusable input.

use crate::common::program::{run, run_in};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Inputs that the table's calls name by their path in this folder.
fn inputs() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let copy = |from: &str, to: &str| {
        let to = dir.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(fixtures.join(from), to).unwrap();
    };
    let hsaco = "rocm/lib/hipblaslt/library/hipblasltTransform.hsaco";
    copy(hsaco, "clean/code.hsaco");
    copy(hsaco, "damaged/code.hsaco");
    let cut = dir.path().join("damaged/code.hsaco");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 100]).unwrap();
    for (folder, without) in [("tensile", ""), ("tensile-flawed", "TensileLibrary_lazy_gfx900.dat")] {
        for file in fixtures.join("tensile/library").read_dir().unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if name != without {
                copy(&format!("tensile/library/{name}"), &format!("{folder}/{name}"));
            }
        }
    }
    let find_db = "miopen/gfx900_56.HIP.fdb.txt";
    copy(find_db, "miopen/gfx900_56.HIP.fdb.txt");
    copy("miopen/gfx900_56.db.txt", "miopen/gfx900_56.db.txt");
    copy("miopen/gfx900_64.HIP.fdb.txt", "miopen-flawed/gfx900_64.HIP.fdb.txt");
    copy("miopen/gfx900_64.HIP.fdb.txt", "miopen-damaged/gfx900_64.HIP.fdb.txt");
    fs::write(dir.path().join("miopen-damaged/gfx900_56.db"), b"SQLite format 3\0 and no more").unwrap();
    copy("ggml/plain/libggml-hip.so", "ggml/libggml-hip.so");
    let library = fs::read(dir.path().join("ggml/libggml-hip.so")).unwrap();
    fs::create_dir(dir.path().join("ggml-damaged")).unwrap();
    fs::write(dir.path().join("ggml-damaged/libggml-hip.so"), damaged(library)).unwrap();
    copy("model/small.gguf", "model/small.gguf");
    for name in ["config.json", "model.safetensors"] {
        copy(&format!("model/hf/gptq/{name}"), &format!("model/hf/{name}"));
    }
    for name in ["calls.jsonl", "program.log"] {
        copy(&format!("workload/{name}"), name);
    }
    let header = fs::read(dir.path().join("model/small.gguf")).unwrap();
    fs::write(dir.path().join("model/damaged.gguf"), &header[..header.len() - 100]).unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::create_dir(dir.path().join("unopened")).unwrap();
    fs::write(dir.path().join("unopened/x.rar"), b"Rar!\x1a\x07\x01\0").unwrap();
    dir
}

/// The library with an entry of its last bundle that claims to be longer than the file.
fn damaged(mut library: Vec<u8>) -> Vec<u8> {
    let magic = b"__CLANG_OFFLOAD_BUNDLE__";
    let at = library.windows(magic.len()).rposition(|bytes| bytes == magic).unwrap();
    // After the magic and the number of entries come offset and size of the first.
    library[at + 40..at + 48].copy_from_slice(&u64::MAX.to_le_bytes());
    library
}

const GEMM: &str = "select gemm -m 512 -n 512 -k 512 --cu 64 --arch gfx900";
const CONV: &str = "select conv fwd:fp32:n1:c16:h7:w7:k16:y1x1 --cu 56 --arch gfx900";
const MUL_MAT: &str = "select mul-mat --type q4_K --ne11 1 --arch gfx900";
const ATTENTION: &str = "select flash-attn --type f16 --dk 128 --nh 8 --nkv 8 --nq 1 --kv 512 --arch gfx900";

/// Calls with their exit status. docs/exit-status.md has the same table.
fn table() -> Vec<(String, u8)> {
    let row = |call: &str, status| (call.to_owned(), status);
    vec![
        row("clean", 0),
        row("damaged", 1),
        row("--fail-on never damaged", 0),
        row("--fail-on uncompressed-bundles clean", 1),
        row("--fail-on padding damaged", 1),
        row("--fail-on never,padding damaged", 0),
        row("--fail-on nonsense clean", 2),
        row("missing", 2),
        row("unopened", 1),
        row("--allow-incomplete unopened", 0),
        row("--exclude *.rar unopened", 0),
        row("fatbin unopened/x.rar", 1),
        row("audit clean", 0),
        row("audit damaged", 1),
        row("audit --fail-on error,never damaged", 1),
        row("audit missing", 2),
        row("--allow-incomplete damaged", 0),
        row("--gpu MI50 clean", 0),
        row("--gpu GeForce clean", 2),
        row("--gpu MI50 --arch gfx906 clean", 2),
        row("check clean --require gfx906 --library none", 2),
        row("check ggml --require gfx900", 0),
        row("check ggml --require MI25", 0),
        row("check ggml --require RX", 2),
        row("check ggml --require gfx900,gfx1200", 1),
        row("check ggml --require gfx900 --library rocBLAS", 1),
        row("check damaged --require gfx906", 1),
        row("check ggml", 2),
        row("check ggml --baseline missing", 2),
        row("diff clean ggml", 0),
        row("diff clean ggml --fail-on lost-target", 1),
        row("diff clean clean --fail-on lost-target,bigger=1%", 0),
        row("diff clean clean --arch gfx900 --fail-on worse-selection", 0),
        row("diff clean clean --fail-on worse-selection", 2),
        row("diff clean damaged", 1),
        row("diff clean", 2),
        row("clean --fail-on lost-target", 2),
        row("needs clean", 0),
        row("needs damaged", 1),
        row("needs damaged --fail-on runpath-absolute", 1),
        row("needs damaged --fail-on runpath-absolute --allow-incomplete", 0),
        row("needs --gpu gfx906 clean", 2),
        row("needs -f jsonl clean", 2),
        row("slim --keep gfx906 clean", 0),
        row("slim --keep gfx906 --list damaged", 1),
        row("slim clean", 2),
        row("slim --keep gfx9000 clean", 2),
        row("slim --keep gfx906 -f sarif clean", 2),
        row("slim --keep gfx906 --list -f json clean", 2),
        row("tables --into tables clean/code.hsaco", 0),
        row("tables --into tables damaged/code.hsaco", 1),
        row("tables --into tables clean", 2),
        row("tables clean/code.hsaco", 2),
        row("clean --sandbox off", 0),
        row("clean --sandbox maybe", 2),
        row("survey gfx900 ggml", 0),
        row("survey gfx900 damaged", 1),
        row("survey gfx900 missing", 2),
        row("survey GeForce ggml", 2),
        row("survey gfx900 ggml --arch gfx900", 2),
        row("list solvers --arch gfx900", 0),
        row("explain --override 9.0.0 --arch gfx906 clean", 0),
        row("explain --override 9.0.0 clean", 2),
        row("explain --override nine --arch gfx906 clean", 2),
        row("fatbin clean/code.hsaco", 0),
        row("fatbin damaged/code.hsaco", 1),
        row("fatbin --list clean/code.hsaco", 0),
        row("fatbin --list damaged/code.hsaco", 1),
        row("fatbin --kernels -- clean/code.hsaco", 0),
        row("fatbin --kernels=. damaged/code.hsaco", 1),
        row("fatbin --kernels=nothing clean/code.hsaco", 1),
        row("fatbin --isa=. clean/code.hsaco", 0),
        row("fatbin --isa=. --isa-class=valu clean/code.hsaco", 2),
        row("fatbin --isa=. --kernels=. clean/code.hsaco", 2),
        row("fatbin -f jsonl damaged/code.hsaco", 1),
        row("fatbin missing", 2),
        row("fatbin clean/code.hsaco missing", 2),
        row("verify tensile", 0),
        row("verify tensile-flawed", 1),
        row("verify --fail-on never tensile-flawed", 0),
        row("verify --fail-on damage tensile-flawed", 0),
        row("verify --fail-on note tensile", 1),
        row("--fail-on kernel-missing clean", 2),
        row("verify --fail-on master-catalog-missing tensile-flawed", 1),
        row("verify --fail-on kernel-missing tensile-flawed", 0),
        row("verify --arch gfx1201 tensile", 0),
        row("verify miopen", 0),
        row("verify miopen-flawed", 1),
        row("verify --fail-on damage miopen-flawed", 0),
        row("verify --fail-on damage miopen-damaged", 1),
        row("verify empty", 2),
        (format!("{GEMM} tensile"), 0),
        (format!("{GEMM} empty"), 2),
        (format!("{CONV} miopen"), 0),
        (format!("{CONV} missing"), 2),
        row("model model/small.gguf --arch gfx906", 0),
        row("model model/damaged.gguf --arch gfx906", 1),
        row("model model/small.gguf --arch gfx906 ggml", 0),
        row("model model/small.gguf --arch gfx906 ggml-damaged", 1),
        row("model model/small.gguf", 2),
        row("model ggml --arch gfx906", 2),
        row("model model/hf --arch gfx906", 0),
        row("workload calls.jsonl --arch gfx906", 0),
        row("workload calls.jsonl --arch gfx906 ggml", 0),
        row("workload calls.jsonl --arch gfx906 ggml-damaged", 1),
        row("workload program.log --arch gfx906", 1),
        row("workload program.log", 2),
        row("workload ggml --arch gfx906", 2),
        (format!("{MUL_MAT} ggml"), 0),
        (format!("{MUL_MAT} ggml-damaged"), 1),
        (format!("{MUL_MAT} --fail-on never ggml-damaged"), 0),
        row("select mul-mat --table --arch gfx900 ggml-damaged", 1),
        row("select mul-mat --families ggml-damaged", 1),
        (format!("{MUL_MAT} empty"), 2),
        (format!("{ATTENTION} ggml"), 0),
        (format!("{ATTENTION} ggml-damaged"), 1),
        (format!("{ATTENTION} empty"), 2),
        row("explain gfx900 --isa", 0),
        row("explain gfx9000 --isa", 2),
        row("explain gfx900 --isa --fail-on error", 2),
        row("explain kernel-missing", 0),
        row("explain nothing-of-that-name", 2),
        row("explain kernel-missing --fail-on error", 2),
        row("explain --error hipErrorNoBinaryForGpu", 0),
        row("explain --error hipErrorNoBinaryForGpu --arch gfx900 damaged", 1),
        row("explain --error hipErrorNoBinaryForGpu --arch gfx900 damaged --fail-on never", 0),
        row("explain --error nonsense", 0),
        row("explain --log missing", 2),
        row("explain --error hipErrorNoBinaryForGpu missing", 2),
        row("list rules", 0),
        row("list rules -f json", 0),
        row("list rules -f jsonl", 2),
        row("list gpus GeForce -f json", 1),
        row("list rules --arch gfx900", 2),
        row("explain gfx900 --isa --arch gfx906", 2),
        row("list gpus 6600", 0),
        row("list gpus GeForce", 1),
        row("list everything", 2),
        row("list rules --fail-on error", 2),
    ]
}

#[test]
fn every_command_ends_as_the_table_says() {
    let inputs = inputs();
    let mut wrong = Vec::new();
    for (call, status) in table() {
        let words: Vec<&str> = call.split(' ').collect();
        let output = run_in(inputs.path(), &words);
        if output.status.code() != Some(i32::from(status)) {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{call}: expected {status}, got {:?}: {said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Formats for servers contain a failure exactly if the run ends with 1.
#[test]
fn forms_for_servers_have_a_failure_where_the_run_fails() {
    let inputs = inputs();
    let rows = |text: &str, path: &str| -> Vec<serde_json::Value> {
        let all: serde_json::Value = serde_json::from_str(text).unwrap();
        all.pointer(path).unwrap().as_array().unwrap().clone()
    };
    let (mut wrong, mut compared) = (Vec::new(), [0, 0]);
    for (call, status) in table() {
        // Lists of paths and table files are not reports.
        let is_list = call.starts_with("tables ") || call.contains(" --list ");
        if is_list {
            continue;
        }
        let forms = ["-f", "github", "-o", "x.xml", "-o", "x.sarif", "-o", "gitlab:x.json"];
        let words: Vec<&str> = call.split(' ').filter(|word| *word != "--").chain(forms).collect();
        let output = run_in(inputs.path(), &words);
        // Commands without findings refuse these formats.
        let Some(ended @ (0 | 1)) = output.status.code() else { continue };
        let read = |name: &str| fs::read_to_string(inputs.path().join(name)).unwrap();
        let failed = [
            String::from_utf8_lossy(&output.stdout).contains("::error "),
            read("x.xml").contains("<failure "),
            rows(&read("x.sarif"), "/runs/0/results").iter().any(|row| row["level"] == "error"),
            rows(&read("x.json"), "").iter().any(|row| row["severity"] == "critical"),
        ];
        if ended != i32::from(status) || failed != [ended == 1; 4] {
            wrong.push(format!("{call}: ended with {ended}; GitHub, JUnit, SARIF, GitLab: {failed:?}"));
        }
        compared[usize::from(status)] += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared.iter().all(|calls| *calls > 15), "{compared:?}");
}

#[test]
fn every_help_says_what_the_statuses_mean() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut calls = vec![vec!["--help"]];
    calls.extend(
        [
            "audit", "check", "diff", "fatbin", "survey", "explain", "model", "workload", "select", "verify",
            "list",
        ]
        .map(|c| vec![c, "--help"]),
    );
    calls.extend(["gemm", "conv", "mul-mat", "flash-attn"].map(|o| vec!["select", o, "--help"]));
    for call in calls {
        let help = String::from_utf8(run_in(folder, &call).stdout).unwrap().replace('\n', " ");
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = "Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable.";
        assert!(help.contains(line), "{call:?}: {help}");
    }
}

#[test]
fn the_page_has_every_call_of_the_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/exit-status.md");
    let page = fs::read_to_string(page).unwrap();
    for (call, status) in table() {
        let row = format!("| `rocm-audit {call}` | {status} |");
        assert!(page.contains(&row), "docs/exit-status.md has no row {row}");
    }
}

#[test]
fn check_says_why_it_ends_with_1_and_verifies_where_it_is_asked_to() {
    let said = |words: &[&str]| {
        let output = run(words);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, why) = said(&["check", "fixtures/rocm", "--require", "gfx1201"]);
    assert_eq!(status, Some(1));
    assert!(why.contains("because of requirement-not-met"), "{why}");
    // Changes one byte of a compressed bundle's hash. Small bundles are always checked, all bundles with
    // --verify.
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libggml-hip.so");
    let mut bytes = std::fs::read("fixtures/ggml/compressed/libggml-hip.so").unwrap();
    let bundle = bytes.windows(4).position(|window| window == b"CCOB").unwrap();
    // Magic, version and method, three numbers with four or eight bytes depending on the version; the hash
    // ends the header.
    let hash = bundle + if bytes[bundle + 4] == 3 { 24 } else { 16 };
    bytes[hash] ^= 1;
    std::fs::write(&library, bytes).unwrap();
    let path = library.to_str().unwrap();
    let (status, why) = said(&["check", path, "--require", "gfx900", "--verify"]);
    assert_eq!(status, Some(1), "{why}");
    assert!(why.contains("wrong-hash"), "{why}");
}

#[test]
fn what_programs_read_is_a_document_where_a_run_fails() {
    let empty = tempfile::tempdir().unwrap();
    let missing = empty.path().join("missing");
    let missing = missing.to_str().unwrap();
    let calls = [
        vec![missing],
        vec!["fatbin", missing],
        vec!["verify", missing],
        vec!["check", missing, "--require", "gfx906"],
        vec!["fatbin", "--extract", "to", missing],
        vec!["--no-such-option"],
    ];
    for call in calls {
        let drawn = |format| {
            let output = run_in(empty.path(), &[&call[..], &["-f", format]].concat());
            assert_eq!(output.status.code(), Some(2), "{call:?} {format}");
            String::from_utf8(output.stdout).unwrap()
        };
        for format in ["json", "jsonl", "sarif", "gitlab"] {
            let text = drawn(format);
            let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            assert!(!document.is_null(), "{call:?} {format}: {text}");
        }
        let suite = drawn("junit");
        assert!(suite.ends_with("</testsuites>\n") && suite.contains("failures=\"1\""), "{call:?}: {suite}");
        assert!(drawn("github").starts_with("::error "), "{call:?}");
        assert!(drawn("table").is_empty(), "{call:?}");
    }
}
