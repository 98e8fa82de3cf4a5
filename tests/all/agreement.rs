//! The program must not contradict itself, and removing or damaging a file must not improve any answer.

use crate::common::fixture;
use crate::common::folders::{copy, files};
use rocm_audit::answers::agreement::Agreement;
use rocm_audit::capability::Capability;
use rocm_audit::capability::coverage::Coverage;
use rocm_audit::question::{AuditQuestion, DiffQuestion, Question, Trees};
use rocm_audit::scan::run::{Options, Silent};
use rocm_audit::target::TargetId;
use rocm_audit::tree::Tree;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn agreement(root: &Path) -> Agreement {
    let tree = Tree::read(&[root.to_owned()], &Options::default(), &Silent, None).unwrap();
    Agreement::compare_claims(tree).unwrap()
}

/// Fixture trees whose libraries choose kernels.
const TREES: [&str; 5] = ["rocm/lib/rocblas", "rocm/lib/hipblaslt", "tensile", "hipblaslt", "ggml/plain"];

#[test]
fn all_answers_of_a_tree_agree() {
    for name in TREES {
        let found = agreement(&fixture(name));
        assert!(found.compared > 3, "{name}: {}", found.compared);
        assert!(found.contradictions.is_empty(), "{name}: {}", found.contradictions.join("\n"));
    }
}

/// Kinds of damage to a file.
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
            // Removes each file, truncates every third and zeroes every third, with another offset in each
            // tree.
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

/// Each library's coverage of each processor, from the audit's document.
fn cells(root: &Path) -> BTreeMap<(String, bool, String), Value> {
    let trees = Trees::at([root]);
    let document = serde_json::to_value(AuditQuestion::default().ask(&trees).unwrap()).unwrap();
    let mut cells = BTreeMap::new();
    for row in document["matrix"].as_array().unwrap() {
        for cell in row["cells"].as_array().unwrap() {
            let library = row["library"].as_str().unwrap().to_owned();
            let processor = cell["processor"].as_str().unwrap().to_owned();
            cells.insert((library, row["tensile"] == true, processor), cell["coverage"].clone());
        }
    }
    cells
}

#[test]
fn what_diff_says_of_two_trees_is_what_the_audit_says_of_each() {
    let mut changes = 0;
    for name in ["rocm/lib/rocblas", "tensile"] {
        let [old, new] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        copy(&fixture(name), old.path());
        copy(&fixture(name), new.path());
        let before = cells(old.path());
        for file in files(new.path()).iter().step_by(5) {
            let bytes = fs::read(file).unwrap();
            fs::remove_file(file).unwrap();
            let after = cells(new.path());
            let both = [old.path().to_owned(), new.path().to_owned()];
            let diff = DiffQuestion::default().ask(&Trees::at(both)).unwrap();
            let diff = serde_json::to_value(diff).unwrap();
            let mut said = BTreeMap::new();
            for row in diff["coverage"].as_array().unwrap() {
                let library = row["library"].as_str().unwrap().to_owned();
                let key = (library, row["tensile"] == true, row["processor"].as_str().unwrap().to_owned());
                said.insert(key, (row["before"].clone(), row["after"].clone()));
            }
            let changed = before.iter().filter_map(|(key, old)| {
                let new = after.get(key)?;
                (old != new).then(|| (key.clone(), (old.clone(), new.clone())))
            });
            let changed: BTreeMap<_, _> = changed.collect();
            assert_eq!(said, changed, "{}", file.display());
            changes += changed.len();
            fs::write(file, bytes).unwrap();
        }
    }
    assert!(changes > 0, "no file that was removed changed an answer");
}

/// The coverage of gfx900 by rocBLAS's folder, from a tree's inventory.
fn coverage(tree: &Tree) -> Coverage {
    let asked = [TargetId::bare("gfx900")];
    let found = Capability::from_inventory(&tree.inventory, &asked);
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
    // Every solution in the fixture's catalog is for strided batches; changing the one byte of that flag
    // makes it for pointer batches.
    let folder = tempfile::tempdir().unwrap();
    copy(&fixture("tensile/library"), folder.path());
    let catalog = folder.path().join("TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx900.dat");
    let mut bytes = fs::read(&catalog).unwrap();
    // In MessagePack: the text `StridedBatched`, the key `value` and true.
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
    let capability = Capability::from_inventory(&tree.inventory, &asked);
    let served = capability.gemm.iter().flat_map(|row| &row.coverage.served);
    let of_type = served.filter(|(operation, _)| operation.type_name == "SS" && operation.transposes == "NN");
    let names: Vec<&str> = of_type.map(|(_, served)| served.name()).collect();
    assert_eq!(names, ["fallback; tuned for arrays of pointers only"]);
}
