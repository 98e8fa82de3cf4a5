//! Trees whose catalogs have the forms of newer releases: every command must give the same answer as for the
//! plain tree.
#![cfg(feature = "cli")]

use crate::common::elf;
use crate::common::fixture;
use crate::common::program::{json_with_findings, run, shown};
use rmpv::Value;
use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

/// The form of a tree's catalogs.
#[derive(Debug, Clone, Copy, Default)]
struct Forms {
    packed: bool,
    indexed: bool,
    per_target: bool,
    keeps_plain: bool,
}

/// Constants of a library that reads all forms, and of one that reads only plain catalogs.
const NEW: &[&str] =
    &["TensileLibrary_lazy_", "TENSILE_MAX_DECOMPRESSED_BYTES", "solutions_blob", "format_version"];
const OLD: &[&str] = &["TensileLibrary_lazy_", "TensileLiteLibrary_lazy_Mapping.dat"];

const TARGETS: [&str; 3] = ["gfx90a", "gfx942", "gfx1151"];

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, value).unwrap();
    out
}

/// A catalog in format 2.
fn indexed(content: &[u8]) -> Vec<u8> {
    let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
    let get = |map: &Value, name: &str| {
        let pairs = map.as_map().unwrap();
        pairs.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value.clone()).unwrap()
    };
    let mut all: Vec<(u64, Vec<u8>)> = get(&catalog, "solutions")
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (get(one, "index").as_u64().unwrap(), bytes(one)))
        .collect();
    all.sort();
    let (mut table, mut blob) = (Vec::new(), Vec::new());
    for (index, solution) in all {
        table.extend([index, blob.len() as u64, solution.len() as u64].map(Value::from));
        blob.extend(solution);
    }
    bytes(&Value::Map(vec![
        ("format_version".into(), 2.into()),
        ("solutions_index".into(), Value::Array(table)),
        ("solutions_blob".into(), Value::Binary(blob)),
        ("library".into(), get(&catalog, "library")),
    ]))
}

/// A tree with the fixtures' library folder in these forms, below a library with these constants.
fn tree(forms: Forms, words: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let library = root.path().join("lib/hipblaslt/library");
    fs::create_dir_all(&library).unwrap();
    fs::write(
        root.path().join("lib/libhipblaslt.so.1.4"),
        elf::library(&[(".rodata", words.join("\0").as_bytes())]),
    )
    .unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let content = fs::read(entry.path()).unwrap();
        let target = TARGETS.into_iter().find(|target| name.contains(&format!("{target}.")));
        let folder = match target.filter(|_| forms.per_target) {
            Some(target) => library.join(target),
            None => library.clone(),
        };
        fs::create_dir_all(&folder).unwrap();
        if !name.ends_with(".dat") {
            fs::write(folder.join(name), content).unwrap();
            continue;
        }
        if name.contains("Mapping") && forms.per_target {
            for target in TARGETS {
                let catalog = rmpv::decode::read_value(&mut &content[..]).unwrap();
                let mut pairs = catalog.as_map().unwrap().clone();
                pairs.retain(|(_, name)| name.as_str().unwrap().ends_with(&format!("_{target}")));
                let name = format!("{target}/TensileLiteLibrary_lazy_{target}_Mapping.dat");
                write(&library.join(name), &bytes(&Value::Map(pairs)), forms);
            }
            continue;
        }
        let is_catalog = name.starts_with("TensileLibrary");
        let content = if forms.indexed && is_catalog { indexed(&content) } else { content };
        write(&folder.join(name), &content, forms);
    }
    root
}

fn write(path: &Path, content: &[u8], forms: Forms) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if !forms.packed || forms.keeps_plain {
        fs::write(path, content).unwrap();
    }
    if forms.packed {
        fs::write(format!("{}.zlib", path.display()), zlib(content)).unwrap();
    }
}

