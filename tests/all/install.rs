//! A tree of files and members: packages work like folders, and the tree's contents decide the answers.

use crate::common::packages::{Member, borrowed, deb, member, tar, zip};
use crate::common::program::{json, json_with_findings, run_in};
use rocm_audit::answers::{Answers, ConvolutionQuestion, ValueSource};
use rocm_audit::engines::miopen::device::Device;
use rocm_audit::engines::miopen::solver::{BuildPart, Version};
use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
use rocm_audit::error::AuditError;
use rocm_audit::input::exclude::Exclusion;
use rocm_audit::scan::run::Options;
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder)
}

/// The files in a folder with their paths below `top`.
fn files(folder: &Path, top: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![(folder.to_owned(), top.to_owned())];
    while let Some((folder, top)) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{top}/{}", path.file_name().unwrap().to_string_lossy());
            match path.is_dir() {
                true => open.push((path, name)),
                false => all.push((name, std::fs::read(path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

fn debian(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    deb(b"", &borrowed(files))
}

/// A zip file, like a wheel; every second member is deflated.
fn wheel(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let members = files.iter().enumerate().map(|(number, (name, bytes))| Member {
        deflated: number % 2 == 1,
        ..member(name.trim_start_matches("./"), bytes.clone())
    });
    zip(&members.collect::<Vec<_>>())
}

/// A command's answer as JSON, without the location of its files.
fn answer(words: &[&str], root: &Path) -> Value {
    json(&[words, &[root.to_str().unwrap(), "--fail-on", "damage"]].concat())
}

/// The same with paths reduced to the part after `marker`, the folder that all forms have.
fn without_paths(value: Value, marker: &str) -> Value {
    match value {
        Value::String(text) => match text.rfind(marker) {
            Some(at) => Value::String(text[at..].to_owned()),
            None => Value::String(text),
        },
        Value::Array(all) => all.into_iter().map(|value| without_paths(value, marker)).collect(),
        Value::Object(all) => {
            all.into_iter().map(|(key, value)| (key, without_paths(value, marker))).collect()
        }
        other => other,
    }
}

/// Commands give the same answer for a Debian package, a wheel and a tar file as for the folder in it.
#[test]
fn packages_are_answered_as_folders() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&str, &str, &[&[&str]]); 3] = [
        (
            "tensile/library",
            "rocblas/library",
            &[
                &["verify"],
                &["verify", "--arch", "gfx900"],
                &["select", "gemm", "--arch", "gfx900", "--cu", "64", "-m", "64", "-n", "64", "-k", "64"],
            ],
        ),
        (
            "miopen",
            "share/miopen/db",
            &[
                &["verify"],
                &["verify", "--arch", "gfx900", "--cu", "64"],
                &["select", "conv", "fwd:fp32:n32:c64:h56:w56:k64:y1x1", "--arch", "gfx900", "--cu", "64"],
            ],
        ),
        (
            "ggml/plain",
            "lib/ggml",
            &[
                &["select", "mul-mat", "--type", "q4_K", "--ne11", "8", "--arch", "gfx1100"],
                &["select", "flash-attn", "--nq", "4", "--arch", "gfx900"],
            ],
        ),
    ];
    for (folder, inside, commands) in cases {
        let files = files(&fixtures(folder), &format!("./opt/{inside}"));
        let unpacked = dir.path().join(folder);
        for (name, bytes) in &files {
            let path = unpacked.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let forms = [("x.deb", debian(&files)), ("x.whl", wheel(&files)), ("x.tar", tar(&borrowed(&files)))];
        for (name, bytes) in forms {
            let package = dir.path().join(name);
            std::fs::write(&package, bytes).unwrap();
            for words in commands {
                let expected = without_paths(answer(words, &unpacked), inside);
                let found = without_paths(answer(words, &package), inside);
                assert_eq!(found, expected, "{words:?} of {folder} in {name}");
            }
            std::fs::remove_file(&package).unwrap();
        }
    }
}

/// Members of a truncated or deceptive package have the usual limits: the complete ones are used.
#[test]
fn a_package_that_is_cut_off_is_an_answer_or_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let files = files(&fixtures("tensile/library"), "./lib/rocblas/library");
    let whole = debian(&files);
    let package = dir.path().join("x.deb");
    for end in (0..whole.len()).step_by(whole.len() / 20) {
        std::fs::write(&package, &whole[..end]).unwrap();
        let stack = Answers::open(std::slice::from_ref(&package));
        let target = TargetId::bare("gfx900");
        let call = GemmCall::new(&target, 64, "SS", [Transpose::N, Transpose::N], [64, 64, 64]);
        if let Err(error) = stack.gemm(&call) {
            assert!(!error.to_string().is_empty());
        }
        let told = !stack.install().faults().is_empty() || stack.install().files().len() == 1;
        assert!(told, "{end} of {} bytes: a fault or a file without members", whole.len());
    }
}

/// A stack follows a run's options: it leaves out the same files, and ends with the run.
#[test]
fn a_stack_has_what_a_run_reads() {
    let dir = tempfile::tempdir().unwrap();
    let package = dir.path().join("x.deb");
    std::fs::write(&package, debian(&files(&fixtures("tensile/library"), "./lib/rocblas/library"))).unwrap();
    let unpacked = fixtures("tensile/library");
    for root in [package, unpacked] {
        let open = |options: &Options| Answers::open_as(std::slice::from_ref(&root), options);
        let names = |stack: &Answers| {
            stack.install().files().iter().map(|file| file.name.clone()).collect::<Vec<_>>()
        };
        let all = names(&open(&Options::default()).unwrap());
        assert_eq!(all, names(&Answers::open(std::slice::from_ref(&root))));
        let exclude = Exclusion::new(&["*gfx900*".to_owned()]).unwrap();
        let left = names(&open(&Options { exclude, ..Options::default() }).unwrap());
        let expected: Vec<_> = all.iter().filter(|name| !name.contains("gfx900")).cloned().collect();
        assert!(left == expected && left.len() < all.len(), "{left:?}");
        let stopped = Options::default();
        stopped.stop.stop();
        assert!(matches!(open(&stopped), Err(AuditError::Stopped)));
        let late = Options { time_per_file: Some(Duration::ZERO), ..Options::default() };
        let late = open(&late).unwrap();
        assert_eq!(late.install().faults().len(), usize::from(root.is_file()), "of packages alone");
    }
}

fn question(target: &str) -> ConvolutionQuestion {
    ConvolutionQuestion {
        key: "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-FP32-F".to_owned(),
        device: Device { target: TargetId::bare(target), compute_units: 64 },
        without: Vec::new(),
        environment: BTreeMap::new(),
        version: None,
        workspace: None,
    }
}

/// The tree's version of MIOpen, a missing library and a missing target change the answer, which states the
/// reason.
#[test]
fn what_the_tree_has_decides() {
    let dir = tempfile::tempdir().unwrap();
    let header = dir.path().join("include/miopen/version.h");
    std::fs::create_dir_all(header.parent().unwrap()).unwrap();
    let version = |minor: u32| {
        let text = format!(
            "#define MIOPEN_VERSION_MAJOR 3\n#define MIOPEN_VERSION_MINOR {minor}\n#define MIOPEN_VERSION_PATCH 0\n"
        );
        std::fs::write(&header, text).unwrap();
        let stack = Answers::open(&[dir.path().to_owned()]);
        let (asked, dbs) = (question("gfx942"), Default::default());
        let answer = stack.convolution(&asked, &dbs).unwrap();
        let ValueSource::Tree(stated) = &answer.version else { panic!("{:?}", answer.version) };
        assert_eq!((stated.version, stated.file.as_str()), (Version(3, minor, 0), "version.h"));
        let retired = answer.selection.candidates.rejected.iter().filter(|r| r.clause.id == "retired");
        (retired.count(), answer.selection.candidates.applicable.len())
    };
    let ((none, before), (some, after)) = (version(5), version(6));
    // The solvers of eight-bit casts: the library of 3.4.0 has no symbol of them.
    assert_eq!(none, 3);
    assert!(
        some > none && after <= before,
        "solvers that 3.6 does not have are refused: {some}, {before}, {after}"
    );
    // A version that the caller names has precedence.
    let stack = Answers::open(&[dir.path().to_owned()]);
    let named = ConvolutionQuestion { version: Some(Version(3, 3, 0)), ..question("gfx942") };
    let dbs = Default::default();
    assert_eq!(stack.convolution(&named, &dbs).unwrap().version, ValueSource::Asked);

    // Without rocBLAS the product of a GEMM solver is unknown, with the reason.
    let gemm = ConvolutionQuestion {
        key: "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP32-F".to_owned(),
        device: Device { target: TargetId::bare("gfx1030"), compute_units: 36 },
        ..question("gfx1030")
    };
    let alone = Answers::open(&[fixtures("miopen")]);
    let dbs = alone.find_dbs(&gemm, None).unwrap();
    let answer = alone.convolution(&gemm, &dbs).unwrap();
    assert!(
        answer.selection.is_hit() && answer.version == ValueSource::Assumed,
        "nothing here states a version"
    );
    let why = answer.gemm.unwrap().unwrap_err();
    assert!(why.contains("no rocBLAS catalogs for gfx1030 were found"), "{why}");
    // A build without the part has no such solver, so the record is ignored.
    let without = ConvolutionQuestion { without: vec![BuildPart::Gemm], ..gemm.clone() };
    let answer = alone.convolution(&without, &dbs).unwrap();
    assert!(answer.gemm.is_none());

    // For a target without a catalog, the answer lists the targets that the tree has.
    let stack = Answers::open(&[fixtures("tensile")]);
    let call = |target: &str| {
        let target = TargetId::bare(target);
        GemmCall::new(&target, 64, "SS", [Transpose::N, Transpose::N], [64, 64, 64])
    };
    assert!(stack.gemm(&call("gfx900")).is_ok());
    let error = stack.gemm(&call("gfx1103")).unwrap_err().to_string();
    assert!(error.contains("Master catalogs in") && error.contains("gfx900"), "{error}");
}

/// A folder of Tensile files is the same library whatever its name and the spelling of its path.
#[test]
fn a_folder_of_catalogs_is_known_by_what_is_in_it() {
    let copy = tempfile::tempdir().unwrap();
    let named = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm/lib/rocblas/library");
    for file in named.read_dir().unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    let tables = |root: &str, folder: &Path| -> Vec<String> {
        let words = [root, "-f", "json", "--fail-on", "never"];
        let report: Value = serde_json::from_slice(&run_in(folder, &words).stdout).unwrap();
        let rows = report["tensile"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {} {}", row["library"], row["processor"], row["files"])).collect()
    };
    let expected = tables("rocblas", named.parent().unwrap().parent().unwrap());
    assert!(
        !expected.is_empty() && expected.iter().all(|row| row.starts_with("\"rocBLAS\"")),
        "{expected:?}"
    );
    assert_eq!(tables(".", &named), expected);
    assert_eq!(tables(".", copy.path()), expected);
    assert_eq!(tables(copy.path().to_str().unwrap(), copy.path()), expected);
}

/// The phases that `model` reports for a card with a tree or package.
fn phases(tree: &Path) -> Value {
    let model = ["model", "fixtures/model/small.gguf", "--arch", "gfx1100", "--cu", "48"];
    let report = json_with_findings(&[&model[..], &[tree.to_str().unwrap()]].concat());
    report["cards"][0]["phases"].clone()
}

#[test]
fn a_model_is_answered_from_a_package_as_from_a_folder() {
    let plain = fixtures("ggml/plain");
    let temporary = tempfile::tempdir().unwrap();
    let package = temporary.path().join("backend-1.0-py3-none-any.whl");
    std::fs::write(&package, wheel(&files(&plain, "backend/lib"))).unwrap();
    let expected = phases(&plain);
    assert!(expected.as_array().is_some_and(|phases| phases.len() == 3));
    assert_eq!(phases(&package), expected);
}
