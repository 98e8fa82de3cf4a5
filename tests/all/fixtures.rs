//! Reads every file in `fixtures/rocm` and compares it with `fixtures/expected.json`, which LLVM's tools
//! wrote.

use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::codeobject::{CodeObject, Kernel, SectionByteClass};
use rocm_audit::container::StorageKind;
use rocm_audit::container::bundle_reader;
use rocm_audit::container::bundle_reader::{Depth, Payload};
use rocm_audit::format::Format;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::inventory::kernel_row::KernelRow;
use rocm_audit::report::fatbin;
use rocm_audit::report::v1::ArtifactKind;
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::kernel_sink::{KernelFilter, KernelSink};
use rocm_audit::target::TargetId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm")
}

fn expected() -> BTreeMap<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/expected.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    serde_json::from_value(all["files"].clone()).unwrap()
}

/// A kernel with the keys in its metadata, in the form of the expectations.
fn kernel(k: &Kernel<'_>, v2: bool) -> Value {
    let mut out = json!({"name": k.name(), "symbol": k.symbol()});
    let numbers = [
        ("sgpr_count", k.sgprs()),
        ("vgpr_count", k.vgprs()),
        ("agpr_count", k.agprs()),
        ("sgpr_spill_count", k.sgpr_spills()),
        ("vgpr_spill_count", k.vgpr_spills()),
        ("group_segment_fixed_size", k.lds()),
        ("private_segment_fixed_size", k.scratch()),
        ("kernarg_segment_size", k.kernarg()),
        ("wavefront_size", k.wavefront()),
        ("max_flat_workgroup_size", k.max_workgroup()),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            out[key] = json!(number);
        }
    }
    if v2 {
        // V2 omits zeros, and the expectations may list them or not.
        for key in ["group_segment_fixed_size", "private_segment_fixed_size"] {
            if out[key] == 0 {
                out.as_object_mut().unwrap().remove(key);
            }
        }
    }
    out
}

fn without_zeros(mut kernel: Value, v2: bool) -> Value {
    if v2 {
        let map = kernel.as_object_mut().unwrap();
        map.retain(|key, value| !(key.ends_with("_segment_fixed_size") && *value == 0));
    }
    kernel
}

fn check_code_object(object: &CodeObject, kernels: &[Value], size: u64, truth: &Value, at: &str) {
    assert_eq!(u64::from(object.header().flags()), truth["e_flags"].as_u64().unwrap(), "{at}: e_flags");
    assert_eq!(
        u64::from(object.header().version().abi_version()),
        truth["abi_version"].as_u64().unwrap(),
        "{at}"
    );
    assert_eq!(u64::from(object.header().version().os_abi()), truth["osabi"].as_u64().unwrap(), "{at}");
    assert_eq!(object.header().kind(), if truth["e_type"] == "REL" { 1 } else { 3 }, "{at}: e_type");
    let target = truth["target"].as_str().map(|t| t.split_once("--").unwrap().1);
    assert_eq!(object.metadata_target(), target, "{at}: amdhsa.target");
    if let Some(target) = target {
        assert_eq!(object.target().to_string(), target, "{at}: e_flags against amdhsa.target");
    }
    let v2 = object.header().version().code_object() == Some(2);
    let expected: Vec<Value> =
        truth["kernels"].as_array().unwrap().iter().map(|k| without_zeros(k.clone(), v2)).collect();
    assert_eq!(kernels, expected, "{at}: kernels");
    assert_eq!(object.kernels().count() as usize, expected.len(), "{at}");

    let sections: Vec<(String, String, String, u64)> =
        serde_json::from_value(truth["sections"].clone()).unwrap();
    if sections.is_empty() {
        return;
    }
    let sum = |wanted: &dyn Fn(&str, &str, &str) -> bool| -> u64 {
        sections
            .iter()
            .filter(|(name, kind, flags, _)| kind != "NOBITS" && wanted(name, kind, flags))
            .map(|s| s.3)
            .sum()
    };
    assert_eq!(object.code_bytes(), sum(&|_, _, flags| flags.contains('X')), "{at}: code bytes");
    let bytes = object.bytes().unwrap();
    assert_eq!(bytes.get(SectionByteClass::Code), sum(&|_, _, flags| flags.contains('X')), "{at}: code");
    assert_eq!(bytes.get(SectionByteClass::Metadata), sum(&|_, kind, _| kind == "NOTE"), "{at}: metadata");
    assert_eq!(
        bytes.get(SectionByteClass::Debug),
        sum(&|name, _, _| name.starts_with(".debug")),
        "{at}: debug"
    );
    assert_eq!(bytes.total(), size, "{at}: the classes sum to the size");
}

