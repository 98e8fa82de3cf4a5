//! What libraries of both sides choose for a list of problems.

use super::Args;
use crate::answers::findings::wrong_lines;
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::{Answers, reference};
use crate::cli::global::{GlobalArgs, Gpu};
use crate::cli::must_exist;
use crate::comparison::diff::Chosen;
use crate::comparison::selections::{SelectionPair, SelectionSide, selections};
use crate::engines::miopen::device::Device;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::source::SourceFile;
use crate::target::TargetId;
use crate::workload::{self, Problem, Workload};
use std::path::Path;

/// The word for the list of problems that this program has.
const REFERENCE: &str = "reference";

/// Whether choices are to be compared: problems are named, or cards to ask the reference problems for.
pub(super) fn are_asked(args: &Args, global: &GlobalArgs) -> bool {
    args.problems.is_some() || !global.arch.is_empty()
}

/// Compares the choices of two trees, which are one where `--targets` names two targets of it. Lines of the file that are no
/// problems are findings.
pub(super) fn compare(
    args: &Args,
    global: &GlobalArgs,
    old: &Path,
    new: &Path,
) -> Result<Chosen, AuditError> {
    let (name, problems, wrong) = problems(args)?;
    let old = Tree::open(old, &problems)?;
    let new = Tree::open(new, &problems)?;
    let mut pairs = Vec::new();
    for (before, now) in devices(args, global, &old, &new) {
        pairs.push(SelectionPair {
            multiprocessors_assumed: before.1 || now.1,
            old: old.side(before.0, &problems)?,
            new: new.side(now.0, &problems)?,
        });
    }
    Ok(Chosen { selections: Some(selections(&name, &problems, &pairs)), wrong })
}

/// The problems, how they are called, and what of them could not be understood.
fn problems(args: &Args) -> Result<(String, Workload, Vec<Finding>), AuditError> {
    let Some(path) = args.problems.as_deref().filter(|path| *path != Path::new(REFERENCE)) else {
        return Ok((REFERENCE.to_owned(), reference::problems(), Vec::new()));
    };
    must_exist(path)?;
    if path.is_dir() {
        let what = format!("diff: --problems {}: a folder; name the file with the problems", path.display());
        return Err(AuditError::Usage(what));
    }
    let file = SourceFile::open(path).map_err(|error| AuditError::io("read", path, error))?;
    let found = workload::read(file.bytes());
    let shown = path.to_string_lossy().into_owned();
    let wrong = wrong_lines(&shown, &found);
    if found.entries.is_empty() {
        let first = wrong.first().map(|finding| format!("; the first that begins as one: {finding}"));
        return Err(AuditError::Usage(format!(
            "diff: --problems {shown}: no line is a problem in a form that `rocm-audit workload` reads{}",
            first.unwrap_or_default()
        )));
    }
    Ok((shown, found, wrong))
}

/// A tree, and the library of ggml in it where one is asked about.
struct Tree {
    stack: Answers,
    ggml: Option<crate::engines::ggml::presence::Library>,
}

impl Tree {
    fn open(path: &Path, problems: &Workload) -> Result<Tree, AuditError> {
        let stack = Answers::open(&[path.to_owned()]);
        let asks_ggml = problems.entries.iter().any(|entry| matches!(entry.problem, Problem::Ggml(_)));
        let ggml = if asks_ggml { stack.ggml()? } else { None };
        Ok(Tree { stack, ggml })
    }

    fn side(&self, device: Device, problems: &Workload) -> Result<SelectionSide, AuditError> {
        let libraries = self.stack.libraries(self.ggml.as_ref());
        let entries = problems.entries.clone();
        let (rows, _) = self.stack.workload(entries, &device, None, self.ggml.as_ref())?;
        Ok(SelectionSide { device, libraries, rows })
    }
}

/// A device, and whether its number of multiprocessors is assumed.
type Assumed = (Device, bool);

/// The devices of both sides: those of `--targets`, the cards that are named, else all processors that a side has data for.
fn devices(args: &Args, global: &GlobalArgs, old: &Tree, new: &Tree) -> Vec<(Assumed, Assumed)> {
    let unnamed = |target: &TargetId| Gpu::unnamed(target.clone());
    if let [one, other] = &args.targets[..] {
        return vec![(device(&unnamed(one), old, new), device(&unnamed(other), old, new))];
    }
    let mut cards = global.gpu.clone();
    cards.extend(global.arch.iter().filter(|_| global.gpu.is_empty()).map(unnamed));
    if cards.is_empty() {
        let here = old.stack.processors().into_iter().chain(new.stack.processors());
        let mut targets: Vec<TargetId> =
            here.map(TargetId::bare).filter(|target| target.known().is_some()).collect();
        targets.sort();
        targets.dedup();
        cards.extend(targets.iter().map(unnamed));
    }
    let both = |card: &Gpu| {
        let device = device(card, old, new);
        (device.clone(), device)
    };
    cards.iter().map(both).collect()
}

/// A card with its multiprocessors: its own, else the most that both sides have databases for, else those of the largest card with
/// its processor.
fn device(card: &Gpu, old: &Tree, new: &Tree) -> Assumed {
    let known = card.multiprocessors();
    let units = |tree: &Tree| tree.stack.database_units(&card.target.processor);
    let in_both = || units(old).intersection(&units(new)).last().copied();
    let compute_units =
        known.or_else(in_both).or_else(|| card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    (Device { target: card.target.clone(), compute_units }, known.is_none())
}
