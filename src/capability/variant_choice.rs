//! Which variant of a library is loaded: the one for the ROCm that PyTorch here was built with.
//!
//! Sources: bitsandbytes' `cextension.py`, which makes the name from `torch.version.hip`;
//! huggingface/kernels, `docs/build-variants.md`.

use super::answer::Answer;
use super::coverage::FileShare;
use super::variants::{Release, release};
use crate::inventory::{ArtifactKind, Inventory};
use crate::locator::file_name;
use std::collections::BTreeSet;

/// The answer where PyTorch is here, and one of the variants is for its ROCm.
pub(super) fn variant_answer(inventory: &Inventory, share: &FileShare<'_>) -> Option<(Answer, String)> {
    let taken = of_torch(inventory)?;
    let is_taken = |path: &&&str| release(path) == Some(taken);
    let (with, without) = (share.with.iter().find(is_taken), share.without.iter().find(is_taken));
    let (answer, path, what) = match (with, without) {
        (Some(path), None) => (Answer::Runs, path, "has code for it"),
        (None, Some(path)) => (Answer::Not, path, "has no code for it"),
        _ => return None,
    };
    let (major, minor) = taken;
    let text = format!(
        "{}, which is loaded beside the PyTorch here (ROCm {major}.{minor}), {what}",
        file_name(path)
    );
    Some((answer, text))
}

/// The release of HIP that PyTorch here was built with; none if there are several.
fn of_torch(inventory: &Inventory) -> Option<Release> {
    let stated = inventory.artifacts.iter().filter_map(|artifact| match &artifact.kind {
        ArtifactKind::Version { component, version } if component == "torch HIP" => Some(version.as_str()),
        _ => None,
    });
    let releases: BTreeSet<Release> = stated
        .filter_map(|version| {
            let mut numbers = version.split('.').map(str::parse);
            Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
        })
        .collect();
    let mut all = releases.into_iter();
    all.next().filter(|_| all.next().is_none())
}
