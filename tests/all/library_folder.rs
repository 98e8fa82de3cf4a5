//! Library folders with one broken part: each defect is found with its file and effect.

use crate::common::tensile::{Folder, SS, bump, clear_tables, get, hipblaslt, table};
use rmpv::Value;
use rocm_audit::engines::tensile::consistency::{Consistency, FolderOwner, check};
use rocm_audit::finding::Finding;
use rocm_audit::finding::severity::Severity;

/// A broken folder compared with the intact one.
trait Broken {
    /// The defects that the intact folder does not have.
    fn new_defects(&self) -> Vec<Finding>;

    /// Asserts that the defect is found, with its file and, if wanted, an offset.
    fn shows(&self, id: &str, target: Option<&str>, file: &str) -> Finding;
}

impl Broken for Folder {
    fn new_defects(&self) -> Vec<Finding> {
        let before: Vec<_> =
            Folder::new().check().findings.iter().map(|d| (d.rule.id, d.target.clone(), d.count)).collect();
        let is_new = |d: &Finding| !before.contains(&(d.rule.id, d.target.clone(), d.count));
        self.check().findings.into_iter().filter(is_new).collect()
    }

    fn shows(&self, id: &str, target: Option<&str>, file: &str) -> Finding {
        let found = self.new_defects();
        let defect = found.iter().find(|d| d.rule.id == id && d.target.as_deref() == target);
        let Some(defect) = defect else { panic!("{id} for {target:?} is not among {found:#?}") };
        let named = |path: &str| path.rsplit('/').next() == Some(file);
        assert!(defect.locations.iter().any(|e| named(&e.path)), "{file} is not named: {defect:?}");
        assert!(!defect.rule.effect.is_empty());
        defect.clone()
    }
}

