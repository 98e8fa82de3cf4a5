//! Tables in Parquet files: compares their content with LLVM's tools and their columns with JSON Lines, and
//! checks what killed runs leave behind.
#![cfg(all(unix, feature = "parquet"))]

use crate::common::fixture;
use crate::common::program::{command, run};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// A row, by column.
type Row = BTreeMap<String, Value>;

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Str(text) => text.as_str().into(),
        Field::Long(number) => (*number).into(),
        Field::Bool(truth) => (*truth).into(),
        other => panic!("{other:?} is of no kind that tables have"),
    };
    let all = reader.get_row_iter(None).unwrap();
    all.map(|row| row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect())
        .collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The table in a file.
fn table(of: &Path, name: &str) -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.parquet");
    let words = ["-q", "--rows", name, "--allow-incomplete", "-o", text(&out), text(of)];
    let output = run(&words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["x.parquet"], "something is left beside the table");
    rows(&out)
}

#[test]
fn kernels_have_the_numbers_of_llvm() {
    let expected: Value = serde_json::from_slice(&fs::read(fixture("expected.json")).unwrap()).unwrap();
    let mut compared = 0;
    for (path, file) in expected["files"].as_object().unwrap() {
        let Some(kernels) = file["code_object"]["kernels"].as_array() else { continue };
        let found = table(&fixture("rocm").join(path), "kernels");
        let numbers = [
            ("vgprs", "vgpr_count"),
            ("sgprs", "sgpr_count"),
            ("vgpr_spills", "vgpr_spill_count"),
            ("lds", "group_segment_fixed_size"),
            ("scratch", "private_segment_fixed_size"),
            ("max_workgroup", "max_flat_workgroup_size"),
        ];
        let of_llvm: BTreeSet<String> = kernels
            .iter()
            .map(|k| format!("{} {:?}", k["name"], numbers.map(|(_, key)| k[key].clone())))
            .collect();
        let ours: BTreeSet<String> = found
            .iter()
            .map(|row| format!("{} {:?}", row["name"], numbers.map(|(name, _)| row[name].clone())))
            .collect();
        assert_eq!(ours, of_llvm, "{path}");
        compared += kernels.len();
    }
    assert!(compared > 10, "{compared} kernels were compared");
}

/// The columns of kernels equal the fields of their lines, with the location in two parts, plus the
/// processor.
#[test]
fn kernels_are_the_lines_of_jsonl() {
    let wheel = fixture("containers/package/demo-1.0-py3-none-linux_x86_64.whl");
    let lines = String::from_utf8(run(&["-f", "jsonl", "--isa", text(&wheel)]).stdout).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.parquet");
    assert!(run(&["-q", "--isa", "-o", text(&out), text(&wheel)]).status.success());
    let found = rows(&out);
    assert_eq!(lines.lines().count(), found.len());
    for (line, row) in lines.lines().zip(&found) {
        let line: Value = serde_json::from_str(line).unwrap();
        for (key, value) in line.as_object().unwrap() {
            match key.as_str() {
                "type" => {}
                "uri" => {
                    let uri = format!(
                        "member={}&{}",
                        row["path"].as_str().unwrap(),
                        row["place"].as_str().unwrap()
                    );
                    assert!(value.as_str().unwrap().ends_with(&uri), "{value} does not end with {uri}");
                }
                "classes" | "occupancy_limited_by" => {
                    let words = value
                        .as_array()
                        .map(|all| all.iter().map(|v| v.as_str().unwrap()).collect::<Vec<_>>());
                    assert_eq!(row[key], words.map_or(Value::Null, |all| all.join(" ").into()), "{key}");
                }
                _ => assert_eq!(&row[key], value, "{key}"),
            }
        }
        assert_eq!(row["artifact"], "demo-1.0-py3-none-linux_x86_64.whl");
        assert_eq!(row["version"], "1.0");
        assert_eq!(row["digest"], Value::Null, "it was not asked for");
    }
}