fn check_device_code(path: &str, truth: &Value) -> (u64, u64) {
    let open = DeviceFile::open(&root().join(path)).unwrap();
    assert!(open.container.problems().is_empty(), "{path}: {:?}", open.container.problems());
    // The expectations list a bare code object without a bundle around it.
    let alone = json!([{"entries": [{"code_object": truth["code_object"], "size": truth["file_size"]}]}]);
    let bundles = if truth["bundles"].is_null() { &alone } else { &truth["bundles"] };
    let bundles = bundles.as_array().unwrap();
    assert_eq!(open.container.bundles().len(), bundles.len(), "{path}: bundles");
    let mut counts = (0, 0);
    for (bundle, expected) in open.container.bundles().iter().zip(bundles) {
        let at = format!("{path} at {:#x}", bundle.offset());
        if let Some(offset) = expected["offset"].as_u64() {
            assert_eq!(bundle.offset(), offset, "{at}");
        }
        if let Some(header) = &bundle.storage().packed() {
            assert_eq!(u64::from(header.version()), expected["version"].as_u64().unwrap(), "{at}: version");
            assert_eq!(header.method().name(), expected["method"].as_str().unwrap(), "{at}: method");
        }
        let mut kernels: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        let content = bundle_reader::read(
            open.file.bytes(),
            bundle,
            Depth::Whole,
            CodeAsk::Nothing,
            &mut |index, _, k| {
                let v2 = open.file.bytes()[8] == 0 && bundle.storage().kind() == StorageKind::CodeObject;
                kernels.entry(index).or_default().push(kernel(k, v2));
            },
        );
        assert!(content.problems().is_empty(), "{at}: {:?}", content.problems());
        assert_ne!(content.hash_fits(), Some(false), "{at}");
        assert_eq!(bundle.storage().packed().is_some(), content.hash_fits() == Some(true), "{at}");
        let entries = expected["entries"].as_array().unwrap();
        assert_eq!(bundle.entries().len(), entries.len(), "{at}: entries");
        for (index, (entry, expected)) in bundle.entries().iter().zip(entries).enumerate() {
            let at = format!("{at} entry {index}");
            assert_eq!(entry.id().map(|i| i.as_str()), expected["id"].as_str(), "{at}: id");
            assert_eq!(entry.size(), expected["size"].as_u64().unwrap(), "{at}: size");
            let base = if bundle.storage().kind() == StorageKind::Plain { bundle.offset() } else { 0 };
            if let Some(offset) =
                expected["offset"].as_u64().filter(|_| bundle.storage().kind() != StorageKind::CodeObject)
            {
                assert_eq!(base + entry.offset(), offset, "{at}: offset");
            }
            let found = kernels.remove(&index).unwrap_or_default();
            match &content.payloads()[index] {
                Payload::CodeObject(object) => {
                    counts.0 += 1;
                    counts.1 += found.len() as u64;
                    check_code_object(object, &found, entry.size(), &expected["code_object"], &at);
                }
                other => assert!(expected["code_object"].is_null(), "{at}: {other:?}"),
            }
        }
    }
    counts
}

#[test]
fn every_code_object_and_kernel_is_as_llvm_says() {
    let mut counts = (0, 0);
    for (path, truth) in expected() {
        let kind = truth["kind"].as_str().unwrap();
        let format = match kind {
            "host-elf" => Format::HostElf,
            "plain-bundle" => Format::OffloadBundle,
            "compressed-bundle" => Format::CompressedBundle,
            "amdgpu-elf" => Format::CodeObject,
            "perf-db-sqlite" | "kernel-db" | "rocfft-cache" => Format::Sqlite,
            "aotriton-archive" => Format::AotritonArchive,
            "lfs-pointer" => Format::LfsPointer,
            _ => Format::Other,
        };
        let bytes = std::fs::read(root().join(&path)).unwrap();
        assert_eq!(bytes.len() as u64, truth["file_size"].as_u64().unwrap(), "{path}");
        assert_eq!(Format::identify(&bytes), format, "{path}");
        if matches!(kind, "host-elf" | "plain-bundle" | "compressed-bundle" | "amdgpu-elf") {
            let found = check_device_code(&path, &truth);
            counts = (counts.0 + found.0, counts.1 + found.1);
        }
    }
    assert!(counts.0 > 100 && counts.1 > 200, "the fixtures hold that much: {counts:?}");
}