#[test]
fn the_folder_of_the_fixtures_hangs_together() {
    let found = Folder::new().check();
    let errors: Vec<_> = found.findings.iter().filter(|d| d.rule.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let targets: Vec<_> = found.targets.iter().map(|t| (t.target.as_str(), t.native_catalogs > 0)).collect();
    assert_eq!(targets, [("gfx900", true), ("gfx90a", true), ("gfx1010", false)]);
}

/// What breaks the chain from the library to its kernels stands in every report: an audit, a check and a
/// comparison of trees.
#[cfg(feature = "cli")]
#[test]
fn a_broken_chain_is_found_by_audit_check_and_diff() {
    let (whole, broken) = (Folder::new(), Folder::new());
    broken.remove(&format!("{SS}_gfx900.co"));
    let place = |folder: &Folder| folder.0.path().to_str().unwrap().to_owned();
    let ids = |words: &[&str]| -> Vec<String> {
        let output = crate::common::program::run_with(&[words, &["-f", "json"]].concat(), b"");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = document["findings"].as_array().unwrap().iter();
        findings.map(|found| found["id"].as_str().unwrap().to_owned()).collect()
    };
    let missing = "code-object-missing".to_owned();
    assert!(!ids(&[&place(&whole)]).contains(&missing));
    assert!(ids(&[&place(&broken)]).contains(&missing));
    assert!(ids(&["check", &place(&broken), "--require", "gfx900"]).contains(&missing));
    // Of a card that is served the folder is whole.
    assert!(!ids(&["--arch", "gfx90a", &place(&broken)]).contains(&missing));
    let output =
        crate::common::program::run_with(&["diff", &place(&whole), &place(&broken), "-f", "json"], b"");
    assert!(String::from_utf8_lossy(&output.stdout).contains("code-object-missing"));
}

// The effects in the table of kinds are what the real library did in oracle runs with installs broken in
// these ways.

#[test]
fn a_missing_catalog_is_found() {
    let folder = Folder::new();
    folder.remove(&format!("{SS}_gfx900.dat"));
    let defect = folder.shows("catalog-missing", Some("gfx900"), "TensileLibrary_lazy_gfx900.dat");
    assert!(defect.rule.effect.contains("segmentation fault"));
    assert!(defect.locations[0].offset.is_some());
}

#[test]
fn a_cut_catalog_is_found_where_it_ends() {
    let folder = Folder::new();
    folder.truncate(&format!("{SS}_gfx900.dat"));
    let defect = folder.shows("catalog-unreadable", Some("gfx900"), &format!("{SS}_gfx900.dat"));
    assert!(defect.rule.effect.contains("segmentation fault"));
    assert!(defect.locations[0].offset.is_some());
}

#[test]
fn a_missing_code_object_is_found() {
    let folder = Folder::new();
    folder.remove(&format!("{SS}_gfx900.co"));
    let defect = folder.shows("code-object-missing", Some("gfx900"), &format!("{SS}_gfx900.co"));
    assert!(defect.rule.effect.contains("(6)"));
}

#[test]
fn a_missing_first_catalog_is_found() {
    let folder = Folder::new();
    folder.remove("TensileLibrary_lazy_gfx900.dat");
    let defect = folder.shows("master-catalog-missing", Some("gfx900"), "TensileLibrary_lazy_gfx900.dat");
    assert!(defect.rule.effect.contains("aborts") && defect.rule.effect.contains("TensileLibrary.dat"));
}

#[test]
fn a_cut_first_catalog_is_found() {
    let folder = Folder::new();
    folder.truncate("TensileLibrary_lazy_gfx900.dat");
    let defect = folder.shows("master-catalog-unreadable", Some("gfx900"), "TensileLibrary_lazy_gfx900.dat");
    assert!(defect.rule.effect.contains("Could not load"));
    assert!(defect.locations[0].offset.is_some());
}

#[test]
fn missing_helpers_are_found() {
    let folder = Folder::new();
    folder.remove("Kernels.so-000-gfx900.hsaco");
    let defect = folder.shows("helper-missing", Some("gfx900"), "Kernels.so-000-gfx900.hsaco");
    assert!(defect.rule.effect.contains("split sum"));
}

#[test]
fn a_device_without_files_has_no_first_catalog() {
    let folder = Folder::new();
    let from = folder.path(&format!("{SS}_gfx900.co"));
    std::fs::copy(from, folder.path(&format!("{SS}_gfx1103.co"))).unwrap();
    folder.shows("master-catalog-missing", Some("gfx1103"), "TensileLibrary_lazy_gfx1103.dat");
    let asked = check(Folder::new().0.path(), FolderOwner::RocBlas, &["gfx1103".to_owned()]).unwrap();
    assert_eq!(ids(&asked).first(), Some(&"target-not-served"));
}

#[test]
fn a_missing_variant_is_missing_for_its_devices_only() {
    let folder = Folder::new();
    let name = format!("{SS}_fallback_gfx90a-xnack+.hsaco");
    folder.remove(&name);
    folder.shows("code-object-missing", Some("gfx90a:xnack+"), &format!("{SS}_fallback_gfx90a.hsaco"));
    let found = folder.new_defects();
    assert!(!found.iter().any(|d| d.target.as_deref() == Some("gfx90a:xnack-")), "{found:#?}");
}

#[test]
fn a_dropped_kernel_is_found_by_its_name() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.co");
    // Changes the symbol, not the code: the first letter of every kernel in it.
    folder.replace(&name, "Cijk_Ailk_Bljk", "Dijk_Ailk_Bljk");
    let defect = folder.shows("kernel-missing", Some("gfx900"), &format!("{SS}_gfx900.dat"));
    assert!(defect.locations[0].what.starts_with("Cijk_Ailk_Bljk"), "{defect:?}");
    folder.shows("kernel-orphaned", Some("gfx900"), &name);
}

#[test]
fn a_dropped_helper_kernel_is_found() {
    let folder = Folder::new();
    folder.replace("Kernels.so-000-gfx900.hsaco", "Cijk_S", "Dijk_S");
    folder.shows("helper-kernel-missing", Some("gfx900"), "Kernels.so-000-gfx900.hsaco");
}

#[test]
fn code_for_another_target_is_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.co");
    std::fs::copy(folder.path(&format!("{SS}_gfx90a.co")), folder.path(&name)).unwrap();
    folder.shows("code-object-refused", Some("gfx900"), &name);
}

#[test]
fn code_that_is_none_is_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.co");
    std::fs::write(folder.path(&name), b"not an object").unwrap();
    let defect = folder.shows("code-object-unreadable", Some("gfx900"), &name);
    assert!(defect.locations[0].offset.is_some());
}

#[test]
fn an_index_that_leads_nowhere_is_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.dat");
    folder.edit(&name, |catalog| {
        let rows = table(get(catalog, "library")).unwrap();
        *get(&mut rows[0], "index") = Value::from(603_990_000);
    });
    let defect = folder.shows("catalog-unreadable", Some("gfx900"), &name);
    assert!(defect.locations[0].what.contains("603990000"), "{defect:?}");
}