/// The commands' answers for a tree, without what depends on the form of the catalogs: paths and sizes.
fn said(root: &Path) -> Vec<String> {
    let path = root.to_str().unwrap();
    let mut all = Vec::new();
    for target in TARGETS {
        let verdict = json_with_findings(&["--arch", target, path]);
        all.push(format!("{target}: {}", verdict["verdicts"].to_string().replace(path, "")));
        all.push(shown(&run(&["check", "--require", target, path])).replace(path, ""));
        let tensile = json_with_findings(&["verify", "--arch", target, path]);
        let of = |folder: &Json| {
            let state = &folder["targets"][0];
            let keys = ["target", "catalogs", "solutions", "kernels", "code_objects", "types"];
            keys.map(|key| state[key].to_string()).join(" ")
        };
        all.extend(tensile["libraries"].as_array().unwrap().iter().map(of));
        let words = ["select", "matmul", "--arch", target, "--cu", "104", "--type", "f16"];
        let sizes = ["-m", "512", "-n", "17", "-k", "512", path];
        let select = json_with_findings(&[&words[..], &sizes].concat());
        all.push(format!("{} {}", select["algorithms"], select["launches"]));
    }
    let survey = json_with_findings(&["survey", "gfx90a", path]);
    all.push(format!("{}", survey["gemm"]).replace(path, ""));
    all
}

#[test]
fn every_form_of_the_catalogs_is_said_to_be_the_same() {
    let expected = said(tree(Forms::default(), NEW).path());
    assert!(expected[0].contains("hipBLASLt") && expected[0].contains("tuned"), "{}", expected[0]);
    let all = Forms { packed: true, indexed: true, per_target: true, keeps_plain: false };
    for forms in [
        Forms { packed: true, ..Forms::default() },
        Forms { indexed: true, ..Forms::default() },
        Forms { per_target: true, ..Forms::default() },
        Forms { packed: true, keeps_plain: true, ..Forms::default() },
        Forms { packed: true, indexed: true, ..Forms::default() },
        all,
    ] {
        for (own, expected) in said(tree(forms, NEW).path()).iter().zip(&expected) {
            assert_eq!(own, expected, "{forms:?}");
        }
    }
}

#[test]
fn a_form_that_the_library_does_not_read_does_not_run() {
    for forms in [
        Forms { packed: true, ..Forms::default() },
        Forms { indexed: true, ..Forms::default() },
        Forms { packed: true, indexed: true, per_target: true, keeps_plain: false },
    ] {
        let root = tree(forms, OLD);
        let path = root.path().to_str().unwrap();
        let verdict = json_with_findings(&["--arch", "gfx1151", path]);
        let said = verdict["verdicts"].to_string();
        assert!(said.contains("\"not\"") && said.contains("libhipblaslt.so.1.4 does not read"), "{said}");
        assert_eq!(run(&["check", "--require", "gfx1151", path]).status.code(), Some(1), "{forms:?}");
        let found = json_with_findings(&["verify", "--arch", "gfx1151", path]).to_string();
        assert!(found.contains("catalog-form-not-read"), "{found}");
        let words = ["select", "matmul", "--arch", "gfx1151", "--cu", "40", "--type", "f16"];
        let refused = run(&[&words[..], &["-m", "8", "-n", "8", "-k", "8", path]].concat());
        assert_eq!(refused.status.code(), Some(2));
    }
    // Older libraries read the plain form next to a stream, and enter the folder of the processor: so do those
    // of ROCm 7.1.1 and 7.2.4, run on a stand-in for the HIP runtime.
    for forms in [
        Forms { packed: true, keeps_plain: true, ..Forms::default() },
        Forms { per_target: true, ..Forms::default() },
    ] {
        let root = tree(forms, OLD);
        let path = root.path().to_str().unwrap();
        assert!(run(&["check", "--require", "gfx1151", path]).status.success(), "{forms:?}");
    }
}

