//! Code that is compiled or translated when it is loaded: what the verdict says of it, and what has to be
//! there.

use crate::common::shared::{Library, file};
use crate::common::{fixture, seen};
use rocm_audit::capability::Capability;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::target::TargetId;
use std::fs;

/// The answer for a target, and the reason of its first library.
fn said(files: &[(&str, &[u8])], target: &str) -> (String, String) {
    let tree = seen::folder(files);
    let inventory = audit(&[tree.path().to_path_buf()], &Options::default(), &Silent, None).unwrap();
    let asked = [TargetId::parse(target).unwrap()];
    let report = rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &asked));
    let report = serde_json::to_value(&report).unwrap();
    let verdict = &report["verdicts"][0];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    (text(&verdict["answer"]), text(&verdict["libraries"][0]["reason"]))
}

/// A library of a runtime with a word among its constants.
fn runtime(soname: &'static str, word: &str) -> Vec<u8> {
    let constants = [b"\0", word.as_bytes(), b"\0"].concat();
    file(&Library { soname, sections: vec![(".rodata", constants)], ..Library::default() })
}

/// rocRAND's library of the fixtures has code for gfx1100 and SPIR-V for all others.
#[test]
fn spirv_is_compiled_for_every_card_that_the_runtime_drives() {
    let library = fs::read(fixture("rocm/lib/librocrand.so.1.1")).unwrap();
    let alone: &[(&str, &[u8])] = &[("lib/librocrand.so.1.1", &library)];
    assert_eq!(said(alone, "gfx1100").0, "runs");
    for target in ["gfx906", "gfx942", "gfx1201"] {
        let (answer, reason) = said(alone, target);
        assert_eq!(answer, "compiles", "{target}: {reason}");
        assert!(reason.contains("by the HIP runtime and comgr, which are not here"), "{reason}");
    }
    // No release of ROCm drives it, and that it compiles is not known.
    assert_eq!(said(alone, "gfx602").0, "unknown");

    let hip = runtime("libamdhip64.so.7", "spirv64-amd-amdhsa--amdgcnspirv");
    let comgr = runtime("libamd_comgr.so.3", "");
    let with = |hip: &[u8], target: &str| {
        let files: &[(&str, &[u8])] = &[
            ("lib/librocrand.so.1.1", &library),
            ("lib/libamdhip64.so.7", hip),
            ("lib/libamd_comgr.so.3", &comgr),
        ];
        said(files, target)
    };
    let expected = ("compiles".to_owned(), "SPIR-V, compiled on the card".to_owned());
    assert_eq!(with(&hip, "gfx906"), expected);
    let old = runtime("libamdhip64.so.7", "hip-amdgcn-amd-amdhsa--");
    let (answer, reason) = with(&old, "gfx906");
    assert!(answer == "unknown" && reason.contains("does not name its target"), "{answer} {reason}");
}

/// A code object for gfx1250 of the fixture's kernels: only its number differs.
fn for_gfx1250() -> Vec<u8> {
    let mut bytes = fs::read(fixture("rocm/lib/codeobject/v5_gfx1030.hsaco")).unwrap();
    bytes[0x30..0x34].copy_from_slice(&0x49u32.to_le_bytes());
    bytes
}

#[test]
fn the_other_revision_of_a_gpu_is_translated_where_the_runtime_can() {
    let code = for_gfx1250();
    let comgr = runtime("libamd_comgr.so.3", "");
    let with = |word: &str| {
        let hsa = runtime("libhsa-runtime64.so.1", word);
        let files: &[(&str, &[u8])] = &[
            ("kernels/a.hsaco", &code),
            ("lib/libhsa-runtime64.so.1", &hsa),
            ("lib/libamd_comgr.so.3", &comgr),
        ];
        said(files, "gfx1250-strict")
    };
    let (answer, reason) = with("HSA_HOTSWAP_ENABLE");
    assert_eq!(answer, "limits", "{reason}");
    assert!(reason.contains("HotSwap") && reason.contains("HSA_DISABLE_GFX12_STRICT=1"), "{reason}");
    let (answer, reason) = with("HSA_XNACK");
    assert!(answer == "not" && reason.contains("has no HotSwap"), "{answer} {reason}");
    // Without the runtime it is not known whether it has it.
    assert_eq!(said(&[("kernels/a.hsaco", &code)], "gfx1250-strict").0, "unknown");
    // The runtime has it, and what it calls is not here.
    let hsa = runtime("libhsa-runtime64.so.1", "HSA_HOTSWAP_DISABLE");
    let files: &[(&str, &[u8])] = &[("kernels/a.hsaco", &code), ("lib/libhsa-runtime64.so.1", &hsa)];
    let (answer, reason) = said(files, "gfx1250-strict");
    assert!(answer == "unknown" && reason.contains("libhsa_hotswap_rocjitsu.so"), "{answer} {reason}");
    // Nothing else is translated.
    assert_eq!(said(files, "gfx1251").0, "not");
}