#[test]
fn sections_sonames_and_wrappers_are_as_llvm_says() {
    let mut wrapped = 0;
    for (path, truth) in expected().into_iter().filter(|(_, t)| t["kind"] == "host-elf") {
        let open = DeviceFile::open(&root().join(&path)).unwrap();
        assert_eq!(open.container.soname(), truth["soname"].as_str(), "{path}: soname");
        let section = &open.container.sections()[0];
        let fatbin = &truth["hip_fatbin"];
        assert_eq!(section.name(), ".hip_fatbin", "{path}");
        assert_eq!(
            json!([section.offset(), section.size(), section.align()]),
            json!([fatbin["offset"], fatbin["size"], fatbin["align"]]),
            "{path}"
        );
        let expected = truth["wrappers"].as_array().unwrap();
        let wrappers = open.container.wrappers().unwrap();
        wrapped += wrappers.count();
        assert_eq!(wrappers.count() as usize, expected.len(), "{path}");
        assert_eq!(*wrappers.magics(), BTreeMap::from([("HIPF".to_owned(), wrappers.count())]), "{path}");
        assert_eq!(
            (wrappers.dangling().len(), wrappers.unreferenced().len()),
            (0, 0),
            "{path}: relocations are applied"
        );
    }
    assert!(wrapped >= 10);
}

