//! A tree that a message is asked of, and what it says.

use super::cause::Cause;
use crate::capability::Capability;
use crate::finding::Finding;
use crate::finding::evidence::Evidence;
use crate::inventory::Inventory;
use crate::locator::file_name;
use crate::target::{Processor, TargetId};

/// A tree that a message is asked of.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// Its facts.
    pub inventory: &'a Inventory,
    /// What they mean. Must have been asked for the targets.
    pub capability: &'a Capability<'a>,
    /// What was found besides, in library folders.
    pub findings: &'a [Finding],
}

/// What a tree says of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Its files are the cause.
    Confirmed,
    /// They were read whole, and are not.
    NotTheFiles,
    /// They do not decide it.
    NotDecided,
}

/// A library, or files of it, beside a decision.
#[derive(Debug)]
pub struct DecisionPlace {
    /// Its name.
    pub library: String,
    /// Whether it is its library folder.
    pub tensile: bool,
    /// Where it is.
    pub path: Option<String>,
}

impl DecisionPlace {
    /// A library folder is named by its path, which has files of other targets too.
    pub(super) fn from_library(library: &str, tensile: bool, path: Option<&str>) -> Self {
        let folder = |path: &str| path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned();
        let path = path.map(|path| if tensile { folder(path) } else { path.to_owned() });
        DecisionPlace { library: library.to_owned(), tensile, path }
    }

    /// The place of a library that lacks a target. A library of one file for each target, as Blender's kernels, is
    /// named by its folder: each of the files has what another target needs.
    pub(super) fn lacking(library: &str, tensile: bool, path: Option<&str>) -> Self {
        let of_one_target = |path: &str| Processor::first_in(file_name(path)).is_some();
        let folder = |path: &str| {
            let outer = path.split("!/").next().unwrap_or(path);
            outer.rsplit_once('/').map_or(outer, |(folder, _)| folder).to_owned()
        };
        match path.filter(|path| !tensile && of_one_target(path)) {
            Some(path) => DecisionPlace { library: library.to_owned(), tensile, path: Some(folder(path)) },
            None => DecisionPlace::from_library(library, tensile, path),
        }
    }
}

/// An override that the tables of instructions do not speak for: the code itself shows whether it is safe.
#[derive(Debug, Clone)]
pub struct OpenOverride {
    /// The value of the variable.
    pub value: String,
    /// The processor that it names.
    pub claimed: TargetId,
    /// The card.
    pub card: TargetId,
    /// What the advice says of it until the code was decoded.
    pub sentence: String,
}

/// What a tree says.
#[derive(Debug)]
pub struct TreeDecision {
    /// The roots.
    pub roots: Vec<String>,
    /// The decision.
    pub decision: Decision,
    /// Why, in a sentence or two.
    pub because: String,
    /// How it is known.
    pub known: Evidence,
    /// Libraries without code or files for the target.
    pub lacking: Vec<DecisionPlace>,
    /// Libraries that have them.
    pub serving: Vec<DecisionPlace>,
    /// The cause that is shown, where it is not the first one.
    pub cause: Option<&'static Cause>,
    /// The target that is refused, where several were asked.
    pub refused: Option<TargetId>,
    /// What to do with this tree, in sentences, before what the cause says.
    pub advice: Vec<String>,
    /// The override of the advice, if its code has to be decoded first.
    pub open_override: Option<OpenOverride>,
}

impl TreeDecision {
    pub(super) fn new(decision: Decision, because: impl Into<String>) -> Self {
        TreeDecision {
            roots: Vec::new(),
            decision,
            because: because.into(),
            known: Evidence::Observed,
            lacking: Vec::new(),
            serving: Vec::new(),
            cause: None,
            refused: None,
            advice: Vec::new(),
            open_override: None,
        }
    }

    pub(super) fn not_decided(because: impl Into<String>) -> Self {
        TreeDecision::new(Decision::NotDecided, because)
    }

    pub(super) fn with_cause(self, cause: &'static Cause) -> Self {
        TreeDecision { cause: Some(cause), ..self }
    }

    pub(super) fn is(&self, decision: Decision) -> bool {
        self.decision == decision
    }
}

/// What is said beside a decision where some other file could not be read.
pub(super) fn incomplete(tree: Tree<'_>) -> &'static str {
    if tree.capability.complete { "" } else { " Some files could not be read." }
}