/// The sums of the tables equal those of the report.
#[test]
fn tables_agree_with_the_report() {
    let tree = fixture("rocm");
    let report: Value = serde_json::from_slice(&run(&["-f", "json", text(&tree)]).stdout).unwrap();
    let sum =
        |rows: &[Row], column: &str| -> u64 { rows.iter().filter_map(|row| row[column].as_u64()).sum() };
    let targets = table(&tree, "targets");
    assert_eq!(sum(&targets, "code_objects"), report["summary"]["code_objects"]);
    assert_eq!(sum(&targets, "bytes"), report["summary"]["code_object_bytes"]);
    let objects = table(&tree, "code_objects");
    assert_eq!(objects.len() as u64, report["summary"]["code_objects"]);
    assert_eq!(sum(&objects, "bytes"), report["summary"]["code_object_bytes"]);
    // Code objects in database rows have no offset.
    let placed: Vec<_> = objects.iter().filter(|row| row["place"] != "").collect();
    let places: BTreeSet<String> =
        placed.iter().map(|row| format!("{}#{}", row["path"], row["place"])).collect();
    assert_eq!(
        (places.len(), placed.len()),
        (objects.len() - 5, objects.len() - 5),
        "two code objects have one place"
    );
    let findings = table(&tree, "findings");
    assert_eq!(findings.len(), report["findings"].as_array().unwrap().len());
    let artifacts = table(&tree, "artifacts");
    assert_eq!((artifacts.len(), &artifacts[0]["files"]), (1, &report["summary"]["files"]));
}

/// Rows do not depend on the artifact's folder.
#[test]
fn rows_are_the_same_wherever_an_artifact_lies() {
    let wheel = fixture("containers/package/demo-1.0-py3-none-linux_x86_64.whl");
    let folder = tempfile::tempdir().unwrap();
    let bytes = |copy: &str| {
        let copy = folder.path().join(copy).join("demo-1.0-py3-none-linux_x86_64.whl");
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&wheel, &copy).unwrap();
        let into = copy.parent().unwrap().join("tables");
        let url = "https://example.org/demo-1.0-py3-none-linux_x86_64.whl";
        let output = run(&["tables", "--into", text(&into), "--source", url, text(&copy)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        contents(&into)
    };
    let (one, other) = (bytes("a"), bytes("b/c"));
    assert_eq!(one.len(), 7, "a file for each table");
    assert_eq!(one, other);
}

/// Rows do not depend on the spelling of a root, even if its content has the same name.
#[test]
fn rows_are_the_same_however_a_root_is_spelled() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(fixture("rocm/lib/codeobject/v4_gfx906.hsaco")).unwrap();
    for cut in ["a/a/x.hsaco", "a/a.hsaco", "c/cbc/x.hsaco"] {
        let cut = folder.path().join(cut);
        fs::create_dir_all(cut.parent().unwrap()).unwrap();
        fs::write(cut, &whole[..whole.len() - 500]).unwrap();
    }
    let absolute = text(folder.path());
    // A row has the first of several locations.
    for (root, expected) in [("a", "a/x.hsaco"), ("c", "cbc/x.hsaco"), ("a/a.hsaco", "a.hsaco")] {
        for spelled in [root, &format!("./{root}"), &format!("{absolute}/{root}"), &format!("a/../{root}")] {
            let out = folder.path().join("x.parquet");
            let words = ["-q", "--rows", "findings", "--fail-on", "never", "-o", text(&out), spelled];
            let output = command(&words).current_dir(folder.path()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            let found = rows(&out);
            let paths: BTreeSet<&str> = found.iter().map(|row| row["path"].as_str().unwrap()).collect();
            assert_eq!(paths, BTreeSet::from([expected]), "{spelled}");
        }
    }
}

/// All files in a folder of tables, with their content.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).unwrap();
            all.insert(text(path).to_owned(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

fn artifacts() -> Vec<String> {
    let packages = ["demo-1.0-py3-none-linux_x86_64.whl", "demo.deb", "demo_zst.deb"];
    let mut all: Vec<_> =
        packages.iter().map(|name| text(&fixture("containers/package").join(name)).to_owned()).collect();
    all.push(text(&fixture("rocm/lib/librocrand.so.1.1")).to_owned());
    all
}

fn add<'w>(into: &'w str, artifacts: &'w [String]) -> Vec<&'w str> {
    let words = ["tables", "--allow-incomplete", "--into", into];
    words.into_iter().chain(artifacts.iter().map(String::as_str)).collect()
}

#[test]
fn what_is_there_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (into, artifacts) = (text(folder.path()).to_owned(), artifacts());
    assert!(run(&add(&into, &artifacts)).status.success());
    let first = contents(folder.path());
    let said = String::from_utf8(run(&add(&into, &artifacts)).stdout).unwrap();
    assert_eq!(said.lines().filter(|line| line.contains(": there")).count(), artifacts.len(), "{said}");
    // Truncated or removed files are written again, and the others stay unchanged.
    let cut = folder.path().join(first.keys().find(|path| path.starts_with("kernels")).unwrap());
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 9]).unwrap();
    let gone = folder.path().join(first.keys().rfind(|path| path.starts_with("findings")).unwrap());
    fs::remove_file(gone).unwrap();
    let said = String::from_utf8(run(&add(&into, &artifacts)).stdout).unwrap();
    assert_eq!(said.lines().filter(|line| line.contains(": there")).count(), artifacts.len() - 2, "{said}");
    assert_eq!(contents(folder.path()), first);
}

