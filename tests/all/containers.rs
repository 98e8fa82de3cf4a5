//! Reads every file in `fixtures/containers` and compares it with `fixtures/containers.json`, which LLVM's
//! tools and Python's libraries wrote: each code object's member, entry id, target, size and kernels, and all
//! other content of entries.

use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::container::bundle_reader;
use rocm_audit::container::bundle_reader::{Depth, Payload};
use rocm_audit::container::kpack;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::report::fatbin;
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::target::TargetId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/containers")
}

fn expected() -> BTreeMap<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/containers.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    serde_json::from_value(all["files"].clone()).unwrap()
}

/// A member's path in our form, from the list of names in the expectations: without a Debian package's
/// data.tar and a leading `./`, and with `!/` between packages.
fn member_name(names: &Value) -> Option<String> {
    let names: Vec<String> = serde_json::from_value(names.clone()).ok().flatten()?;
    let names = names.iter().filter(|n| !n.starts_with("data.tar")).map(|n| n.trim_start_matches("./"));
    Some(names.collect::<Vec<_>>().join("!/"))
}

/// An id in our form: an image in an OffloadBinary has no id, so its strings are used.
fn id_name(entry: &Value) -> Value {
    match (&entry["id"], &entry["image"]) {
        (Value::Null, Value::Object(image)) => {
            let text = |key: &str| image[key].as_str().unwrap().to_owned();
            assert_eq!(image["offload_kind"], 4, "HIP");
            json!(format!("triple={},arch={},kind=hip", text("triple"), text("arch")))
        }
        (id, _) => id.clone(),
    }
}

fn what_name(entry: &Value) -> &str {
    match entry["what"].as_str().unwrap() {
        "bitcode" => "LLVM bitcode",
        "host" => "host placeholder",
        "metadata only" => "empty",
        other => other,
    }
}

/// Code objects and other payloads of one open file, in the form of the expectations.
fn read(path: &Path, open: &DeviceFile, objects: &mut Vec<Value>, payloads: &mut Vec<Value>) {
    let shown = open.file.locator().shown();
    assert!(open.container.problems().is_empty(), "{shown}: {:?}", open.container.problems());
    // The expectations omit the name of a single compressed file's content, so it adds no member there.
    let alone = ["one.fatbin", "one.co", "one.hsaco"];
    let outer = open.file.locator().member.clone().filter(|m| !alone.contains(&m.as_str()));
    // A member of a thin archive is a separate file.
    let beside =
        open.file.path().strip_prefix(path.parent().unwrap()).unwrap().to_string_lossy().into_owned();
    let outer = outer.or((open.file.path() != path).then_some(beside));
    for bundle in open.container.bundles() {
        let mut kernels: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let content = bundle_reader::read(
            open.file.bytes(),
            bundle,
            Depth::Whole,
            CodeAsk::Nothing,
            &mut |index, _, kernel| {
                kernels.entry(index).or_default().push(kernel.name().to_string());
            },
        );
        assert!(content.problems().is_empty(), "{shown}: {:?}", content.problems());
        assert_ne!(content.hash_fits(), Some(false), "{shown}");
        let member = match (&outer, bundle.member()) {
            (Some(outer), Some(inner)) => json!(format!("{outer}!/{inner}")),
            (None, inner) => json!(inner),
            (outer, None) => json!(outer),
        };
        for (index, (entry, payload)) in bundle.entries().iter().zip(content.payloads()).enumerate() {
            let id = entry.id().map(|id| id.as_str());
            if let Payload::CodeObject(object) = payload {
                let mut names = kernels.remove(&index).unwrap_or_default();
                names.sort();
                objects.push(json!({
                    "member": member, "id": id, "target": object.target().to_string(), "size": entry.size(),
                    "kernels": names, "version": object.header().version().code_object(),
                }));
            } else {
                payloads
                    .push(json!({"member": member, "id": id, "what": payload.name(), "size": entry.size()}));
            }
        }
    }
}

#[test]
fn every_container_agrees_with_the_independent_tools() {
    let expected = expected();
    let mut code_objects = 0;
    for (path, truth) in &expected {
        let (mut objects, mut payloads) = (Vec::new(), Vec::new());
        let mut each = |open: DeviceFile| read(&root().join(path), &open, &mut objects, &mut payloads);
        DeviceFile::open_each(&root().join(path), &mut each, &mut |problem| panic!("{path}: {problem}"))
            .unwrap();
        let wanted = |o: &Value| {
            json!({
                "member": member_name(&o["member"]), "id": id_name(o), "target": o["target"], "size": o["size"],
                "kernels": o["kernels"], "version": o["version"],
            })
        };
        let mut wanted: Vec<Value> = truth["code_objects"].as_array().unwrap().iter().map(wanted).collect();
        let mut others: Vec<Value> = truth["other_payloads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| {
                json!({"member": member_name(&o["member"]), "id": id_name(o), "what": what_name(o), "size": o["size"]})
            })
            .collect();
        code_objects += wanted.len();
        for list in [&mut objects, &mut wanted, &mut payloads, &mut others] {
            list.sort_by_key(ToString::to_string);
        }
        assert_eq!(objects, wanted, "{path}: code objects");
        assert_eq!(payloads, others, "{path}: other payloads");
    }
    assert!(expected.len() >= 50 && code_objects >= 140, "{} files, {code_objects}", expected.len());
}