#[test]
fn a_broken_stream_is_found_and_makes_no_answer_better() {
    let root = tree(Forms { packed: true, ..Forms::default() }, NEW);
    let path = root.path().to_str().unwrap();
    let master = root.path().join("lib/hipblaslt/library/TensileLibrary_lazy_gfx1151.dat.zlib");
    let whole = fs::read(&master).unwrap();
    let bomb = zlib(&vec![0u8; 100 << 20]);
    let mut wrong_sum = whole.clone();
    *wrong_sum.last_mut().unwrap() ^= 1;
    for (content, rule) in [
        (whole[..whole.len() / 2].to_vec(), "cut-end"),
        (wrong_sum, "malformed-bytes"),
        ([&whole[..], b"more"].concat(), "malformed-bytes"),
        (bomb, "inflates-too-far"),
    ] {
        fs::write(&master, content).unwrap();
        let audit = json_with_findings(&["--arch", "gfx1151", path]);
        let found = audit["findings"].as_array().unwrap();
        let own = found.iter().find(|finding| finding["id"] == rule);
        let own = own.unwrap_or_else(|| panic!("{rule}: {}", audit["findings"]));
        let place = &own["locations"][0];
        assert!(place["path"].as_str().unwrap().ends_with(".dat.zlib"), "{place}");
        assert!(place["offset"].is_u64(), "{place}");
        assert_eq!(audit["complete"], false, "{rule}");
        assert_ne!(audit["verdicts"][0]["answer"], "runs", "{rule}");
        assert_eq!(run(&["check", "--require", "gfx1151", path]).status.code(), Some(1), "{rule}");
        // The other targets keep their catalogs.
        assert!(run(&["verify", "--arch", "gfx90a", path]).status.success(), "{rule}");
    }
}

/// A change of the table of places and the bytes of a catalog in format 2.
type Damage = fn(&mut Vec<Value>, &mut Vec<u8>);

/// The catalogs of a target in a tree of format 2, each changed by `damage`; those without a solution stay.
fn damaged(root: &Path, target: &str, damage: Damage) {
    let folder = root.join("lib/hipblaslt/library");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !(name.ends_with(&format!("{target}.dat")) && name.contains("_Type_")) {
            continue;
        }
        let content = fs::read(&path).unwrap();
        let Value::Map(mut parts) = rmpv::decode::read_value(&mut &content[..]).unwrap() else {
            panic!("{name}")
        };
        let (index, blob) = parts.split_at_mut(2);
        let (Value::Array(rows), Value::Binary(blob)) = (&mut index[1].1, &mut blob[0].1) else {
            panic!("{name}")
        };
        damage(rows, blob);
        fs::write(&path, bytes(&Value::Map(parts))).unwrap();
    }
}

