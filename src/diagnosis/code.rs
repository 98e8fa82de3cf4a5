//! Causes that device code decides: whether the libraries that a message can mean have it for a target.

use super::by_name::file;
use super::cause::{Cause, DecidedBy, Visibility};
use super::causes::{self, AT_IMAGES_MISSING, FB_ARCH_MISSING};
use super::damage::Damage;
use super::decided::{Decision, DecisionPlace, Tree, TreeDecision, incomplete};
use crate::capability::coverage::{Coverage, LibraryRow, serves};
use crate::capability::library_part::{LibraryPart, LibraryParts};
use crate::capability::variants;
use crate::capability::verdict::{Answer, LibraryVerdict};
use crate::inventory::Artifact;
use crate::messages::recognised::Hit;
use crate::scan::library_names;
use crate::target::TargetId;
use std::collections::BTreeSet;

/// Libraries that a program can do without: what they lack is not why it stops.
const SPARE: [&str; 3] = ["hipBLASLt", "hipSPARSELt", "firmware"];

/// Files of code objects without a library: a program opens the one of its GPU, so that one of them is
/// enough.
const LOOSE: &str = "loose code objects";

/// Words of a line that only one library prints, and which. Source: `GGML_CUDA_NAME` in ggml's `ggml-cuda.h`;
/// bitsandbytes' `csrc/ops.hip`.
const SPEAKERS: [(&str, &str); 4] =
    [("ROCm error: ", "ggml"), ("ggml", "ggml"), ("csrc/ops", "bitsandbytes"), ("/ops.hip", "bitsandbytes")];

/// Which libraries a message can mean.
enum MeantLibraries {
    /// One that it names.
    One(String),
    /// Each that a program cannot do without.
    All,
    /// One that it names; the tree has no code of it.
    NotHere(String),
}

impl MeantLibraries {
    fn from_hit(hit: &Hit, cause: &Cause, tree: Tree<'_>) -> Self {
        let row_of = |name: &str| tree.capability.matrix.iter().any(|row| row.part.library == name);
        let named = match cause.decided_by {
            DecidedBy::CodeOf(library) => Some(library.to_owned()),
            _ => hit.path.as_deref().map(|path| library_names::library_name(&path.replace('\\', "/"))),
        };
        // A library that the message names decides, and no other in its place.
        let is_library = |path: &&str| library_names::of_shared_library(&path.replace('\\', "/")).is_some();
        let by_path = hit.path.as_deref().filter(is_library).is_some();
        if let Some(named) = named.as_ref().filter(|name| !row_of(name) && by_path)
            && library_names::role(named).decides()
        {
            return MeantLibraries::NotHere(named.clone());
        }
        // A library of its own decides, and no other in its place.
        if let DecidedBy::CodeOf(library) = cause.decided_by
            && !row_of(library)
        {
            return MeantLibraries::NotHere(library.to_owned());
        }
        let speaker = || SPEAKERS.iter().find(|(words, _)| hit.quote.contains(words));
        let speaker = || speaker().map(|(_, name)| (*name).to_owned()).filter(|name| row_of(name));
        named.filter(|name| row_of(name)).or_else(speaker).map_or(MeantLibraries::All, MeantLibraries::One)
    }

    fn has(&self, library: &str) -> bool {
        match self {
            MeantLibraries::One(name) | MeantLibraries::NotHere(name) => library == name,
            MeantLibraries::All => !SPARE.contains(&library),
        }
    }
}

/// What was looked at, and what it has for a processor.
#[derive(Default)]
struct ExaminedCode<'a> {
    /// The libraries, each with its place: its own code and its library folder are one.
    all: BTreeSet<(&'a str, Option<&'a str>)>,
    /// Those with none at all in their code or their library folder.
    wholly: BTreeSet<(&'a str, Option<&'a str>)>,
    /// Those with none in some files, in clauses.
    in_part: Vec<String>,
    lacking: Vec<DecisionPlace>,
    serving: Vec<DecisionPlace>,
    /// Damaged files of theirs.
    damaged: Vec<&'a str>,
    /// Why nothing is known of a library without damaged files, as the audit says it.
    unknown: Option<&'a str>,
}

