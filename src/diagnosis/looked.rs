//! What a tree was not looked at for: causes of a message that stay open though the code of a target is
//! there.
//!
//! Files are acquitted of what they were looked at for, and of nothing else.

use super::cause::Cause;
use super::causes::{
    self, CO_ABI_TOO_NEW, FB_CORRUPT, FW_VERSION, ISA_ILLEGAL, SCRATCH_LARGE, STUB_REACHED, VGPR_BUDGET,
};
use super::decided::Tree;
use crate::capability::linking;
use crate::messages::recognised::Hit;
use crate::target::TargetId;

/// The causes of a message for which the tree was not looked at whole, each in a clause.
pub(super) fn open_questions(hit: &Hit, targets: &[&TargetId], tree: Tree<'_>) -> Vec<String> {
    causes::causes_of_hit(hit).into_iter().filter_map(|cause| open(cause, targets, tree)).collect()
}

fn open(cause: &Cause, targets: &[&TargetId], tree: Tree<'_>) -> Option<String> {
    let artifacts = &tree.inventory.artifacts;
    if *cause == FB_CORRUPT {
        let unverified: u64 =
            artifacts.iter().filter_map(|one| one.device.as_ref()).map(|device| device.unverified).sum();
        return (unverified > 0).then(|| format!("{unverified} compressed bundles, which --verify unpacks"));
    }
    if *cause == CO_ABI_TOO_NEW {
        let is_new = artifacts.iter().any(|artifact| linking::v6(artifact) > 0);
        let is_unknown = linking::runtime_release(tree.inventory).is_none();
        return (is_new && is_unknown).then(|| {
            "code objects of version 6, for which the release of the runtime would have to be known"
                .to_owned()
        });
    }
    if *cause == STUB_REACHED {
        let stubs = stubs(targets, tree);
        return (stubs > 0)
            .then(|| format!("{stubs} kernels that only trap; one of them may have been launched"));
    }
    if *cause == ISA_ILLEGAL {
        return Some("instructions, which `rocm-audit fatbin --isa` decodes".to_owned());
    }
    if *cause == VGPR_BUDGET {
        return Some(
            "the registers of the kernel that was launched, which `rocm-audit fatbin -k` lists".to_owned(),
        );
    }
    if *cause == SCRATCH_LARGE {
        return Some("its private memory".to_owned());
    }
    if *cause == FW_VERSION {
        let has_firmware = tree.capability.matrix.iter().any(|row| row.part.library == "firmware");
        return (!has_firmware).then(|| "the GPU's firmware, which is not in this tree".to_owned());
    }
    None
}

/// Kernels for these targets that only trap.
fn stubs(targets: &[&TargetId], tree: Tree<'_>) -> u64 {
    let capability = tree.capability;
    let asked = |processor: &str| targets.iter().any(|target| target.processor == processor);
    let places = capability.targets.iter().enumerate().filter(|(_, target)| asked(&target.processor));
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    let cells = capability.matrix.iter().flat_map(|row| places.iter().filter_map(|at| row.cells.get(*at)));
    cells.map(|cell| cell.trap_stubs).sum()
}