#[test]
fn catalogs_and_databases_have_the_numbers_of_independent_tools() {
    let inventory =
        rocm_audit::scan::run::audit(&[root()], &Default::default(), &rocm_audit::scan::run::Silent, None)
            .unwrap();
    let found = rocm_audit::capability::Capability::from_inventory(&inventory, &[]);
    let report = rocm_audit::report::audit(&inventory, &found);
    assert!(report.complete, "{:?}", report.findings);
    let records: BTreeMap<&str, Option<u64>> =
        report.artifacts.iter().map(|a| (a.path.as_str(), a.records)).collect();
    let mut checked = 0;
    for (path, truth) in expected() {
        let number = match truth["kind"].as_str().unwrap() {
            "catalog" if truth["solutions"].is_array() => {
                Some(truth["solutions"].as_array().unwrap().len() as u64)
            }
            "find-db" | "perf-db-text" => truth["lines"].as_u64(),
            "perf-db-sqlite" => truth["configs_with_rows"].as_u64(),
            "kernel-db" => {
                truth["rows"].as_u64().or_else(|| truth["kernels"].as_array().map(|k| k.len() as u64))
            }
            _ => continue,
        };
        assert!(number.is_some(), "{path}: no number is expected: {truth}");
        assert_eq!(records.get(path.as_str()), Some(&number), "{path}");
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn code_objects_in_databases_and_archives_are_as_llvm_says() {
    let inventory =
        rocm_audit::scan::run::audit(&[root()], &Default::default(), &rocm_audit::scan::run::Silent, None)
            .unwrap();
    let mut checked = 0;
    for (path, truth) in expected() {
        if !matches!(truth["kind"].as_str(), Some("kernel-db" | "rocfft-cache" | "aotriton-archive")) {
            continue;
        }
        // By target: code objects, bytes, kernels, most vector registers of a kernel.
        let mut wanted = BTreeMap::<String, [u64; 4]>::new();
        for stored in truth["kernels"].as_array().unwrap() {
            let object = &stored["code_object"];
            if object.is_null() {
                continue;
            }
            let target = object["target"].as_str().map(|t| t.replace("amdgcn-amd-amdhsa--", ""));
            let kernels = object["kernels"].as_array().unwrap();
            let registers = kernels.iter().filter_map(|k| k["vgpr_count"].as_u64()).max().unwrap_or(0);
            // V3 code objects have no target in their metadata; those of the fixture are for gfx900.
            let row = wanted.entry(target.unwrap_or("gfx900".to_owned())).or_default();
            row[0] += 1;
            row[1] += stored["size"].as_u64().unwrap();
            row[2] += kernels.len() as u64;
            row[3] = row[3].max(registers);
            checked += 1;
        }
        let artifact = inventory.artifacts.iter().find(|a| a.relative == path).unwrap();
        let device = artifact.device.as_ref().unwrap();
        let found: BTreeMap<String, [u64; 4]> = device
            .targets
            .iter()
            .map(|(target, code)| {
                let registers = code.kernels.max_vgprs();
                (target.to_string(), [code.objects, code.bytes, code.kernels.count(), registers])
            })
            .collect();
        assert_eq!(found, wanted, "{path}");
        let empty = truth["kernels"].as_array().unwrap().iter().filter(|k| k["size"] == 0).count() as u64;
        assert_eq!(device.other_payloads.values().map(|tally| tally.count).sum::<u64>(), empty, "{path}");
        assert!(device.name_conflicts.is_empty(), "{path}: {:?}", device.name_conflicts);
    }
    assert_eq!(checked, 6);
}

#[test]
fn rows_of_files_sum_to_all_whatever_was_asked_for() {
    // A kpack archive is several artifacts, and a target leaves out rows of firmware links.
    for (folder, asked) in [("containers/kpack", ""), ("rocm", ""), ("rocm", "gfx906")] {
        let root = root().parent().unwrap().join(folder);
        let inventory =
            rocm_audit::scan::run::audit(&[root], &Default::default(), &rocm_audit::scan::run::Silent, None)
                .unwrap();
        let asked: Vec<_> = rocm_audit::target::TargetId::parse(asked).into_iter().collect();
        let found = rocm_audit::capability::Capability::from_inventory(&inventory, &asked);
        let report = rocm_audit::report::audit(&inventory, &found);
        let remainder: u64 = report.remainder.iter().map(|r| r.files).sum();
        assert_eq!(report.summary.artifact_files + remainder, report.summary.files, "{folder}");
    }
}

#[test]
fn every_file_is_either_reported_or_in_the_remainder() {
    let inventory =
        rocm_audit::scan::run::audit(&[root()], &Default::default(), &rocm_audit::scan::run::Silent, None)
            .unwrap();
    let found = rocm_audit::capability::Capability::from_inventory(&inventory, &[]);
    let report = rocm_audit::report::audit(&inventory, &found);
    let links = report.artifacts.iter().filter(|a| a.kind == ArtifactKind::FirmwareLink).count() as u64;
    assert!(links > 0);
    let remainder: u64 = report.remainder.iter().map(|r| r.files).sum();
    assert_eq!(report.summary.artifacts - links + remainder, report.summary.files);
    assert_eq!(report.summary.artifact_files + remainder, report.summary.files);
    let bytes: u64 = report.remainder.iter().map(|r| r.bytes).sum();
    assert_eq!(report.summary.artifact_bytes + bytes, report.summary.bytes);
    assert_eq!(report.summary.files as usize, expected().len());
    let device: u64 = report.device_bytes.iter().map(|c| c.bytes).sum();
    assert_eq!(device, report.summary.code_object_bytes, "the classes sum to all code objects");
}

#[test]
fn the_bytes_of_every_file_sum_to_its_size() {
    for (path, truth) in expected() {
        if !truth["bundles"].is_array() && truth["kind"] != "amdgpu-elf" {
            continue;
        }
        let report = fatbin::file(
            &device_file::read(
                &DeviceFile::open(&root().join(&path)).unwrap(),
                &FileOptions::default(),
                &mut |_| {},
            ),
            &[],
        );
        let sum =
            |classes: &[rocm_audit::report::v1::ByteClass]| classes.iter().map(|c| c.bytes).sum::<u64>();
        assert_eq!(sum(&report.where_the_bytes_are), report.bytes, "{path}");
        assert_eq!(report.accounted_bytes, report.bytes, "{path}");
        let unpacked: u64 = report.bundles.iter().filter_map(|b| b.unpacked_bytes).sum();
        assert_eq!(sum(&report.where_the_unpacked_bytes_are), unpacked, "{path}");
        assert_eq!(report.accounted_unpacked_bytes, unpacked, "{path}");
        let stored: u64 = report.storage.iter().map(|row| row.bundles).sum();
        assert_eq!(stored, report.bundles.len() as u64, "{path}: every bundle is stored in one way");
    }
}

/// Names of the kernels that LLVM finds in a file, in its order.
fn kernel_names(truth: &Value) -> Vec<&str> {
    let alone = std::slice::from_ref(&truth["code_object"]);
    let inside = truth["bundles"].as_array().into_iter().flatten();
    let inside = inside.flat_map(|bundle| bundle["entries"].as_array().into_iter().flatten());
    let objects = inside.map(|entry| &entry["code_object"]).chain(alone);
    let kernels = objects.flat_map(|object| object["kernels"].as_array().into_iter().flatten());
    kernels.filter_map(|kernel| kernel["name"].as_str()).collect()
}

#[test]
fn every_sink_gets_the_rows_of_the_kernels_that_are_wanted_in_file_order() {
    /// Only counts rows: a sink other than the renderers'.
    #[derive(Default)]
    struct Registers(u64);
    impl KernelSink for Registers {
        fn rows(&mut self, rows: Vec<KernelRow>) -> std::io::Result<()> {
            self.0 += rows.iter().map(|row| row.kernel.vgprs().unwrap_or(0)).sum::<u64>();
            Ok(())
        }
    }
    let pattern = regex::Regex::new("^_Z|scale").unwrap();
    let mut all = 0;
    for (path, truth) in expected() {
        let names = kernel_names(&truth);
        if names.is_empty() {
            continue;
        }
        all += names.len();
        let open = DeviceFile::open(&root().join(&path)).unwrap();
        let read = |filter: KernelFilter<'_>, sink: &mut dyn KernelSink| {
            let options = FileOptions { kernels: Some(filter), ..FileOptions::default() };
            device_file::read(&open, &options, &mut |rows| sink.rows(rows).unwrap())
        };
        let (mut rows, mut wanted, mut registers) =
            (Vec::<KernelRow>::new(), Vec::new(), Registers::default());
        let code = read(KernelFilter::default(), &mut rows);
        let found: Vec<&str> = rows.iter().map(|row| row.kernel.name()).collect();
        assert_eq!(found, names, "{path}");
        assert_eq!(code.total(&[]).kernels.count(), names.len() as u64, "{path}");
        read(KernelFilter { name: Some(&pattern), ..KernelFilter::default() }, &mut wanted);
        let is_wanted = |row: &&KernelRow| {
            pattern.is_match(row.kernel.name())
                || row.demangled.as_ref().is_some_and(|name| pattern.is_match(name))
        };
        let expected: Vec<&str> = rows.iter().filter(is_wanted).map(|row| row.kernel.name()).collect();
        let found: Vec<&str> = wanted.iter().map(|row| row.kernel.name()).collect();
        assert_eq!(found, expected, "{path}");
        read(KernelFilter::default(), &mut registers);
        assert_eq!(
            registers.0,
            rows.iter().map(|row| row.kernel.vgprs().unwrap_or(0)).sum::<u64>(),
            "{path}"
        );
        let nobody = [TargetId::bare("gfx000")];
        let mut none = Vec::<KernelRow>::new();
        read(KernelFilter { targets: &nobody, ..KernelFilter::default() }, &mut none);
        assert!(none.is_empty(), "{path}");
    }
    assert!(all > 100, "{all} kernels");
}

#[test]
fn reading_up_to_the_metadata_finds_the_same_kernels_as_reading_all() {
    let facts = |depth: Depth| {
        let mut all = Vec::new();
        for (path, _) in expected().into_iter().filter(|(_, t)| t["bundles"].is_array()) {
            let open = DeviceFile::open(&root().join(&path)).unwrap();
            for bundle in open.container.bundles() {
                let content = bundle_reader::read(
                    open.file.bytes(),
                    bundle,
                    depth,
                    CodeAsk::Nothing,
                    &mut |index, target, kernel| {
                        all.push(format!("{path} {index} {target} {kernel:?}"));
                    },
                );
                assert!(content.problems().is_empty(), "{path}: {:?}", content.problems());
                for payload in content.payloads() {
                    if let Payload::CodeObject(object) = payload {
                        all.push(format!(
                            "{} {} {}",
                            object.target(),
                            object.code_bytes(),
                            object.kernels().count()
                        ));
                    }
                }
            }
        }
        all
    };
    let (metadata, whole) = (facts(Depth::Metadata), facts(Depth::Whole));
    assert_eq!(metadata, whole);
    assert!(whole.len() > 100);
}

#[test]
fn prose_that_names_the_magic_is_no_device_code() {
    let open = DeviceFile::open(&root().join("share/doc/rocblas/NOTES.txt")).unwrap();
    assert!(open.container.bundles().is_empty());
}

#[test]
fn the_old_isa_note_and_the_flags_agree() {
    for (path, target) in
        [("v2_gfx803", "gfx803"), ("v2_gfx900", "gfx900:xnack-"), ("v2_gfx900_xnack", "gfx900:xnack+")]
    {
        let bytes = std::fs::read(root().join(format!("lib/codeobject/{path}.hsaco"))).unwrap();
        let object =
            rocm_audit::codeobject::read(bytes.as_slice(), bytes.len() as u64, 0, &mut |_, _| {}).unwrap();
        assert_eq!(object.isa_note().unwrap().to_string(), target, "{path}");
        assert_eq!(object.header().target().processor, target.split(':').next().unwrap());
    }
}
