//! Library folders with one thing broken: each defect is found, with its file, and its effect named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rmpv::Value;
use rocm_audit::engines::tensile::consistency::{Consistency, Owner, check};
use rocm_audit::finding::Finding;
use rocm_audit::finding::severity::Severity;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SS: &str = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk";

/// A copy of the fixtures' library folder that can be broken.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile/library");
        let folder = Folder(TempDir::new().unwrap());
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    fn truncate(&self, name: &str) {
        let bytes = std::fs::read(self.path(name)).unwrap();
        std::fs::write(self.path(name), &bytes[..bytes.len() * 2 / 3]).unwrap();
    }

    /// Replaces the first text of a file by one of the same length.
    fn replace(&self, name: &str, from: &str, to: &str) {
        assert_eq!(from.len(), to.len());
        let mut bytes = std::fs::read(self.path(name)).unwrap();
        let finder = memchr::memmem::find_iter(&bytes, from).collect::<Vec<_>>();
        assert!(!finder.is_empty(), "{name} has no {from}");
        for at in finder {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Changes a catalog as a tree of values.
    fn edit(&self, name: &str, change: impl Fn(&mut Value)) {
        let bytes = std::fs::read(self.path(name)).unwrap();
        let mut value = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
        change(&mut value);
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &value).unwrap();
        std::fs::write(self.path(name), out).unwrap();
    }

    fn check(&self) -> Consistency {
        check(self.0.path(), Owner::RocBlas, &[]).unwrap()
    }

    /// The defects that are not there before anything is broken.
    fn new_defects(&self) -> Vec<Finding> {
        let before: Vec<_> =
            Folder::new().check().findings.iter().map(|d| (d.rule.id, d.target.clone(), d.count)).collect();
        let is_new = |d: &Finding| !before.contains(&(d.rule.id, d.target.clone(), d.count));
        self.check().findings.into_iter().filter(is_new).collect()
    }

    /// That the defect is found, with the file and, where it is wanted, an offset.
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

/// A value of a map.
fn get<'v>(value: &'v mut Value, key: &str) -> &'v mut Value {
    let Value::Map(pairs) = value else { panic!("{key}: not in a map") };
    &mut pairs.iter_mut().find(|(k, _)| k.as_str() == Some(key)).unwrap_or_else(|| panic!("no {key}")).1
}

