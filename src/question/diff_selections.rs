//! Compares what libraries of both sides choose for a list of problems.

use crate::answers::findings::wrong_lines;
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::{Answers, ConvolutionQuestion, reference};
use crate::asked::AskedCard;
use crate::comparison::diff::ChosenOnBothSides;
use crate::comparison::selections::{SelectionPair, SelectionSide, selections};
use crate::engines::ggml::presence::Library;
use crate::engines::miopen::device::Device;
use crate::engines::workload::{self, Problem, Workload};
use crate::error::AuditError;
use crate::finding::Finding;
use crate::source::SourceFile;
use crate::target::TargetId;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::path::Path;

/// Name of the list of problems built into this program.
const REFERENCE: &str = "reference";

/// The devices to compare choices for.
pub(super) struct Devices<'q> {
    /// The two targets, if the comparison is within one tree.
    pub targets: Option<&'q [TargetId; 2]>,
    /// The cards that the caller names.
    pub cards: &'q [AskedCard],
}

/// Compares the choices of two trees (or of one tree for two targets) for the problems of a file or for the
/// built-in ones. Malformed lines of the file become findings.
pub(super) fn compare(
    on: &Devices<'_>,
    file: Option<&Path>,
    old: &Answers,
    new: &Answers,
) -> Result<ChosenOnBothSides, AuditError> {
    let (name, problems, wrong) = listed(file)?;
    let (old, new) = (ComparedTree::from_tree(old, &problems)?, ComparedTree::from_tree(new, &problems)?);
    let mut pairs = Vec::new();
    for (before, now) in devices(on, &old, &new) {
        pairs.push(SelectionPair {
            multiprocessors_assumed: before.1 || now.1,
            old: old.side(before.0, &problems)?,
            new: new.side(now.0, &problems)?,
        });
    }
    Ok(ChosenOnBothSides { selections: Some(selections(&name, &problems, &pairs)), wrong })
}

/// The problems, the name of their list, and the lines that could not be parsed.
fn listed(file: Option<&Path>) -> Result<(String, Workload, Vec<Finding>), AuditError> {
    let Some(path) = file else {
        return Ok((REFERENCE.to_owned(), reference::problems(), Vec::new()));
    };
    let file = SourceFile::open(path).map_err(|error| AuditError::io("read", path, error))?;
    let found = workload::read(file.bytes());
    let shown = path.to_string_lossy().into_owned();
    let wrong = wrong_lines(&shown, &found);
    if found.entries.is_empty() {
        let first = wrong.first().map(|finding| format!("; the first that begins as one: {finding}"));
        return Err(AuditError::Unreadable(format!(
            "diff: --problems {shown}: no line is a problem in a form that `rocm-audit workload` reads{}",
            first.unwrap_or_default()
        )));
    }
    Ok((shown, found, wrong))
}

/// A tree, and its ggml library if a problem needs it.
struct ComparedTree<'t> {
    tree: &'t Answers,
    ggml: Option<Library>,
}

impl<'t> ComparedTree<'t> {
    fn from_tree(tree: &'t Answers, problems: &Workload) -> Result<Self, AuditError> {
        let asks_ggml = problems.entries.iter().any(|entry| matches!(entry.problem, Problem::Ggml(_)));
        let ggml = if asks_ggml { tree.ggml()? } else { None };
        Ok(ComparedTree { tree, ggml })
    }

    fn side(&self, device: Device, problems: &Workload) -> Result<SelectionSide, AuditError> {
        let libraries = self.tree.libraries(self.ggml.as_ref());
        let entries = problems.entries.clone();
        let convolution = ConvolutionQuestion::usual(String::new(), device.clone());
        let (rows, _) = self.tree.workload(entries, &convolution, None, self.ggml.as_ref())?;
        Ok(SelectionSide { device, libraries, rows })
    }
}

/// A device, and whether its number of multiprocessors is assumed.
type Assumed = (Device, bool);

/// The devices of both sides: those of the two targets, else the named cards, else all processors that a side
/// has data for.
fn devices(on: &Devices<'_>, old: &ComparedTree<'_>, new: &ComparedTree<'_>) -> Vec<(Assumed, Assumed)> {
    let unnamed = |target: &TargetId| AskedCard::unnamed(target.clone());
    if let Some([one, other]) = on.targets {
        return vec![(device(&unnamed(one), old, new), device(&unnamed(other), old, new))];
    }
    let mut cards = on.cards.to_vec();
    if cards.is_empty() {
        let here = old.tree.processors().into_iter().chain(new.tree.processors());
        let mut targets: Vec<TargetId> =
            here.map(TargetId::bare).filter(|target| target.known().is_some()).collect();
        targets.sort_rows();
        targets.dedup();
        cards.extend(targets.iter().map(unnamed));
    }
    let both = |card: &AskedCard| {
        let device = device(card, old, new);
        (device.clone(), device)
    };
    cards.iter().map(both).collect()
}

/// A card with its multiprocessors: its own number, else the largest that both sides have databases for, else
/// that of the largest card with its processor.
fn device(card: &AskedCard, old: &ComparedTree<'_>, new: &ComparedTree<'_>) -> Assumed {
    let known = card.multiprocessors();
    let units = |side: &ComparedTree<'_>| side.tree.database_units(&card.target.processor);
    let in_both = || units(old).intersection(&units(new)).last().copied();
    let compute_units =
        known.or_else(in_both).or_else(|| card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    (Device { target: card.target.clone(), compute_units }, known.is_none())
}
