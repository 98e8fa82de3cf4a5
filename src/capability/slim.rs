//! What a tree can lose where only some GPUs are to be served: whole files for other targets, and code of
//! other targets inside of files that stay.
//!
//! A file can go where it is device code, a catalog or a database and nothing else, and says by its name or
//! by what is in it that no GPU that is kept loads it. What says no target stays: fallback catalogs, mappings
//! and manifests serve all. What could not be read stays too.

use crate::format::Format;
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use crate::locator::NESTED;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// What can go.
#[derive(Debug, Default)]
pub struct Slim<'i> {
    /// Files, by path.
    pub files: Vec<File<'i>>,
    /// Code inside of files that stay.
    pub inside: Vec<Inside<'i>>,
}

/// A file that can go.
#[derive(Debug)]
pub struct File<'i> {
    /// What was found in it; of several libraries' code, the largest part.
    pub artifact: &'i Artifact,
    /// Its size in bytes.
    pub bytes: u64,
    /// The targets that it is for.
    pub targets: Vec<String>,
}

/// Code of other targets in a file that stays.
#[derive(Debug)]
pub struct Inside<'i> {
    /// The artifact.
    pub artifact: &'i Artifact,
    /// Number of code objects.
    pub objects: u64,
    /// Their bytes, inflated.
    pub bytes: u64,
    /// Whether they are compressed in the file.
    pub compressed: bool,
    /// Their targets.
    pub targets: Vec<String>,
}

impl<'i> Slim<'i> {
    /// What an inventory can lose where these GPUs are kept.
    pub fn from_inventory(inventory: &'i Inventory, keep: &[TargetId]) -> Self {
        let stays = |target: &TargetId| keep.iter().any(|gpu| target.loads_on(gpu));
        // One file may be several artifacts: a kpack archive has code of several libraries.
        let mut by_file: KeyMap<&str, Vec<&'i Artifact>> = KeyMap::new();
        for artifact in &inventory.artifacts {
            by_file.entry(&artifact.shown).or_default().push(artifact);
        }
        let damaged = damaged(inventory);
        // A file goes only with the links to it.
        let links = inventory.artifacts.iter().filter(|one| one.named_target.as_ref().is_some_and(stays));
        let linked: BTreeSet<&str> = links.filter_map(|one| one.link_to.as_deref()).collect();
        let mut slim = Slim::default();
        for artifacts in by_file.into_values() {
            let Some(&first) = artifacts.first() else { continue };
            if !is_damaged(&damaged, &first.shown)
                && !linked.contains(first.shown.as_str())
                && can_all_go(&artifacts, &stays)
            {
                let largest =
                    artifacts.iter().copied().max_by_key(|artifact| artifact.bytes).unwrap_or(first);
                let bytes = artifacts.iter().map(|artifact| artifact.bytes).sum();
                slim.files.push(File { artifact: largest, bytes, targets: targets(&artifacts, &|_| true) });
            } else {
                slim.inside.extend(artifacts.iter().filter_map(|artifact| inside(artifact, &stays)));
            }
        }
        slim
    }
}

/// The files and packages that were not read in full.
fn damaged(inventory: &Inventory) -> BTreeSet<&str> {
    let damage = inventory.findings.iter().filter(|finding| finding.is_damage());
    damage.flat_map(|finding| &finding.locations).map(|location| location.path.as_str()).collect()
}

/// Whether a file was not read in full, or lies in a package that was not: more may be in it than what was
/// found.
fn is_damaged(damaged: &BTreeSet<&str>, shown: &str) -> bool {
    let packages = shown.match_indices(NESTED).filter_map(|(at, _)| shown.get(..at));
    damaged.contains(shown) || packages.into_iter().any(|package| damaged.contains(package))
}

/// Whether the file with these parts can go. In an archive with code of several libraries, the part that
/// belongs to no library has no code.
fn can_all_go(parts: &[&Artifact], stays: &dyn Fn(&TargetId) -> bool) -> bool {
    let is_rest = |part: &&&Artifact| {
        let device = part.device.as_ref();
        parts.len() > 1
            && part.named_target.is_none()
            && device.is_some_and(|device| {
                device.format == Some(Format::Kpack) && device.targets.is_empty() && device.unread.is_empty()
            })
    };
    let mut code = parts.iter().filter(|part| !is_rest(part)).peekable();
    code.peek().is_some() && code.all(|part| can_go(part, stays))
}

fn can_go(artifact: &Artifact, stays: &dyn Fn(&TargetId) -> bool) -> bool {
    let named = artifact.named_target.as_ref();
    let device = artifact.device.as_ref();
    let is_whole = match &artifact.kind {
        ArtifactKind::DeviceCode | ArtifactKind::Tensile(..) => {
            device.is_none_or(|device| device.format.is_none_or(is_device_code) && device.unread.is_empty())
        }
        ArtifactKind::FindDb(_)
        | ArtifactKind::PerfDb(_)
        | ArtifactKind::KernelDb(_)
        | ArtifactKind::Model(_) => true,
        ArtifactKind::Firmware { .. } | ArtifactKind::Version { .. } => false,
    };
    let code: Vec<&TargetId> = device.iter().flat_map(|device| device.targets.keys()).collect();
    let says_target = named.is_some() || !code.is_empty();
    is_whole && says_target && !named.is_some_and(stays) && !code.into_iter().any(stays)
}

/// Whether a file of a format is device code and nothing else.
fn is_device_code(format: Format) -> bool {
    matches!(
        format,
        Format::CodeObject
            | Format::OffloadBundle
            | Format::CompressedBundle
            | Format::OffloadBinary
            | Format::Kpack
            | Format::AotritonArchive
    )
}

fn targets(artifacts: &[&Artifact], counts: &dyn Fn(&TargetId) -> bool) -> Vec<String> {
    let of = |artifact: &&Artifact| {
        let code = artifact.device.iter().flat_map(|device| device.targets.keys());
        let all: Vec<TargetId> = artifact.named_target.iter().chain(code).cloned().collect();
        all
    };
    let mut all: Vec<TargetId> = artifacts.iter().flat_map(of).filter(|target| counts(target)).collect();
    all.sort_rows();
    all.dedup();
    all.iter().map(ToString::to_string).collect()
}

fn inside<'i>(artifact: &'i Artifact, stays: &dyn Fn(&TargetId) -> bool) -> Option<Inside<'i>> {
    let device = artifact.device.as_ref()?;
    let others = || device.targets.iter().filter(|(target, _)| !stays(target));
    let (objects, bytes) =
        others().fold((0, 0), |(objects, bytes), (_, code)| (objects + code.objects, bytes + code.bytes));
    let targets = others().map(|(target, _)| target.to_string()).collect();
    (objects > 0).then_some(Inside { artifact, objects, bytes, compressed: device.compressed > 0, targets })
}