#[test]
fn copies_agree_with_the_hashes_of_the_independent_tools() {
    let mut with_copies = 0;
    for (path, truth) in expected() {
        let objects = truth["code_objects"].as_array().unwrap();
        if objects.is_empty() || objects.iter().any(|o| !o["member"].is_null()) {
            continue;
        }
        let mut whole: BTreeMap<&str, u64> = BTreeMap::new();
        let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for object in objects {
            *whole.entry(object["sha256"].as_str().unwrap()).or_default() += 1;
            if let Some(text) = object["text_sha256"].as_str() {
                texts.entry(text).or_default().push(object["target"].as_str().unwrap());
            }
        }
        let extra: u64 = whole.values().map(|count| count - 1).sum();
        let shared = texts.values().filter(|targets| targets.iter().any(|t| t != &targets[0])).count() as u64;
        let mut reports = Vec::new();
        let mut each = |open: DeviceFile| {
            reports.push(fatbin::file(&device_file::read(&open, &FileOptions::default(), &mut |_| {}), &[]))
        };
        DeviceFile::open_each(&root().join(&path), &mut each, &mut |problem| panic!("{path}: {problem}"))
            .unwrap();
        let [report] = &reports[..] else { panic!("{path}") };
        assert_eq!(report.waste.identical_code_objects.extra, extra, "{path}");
        assert_eq!(report.waste.shared_machine_code.groups, shared, "{path}");
        with_copies += u64::from(extra > 0 && shared > 0);
    }
    assert!(with_copies > 0);
}

#[test]
fn decoys_hold_nothing() {
    for (path, _) in expected().iter().filter(|(path, _)| path.starts_with("decoy/")) {
        let open = DeviceFile::open(&root().join(path)).unwrap();
        assert!(open.container.bundles().is_empty() && open.container.problems().is_empty(), "{path}");
    }
}

#[test]
fn kpack_markers_lead_to_the_archives_that_answer() {
    let folder = root().join("kpack/.kpack");
    let mut tables = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        tables.insert(name, kpack::read_table(&std::fs::read(path).unwrap()).unwrap());
    }
    let mut checked = 0;
    for (path, truth) in expected() {
        let Some(answers) = truth["kpack"]["answers"].as_array() else { continue };
        let open = DeviceFile::open(&root().join(&path)).unwrap();
        let marker = open.container.kpack().unwrap();
        assert_eq!(json!(marker.kernel_name()), truth["kpack"]["kernel_name"]);
        assert_eq!(json!(marker.search_paths()), truth["kpack"]["search_paths"]);
        assert_eq!(json!(open.container.wrappers().unwrap().count()), truth["kpack"]["units"]);
        for answer in answers {
            let device = TargetId::parse(answer["device"].as_str().unwrap()).unwrap();
            // Fixture file names use `_` for `:`, which some file systems do not allow.
            let table = |path: &str| tables.get(&path.rsplit('/').next().unwrap().replace(':', "_"));
            let found = marker.resolve(&device, answer["unit"].as_u64().unwrap(), &table);
            let archive = found.as_ref().map(|f| f.archive().rsplit('/').next().unwrap().replace(':', "_"));
            assert_eq!(json!(archive), answer["archive"], "{path}: {answer}");
            assert_eq!(
                json!(found.as_ref().map(|f| f.target().to_string())),
                answer["target"],
                "{path}: {answer}"
            );
            let strict = archive.filter(|_| found.is_some_and(|f| !f.behind_a_miss()));
            assert_eq!(json!(strict), answer["archive_if_a_miss_is_final"], "{path}: {answer}");
            checked += 1;
        }
    }
    assert_eq!(checked, 12);
}

/// An OffloadBinary of version 1 whose one image has these bytes, as llvm/Object/OffloadBinary.h of LLVM 22 lays it
/// out: header, entry (image and offload kind, flags, strings, their number, image, its size), an empty string.
#[cfg(feature = "cli")]
fn around(image: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x10\xff\x10\xad".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    let size = 80 + image.len() as u64;
    bytes.extend([size, 32, 40].map(u64::to_le_bytes).concat());
    bytes.extend([1_u16, 4].map(u16::to_le_bytes).concat());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend([72, 0, 80, image.len() as u64].map(u64::to_le_bytes).concat());
    bytes.extend([0; 8]);
    [bytes, image.to_vec()].concat()
}

/// LLVM 23's llvm-objdump looks into the inner one, too. Very deep ones are said to be unknown content.
#[cfg(feature = "cli")]
#[test]
fn an_offload_binary_in_an_image_of_another_is_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested.out");
    let words = ["fatbin", "-f", "json", path.to_str().unwrap()];
    let mut bytes = std::fs::read(root().join("offload_binary/v1.out")).unwrap();
    for depth in 1..=400 {
        bytes = around(&bytes);
        if !matches!(depth, 1 | 3 | 400) {
            continue;
        }
        std::fs::write(&path, &bytes).unwrap();
        let output = crate::common::program::run(&words);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let file = &report["files"][0];
        let targets: Vec<_> =
            file["targets"].as_array().unwrap().iter().map(|row| &row["target_id"]).collect();
        if depth < 400 {
            assert_eq!(targets, ["gfx906", "gfx90a:xnack+"], "{depth}");
            assert_eq!((output.status.code(), &file["accounted_bytes"]), (Some(0), &json!(bytes.len())));
        } else {
            assert_eq!((targets.len(), output.status.code()), (0, Some(1)), "{report}");
        }
    }
}
