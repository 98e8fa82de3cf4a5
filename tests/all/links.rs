//! Files with several names: a common workaround for a card without files is to link its neighbour's.
#![cfg(unix)]

use crate::common::program::{json_with_findings, run};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Gives a file for gfx900 the name for gfx902.
type Give = fn(&Path, &Path);

const WAYS: [(&str, Give); 2] = [
    ("a symbolic link", |file, name| symlink(file.file_name().unwrap(), name).unwrap()),
    ("a hard link", |file, name| fs::hard_link(file, name).unwrap()),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// A library folder with files for gfx900, gfx90a and gfx1010; returns the number of those for gfx900.
fn folder(root: &Path) -> usize {
    let library = root.join("rocblas/library");
    fs::create_dir_all(&library).unwrap();
    let mut named = 0;
    for file in files(Path::new("fixtures/tensile/library")) {
        fs::copy(&file, library.join(file.file_name().unwrap())).unwrap();
        named += usize::from(file.to_str().unwrap().contains("gfx900"));
    }
    named
}

/// Gives all files for gfx900 a second name.
fn name_again(root: &Path, give: Give) {
    let library = root.join("rocblas/library");
    for file in files(&library) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if name.contains("gfx900") {
            give(&file, &library.join(name.replace("gfx900", "gfx902")));
        }
    }
}

#[test]
fn a_link_is_an_artifact_under_its_own_name_and_counts_once() {
    let plain = tempfile::tempdir().unwrap();
    let named = folder(plain.path());
    assert!(named > 3, "{named} files of gfx900");
    let before = json_with_findings(&["--full", plain.path().to_str().unwrap()]);
    for (way, give) in WAYS {
        let tree = tempfile::tempdir().unwrap();
        folder(tree.path());
        name_again(tree.path(), give);
        let after = json_with_findings(&["--full", tree.path().to_str().unwrap()]);
        let artifacts = after["artifacts"].as_array().unwrap();
        let linked: Vec<&Value> = artifacts.iter().filter(|one| !one["link_to"].is_null()).collect();
        assert_eq!(linked.len(), named, "{way}");
        for one in &linked {
            let path = one["path"].as_str().unwrap();
            assert!(path.contains("gfx902") && one["named_target"] == "gfx902", "{way}: {path}");
            assert_eq!(one["link_to"].as_str().unwrap(), path.replace("gfx902", "gfx900"), "{way}");
            assert_eq!((&one["library"], &one["bytes"]), (&"rocBLAS".into(), &0.into()), "{way}");
        }
        // The sums over all files equal those of the tree without links.
        let sums = [
            "files",
            "bytes",
            "artifact_files",
            "artifact_bytes",
            "code_objects",
            "kernels",
            "bundles",
            "code_object_bytes",
            "code_bytes",
        ];
        for sum in sums {
            assert!(before["summary"][sum].is_u64(), "{sum}");
            assert_eq!(before["summary"][sum], after["summary"][sum], "{way}: {sum}");
        }
        assert_eq!(before["duplicates"], after["duplicates"], "{way}");
        assert_eq!(before["totals"], after["totals"], "{way}");
        // The results for processors with their own files stay the same.
        let target = |report: &Value, name: &str| {
            let rows = report["targets"].as_array().unwrap();
            let mut row = rows.iter().find(|row| row["processor"] == name).cloned()?;
            // Contains the path of the test folder.
            row["build"]["first"].take();
            Some(row)
        };
        for name in ["gfx900", "gfx90a", "gfx1010"] {
            assert_eq!(target(&before, name), target(&after, name), "{way}: {name}");
        }
        assert!(target(&before, "gfx902").is_none());
        let own = target(&after, "gfx902").unwrap();
        let catalogs = |row: &Value| row["selection"]["catalogs"].clone();
        assert_eq!(catalogs(&own), catalogs(&target(&after, "gfx900").unwrap()), "{way}");
        assert_eq!(own["build"]["kernels"], 0, "{way}: no kernel is for it");
    }
}

#[test]
fn a_catalog_that_is_a_link_is_here() {
    let error = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx902";
    for (way, give) in WAYS {
        let tree = tempfile::tempdir().unwrap();
        folder(tree.path());
        let root = tree.path().to_str().unwrap();
        let name = "TensileLibrary_lazy_gfx902.dat";
        let answer = json_with_findings(&["explain", "--error", error, root]);
        assert_eq!(answer["tree"]["verdict"], "confirmed", "{way}");
        assert!(answer["tree"]["because"].as_str().unwrap().contains(&format!("no {name}")));
        name_again(tree.path(), give);
        let answer = json_with_findings(&["explain", "--error", error, root]);
        let because = answer["tree"]["because"].as_str().unwrap();
        assert!(!because.contains(&format!("has no {name}")), "{way}: {because}");
        // `verify` sees the same names: HIP refuses code objects for gfx900 on gfx902.
        let tensile = json_with_findings(&["verify", "--arch", "gfx902", root]);
        let rules = tensile["libraries"][0]["findings"].as_array().unwrap();
        assert!(rules.iter().any(|one| one["id"] == "code-object-refused"), "{way}: {rules:?}");
    }
}

#[test]
fn a_file_does_not_go_before_a_link_to_it() {
    let tree = tempfile::tempdir().unwrap();
    folder(tree.path());
    name_again(tree.path(), WAYS[0].1);
    let gone = |keep: &str| {
        let report = json_with_findings(&["slim", "--keep", keep, tree.path().to_str().unwrap()]);
        let files = report["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(gone("gfx90a").iter().any(|path| path.contains("gfx900")));
    assert!(!gone("gfx902").iter().any(|path| path.contains("gfx900")), "they would dangle");
}

#[test]
fn a_hard_link_of_any_file_is_told() {
    let tree = tempfile::tempdir().unwrap();
    let object = tree.path().join("a.hsaco");
    fs::copy("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco", &object).unwrap();
    let root = tree.path().to_str().unwrap().to_owned();
    assert!(json_with_findings(&[&root])["summary"]["other_names"].is_null());
    fs::hard_link(&object, tree.path().join("b.hsaco")).unwrap();
    let report = json_with_findings(&[&root]);
    assert_eq!((&report["summary"]["other_names"], &report["summary"]["files"]), (&1.into(), &1.into()));
    // A root within a root adds no second name.
    let report = json_with_findings(&[&root, object.to_str().unwrap()]);
    assert_eq!((&report["summary"]["other_names"], &report["summary"]["files"]), (&1.into(), &1.into()));
}

#[test]
fn a_link_out_of_the_roots_is_named_where_verify_finds_nothing() {
    let place = tempfile::tempdir().unwrap();
    folder(&place.path().join("install"));
    let build = place.path().join("build");
    fs::create_dir(&build).unwrap();
    symlink(place.path().join("install/rocblas/library"), build.join("library")).unwrap();
    let ended = run(&["verify", build.to_str().unwrap()]);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("build/library leads to a folder below none of the roots"), "{said}");
}
