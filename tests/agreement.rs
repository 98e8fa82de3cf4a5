//! The program does not contradict itself, and removing or damaging a file makes no answer better.
#![allow(clippy::unwrap_used, clippy::panic)]

use rocm_audit::answers::agreement::Agreement;
use rocm_audit::scan::run::{Options, Silent};
use rocm_audit::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn agreement(root: &Path) -> Agreement {
    let tree = Tree::read(&[root.to_owned()], &Options::default(), &Silent, None).unwrap();
    Agreement::of(tree).unwrap()
}

/// Trees of the fixtures that libraries choose from.
const TREES: [&str; 5] = ["rocm/lib/rocblas", "rocm/lib/hipblaslt", "tensile", "hipblaslt", "ggml/plain"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

/// A copy of a tree whose files can be changed one by one.
fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let own = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        fs::copy(&file, &own).unwrap();
    }
}

#[test]
fn all_answers_of_a_tree_agree() {
    for name in TREES {
        let found = agreement(&fixture(name));
        assert!(found.compared > 3, "{name}: {}", found.compared);
        assert!(found.contradictions.is_empty(), "{name}: {}", found.contradictions.join("\n"));
    }
}

/// How a file is damaged.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Removed,
    Half,
    Zeroed,
}

#[test]
fn no_answer_is_better_without_a_file_or_with_a_damaged_one() {
    let (mut trees, mut wrong) = (0, Vec::new());
    for name in TREES {
        let folder = tempfile::tempdir().unwrap();
        copy(&fixture(name), folder.path());
        let before = agreement(folder.path());
        for (number, file) in files(folder.path()).iter().enumerate() {
            let bytes = fs::read(file).unwrap();
            let shown = file.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            // Each file is removed; every third is cut, every third is zeroed, at other places in each tree.
            let more = [None, Some(Damage::Half), Some(Damage::Zeroed)][number % 3];
            for damage in [Some(Damage::Removed), more].into_iter().flatten() {
                match damage {
                    Damage::Removed => fs::remove_file(file).unwrap(),
                    Damage::Half => fs::write(file, &bytes[..bytes.len() / 2]).unwrap(),
                    Damage::Zeroed => fs::write(file, vec![0; bytes.len()]).unwrap(),
                }
                let after = agreement(folder.path());
                trees += 1;
                wrong.extend(
                    after.contradictions.iter().map(|what| format!("{name}, {shown} {damage:?}: {what}")),
                );
                let better = Agreement::better(&before, &after, &shown);
                wrong.extend(better.map(|what| format!("{name}, {damage:?}: {what}")));
                fs::write(file, &bytes).unwrap();
            }
        }
    }
    assert!(trees > 150, "{trees}");
    assert!(wrong.is_empty(), "{} of {trees} trees:\n{}", wrong.len(), wrong.join("\n"));
}