#[test]
fn each_fault_of_format_2_is_found_with_its_file_and_place() {
    let cases: [(&str, Damage); 5] = [
        ("catalog-unreadable", |rows, _| rows[1] = (1u64 << 40).into()),
        ("catalog-unreadable", |rows, _| rows[2] = (u64::MAX >> 1).into()),
        ("catalog-unreadable", |rows, _| {
            let row = rows[..3].to_vec();
            rows.extend(row);
        }),
        ("catalog-unreadable", |rows, _| {
            let mut row = rows[..3].to_vec();
            row[0] = 1_000_000.into();
            rows.extend(row);
        }),
        ("solution-unreadable", |_, blob| blob[0] = 0xc1),
    ];
    for (number, (rule, damage)) in cases.into_iter().enumerate() {
        let root = tree(Forms { indexed: true, ..Forms::default() }, NEW);
        damaged(root.path(), "gfx1151", damage);
        let path = root.path().to_str().unwrap();
        let found = json_with_findings(&["verify", "--arch", "gfx1151", path]);
        let own = found["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == rule);
        let own = own.unwrap_or_else(|| panic!("{number} {rule}: {}", found["findings"]));
        let place = &own["locations"][0];
        assert!(place["path"].as_str().unwrap().ends_with("gfx1151.dat"), "{number}: {place}");
        assert!(place["offset"].is_u64(), "{number}: {place}");
        let audit = json_with_findings(&["--arch", "gfx1151", path]);
        assert_ne!(audit["verdicts"][0]["answer"], "runs", "{number}: {}", audit["verdicts"]);
        // One broken solution leaves the others: some calls run.
        if rule == "solution-unreadable" {
            assert_eq!(audit["verdicts"][0]["answer"], "limits", "{}", audit["verdicts"]);
        }
        assert!(run(&["verify", "--arch", "gfx90a", path]).status.success(), "{number}");
    }
}

#[test]
fn two_forms_that_disagree_are_found_at_the_stream() {
    let root = tree(Forms { packed: true, keeps_plain: true, ..Forms::default() }, NEW);
    let folder = root.path().join("lib/hipblaslt/library");
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let own = names.iter().find(|name| name.contains("_Type_") && name.ends_with("gfx1151.dat")).unwrap();
    let other = names.iter().find(|name| name.contains("_Type_") && name.ends_with("gfx90a.dat")).unwrap();
    fs::write(folder.join(format!("{own}.zlib")), zlib(&fs::read(folder.join(other)).unwrap())).unwrap();
    let found = json_with_findings(&["verify", "--arch", "gfx1151", root.path().to_str().unwrap()]);
    let differ = found["findings"].as_array().unwrap().iter().find(|one| one["id"] == "catalog-forms-differ");
    let place = &differ.unwrap_or_else(|| panic!("{:#}", found["findings"]))["locations"][0];
    assert!(place["path"].as_str().unwrap().ends_with(&format!("{own}.zlib")), "{place}");
}

#[test]
fn an_empty_folder_of_the_processor_hides_what_lies_beside_it() {
    let root = tree(Forms::default(), NEW);
    let path = root.path().to_str().unwrap();
    let answer = |target: &str| json_with_findings(&["--arch", target, path])["verdicts"].clone();
    assert_eq!(answer("gfx1151")[0]["answer"], "runs");
    fs::create_dir(root.path().join("lib/hipblaslt/library/gfx1151")).unwrap();
    let said = answer("gfx1151");
    assert_eq!(said[0]["answer"], "not", "{said:#}");
    assert!(said.to_string().contains("gfx1151 has no catalog"), "{said:#}");
    assert_eq!(answer("gfx90a")[0]["answer"], "runs");
    assert_eq!(run(&["check", "--require", "gfx1151", path]).status.code(), Some(1));
    let found = json_with_findings(&["verify", "--arch", "gfx1151", path]).to_string();
    assert!(found.contains("own-folder-empty"), "{found}");
    let words = ["select", "matmul", "--arch", "gfx1151", "--cu", "40", "--type", "f16"];
    let refused = run(&[&words[..], &["-m", "8", "-n", "8", "-k", "8", path]].concat());
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn another_form_of_a_folder_is_no_loss() {
    let plain = tree(Forms::default(), NEW);
    let all = tree(Forms { packed: true, indexed: true, per_target: true, keeps_plain: false }, NEW);
    let (old, new) = (plain.path().to_str().unwrap(), all.path().to_str().unwrap());
    let diff = json_with_findings(&["diff", old, new]);
    let lost = diff["files"]["lost"].as_array().map_or(usize::MAX, Vec::len);
    assert_eq!(lost, 0, "{}", diff["files"]);
    let said = shown(&run(&["diff", old, new]));
    assert!(!said.contains("lost"), "{said}");
    // A truly missing catalog is reported.
    fs::remove_file(all.path().join("lib/hipblaslt/library/gfx1151/TensileLibrary_lazy_gfx1151.dat.zlib"))
        .unwrap();
    let said = shown(&run(&["diff", old, new]));
    assert!(said.contains("TensileLibrary_lazy_gfx1151.dat"), "{said}");
}
