//! Causes that files of a target's own decide, by their names.

use super::by_name::file;
use super::cause::Cause;
use super::causes::{RB_ARCH_MISSING, RB_EMPTY, RB_PATH_WRONG};
use super::damage::Damage;
use super::decided::{Decision, DecisionPlace, Tree, TreeDecision, incomplete};
use super::files_for::FilesFor;
use crate::engines::tensile::name::Role;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::tensile::MASTER_UNREADABLE;
use crate::inventory::{Artifact, ArtifactKind};
use crate::target::TargetId;

/// Decides a cause by whether these files are here for a processor.
pub(super) fn decide(
    cause: &'static Cause,
    processor: &str,
    files: FilesFor,
    tree: Tree<'_>,
) -> TreeDecision {
    let incomplete = incomplete(tree);
    let library = files.library();
    let names = files.names(processor);
    let damage = Damage::from_tree(tree);
    let of_library = || tree.inventory.artifacts.iter().filter(|artifact| files.is_of(artifact));
    let name_of = |artifact: &Artifact| file(&artifact.shown.replace('!', "/")).to_owned();
    let found = of_library().find(|artifact| {
        let name = name_of(artifact);
        names.contains(&name) || artifact.shown.split('/').any(|part| names.iter().any(|n| n == part))
    });
    let is_tensile = |artifact: &&Artifact| matches!(artifact.kind, ArtifactKind::Tensile(..));
    // One catalog of everything, as releases before ROCm 5.6 had it, has a row for each processor that is
    // tuned, and kernels for every processor that the folder has code for.
    let has_code = || {
        let of_processor = |target: &TargetId| target.processor == processor;
        let devices = of_library().filter(is_tensile).filter_map(|artifact| artifact.device.as_ref());
        devices.flat_map(|device| device.targets.keys()).any(of_processor)
    };
    let serves_all = || {
        of_library().find(|artifact| match &artifact.kind {
            ArtifactKind::Tensile(role, facts) => {
                let has_row = facts.of_processors.iter().any(|(name, count)| name == processor && *count > 0);
                has_row || *role == Role::MergedCatalog && has_code()
            }
            _ => false,
        })
    };
    let tensile = files.is_tensile();
    // What holds names that could not be read may hold these.
    let absent = |because: String| match damage.clause(&damage.hiding_names()) {
        Some(damaged) => TreeDecision::not_decided(format!("{damaged}; in what could be read: {because}")),
        None => TreeDecision::new(Decision::Confirmed, because + incomplete),
    };
    let Some(any) = of_library().next() else {
        let tip = "name the tree that the program uses";
        return TreeDecision::not_decided(match damage.clause(&damage.all()) {
            Some(damaged) => format!("{damaged}, and {library} is not in the rest of this tree; else {tip}."),
            None => format!("{library} is not in this tree; {tip}."),
        });
    };
    if tensile && !of_library().any(|artifact| is_tensile(&artifact)) {
        let mut decided =
            absent(format!("{library} of this tree has no library folder: no catalog for any GPU."));
        decided.lacking.push(DecisionPlace::lacking(library, false, Some(&any.shown)));
        return if files == FilesFor::RocblasCatalogs { decided.with_cause(&RB_EMPTY) } else { decided };
    }
    match found.or_else(serves_all) {
        Some(artifact) => serving(artifact, processor, library, &damage, tree),
        None => {
            let name = names.first().map_or("", String::as_str);
            let mut decided = absent(format!("{library} of this tree has no {name}."));
            let example = of_library().find(is_tensile).unwrap_or(any);
            decided.lacking.push(DecisionPlace::lacking(library, tensile, Some(&example.shown)));
            if decided.is(Decision::Confirmed) && (*cause == RB_EMPTY || *cause == RB_PATH_WRONG) {
                return decided.with_cause(&RB_ARCH_MISSING);
            }
            decided
        }
    }
}

/// What it means that a file of the library serves the processor.
fn serving(
    artifact: &Artifact,
    processor: &str,
    library: &'static str,
    damage: &Damage<'_>,
    tree: Tree<'_>,
) -> TreeDecision {
    let link = |to: &String| format!(" (another name of {})", file(to));
    let own = artifact.shown.replace('!', "/");
    let name = file(&own).to_owned() + &artifact.link_to.as_ref().map(link).unwrap_or_default();
    if let Some(damaged) = damage.clause(&[artifact.shown.as_str()]).filter(|_| damage.has(&artifact.shown)) {
        return TreeDecision::not_decided(format!("{library} of this tree has {name}, and {damaged}."));
    }
    let mut all = tree.capability.findings.iter().chain(tree.findings);
    let is_of_it = |place: &Location| place.path.ends_with(file(&artifact.shown));
    let is_unreadable = |one: &Finding| one.rule == &MASTER_UNREADABLE && one.locations.iter().any(is_of_it);
    if all.any(is_unreadable) {
        return TreeDecision::not_decided(format!(
            "{library} of this tree has {name}, and it is no master catalog that {library} can load."
        ));
    }
    let incomplete = incomplete(tree);
    let because = format!(
        "{library} of this tree has {name} for {processor}: not the cause, if this is the folder that the program \
         reads. Look at its path, its release, and overrides.{incomplete}"
    );
    let mut decided = TreeDecision::new(Decision::NotTheFiles, because);
    decided.serving.push(DecisionPlace::from_library(library, false, Some(&artifact.shown)));
    decided
}
