//! Solutions held against kernels, by hand; the fingerprint was computed by Python's hashlib and json.
#![allow(clippy::unwrap_used)]

use super::kernels::Kernels;
use super::stated::{isa_in_name, numbers_in_name, solutions};
use super::{FolderOwner, check};
use crate::tensile::tests::packed;
use rocm_audit_files::input::folder::Folder;
use serde_json::{Value, json};

const KERNEL: &str =
    "Cijk_Alik_Bljk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x16_MI16x16x1_SN_GSUAMB_ISA1151_WG32_4_1";

#[test]
fn names_state_tile_work_group_and_processor() {
    assert_eq!(numbers_in_name(KERNEL, "MT"), Some(vec![64, 32, 16]));
    assert_eq!(numbers_in_name(KERNEL, "WG"), Some(vec![32, 4, 1]));
    assert_eq!(isa_in_name(KERNEL), Some("1151"));
    assert_eq!(numbers_in_name("Cijk_MT128x128x8_SE_WG8_8_1_WGM1", "WG"), Some(vec![8, 8, 1]));
    for other in
        ["DGEMM_Aldebaran", "Cijk_MT64x64", "Cijk_MTx", "", "_WG8_8", "Cijk_MT99999999999999999999x1x1"]
    {
        assert_eq!((numbers_in_name(other, "MT"), numbers_in_name(other, "WG")), (None, None), "{other}");
    }
}

fn solution(kernel: &str, more: &Value) -> Value {
    let mut mapping = json!({ "workGroup": [32, 4, 1], "macroTile": [64, 32, 1], "depthU": 16 });
    let into = mapping.as_object_mut().unwrap();
    into.extend(more.as_object().unwrap().clone());
    json!({ "index": 5, "name": "one", "kernelName": kernel, "sizeMapping": mapping })
}

/// What is found of one solution in a catalog for gfx1151 without a code object.
fn found(solution: Value) -> Vec<(&'static str, String)> {
    let folder = tempfile::tempdir().unwrap();
    let name = "TensileLibrary_HH_HH_HA_Type_HH_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1151.dat";
    std::fs::write(folder.path().join(name), packed(&json!({ "solutions": [solution], "library": {} })))
        .unwrap();
    let all = check(&Folder::on_disk(folder.path()), FolderOwner::HipBlasLt, &[]);
    all.into_iter().map(|one| (one.rule.id, one.locations.first().unwrap().what.clone())).collect()
}

#[test]
fn a_solution_has_to_state_what_its_kernel_is_named_for() {
    let plain = json!({});
    assert_eq!(found(solution(KERNEL, &plain)), []);
    let differs = |more: Value, part: &str| {
        let all = found(solution(KERNEL, &more));
        assert!(matches!(&all[..], [("solution-unlike-kernel", what)] if what.contains(part)), "{all:?}");
    };
    differs(
        json!({ "macroTile": [64, 64, 1] }),
        "a tile of 64 × 64 × 16, and the kernel is named for 64 × 32 × 16",
    );
    differs(json!({ "depthU": 32 }), "a tile of 64 × 32 × 32");
    differs(json!({ "workGroup": [64, 4, 1] }), "a work group of 64 × 4 × 1");
    let other = KERNEL.replace("ISA1151", "ISA1201");
    assert_eq!(found(solution(&other, &plain)).len(), 1);
    // Compiled from HIP source, or named by hand.
    assert_eq!(found(solution(&KERNEL.replace("ISA1151", "ISA000"), &plain)), []);
    assert_eq!(found(solution("by_hand", &json!({ "macroTile": [1, 1, 1] }))), []);
}

#[test]
fn a_kernel_takes_so_much_of_a_compute_unit() {
    let library = Folder::on_disk("../../fixtures/hipblaslt/library");
    let name = library.names().into_iter().find(|name| {
        name.contains("Type_HH")
            && name.ends_with("SAV_UA_Type_HH_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1151.co")
    });
    let kernels = Kernels::open(&library, &name.unwrap(), "gfx1151");
    let bytes = std::fs::read(
        library.path().join(
            library
                .names()
                .into_iter()
                .find(|name| {
                    name.contains("Type_HH")
                        && name.ends_with("SAV_UA_Type_HH_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1151.dat")
                })
                .unwrap(),
        ),
    )
    .unwrap();
    let all = solutions(&bytes).unwrap();
    let facts = all.iter().filter_map(|solution| kernels.find_kernel(solution.kernel)).count();
    assert!(facts > 0 && facts == all.len());
}

#[cfg(feature = "engines")]
#[test]
fn a_fingerprint_is_what_python_computes() {
    use super::fingerprint::FingerprintParts;
    let solution = json!({ "name": "Cijk_α", "kernelName": "k", "index": 7, "sizeMapping": { "macroTile": [64, 32, 1], "depthU": 16,
        "x": 1e-5, "y": 0.5, "z": 1e16, "w": -3, "t": true, "n": null }, "ideals": {}, "fingerprint": "sha256-v1:0" });
    // SHA-256 of "main", "one" and "two".
    let main = "0d6e4079e36703ebd37c00722f5891d28b0e2811dc114b129215123adcce3605";
    let helpers = [
        "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
        "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
    ];
    let helpers = helpers.into_iter().map(str::to_owned).collect();
    let parts = FingerprintParts { architecture: "gfx942", main, helpers: &helpers };
    let own = "sha256-v1:3d3fc0bd93e9cde803eaa0c7a148859e4d5125d2979e82791792ece354d948f1";
    assert_eq!(parts.fingerprint(&packed(&solution)).unwrap(), own);
    assert!(parts.fingerprint(b"\x81").is_err() && parts.fingerprint(b"\x81\x01\x01").is_err());
}
