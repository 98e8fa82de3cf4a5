//! What is behind a message: causes as one table, and whether the files of a tree are the cause.
//!
//! [`causes`] is the table. [`of_log`] puts together what a log says ([`messages`](crate::messages)) and,
//! with a [`Tree`], what its files decide. What could not be read whole decides nothing: the missing part of
//! a library may have the very code that is looked for.

pub mod builds;
mod by_name;
pub mod cause;
pub mod causes;
mod code;
mod damage;
mod decided;
mod files;
pub mod files_for;
mod looked;
pub mod packages;
mod tree;

pub use decided::{Decision, DecisionPlace, OpenOverride, Tree, TreeDecision};
use tree::override_sentence;

use crate::capability::Capability;
use crate::finding::{self, Finding};
use crate::inventory::Inventory;
use crate::messages::recognised::{Hit, Recognised};
use crate::messages::table::MessageSubject;
use crate::target::TargetId;
use cause::{Cause, Mark};
use causes::{DEV_NONE, OV_NOTHING_TO_LOAD, PATH_SPACE, SYS_MULTI_ARCH};
use std::collections::BTreeSet;

/// What the messages of a log mean.
#[derive(Debug)]
pub struct Diagnosis {
    /// The causes, the most probable first.
    pub causes: Vec<&'static Cause>,
    /// The target that it is about: one that the tree refuses, else the first that was asked for.
    pub target: Option<TargetId>,
    /// That the log names processors, and none of those that are asked about, in a clause.
    pub of_another: Option<String>,
    /// What to do first.
    pub advice: String,
    /// What the tree says; none where no tree was asked.
    pub tree: Option<TreeDecision>,
    /// What of the tree could not be read.
    pub findings: Vec<Finding>,
}

/// What the messages of a log mean. With a `tree` its files decide, for `targets`: the processors of the GPUs
/// of a machine.
pub fn of_log(log: &Recognised, targets: &[TargetId], tree: Option<Tree<'_>>) -> Diagnosis {
    let first = log.first();
    let mut causes: Vec<&'static Cause> = first.map(causes::causes_of_hit).unwrap_or_default();
    let all: Vec<&TargetId> = targets.iter().collect();
    let findings = tree.map(damage_of).unwrap_or_default();
    let decided = tree.map(|tree| tree::decide(first, &all, tree));
    // What is harmless has no cause that is left.
    let is_harmless = first.is_some_and(|hit| hit.class == MessageSubject::Harmless);
    if !is_harmless && decided.as_ref().is_some_and(|decided| decided.is(Decision::NotTheFiles)) {
        left_over(&mut causes, !log.facts.in_force.is_empty());
    }
    if let Some(cause) = decided.as_ref().and_then(|decided| decided.cause) {
        causes.retain(|known| *known != cause);
        causes.insert(0, cause);
    }
    let ask = "Look for the first line that names an error, and ask with it; more of the log helps.";
    let is_other_gpu = tree.is_none() && causes.first().is_some_and(|cause| *cause == &SYS_MULTI_ARCH);
    let hidden = if is_other_gpu { hide(log) } else { None };
    let general = hidden.as_deref().unwrap_or(causes.first().map_or(ask, |cause| cause.advice));
    // What the tree lets say is said instead of what holds for many; another build always helps.
    let advice = match decided.as_ref().map(|decided| &decided.advice[..]).unwrap_or_default() {
        // A build for the target is what is here.
        [] if decided.as_ref().is_some_and(|decided| decided.is(Decision::NotTheFiles)) => general.to_owned(),
        [] => format!("{general}{}", commands(first, causes.first().copied(), targets, tree)),
        [only] if only.starts_with(tree::NO_OVERRIDE) => format!("{TAKE} {only}"),
        sentences => format!("{} {ELSE_TAKE}", sentences.join(" ")),
    };
    let refused = decided.as_ref().and_then(|decided| decided.refused.clone());
    Diagnosis {
        causes,
        target: refused.or_else(|| targets.first().cloned()),
        of_another: of_another(log, targets),
        advice,
        tree: decided,
        findings,
    }
}