#[test]
fn an_index_that_another_catalog_has_is_found() {
    let folder = Folder::new();
    let index = |catalog: &mut Value| {
        let Value::Array(solutions) = get(catalog, "solutions") else { panic!("no solutions") };
        get(&mut solutions[0], "index").as_u64().unwrap()
    };
    let other = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.dat";
    let bytes = std::fs::read(folder.path(other)).unwrap();
    let taken = index(&mut rmpv::decode::read_value(&mut &bytes[..]).unwrap());
    let name = format!("{SS}_gfx900.dat");
    folder.edit(&name, |catalog| {
        let own = index(catalog);
        bump(catalog, own, taken);
    });
    folder.shows("solution-index-twice", None, &name);
}

#[test]
fn indices_of_another_target_are_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.dat");
    folder.edit(&name, |catalog| {
        for index in 0x900u64 << 18..(0x900 << 18) + 64 {
            bump(catalog, index, (0x906 << 18) + (index & 0x3ffff));
        }
    });
    folder.shows("solution-index-of-another-target", None, &name);
}

#[test]
fn words_that_the_real_library_refuses_are_found() {
    for (from, to) in [("Matching", "Matchong"), ("TypesEqual", "TypesEquol"), ("Euclidean", "Euclideon")] {
        let folder = Folder::new();
        let name = format!("{SS}_gfx900.dat");
        folder.replace(&name, from, to);
        let defect = folder.shows("catalog-unreadable", Some("gfx900"), &name);
        assert!(defect.locations[0].what.contains(to), "{defect:?}");
        assert!(defect.locations[0].offset.is_some_and(|at| at > 0));
    }
}

#[test]
fn files_that_nothing_leads_to_are_found() {
    let folder = Folder::new();
    let orphan = SS.replace("SS", "ZZ");
    for (extension, id) in [("dat", "catalog-orphaned"), ("co", "code-object-orphaned")] {
        let name = format!("{orphan}_gfx900.{extension}");
        std::fs::copy(folder.path(&format!("{SS}_gfx900.{extension}")), folder.path(&name)).unwrap();
        folder.shows(id, Some("gfx900"), &name);
    }
    for (name, target) in [("extra_gfx999.hsaco", Some("gfx999")), ("stray_gfx900.co", Some("gfx900"))] {
        std::fs::write(folder.path(name), b"").unwrap();
        folder.shows("code-object-orphaned", target, name);
    }
}

#[test]
fn a_catalog_that_leads_back_to_the_first_one_is_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.dat");
    std::fs::copy(folder.path("TensileLibrary_lazy_gfx900.dat"), folder.path(&name)).unwrap();
    folder.shows("catalog-nested", Some("gfx900"), &name);
}

#[test]
fn emptied_tables_and_unreachable_solutions_are_found() {
    let folder = Folder::new();
    let name = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.dat";
    folder.edit(name, |catalog| {
        clear_tables(get(catalog, "library"));
    });
    folder.shows("table-empty", Some("gfx900"), name);
    folder.shows("solution-unreachable", Some("gfx900"), name);
}

fn ids(found: &Consistency) -> Vec<&str> {
    found.findings.iter().map(|d| d.rule.id).collect()
}

#[test]
fn hipblaslts_tables_are_held_against_its_files() {
    let whole = hipblaslt(|_, value| value);
    assert!(
        !ids(&whole).iter().any(|id| ["mapping-wrong", "ext-op-missing", "kernel-missing"].contains(id)),
        "{:#?}",
        whole.findings
    );
    assert_eq!((whole.solutions, whole.tuned), (4, 4));
    assert_eq!(whole.targets.iter().map(|t| (t.catalogs, t.native_catalogs)).collect::<Vec<_>>(), [(2, 2)]);
    let shifted = hipblaslt(|name, mut value| {
        if name.contains("Mapping") {
            let Value::Map(pairs) = &mut value else { panic!() };
            pairs[1].0 = Value::from(11);
        }
        value
    });
    assert!(ids(&shifted).contains(&"mapping-wrong"));
    let renamed = hipblaslt(|name, mut value| {
        if name.contains("ExtOp") {
            let softmax = get(get(get(&mut value, "gfx90a"), "Softmax"), "S");
            let Value::Array(kernels) = softmax else { panic!() };
            *get(&mut kernels[0], "func_name") = "not_there".into();
        }
        value
    });
    assert!(ids(&renamed).contains(&"ext-op-missing"));
    let lost = hipblaslt(|name, mut value| {
        if name.contains("_SS_") {
            let Value::Array(solutions) = get(&mut value, "solutions") else { panic!() };
            *get(&mut solutions[1], "kernelName") = "not_there".into();
        }
        value
    });
    assert!(ids(&lost).contains(&"kernel-missing"), "{:#?}", lost.findings);
}