pub(super) fn decide(hit: &Hit, cause: &'static Cause, target: &TargetId, tree: Tree<'_>) -> TreeDecision {
    let incomplete = incomplete(tree);
    let processor = target.processor.as_str();
    let damage = Damage::from_tree(tree);
    let asked = MeantLibraries::from_hit(hit, cause, tree);
    if let MeantLibraries::NotHere(named) = &asked {
        return TreeDecision::not_decided(match damage.clause(&damage.of_library(named)) {
            Some(damaged) => format!("The message is of {named}, and {damaged}."),
            None => format!(
                "The message is of {named}, and this tree has no device code of it; name the tree that the program uses."
            ),
        });
    }
    let looked = look(hit, &asked, processor, &damage, tree);
    let counted = looked.counted(processor);
    // Another cause of the message is that code is missing.
    let causes = causes::causes_of_hit(hit);
    let missing = [&FB_ARCH_MISSING, &AT_IMAGES_MISSING].into_iter().find(|missing| causes.contains(missing));
    let by_files = cause.shown == Visibility::Yes || missing.is_some();
    let not_known = damage.clause(&looked.damaged).or_else(|| looked.unknown.map(str::to_owned));
    let mut decided = match (looked.lacking.is_empty(), not_known) {
        (false, _) if by_files => {
            let because = format!("{counted}; those that the program loads are the cause.{incomplete}");
            let decided = TreeDecision::new(Decision::Confirmed, because);
            // Without any code, archives are beside the point.
            match missing.filter(|_| cause.decided_by != DecidedBy::Archives) {
                Some(missing) if missing != cause => decided.with_cause(missing),
                _ => decided,
            }
        }
        (false, _) => TreeDecision::not_decided(format!(
            "{counted}, but that would cause a different message.{incomplete}"
        )),
        (true, Some(not_known)) => {
            let rest = match looked.serving.is_empty() {
                true => String::new(),
                false => format!(" What could be read has code for {processor}."),
            };
            TreeDecision::not_decided(format!(
                "{not_known}: whether code for {processor} is missing is not known.{rest}"
            ))
        }
        (true, None) if looked.all.is_empty() => {
            TreeDecision::not_decided("No library of the tree that the message could mean has device code.")
        }
        (true, None) => TreeDecision::new(
            Decision::NotTheFiles,
            format!(
                "all libraries that were looked at ({}) have code for {processor}. Look at the device, the driver, \
                 permissions, overrides and the path.{incomplete}",
                looked.all.len()
            ),
        ),
    };
    decided.lacking = looked.lacking;
    decided.serving = looked.serving;
    decided
}