/// What always helps, alone and beside something else.
const TAKE: &str = "Take a build that has the target.";
const ELSE_TAKE: &str = "Else take a build that has the target.";

/// The advice in which an override was left open, once its code was decoded and it was `judged`.
pub fn advice_decided(
    advice: &str,
    open: &OpenOverride,
    is_legal: bool,
    is_unsafe: bool,
    judged: &str,
) -> String {
    let decided = override_sentence(&open.value, &open.claimed.processor, is_legal, is_unsafe, judged);
    match advice.strip_suffix(ELSE_TAKE).map(str::trim_end) {
        Some(only) if only == open.sentence && is_unsafe => format!("{TAKE} {decided}"),
        _ => advice.replacen(&open.sentence, &decided, 1),
    }
}

/// What the messages of a log mean, decided on a tree that was read, for `targets`. What the check of library
/// folders found is heard where the message can come from them, with `beside`, which the folders do not show
/// by themselves.
pub fn of_inventory(
    log: &Recognised,
    inventory: &Inventory,
    targets: &[TargetId],
    beside: Vec<Finding>,
) -> Diagnosis {
    let capability = Capability::from_inventory(inventory, targets);
    let matters = |cause: &&Cause| cause.is(Mark::InLibraryFolders);
    let mut findings = Vec::new();
    if log.first().is_some_and(|hit| causes::causes_of_hit(hit).iter().any(matters)) {
        findings.extend(capability.folders.iter().flat_map(|folder| &folder.found.findings).cloned());
        findings.extend(beside);
    }
    let tree = Tree { inventory, capability: &capability, findings: &findings };
    of_log(log, targets, Some(tree))
}

/// The same on the files below `roots`, where no library is asked what it chooses.
///
/// # Errors
/// Where the roots cannot be read at all.
#[cfg(not(feature = "engines"))]
pub fn on_files(
    log: &Recognised,
    roots: &[std::path::PathBuf],
    targets: &[TargetId],
) -> Result<Diagnosis, crate::error::AuditError> {
    use crate::scan::run::{Options, Silent, audit};
    let options = Options { targets: targets.to_vec(), ..Options::default() };
    let inventory = audit(roots, &options, &Silent, None)?;
    Ok(of_inventory(log, &inventory, targets, Vec::new()))
}

/// What can be done next for a target without code, with the path and the card of the call or of the message:
/// the command that looks, and what a build is called.
fn commands(
    first: Option<&Hit>,
    cause: Option<&Cause>,
    targets: &[TargetId],
    tree: Option<Tree<'_>>,
) -> String {
    let Some(target) = targets.first().filter(|_| cause.is_some_and(|cause| cause.is(Mark::OfTarget))) else {
        return String::new();
    };
    let processor = &target.processor;
    let mut text = String::new();
    if tree.is_none() {
        let path = first.and_then(|hit| hit.path.as_deref()).and_then(folder_of).unwrap_or("PATH");
        text.push_str(&format!(" `rocm-audit --gpu {processor} {path}` names what lacks it, and overrides."));
    }
    // Of two GPUs, the one that the text names may be the one to hide.
    let is_other = cause.is_some_and(|cause| std::ptr::eq(cause, &SYS_MULTI_ARCH));
    if let Some(called) = builds::called(processor).filter(|_| !is_other) {
        text.push(' ');
        text.push_str(&called);
    }
    text
}