/// A second run reports on existing rows like the first run, and reads again if something requested is
/// missing.
#[test]
fn what_is_there_ends_a_run_as_it_did_when_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.hsaco");
    let whole = fs::read(fixture("rocm/lib/codeobject/v4_gfx906.hsaco")).unwrap();
    fs::write(&cut, &whole[..whole.len() - 500]).unwrap();
    let into = folder.path().join("tables");
    let call = |more: &[&str]| {
        let output = run(&[&["tables", "--into", text(&into), text(&cut)], more].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let first = call(&[]);
    assert!(first.0 == Some(1) && first.1.contains("incomplete"), "{first:?}");
    for _ in 0..2 {
        let again = call(&[]);
        assert!(again.0 == Some(1) && again.1.ends_with(": there, incomplete\n"), "{again:?}");
    }
    assert_eq!(call(&["--allow-incomplete"]).0, Some(0));
    assert!(!call(&["--isa"]).1.contains("there"));
    assert!(call(&["--isa"]).1.contains("there") && call(&[]).1.contains("there"));
}

/// Artifacts read with other exclusions or by another release are read again, with the reason.
#[test]
fn rows_that_are_not_what_is_wanted_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = fixture("containers/package/demo-1.0-py3-none-linux_x86_64.whl");
    let into = folder.path().join("tables");
    let call = |more: &[&str]| {
        let output = run(&[&["tables", "--into", text(&into), text(&wheel)], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let kernels = || {
        let file = fs::read_dir(into.join("kernels")).unwrap().next().unwrap().unwrap().path();
        (rows(&file).len(), file)
    };
    call(&[]);
    let (all, file) = kernels();
    let whole = contents(&into);
    assert!(all > 0 && call(&["--timeout-per-file", "900"]).ends_with(": there\n"));
    for (less, why) in [
        (&["--exclude", "*.so"][..], "read again (*.so was left out)"),
        (&["--timeout-per-file", "900", "--again"], "read again (files were given up after 900 s)"),
    ] {
        let said = call(less);
        assert!(!said.contains("there"), "{said}");
        assert!(call(less[..2].as_ref()).ends_with(": there\n"));
        let said = call(&[]);
        assert!(said.contains(why), "{said}");
        assert_eq!((kernels().0, contents(&into) == whole), (all, true));
    }
    // A run killed while rewriting leaves files of both kinds.
    let poorer = folder.path().join("poorer");
    assert!(run(&["tables", "--into", text(&poorer), "--exclude", "*.so", text(&wheel)]).status.success());
    fs::copy(poorer.join("kernels").join(file.file_name().unwrap()), &file).unwrap();
    assert!(kernels().0 < all && call(&[]).contains("read again (*.so was left out)"));
    assert_eq!(contents(&into), whole);
    // The same file as written by another release: the version is only in its metadata.
    let artifact = into.join("artifacts").join(file.file_name().unwrap());
    let (own, other) = (format!("rocm-audit {}", env!("CARGO_PKG_VERSION")), "rocm-audit 9.9.9".to_owned());
    assert_eq!(own.len(), other.len());
    fs::write(&artifact, replaced(&fs::read(&artifact).unwrap(), own.as_bytes(), other.as_bytes())).unwrap();
    let said = call(&[]);
    assert!(said.contains("read again (rocm-audit 9.9.9 has read it)"), "{said}");
    assert_eq!(contents(&into), whole);
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!at.is_empty());
    at.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

/// A run killed at any time leaves complete files or none, and the next run completes them without loss or
/// repetition.
#[test]
fn killed_runs_lose_nothing_and_double_nothing() {
    let whole = tempfile::tempdir().unwrap();
    let artifacts = artifacts();
    assert!(run(&add(text(whole.path()), &artifacts)).status.success());
    let expected = contents(whole.path());
    let folder = tempfile::tempdir().unwrap();
    let mut killed = 0;
    for wait in 0..40 {
        let mut child = command(&add(text(folder.path()), &artifacts))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait * 4));
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
        for (path, bytes) in contents(folder.path()) {
            if path.ends_with(".parquet") {
                assert_eq!(bytes, expected[&path], "{path} is not whole");
            }
        }
    }
    assert!(killed > 3, "{killed} runs were killed");
    assert!(run(&add(text(folder.path()), &artifacts)).status.success());
    let mut found = contents(folder.path());
    found.retain(|path, _| path.ends_with(".parquet"));
    assert_eq!(found, expected);
}

/// Refused calls, with the correct alternative.
#[test]
fn wrong_calls_name_the_right_ones() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.parquet");
    let out = text(&out);
    for (words, expected) in [
        (vec!["-o", out, "fixtures/rocm", "fixtures/ggml"], "tables --into FOLDER"),
        (vec!["-o", out, "--rows", "banana", "fixtures/rocm"], "there are kernels, code_objects, targets"),
        (vec!["-o", out, "-o", "y.parquet", "fixtures/rocm"], "one table of a run"),
        (vec!["-o", out, "-o", out, "fixtures/rocm"], "it is named by two -o"),
        (vec!["fatbin", "-o", out, "fixtures/rocm"], "only an audit writes it"),
        (vec!["tables", "--into", out, "fixtures/rocm"], "which has no digest"),
        (vec!["tables", "--into", out, "fixtures/rocm"], "tar -cf tree.tar -C fixtures/rocm ."),
        (vec!["tables", "--into", out, "-f", "json", "fixtures/rocm"], "-f has no meaning here"),
        (vec!["tables", "--into", out, "--source", "x", "a", "b"], "several are named"),
    ] {
        let output = run(&words);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
        assert!(!Path::new(out).exists());
    }
}