/// Looks at the libraries that are asked.
fn look<'a>(
    hit: &Hit,
    asked: &MeantLibraries,
    processor: &str,
    damage: &Damage<'a>,
    tree: Tree<'a>,
) -> ExaminedCode<'a> {
    let capability = tree.capability;
    let parts = LibraryParts::from_inventory(tree.inventory);
    let at = capability.targets.iter().position(|known| known.processor == processor);
    let rows = || capability.matrix.iter().filter(|row| asked.has(row.part.library));
    let cell = |row: &'a LibraryRow<'a>| at.and_then(|at| row.cells.get(at));
    let lacks = |coverage: Coverage| matches!(coverage, Coverage::Absent | Coverage::NoKernels);
    let is_served = |row: &'a LibraryRow<'a>| cell(row).is_some_and(|cell| !lacks(cell.coverage));
    let is_loose = |row: &&LibraryRow<'_>| row.part.library == LOOSE;
    let has_loose = rows().filter(is_loose).any(is_served);
    let mut looked = ExaminedCode { damaged: damaged(asked, damage), ..ExaminedCode::default() };
    for row in rows() {
        let Some(cell) = cell(row) else { continue };
        if is_loose(&row) && has_loose && lacks(cell.coverage) {
            continue;
        }
        let library = (row.part.library, row.part.place);
        looked.all.insert(library);
        let place =
            |path: Option<&str>| DecisionPlace::from_library(row.part.library, row.part.tensile, path);
        let verdict = capability.verdicts.iter().find(|verdict| verdict.processor == processor);
        let own = verdict.and_then(|verdict| verdict.libraries.iter().find(|own| is_of(own, row)));
        if lacks(cell.coverage) {
            // The audit says that it does not know it.
            match own.filter(|own| own.answer == Answer::Unknown) {
                Some(own) => looked.unknown = looked.unknown.or(Some(&own.reason)),
                None => {
                    looked.wholly.insert(library);
                    let path = with_code(&row.part, processor, &parts, tree);
                    looked.lacking.push(DecisionPlace::lacking(row.part.library, row.part.tensile, path));
                }
            }
            continue;
        }
        let mut share = cell.files.clone().unwrap_or_default();
        // Where the message names the very file of a library, no other one of it decides.
        let is_named = |path: &&str| {
            let named = hit.path.as_deref().map(file).unwrap_or_default();
            !named.is_empty() && file(path) == named
        };
        if share.with.iter().chain(&share.without).any(is_named) {
            share.with.retain(|path| is_named(path));
            share.without.retain(|path| is_named(path));
        }
        share.without.retain(|path| !damage.has(path));
        looked.lacking.extend(share.without.iter().map(|path| place(Some(path))));
        looked.serving.extend(share.with.iter().map(|path| place(Some(path))));
        match (share.with.len(), share.without.len()) {
            (0, 0) => looked.serving.push(place(with_code(&row.part, processor, &parts, tree))),
            (_, 0) => {}
            (0, _) => looked
                .in_part
                .push(format!("{} has no code for {processor}", variants::names(&share.without))),
            (with, without) => looked.in_part.push(format!(
                "{} has code for {processor} in {with} of its {} files ({}) and none in {without} ({})",
                row.part.library,
                with + without,
                variants::words(&share.with),
                variants::words(&share.without)
            )),
        }
    }
    looked
}

/// Whether a verdict is of a row.
fn is_of(own: &LibraryVerdict<'_>, row: &LibraryRow<'_>) -> bool {
    own.library == row.part.library && own.place == row.part.place
}

/// The damaged files of the libraries that are asked, and those whose library is not known.
fn damaged<'a>(asked: &MeantLibraries, damage: &Damage<'a>) -> Vec<&'a str> {
    match asked {
        MeantLibraries::One(name) | MeantLibraries::NotHere(name) => damage.of_library(name),
        MeantLibraries::All => damage.but_of(&SPARE),
    }
}

/// A file of a part that has code, one for the processor before others. The library itself is not its folder,
/// and one place of it not another.
fn with_code<'a>(
    part: &LibraryPart<'a>,
    processor: &str,
    parts: &LibraryParts<'a>,
    tree: Tree<'a>,
) -> Option<&'a str> {
    let has_code = |artifact: &&'a Artifact| {
        artifact.device.as_ref().is_some_and(|device| !device.targets.is_empty())
            && parts.part(artifact) == *part
    };
    let own = || tree.inventory.artifacts.iter().filter(has_code);
    let serving = own().find(|artifact| serves(artifact, processor, &[]));
    serving.or_else(|| own().next()).map(|artifact| artifact.shown.as_str())
}

impl ExaminedCode<'_> {
    /// What lacks code, in a clause.
    fn counted(&self, processor: &str) -> String {
        let mut counted = Vec::new();
        if !self.wholly.is_empty() || self.in_part.is_empty() {
            let (wholly, all) = (self.wholly.len(), self.all.len());
            counted.push(format!("{wholly} of {all} libraries looked at have no code for {processor}"));
        }
        counted.extend(self.in_part.iter().cloned());
        counted.join("; ")
    }
}