/// The first table below a node.
fn table(node: &mut Value) -> Option<&mut Vec<Value>> {
    match node {
        Value::Map(pairs) => {
            if let Some(at) = pairs.iter().position(|(k, _)| k.as_str() == Some("table")) {
                let Value::Array(rows) = &mut pairs[at].1 else { return None };
                return Some(rows);
            }
            pairs.iter_mut().find_map(|(_, v)| table(v))
        }
        Value::Array(all) => all.iter_mut().find_map(table),
        _ => None,
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

// What oracle runs of the real library did with installs broken in these ways is the effect in the table of kinds.

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
    let asked = check(Folder::new().0.path(), Owner::RocBlas, &["gfx1103".to_owned()]).unwrap();
    assert_eq!(ids(&asked).first(), Some(&"master-catalog-missing"));
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
    // The symbol, not the code: the first letter of every kernel in it.
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

/// Gives a solution another index wherever it is named.
fn bump(value: &mut Value, from: u64, to: u64) {
    match value {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                if key.as_str() == Some("index") && value.as_u64() == Some(from) {
                    *value = Value::from(to);
                } else {
                    bump(value, from, to);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| bump(value, from, to)),
        _ => {}
    }
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
}

#[test]
fn a_catalog_that_leads_back_to_the_first_one_is_found() {
    let folder = Folder::new();
    let name = format!("{SS}_gfx900.dat");
    std::fs::copy(folder.path("TensileLibrary_lazy_gfx900.dat"), folder.path(&name)).unwrap();
    folder.shows("catalog-nested", Some("gfx900"), &name);
}

fn clear_tables(node: &mut Value) {
    match node {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                match (key.as_str(), value) {
                    (Some("table"), Value::Array(rows)) => rows.clear(),
                    (_, value) => clear_tables(value),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(clear_tables),
        _ => {}
    }
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

/// A folder as hipBLASLt has it: two catalogs, their code, the mapping and the other operations.
fn hipblaslt(change: impl Fn(&str, Value) -> Value) -> Consistency {
    let source = Folder::new();
    let folder = TempDir::new().unwrap();
    let write = |name: &str, value: Value| {
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &change(name, value)).unwrap();
        std::fs::write(folder.path().join(name), out).unwrap();
    };
    let map =
        |pairs: Vec<(&str, Value)>| Value::Map(pairs.into_iter().map(|(k, v)| (Value::from(k), v)).collect());
    let row = |predicate: Value, library: Value| map(vec![("predicate", predicate), ("library", library)]);
    let always = || map(vec![("type", "TruePred".into())]);
    let code = std::fs::read(source.path(&format!("{SS}_gfx90a.co"))).unwrap();
    let kernels: Vec<String> = object_kernels(&code);
    let mut placeholders = Vec::new();
    let mut mapping = Vec::new();
    for (number, ty) in ["SS", "HH"].iter().enumerate() {
        let stem = format!("TensileLibrary_{ty}_{ty}_Type_{ty}_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx90a");
        let first = number as u64 * 10;
        let solution = |at: usize| {
            map(vec![
                ("index", (first + at as u64).into()),
                ("name", format!("{}_GSU1", kernels[at]).into()),
                ("kernelName", kernels[at].as_str().into()),
                (
                    "problemPredicate",
                    map(vec![("type", "SomethingNew".into()), ("value", Value::Array(vec![1.into()]))]),
                ),
            ])
        };
        let rows = (0..2u64)
            .map(|at| map(vec![("key", Value::Array(vec![at.into(); 4])), ("index", (first + at).into())]));
        let library = map(vec![("type", "Matching".into()), ("table", Value::Array(rows.collect()))]);
        write(
            &format!("{stem}.dat"),
            map(vec![("solutions", Value::Array(vec![solution(0), solution(1)])), ("library", library)]),
        );
        std::fs::write(folder.path().join(format!("{stem}.co")), &code).unwrap();
        placeholders
            .push(row(always(), map(vec![("type", "Placeholder".into()), ("value", stem.as_str().into())])));
        mapping.push((Value::from(first), Value::from(stem)));
    }
    let problems = map(vec![("type", "Problem".into()), ("rows", Value::Array(placeholders))]);
    let device = map(vec![("type", "Processor".into()), ("value", "gfx90a".into())]);
    let hardware =
        map(vec![("type", "Hardware".into()), ("rows", Value::Array(vec![row(device, problems)]))]);
    write(
        "TensileLibrary_lazy_gfx90a.dat",
        map(vec![("solutions", Value::Array(vec![])), ("library", hardware)]),
    );
    write("TensileLiteLibrary_lazy_Mapping.dat", Value::Map(mapping));
    std::fs::write(folder.path().join("extop_gfx90a.co"), &code).unwrap();
    let op = map(vec![("func_name", kernels[0].as_str().into()), ("co_path", "extop_gfx90a.co".into())]);
    let of_type = map(vec![("S", Value::Array(vec![op]))]);
    write("hipblasltExtOpLibrary.dat", map(vec![("gfx90a", map(vec![("Softmax", of_type)]))]));
    for name in ["Kernels.so-000-gfx90a-xnack-.hsaco", "Kernels.so-000-gfx90a-xnack+.hsaco"] {
        std::fs::copy(source.path(name), folder.path().join(name)).unwrap();
    }
    check(folder.path(), Owner::HipBlasLt, &[]).unwrap()
}

/// Names of kernels by the symbols of an object, read by the `object` crate.
fn object_kernels(code: &[u8]) -> Vec<String> {
    use object::read::elf::{FileHeader, Sym};
    let header = object::elf::FileHeader64::<object::Endianness>::parse(code).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, code).unwrap();
    let symbols = sections.symbols(endian, code, object::elf::SHT_DYNSYM).unwrap();
    let names = symbols.iter().filter_map(|s| {
        let name = std::str::from_utf8(s.name(endian, symbols.strings()).ok()?).ok()?;
        name.strip_suffix(".kd").map(str::to_owned)
    });
    names.collect()
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