/// How the GPU in use is hidden, where the log counts the GPUs of the machine and others are left.
fn hide(log: &Recognised) -> Option<String> {
    let facts = &log.facts;
    let refused =
        facts.devices.iter().find(|device| facts.current.is_some() && device.number == facts.current)?;
    let target = log.first().and_then(|hit| hit.target.as_ref());
    let mut left: Vec<(u32, &str)> = facts
        .devices
        .iter()
        .filter(|device| device.processor != refused.processor)
        .filter_map(|device| Some((device.number?, device.processor.as_str())))
        .collect();
    left.sort_unstable();
    left.dedup();
    if left.is_empty() || target.is_some_and(|target| target.processor != refused.processor) {
        return None;
    }
    let numbers: Vec<String> = left.iter().map(|(number, _)| number.to_string()).collect();
    let processors: BTreeSet<&str> = left.iter().map(|(_, processor)| *processor).collect();
    Some(format!(
        "Hide {}: HIP_VISIBLE_DEVICES={} leaves {}, as the text counts them.",
        refused.processor,
        numbers.join(","),
        processors.into_iter().collect::<Vec<_>>().join(", ")
    ))
}

/// The folder of the libraries that a path in a message lies in; none where the path is no whole one.
fn folder_of(path: &str) -> Option<&str> {
    let is_whole = path.starts_with('/') && !path.contains([' ', '<', '>', '$', '`']);
    let end = ["/rocblas/library", "/hipblaslt/library"].iter().find_map(|folder| path.find(folder))?;
    path.get(..end).filter(|folder| is_whole && !folder.is_empty())
}

/// What of a tree could not be read.
fn damage_of(tree: Tree<'_>) -> Vec<Finding> {
    // What breaks a library folder is among those of the tree, too.
    let known = |found: &&Finding| !tree.capability.findings.iter().any(|own| is_same(own, found));
    let all = tree.capability.findings.iter().chain(tree.findings.iter().filter(known));
    finding::merged(all.filter(|finding| finding.is_damage()).cloned())
}

/// Whether two findings are of one rule, one target and one detail.
fn is_same(a: &Finding, b: &Finding) -> bool {
    let key = |found: &Finding| (found.rule.id, found.confidence, found.target.clone(), found.detail.clone());
    key(a) == key(b)
}

/// That a log names processors, and none of those that are asked about.
fn of_another(log: &Recognised, targets: &[TargetId]) -> Option<String> {
    let named: BTreeSet<String> = log
        .target()
        .map(|target| target.processor)
        .into_iter()
        .chain(log.processors.iter().cloned())
        .collect();
    let is_asked = |name: &String| {
        let code = TargetId::bare(name);
        targets.iter().any(|target| target.processor == *name || code.loads_on(target))
    };
    if targets.is_empty() || named.is_empty() || named.iter().any(is_asked) {
        return None;
    }
    let names = |all: Vec<&str>| all.join(", ");
    let (named, asked) = (
        names(named.iter().map(String::as_str).collect()),
        names(targets.iter().map(|target| target.processor.as_str()).collect()),
    );
    Some(format!(
        "the text names {named}, and {asked} was asked about: it is of another GPU of the machine, or of one that \
         HSA_OVERRIDE_GFX_VERSION names so"
    ))
}

/// What is left where code is there and no other cause of the message is: settings, paths, devices.
static LEFT_OVER: [&Cause; 4] = [&OV_NOTHING_TO_LOAD, &SYS_MULTI_ARCH, &PATH_SPACE, &DEV_NONE];

/// Takes out the causes that the files exclude, and adds what is left. Of an override that is known, the files were
/// asked for its target.
fn left_over(causes: &mut Vec<&'static Cause>, is_overridden: bool) {
    let before = causes.len();
    let is_excluded = |cause: &Cause| is_overridden && cause == &OV_NOTHING_TO_LOAD;
    causes.retain(|cause| !cause.is(Mark::ExcludedByCode) && !is_excluded(cause));
    if causes.len() < before {
        let more: Vec<&Cause> =
            LEFT_OVER.into_iter().filter(|cause| !causes.contains(cause) && !is_excluded(cause)).collect();
        causes.extend(more);
    }
}
