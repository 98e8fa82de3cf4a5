//! The program does not contradict itself, and removing or damaging a file makes no answer better.
#![allow(clippy::unwrap_used, clippy::panic)]

use rocm_audit::answers::agreement::Agreement;
use rocm_audit::capability::Capability;
use rocm_audit::capability::coverage::Coverage;
use rocm_audit::scan::run::{Options, Silent};
use rocm_audit::target::TargetId;
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

/// What rocBLAS's folder has for gfx900, by the inventory of a tree.
fn coverage(tree: &Tree) -> Coverage {
    let asked = [TargetId::bare("gfx900")];
    let found = Capability::of(&tree.inventory, &asked);
    let row = found.matrix.iter().find(|row| row.part.tensile).unwrap();
    row.cells.first().unwrap().coverage
}

#[test]
fn a_catalog_that_changes_after_the_scan_is_not_taken_for_whole() {
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture("tensile/library"), folder.path());
    let read = || Tree::read(&[folder.path().to_owned()], &Options::default(), &Silent, None).unwrap();
    assert_eq!(coverage(&read()), Coverage::Native);
    let tree = read();
    let catalog = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx900.dat";
    fs::write(folder.path().join(catalog), "shorter").unwrap();
    assert_eq!(coverage(&tree), Coverage::Broken);
}

#[test]
fn solutions_that_only_arrays_of_pointers_take_are_not_called_tuned() {
    // Every solution of the fixture's catalog asks for batches at a distance; with the one byte of that flag changed, for pointers.
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture("tensile/library"), folder.path());
    let catalog = folder.path().join("TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx900.dat");
    let mut bytes = fs::read(&catalog).unwrap();
    // MessagePack: the text `StridedBatched`, the key `value` and true.
    let flag = b"\xaeStridedBatched\xa5value\xc3";
    let places: Vec<usize> =
        (0..bytes.len() - flag.len()).filter(|at| bytes[*at..].starts_with(flag)).collect();
    assert!(!places.is_empty(), "the catalog has solutions that ask for it");
    for at in places {
        bytes[at + flag.len() - 1] = 0xc2;
    }
    fs::write(&catalog, bytes).unwrap();
    let found = agreement(folder.path());
    assert!(found.contradictions.is_empty(), "{}", found.contradictions.join("\n"));
    let tree = Tree::read(&[folder.path().to_owned()], &Options::default(), &Silent, None).unwrap();
    let asked = [TargetId::bare("gfx900")];
    let capability = Capability::of(&tree.inventory, &asked);
    let served = capability.gemm.iter().flat_map(|row| &row.coverage.served);
    let of_type = served.filter(|(operation, _)| operation.type_name == "SS" && operation.transposes == "NN");
    let names: Vec<&str> = of_type.map(|(_, served)| served.name()).collect();
    assert_eq!(names, ["fallback; tuned for arrays of pointers only"]);
}