/// Manifests alone are rows: those of the documents, in one file of each table, whatever their order.
#[test]
fn manifests_alone_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (written, into) = (folder.path().join("manifests"), folder.path().join("tables"));
    let output = run(&[
        "manifest",
        "--into",
        text(&written),
        text(&fixture("releases")),
        text(&fixture("ggml/plain")),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let documents: Vec<Value> = fs::read_dir(&written)
        .unwrap()
        .map(|entry| serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap())
        .collect();
    assert_eq!(documents.len(), 3);
    let output = run(&["tables", "--into", text(&into), text(&written)]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let only = |table: &str| {
        let files: Vec<_> =
            fs::read_dir(into.join(table)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        rows(&files[0])
    };
    let pairs = |rows: &[Row], name: &str| -> BTreeSet<(String, String)> {
        rows.iter().map(|row| (row["artifact"].to_string(), row[name].to_string())).collect()
    };
    let mut expected = BTreeSet::new();
    let mut answers = BTreeSet::new();
    for document in &documents {
        let artifact = &document["artifact"]["name"];
        for target in document["targets"].as_array().unwrap() {
            expected.insert((artifact.to_string(), target["target_id"].to_string()));
        }
        for cards in document["cards"].as_array().unwrap() {
            for processor in cards["processors"].as_array().unwrap() {
                for library in cards["libraries"].as_array().unwrap() {
                    let key =
                        [artifact, processor, &cards["answer"], &library["library"], &library["answer"]];
                    answers.insert(key.map(Value::to_string).to_vec());
                }
            }
        }
    }
    assert_eq!(pairs(&only("manifest_targets"), "target_id"), expected);
    let found: BTreeSet<Vec<String>> = only("manifest_verdicts")
        .iter()
        .map(|row| {
            let columns = ["artifact", "processor", "answer", "library", "library_answer"];
            columns.map(|name| row[name].to_string()).to_vec()
        })
        .collect();
    assert_eq!(found, answers);

    // One that is no manifest is told, and nothing is left.
    let lie = folder.path().join("x.rocm.json");
    fs::write(&lie, "{}").unwrap();
    let other = folder.path().join("other");
    let output = run(&["tables", "--into", text(&other), text(&lie)]);
    assert_eq!(output.status.code(), Some(2));
    let left = fs::read_dir(other.join("manifest_targets")).map(Iterator::count);
    assert_eq!(left.unwrap_or(0), 0);
}
