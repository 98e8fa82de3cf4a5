//! Shapes of packages as they are published, made small: each was read wrongly or missed before.
#![cfg(feature = "cli")]

use crate::common::bundles::bundle_for;
use crate::common::packages::{member, zip};
use crate::common::program::json_with_findings;
use crate::common::seen::folder;
use crate::common::shared::{Library, asked, file};
use crate::common::trees::stack_of;
use crate::common::{elf, fixture};
use object::{Object, ObjectSection};
use rmpv::Value as Packed;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

type Files<'f> = [(&'f str, &'f [u8])];

fn code_object(name: &str) -> Vec<u8> {
    fs::read(fixture(&format!("rocm/lib/codeobject/{name}.hsaco"))).unwrap()
}

/// The audit of files for a target.
fn audit(files: &Files<'_>, target: &str) -> Value {
    let tree = folder(files);
    json_with_findings(&["--arch", target, tree.path().to_str().unwrap()])
}

/// The answer for the target, and what is said of a library.
fn said(report: &Value, library: &str) -> (String, String) {
    let verdict = &report["verdicts"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = verdict["libraries"].as_array().unwrap();
    let row =
        rows.iter().find(|row| row["library"] == library).unwrap_or_else(|| panic!("{library}: {verdict:#}"));
    (text(&row["answer"]), text(&row["reason"]))
}

/// Findings of a rule: path, offset and what is said of each place.
fn findings(report: &Value, rule: &str) -> Vec<(String, Option<u64>, String)> {
    let all = report["findings"].as_array().unwrap().iter().filter(|finding| finding["id"] == rule);
    let places = all.flat_map(|finding| finding["locations"].as_array().unwrap().clone());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    places.map(|at| (text(&at["path"]), at["offset"].as_u64(), text(&at["what"]))).collect()
}

fn kernels(report: &Value) -> u64 {
    report["summary"]["kernels"].as_u64().unwrap()
}

/// A kpack archive whose entries are kernels, as hipDNN's packer writes it.
fn archive(entries: &[&str], target: &str, code: &[u8]) -> Vec<u8> {
    let map = |pairs: Vec<(&str, Packed)>| {
        Packed::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
    };
    let mut bytes = b"KPAK\x01\0\0\0".to_vec();
    let table_at = 16 + entries.len() * code.len();
    bytes.extend((table_at as u64).to_le_bytes());
    let (mut blobs, mut toc) = (Vec::new(), Vec::new());
    for (number, entry) in entries.iter().enumerate() {
        blobs.push(map(vec![("offset", (bytes.len() as u64).into()), ("size", (code.len() as u64).into())]));
        let row =
            map(vec![("ordinal", (number as u64).into()), ("original_size", (code.len() as u64).into())]);
        toc.push((*entry, map(vec![(target, row)])));
        bytes.extend(code);
    }
    let table = map(vec![
        ("compression_scheme", "none".into()),
        ("gfx_arches", Packed::Array(vec![target.into()])),
        ("blobs", Packed::Array(blobs)),
        ("toc", map(toc)),
    ]);
    rmpv::encode::write_value(&mut bytes, &table).unwrap();
    bytes
}

const DESCRIPTORS: &str = "lib/hipdnn_plugins/engines/arch_content/hip_kernel_provider/gfx1030/pack.kdp.json";
const ARCHIVE: &str = "lib/hipdnn_plugins/engines/arch_content/hip_kernel_provider/gfx1030/kpack/hip_kernel_provider_gfx1030.kpack";

/// Descriptors of two kernels of an archive, and one that is compiled from source text.
fn descriptors(library: &str, entry: &str) -> Vec<u8> {
    let kernel = |entry: &str| {
        json!({"id": entry, "arch": ["gfx1030"], "kernel_source": {
            "kind": "kpack", "library": library, "toc_key": entry, "symbol": "k", "sha256": "0", "signature": []}})
    };
    let source = json!({"id": "s", "kernel_source": {"kind": "embedded_source", "source_file": "S.cpp", "entry_point": "S"}});
    let all = json!({"version": "1.0", "kernelDescriptors": [kernel("add"), "a-ukd-elsewhere", source, kernel(entry)]});
    serde_json::to_vec_pretty(&all).unwrap()
}

#[test]
fn kernel_descriptors_of_hipdnn_are_held_against_their_archive() {
    let code = code_object("v5_gfx1030");
    let kpack = archive(&["add", "mul"], "gfx1030", &code);
    let plugin = file(&Library { soname: "libhip_kernel_provider.so", ..Library::default() });
    let with = |library: &str, entry: &str, has_archive: bool| {
        let descriptors = descriptors(library, entry);
        let mut files: Vec<(&str, &[u8])> = vec![
            (DESCRIPTORS, &descriptors),
            ("lib/hipdnn_plugins/engines/libhip_kernel_provider.so", &plugin),
        ];
        if has_archive {
            files.push((ARCHIVE, &kpack));
        }
        (audit(&files, "gfx1030"), descriptors)
    };
    let name = "kpack/hip_kernel_provider_gfx1030.kpack";
    let (whole, _) = with(name, "mul", true);
    assert_eq!(findings(&whole, "manifest-kernel-missing"), []);
    // The library is hipDNN, not one for each kernel.
    let (answer, reason) = said(&whole, "hipDNN");
    assert_eq!(answer, "runs", "{reason}");
    assert_eq!(whole["matrix"].as_array().unwrap().len(), 1, "{}", whole["matrix"]);

    let (lost_entry, text) = with(name, "sub", true);
    let [(path, offset, what)] = &findings(&lost_entry, "manifest-kernel-missing")[..] else {
        panic!("{lost_entry:#}")
    };
    assert!(path.ends_with("pack.kdp.json") && what.contains("has no entry sub"), "{path} {what}");
    let at = offset.unwrap() as usize;
    assert!(text[at..].starts_with(b"\"kernel_source\""), "{at}");
    let line = 1 + text[..at].iter().filter(|byte| **byte == b'\n').count();
    assert!(what.starts_with(&format!("line {line}:")), "{what}");

    let (lost_archive, _) = with("../kpack/x.kpack", "mul", true);
    assert_eq!(findings(&lost_archive, "manifest-kernel-missing").len(), 2);
    let (no_archive, _) = with(name, "mul", false);
    assert_eq!(findings(&no_archive, "manifest-kernel-missing").len(), 2);
    // A descriptor that is cut is damage, at its place.
    let mut cut = descriptors(name, "mul");
    cut.truncate(cut.len() / 2);
    let broken = audit(&[(DESCRIPTORS, &cut)], "gfx1030");
    let [(_, Some(at), what)] = &findings(&broken, "malformed-bytes")[..] else { panic!("{broken:#}") };
    assert!(*at > 0 && what.contains("not JSON"), "{at} {what}");
}

/// An entry of the cache of the HSA runtime.
fn translated(code: &[u8]) -> Vec<u8> {
    let mut entry = b"HSHOTSW2".to_vec();
    entry.extend(1u32.to_le_bytes());
    entry.extend([0; 12]);
    entry.extend((code.len() as u64).to_le_bytes());
    entry.extend(code);
    entry
}

#[test]
fn what_hotswap_keeps_is_read_in_both_of_its_forms() {
    let code = code_object("v5_gfx1030");
    let key = "ab".repeat(32);
    let runtime = format!("hotswap/{}/{}.co", "0123456789abcdef", "fedcba9876543210");
    let (object, stated) = (format!("cache/ab/{key}.hsaco"), format!("cache/ab/{key}.json"));
    let metadata = br#"{"schema_version":1,"cached_object_sha256":"0","kernel_names":["k"]}"#;
    let expected = kernels(&audit(&[("a.hsaco", &code)], "gfx1030"));
    for files in [&[(runtime.as_str(), &translated(&code)[..])][..], &[(&object, &code), (&stated, metadata)]]
    {
        let report = audit(files, "gfx1030");
        assert_eq!(kernels(&report), expected);
        let (answer, reason) = said(&report, "HotSwap");
        assert!(answer == "runs" && reason.contains("translated by HotSwap"), "{answer} {reason}");
        assert_eq!(report["caches"][0]["of"], "HotSwap");
        assert_eq!(report["complete"], true, "{:#}", report["findings"]);
    }
    // One half of comgr's entry alone is invalid for it; a cut entry of the runtime is damage.
    let half = audit(&[(&stated, metadata)], "gfx1030");
    assert_eq!(findings(&half, "manifest-kernel-missing").len(), 1);
    let mut cut = translated(&code);
    cut.truncate(cut.len() - 100);
    let cut = audit(&[(&runtime, &cut)], "gfx1030");
    assert_eq!(cut["complete"], false);
    assert_eq!(findings(&cut, "cut-end").len(), 1, "{:#}", cut["findings"]);
}

#[test]
fn kernels_that_triton_compiled_ahead_of_time_are_arrays_in_c() {
    let code = code_object("v5_gfx1030");
    let bytes = |code: &[u8]| code.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
    let source = |array: &str, end: &str| {
        format!(
            "// tt-linker: add_9969bdda_0123:void*\nunsigned char add_hsaco[{}] = {{ {array} {end};\n",
            code.len()
        )
    };
    let whole = source(&bytes(&code), "}");
    let report = audit(&[("aot/add.9969bdda_0123.c", whole.as_bytes())], "gfx1030");
    assert_eq!(kernels(&report), kernels(&audit(&[("a.hsaco", &code)], "gfx1030")));
    let open = source(&bytes(&code), "");
    assert_eq!(
        findings(&audit(&[("aot/add.9969bdda_0123.c", open.as_bytes())], "gfx1030"), "cut-end").len(),
        1
    );
    let other = source(&bytes(&code), ", x }");
    let wrong = audit(&[("aot/add.9969bdda_0123.cpp", other.as_bytes())], "gfx1030");
    assert_eq!(findings(&wrong, "malformed-bytes").len(), 1);
    // A source file without a code object is one.
    let plain = audit(&[("aot/add.9969bdda_0123.c", b"int main(void) { return 0; }")], "gfx1030");
    assert_eq!(plain["complete"], true);
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn jax_packs_its_cache_by_zlib_where_zstandard_is_not_installed() {
    let code = code_object("v5_gfx1030");
    let program = [&b"\x0a\x10some message of protobuf \xff\xfe\0\0"[..], &code, b"\x12\x01\0"].concat();
    let packed = zlib(&program);
    let name = "jit_f-0123456789abcdef-cache";
    let (plain, zipped) = (audit(&[(name, &program)], "gfx1030"), audit(&[(name, &packed)], "gfx1030"));
    assert!(kernels(&plain) > 0);
    assert_eq!(kernels(&zipped), kernels(&plain));
    assert_eq!(zipped["caches"][0]["of"], "JAX");
    let cut = audit(&[(name, &packed[..packed.len() / 2])], "gfx1030");
    assert_eq!((cut["complete"].as_bool(), findings(&cut, "cut-end").len()), (Some(false), 1));
}

/// A shared library with code for these targets.
fn library(targets: &[&str]) -> Vec<u8> {
    let objects: Vec<(&str, Vec<u8>)> = targets
        .iter()
        .map(|target| (*target, code_object(if *target == "gfx906" { "v4_gfx906" } else { "v5_gfx1030" })))
        .collect();
    let entries: Vec<(&str, &[u8])> = objects.iter().map(|(target, code)| (*target, &code[..])).collect();
    elf::library(&[(".hip_fatbin", &bundle_for(&entries, 4096))])
}

const TORCH: &str = "torch/version.py";

#[test]
fn of_variants_the_one_for_the_pytorch_here_is_loaded() {
    let (both, one) = (library(&["gfx906", "gfx1030"]), library(&["gfx906"]));
    let hub = |release: &str, commit: &str| {
        format!(
            "activation/build/torch29-cxx11-{release}-x86_64-linux/activation/_activation_{commit}.abi3.so"
        )
    };
    let (old, new) = (hub("rocm63", "9ff4c68"), hub("rocm64", "0a1b2c3"));
    for (library, old, new) in [
        ("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm63.so", "bitsandbytes/libbitsandbytes_rocm64.so"),
        ("kernel activation", old.as_str(), new.as_str()),
    ] {
        let with = |torch: &str| audit(&[(old, &one), (new, &both), (TORCH, torch.as_bytes())], "gfx1030");
        let (answer, reason) = said(&with("hip: Optional[str] = '6.4.43482-0f2d60242'\n"), library);
        assert!(answer == "runs" && reason.contains("(ROCm 6.4)"), "{library}: {answer} {reason}");
        assert_eq!(said(&with("hip = '6.3.42131'\n"), library).0, "not");
        // Without a PyTorch, or with one of another release, it depends.
        for torch in ["hip: Optional[str] = None\n", "hip = '7.2.0'\n"] {
            let (answer, reason) = said(&with(torch), library);
            assert!(
                answer == "limits" && reason.contains("variants for ROCm 6.4 have code"),
                "{answer} {reason}"
            );
            assert!(reason.contains("the one of PyTorch's ROCm release is loaded"), "{reason}");
        }
    }
}

fn wheel(name: &str, version: &str, needs: &[&str]) -> Vec<u8> {
    let requires: String = needs.iter().map(|need| format!("Requires-Dist: {need}\n")).collect();
    let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\nText.\n");
    zip(&[
        member(&format!("{name}-{version}.dist-info/METADATA"), metadata.into_bytes()),
        member(&format!("{name}/__init__.py"), b"pass\n".to_vec()),
    ])
}

#[test]
fn a_wheel_whose_partner_is_missing_names_it() {
    let plugin = wheel(
        "jax_rocm10_plugin",
        "0.12.0",
        &["jax-rocm10-pjrt==0.12.0", "numpy", "rocm-sdk-devel; extra == 'devel'"],
    );
    let (pjrt, other) = (wheel("jax_rocm10_pjrt", "0.12.0", &[]), wheel("jax_rocm10_pjrt", "0.11.0", &[]));
    let rule = "package-not-here";
    let alone = audit(&[("plugin.whl", &plugin)], "gfx1030");
    let [(path, Some(_), what)] = &findings(&alone, rule)[..] else { panic!("{alone:#}") };
    assert!(
        path.ends_with("METADATA") && what.contains("needs jax-rocm10-pjrt 0.12.0, which is not here"),
        "{what}"
    );
    assert_eq!(findings(&audit(&[("a.whl", &plugin), ("b.whl", &pjrt)], "gfx1030"), rule), []);
    let stale = findings(&audit(&[("a.whl", &plugin), ("b.whl", &other)], "gfx1030"), rule);
    assert!(stale[0].2.contains("and 0.11.0 is here"), "{stale:?}");

    // A list beside a folder of wheels: what it names and the folder lacks.
    let lists: [(&str, &str); 3] = [
        ("requirements.txt", "jax-rocm10-pjrt==0.12.0\nrocm[libraries,device-gfx1151]==7.14.0\n"),
        ("uv.lock", "[[package]]\nname = \"rocm-sdk-device-gfx1151\"\nversion = \"7.14.0\"\n"),
        ("pylock.toml", "[[packages]]\nname = \"rocm-sdk-device-gfx1151\"\nversion = \"7.14.0\"\n"),
    ];
    for (name, text) in lists {
        let report = audit(&[(name, text.as_bytes()), ("b.whl", &pjrt)], "gfx1030");
        let missing = findings(&report, rule);
        let device = missing.iter().find(|(_, _, what)| what.contains("rocm-sdk-device-gfx1151"));
        let (path, offset, what) = device.unwrap_or_else(|| panic!("{name}: {missing:?}"));
        assert!(
            path.ends_with(name) && offset.is_some() && what.ends_with("which is not here"),
            "{path} {what}"
        );
        assert!(!missing.iter().any(|(_, _, what)| what.contains("jax-rocm10-pjrt")), "{missing:?}");
    }
    // A list alone asks nothing of a tree without packages.
    assert_eq!(findings(&audit(&[("requirements.txt", lists[0].1.as_bytes())], "gfx1030"), rule), []);
}

#[test]
fn a_package_without_binaries_is_no_verdict_on_the_card() {
    // One that compiles kernels by itself, and one that only names where the rest is.
    let own = audit(&[("tinygrad/runtime/ops_amd.py", b"class AMDDevice: pass\n")], "gfx1030");
    assert_eq!(own["verdicts"][0]["answer"], "compiles", "{}", own["verdicts"]);
    let meta = audit(&[("a.whl", &wheel("hip_python", "10.0.0", &["rocm-bindings-hip==10.0.0"]))], "gfx1030");
    let headline = meta["verdicts"][0]["headline"].as_str().unwrap();
    assert_eq!(meta["verdicts"][0]["answer"], "unknown", "{headline}");
    assert!(headline.ends_with("hip-python 10.0.0 needs rocm-bindings-hip, which is not here"), "{headline}");
}

#[test]
fn the_plugin_of_jax_alone_promises_nothing() {
    let kernels = library(&["gfx1030"]);
    let plugin: (&str, &[u8]) = ("jax_rocm7_plugin/_prng.so", &kernels);
    let (answer, reason) = said(&audit(&[plugin], "gfx1030"), "JAX");
    assert!(
        answer == "unknown" && reason.contains("which has a list of GPUs, is not here"),
        "{answer} {reason}"
    );
    // Without kernels for a card it cannot promise more than with them.
    let (answer, reason) = said(&audit(&[plugin], "gfx1201"), "JAX");
    assert!(answer == "unknown" && reason.contains("is not here: name it as well"), "{answer} {reason}");
    let runtime = file(&Library { soname: "xla_rocm_plugin.so", ..Library::default() });
    let both = audit(&[plugin, ("jax_plugins/xla_rocm7/xla_rocm_plugin.so", &runtime)], "gfx1030");
    assert_eq!(said(&both, "JAX").0, "runs");
}

#[test]
fn a_list_that_names_the_device_package_is_told() {
    let host = fs::read(fixture("containers/kpack/lib/libdemo.so")).unwrap();
    let path = "_rocm_sdk_libraries/lib/libdemo.so";
    let list = b"rocm-sdk-device-gfx1100==7.14.0\n";
    let (_, without) = said(&audit(&[(path, &host)], "gfx1100"), "demo");
    assert!(without.ends_with("the package rocm-sdk-device-gfx1100 brings that"), "{without}");
    let (_, with) = said(&audit(&[(path, &host), ("requirements.txt", list)], "gfx1100"), "demo");
    assert!(with.ends_with("brings that, which requirements.txt names"), "{with}");
}

#[test]
fn a_stack_that_can_be_executed_is_decided_on_the_library_that_is_named() {
    let text =
        "OSError: librccl.so.1: cannot enable executable stack as shared object requires: Invalid argument";
    let said = |is_executable: bool, name: &str| {
        let tree = folder(&[("lib/librccl.so.1.0", &stack_of(is_executable))]);
        let root = tree.path().to_str().unwrap();
        let report = json_with_findings(&["explain", "--error", &text.replace("librccl.so.1", name), root]);
        let rules = report["rules"].as_array().unwrap();
        assert_eq!(rules[..], [json!("ELF-EXECUTABLE-STACK")], "{report:#}");
        report["tree"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(said(true, "librccl.so.1.0"), "confirmed");
    assert_eq!(said(false, "librccl.so.1.0"), "not-the-files");
    assert_eq!(said(true, "libamdhip64.so.6"), "not-decided");
}

#[test]
fn changelogs_of_debian_packages_state_versions() {
    let changelog = |text: &str| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    };
    let line = |what: &str| format!("{what} unstable; urgency=medium\n\n  * New release.\n");
    let cut = &changelog(&line("rccl (7.2.4-1)"))[..12];
    let tree = folder(&[
        ("usr/share/doc/librocblas5/changelog.Debian.gz", &changelog(&line("rocblas (7.2.4-1~exp1)"))),
        ("usr/share/doc/libggml0-backend-hip/changelog.Debian.gz", &changelog(&line("ggml (0.27.0-1)"))),
        ("usr/share/doc/rocm-smi/changelog.Debian", line("rocm-smi-lib (2:7.2.4-1)").as_bytes()),
        ("usr/share/doc/bash/changelog.Debian.gz", &changelog(&line("bash (5.3-1)"))),
        ("usr/share/doc/librccl1/changelog.Debian.gz", cut),
    ]);
    let report = json_with_findings(&[tree.path().to_str().unwrap()]);
    let rows = report["versions"].as_array().unwrap();
    let stated: Vec<_> = rows.iter().map(|row| (&row["component"], &row["version"])).collect();
    let expected = [("ggml", "0.27.0-1"), ("rocblas", "7.2.4-1~exp1"), ("rocm-smi-lib", "2:7.2.4-1")];
    assert_eq!(
        stated,
        expected.map(|(one, version)| (json!(one), json!(version))).each_ref().map(|(a, b)| (a, b))
    );
    let later =
        folder(&[("usr/share/doc/librocblas6/changelog.Debian.gz", &changelog(&line("rocblas (8.0-1)")))]);
    let change = json_with_findings(&["diff", tree.path().to_str().unwrap(), later.path().to_str().unwrap()]);
    assert_eq!(change["files"]["lost"], json!([]), "{:#}", change["files"]);
    let rocblas = json!({"component": "rocblas", "before": "7.2.4-1~exp1", "after": "8.0-1"});
    assert!(change["versions"].as_array().unwrap().contains(&rocblas), "{:#}", change["versions"]);
    let finding = &report["findings"][0];
    assert!(finding.to_string().contains("librccl1/changelog.Debian.gz"), "{finding:#}");
}

#[test]
fn diff_tells_of_another_runtime_and_lays_data_folders_into_place() {
    let plugin = |needed| file(&Library { soname: "libOpenMMHIP.so", needed, ..Library::default() });
    let (old, new) =
        (plugin(&["libamdhip64.so.6", "libhiprtc.so.6"]), plugin(&["libamdhip64.so.7", "libhiprtc.so.7"]));
    let (old, new) = (folder(&[("lib/libOpenMMHIP.so", &old)]), folder(&[("lib/libOpenMMHIP.so", &new)]));
    let diff =
        |old: &Path, new: &Path| json_with_findings(&["diff", old.to_str().unwrap(), new.to_str().unwrap()]);
    let report = diff(old.path(), new.path());
    let runtime = json!({"component": "linked with libamdhip64", "before": "6", "after": "7"});
    assert!(report["versions"].as_array().unwrap().contains(&runtime), "{:#}", report["versions"]);
    assert_eq!(diff(old.path(), old.path())["versions"], json!([]));

    let code = code_object("v4_gfx906");
    let plain = folder(&[("a.whl", &zip(&[member("quant/q.hsaco", code.clone())]))]);
    let moved = folder(&[("a.whl", &zip(&[member("quant-2.2.data/purelib/quant/q.hsaco", code)]))]);
    let of = |tree: &Path| tree.join("a.whl");
    let report = diff(&of(plain.path()), &of(moved.path()));
    for kind in ["lost", "added", "renamed"] {
        assert_eq!(report["files"][kind], json!([]), "{kind}");
    }
}

#[test]
fn descriptors_without_a_size_are_descriptors() {
    let mut code = code_object("v4_gfx906");
    // The symbols of kernel descriptors are objects (1) of 64 bytes.
    let tables: Vec<(u64, u64)> = {
        let parsed = object::File::parse(&*code).unwrap();
        let tables = parsed.sections().filter(|section| matches!(section.name(), Ok(".dynsym" | ".symtab")));
        tables.filter_map(|section| section.file_range()).collect()
    };
    let mut changed = 0;
    for at in tables.into_iter().flat_map(|(at, size)| (at..at + size).step_by(24)) {
        let at = at as usize;
        if code[at + 4] & 15 == 1 && code[at + 16..at + 24] == 64u64.to_le_bytes() {
            code[at + 16] = 0;
            changed += 1;
        }
    }
    assert!(changed > 0);
    let report = audit(&[("a.hsaco", &code)], "gfx906");
    let whole = audit(&[("a.hsaco", &code_object("v4_gfx906"))], "gfx906");
    assert_eq!(kernels(&report), kernels(&whole));
    assert_eq!(report["complete"], true, "{:#}", report["findings"]);
}

#[test]
fn nothing_is_promised_of_processors_that_no_runtime_is_known_to_drive() {
    let program = file(&Library {
        soname: "libx.so",
        needed: &["libhiprtc.so.7"],
        symbols: vec![asked("hiprtcCompileProgram", None)],
        ..Library::default()
    });
    let answer = |target: &str| audit(&[("libx.so", &program)], target)["verdicts"][0]["answer"].clone();
    for target in ["gfx1030", "gfx942", "gfx1250", "gfx1250-strict"] {
        assert_eq!(answer(target), "compiles", "{target}");
    }
    for target in ["gfx602", "gfx705", "gfx1154", "gfx1170", "gfx1251", "gfx1310"] {
        assert_eq!(answer(target), "unknown", "{target}");
    }
}

#[test]
fn what_serves_through_a_generic_target_depends_on_the_runtime() {
    let mut code = code_object("v5_gfx1030");
    // gfx12-5-generic, as code objects of version 6 name it.
    (code[8], code[0x30], code[0x33]) = (4, 0x5b, 1);
    let hsa = |words: &str| {
        let constants = format!("\0{}\0", words.replace(' ', "\0")).into_bytes();
        file(&Library {
            soname: "libhsa-runtime64.so.1",
            sections: vec![(".rodata", constants)],
            ..Library::default()
        })
    };
    let with = |words: &str| {
        let (app, hsa) =
            (elf::library(&[(".hip_fatbin", &bundle_for(&[("gfx12-5-generic", &code)], 4096))]), hsa(words));
        said(&audit(&[("lib/libapp.so", &app), ("lib/libhsa-runtime64.so.1", &hsa)], "gfx1250"), "app")
    };
    assert_eq!(with("gfx1250 gfx12-5-generic gfx12-generic").0, "runs");
    let (answer, reason) = with("gfx1250 gfx12-generic");
    assert!(
        answer == "unknown" && reason.contains("which the HSA runtime here does not name"),
        "{answer} {reason}"
    );
}

#[test]
fn aiter_compiles_what_it_has_as_source() {
    let code = code_object("v4_gfx906");
    let object = ("aiter_meta/hsa/gfx906/a.co", &code[..]);
    let source = ("aiter_meta/csrc/kernels/a.cu", &b"__global__ void k() {}\n"[..]);
    assert_eq!(said(&audit(&[object], "gfx1100"), "AITER").0, "not");
    let (answer, reason) = said(&audit(&[object, source], "gfx1100"), "AITER");
    assert!(answer == "unknown" && reason.contains("can be compiled at run time"), "{answer} {reason}");
    assert_eq!(said(&audit(&[object, source], "gfx906"), "AITER").0, "runs");
}
