//! Makes the reports of what messages and words mean.

use super::explain_tree::{self, Tree};
use super::v1::{
    self, ExplainCause, ExplainKnownMessage, ExplainMessage, ExplainReport, ExplainRule, ExplainTarget,
    ExplainWordReport, MessageClass, ShownByBytes, TreeVerdict,
};
use crate::capability::Capability;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::rule::Rule;
use crate::isa::processor::{Isa, source};
use crate::messages::catalog;
use crate::messages::cause::{self, Cause, Shown};
use crate::messages::recognise::{Hit, Recognised};
use crate::messages::table::{Class, MESSAGES, Message};
use crate::scan::run::{Options, Silent, audit};
use crate::target::{PROCESSORS, Processor, TargetId};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What the messages of a log mean. With a `tree` its files decide, for `targets`: the processors of the GPUs of a machine.
pub fn messages(log: &Recognised, targets: &[TargetId], tree: Option<Tree<'_>>) -> ExplainReport {
    let first = log.first();
    let mut ids: Vec<&'static str> = first.map(|hit| hit.causes.clone()).unwrap_or_default();
    let all: Vec<&TargetId> = targets.iter().collect();
    let mut decided = tree.map(|tree| explain_tree::decide(first, &all, tree));
    // What is harmless has no cause that is left.
    let is_harmless = first.is_some_and(|hit| hit.class == Class::Harmless);
    if !is_harmless
        && decided.as_ref().is_some_and(|decided| decided.tree.verdict == TreeVerdict::NotTheFiles)
    {
        left_over(&mut ids);
    }
    if let Some(cause) = decided.as_ref().and_then(|decided| decided.cause) {
        ids.retain(|id| *id != cause);
        ids.insert(0, cause);
    }
    let of_tree = decided.as_mut().map(|decided| std::mem::take(&mut decided.advice)).unwrap_or_default();
    let refused = decided.as_mut().and_then(|decided| decided.refused.take());
    let (target, tree) = (refused.as_ref().or(targets.first()), decided.map(|decided| decided.tree));
    let causes: Vec<&Cause> = ids.iter().filter_map(|id| cause::of_id(id)).collect();
    let unknown = "No message that this program knows is in the text. That is no statement about the cause.";
    let ask = "Look for the first line that names an error, and ask with it; more of the log helps.";
    let general = causes.first().map_or(ask, |cause| cause.advice);
    // What the tree lets say is said instead of what holds for many; another build always helps.
    let advice = match &of_tree[..] {
        [] => general.to_owned(),
        [only] if only.starts_with(explain_tree::NO_OVERRIDE) => {
            format!("Take a build that has the target. {only}")
        }
        sentences => format!("{} Else take a build that has the target.", sentences.join(" ")),
    };
    ExplainReport {
        header: v1::Header::of(v1::document::EXPLAIN),
        class: class(log.class()),
        message: first.map(|hit| hit.message.id.to_owned()),
        library: first.map(|hit| hit.message.library.to_owned()),
        target: target.map(|target| target.processor.clone()),
        target_id: target.map(TargetId::to_string),
        of_another: of_another(log, targets),
        path: first.and_then(|hit| hit.path.clone()),
        rules: causes.iter().map(|cause| cause.id.to_owned()).collect(),
        meaning: first.map_or(unknown, |hit| meaning(hit)).to_owned(),
        bytes: first.map(|hit| hit.message.bytes.to_owned()),
        advice,
        causes: causes.into_iter().map(of_cause).collect(),
        tree,
        messages: log.hits.iter().map(of_hit).collect(),
        processors: log.processors.iter().cloned().collect(),
        lines: log.lines,
    }
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

/// What the messages of a log mean, decided on the files below `roots`, for `targets`.
///
/// # Errors
/// Where a library folder cannot be listed.
pub fn on_files(
    log: &Recognised,
    roots: &[PathBuf],
    targets: &[TargetId],
) -> Result<ExplainReport, AuditError> {
    let options = Options { targets: targets.to_vec(), ..Options::default() };
    let inventory = audit(roots, &options, &Silent, None)?;
    let capability = Capability::of(&inventory, targets);
    let findings = in_library_folders(log, roots, targets)?;
    Ok(messages(
        log,
        targets,
        Some(Tree { inventory: &inventory, capability: &capability, findings: &findings }),
    ))
}

/// What is wrong in the library folders of rocBLAS and hipBLASLt, where the message can come from that.
#[cfg(feature = "engines")]
fn in_library_folders(
    log: &Recognised,
    roots: &[PathBuf],
    targets: &[TargetId],
) -> Result<Vec<Finding>, AuditError> {
    let matters = |id: &&'static str| id.starts_with("RB-") || *id == "FB-CORRUPT";
    if !log.first().is_some_and(|hit| hit.causes.iter().any(matters)) {
        return Ok(Vec::new());
    }
    let stack = crate::answers::Answers::open(roots);
    let processors: Vec<String> = targets.iter().map(|target| target.processor.clone()).collect();
    let mut all = Vec::new();
    for whole in &stack.facts().tensile_folders {
        let found = crate::engines::tensile::consistency::check(&whole.folder, whole.owner, &processors);
        let found = found.map_err(|source| AuditError::io("list", whole.folder.path(), source))?;
        all.extend(found.findings);
        all.extend(stack.facts().release_conflict(whole));
    }
    Ok(all)
}

/// Library folders are not read in this build.
#[cfg(not(feature = "engines"))]
fn in_library_folders(_: &Recognised, _: &[PathBuf], _: &[TargetId]) -> Result<Vec<Finding>, AuditError> {
    Ok(Vec::new())
}

/// Causes that the files of a tree exclude where they serve the target.
const EXCLUDED: [&str; 6] = [
    "FB-ARCH-MISSING",
    "DIFF-ARCH-DROPPED",
    "RB-ARCH-MISSING",
    "RB-EMPTY",
    "LT-ARCH-MISSING",
    "MI-CK-MISSING",
];
/// What is left where code is there and no other cause of the message is: settings, paths, devices.
const LEFT_OVER: [&str; 4] = ["OV-NOTHING-TO-LOAD", "SYS-MULTI-ARCH", "PATH-SPACE", "DEV-NONE"];

/// Takes out the causes that the files exclude, and adds what is left.
fn left_over(ids: &mut Vec<&'static str>) {
    let before = ids.len();
    ids.retain(|id| !EXCLUDED.contains(id));
    if ids.len() < before {
        let more: Vec<&str> = LEFT_OVER.into_iter().filter(|id| !ids.contains(id)).collect();
        ids.extend(more);
    }
}

/// What a message means here: words that CUDA prints too are not claimed for ROCm.
fn meaning(hit: &Hit) -> &'static str {
    match (hit.class, hit.message.class) {
        (Class::NotRocm, Class::NotRocm) => hit.message.meaning,
        (Class::NotRocm, _) => {
            "The lines around it are about an NVIDIA device: CUDA prints these words too. It is not of ROCm."
        }
        (Class::Ambiguous, Class::File) => {
            "CUDA prints the same words, and no line says whose device it is. On ROCm, a GPU was given no code that it loads."
        }
        _ => hit.message.meaning,
    }
}

fn of_hit(hit: &Hit) -> ExplainMessage {
    ExplainMessage {
        id: hit.message.id.to_owned(),
        class: class(hit.class),
        line: hit.line,
        count: hit.count,
        target: hit.target.as_ref().map(|target| target.processor.clone()),
        quote: hit.quote.clone(),
        meaning: meaning(hit).to_owned(),
    }
}

fn class(class: Class) -> MessageClass {
    match class {
        Class::File => MessageClass::File,
        Class::Application => MessageClass::Application,
        Class::Harmless => MessageClass::Harmless,
        Class::Environment => MessageClass::Environment,
        Class::Runtime => MessageClass::Runtime,
        Class::Build => MessageClass::Build,
        Class::NotRocm => MessageClass::NotRocm,
        Class::Ambiguous => MessageClass::Ambiguous,
        Class::Unknown => MessageClass::Unknown,
    }
}

fn of_cause(cause: &Cause) -> ExplainCause {
    ExplainCause {
        id: cause.id.to_owned(),
        what: cause.what.to_owned(),
        tell: cause.tell.to_owned(),
        advice: cause.advice.to_owned(),
        shown_by_bytes: match cause.shown {
            Shown::Yes => ShownByBytes::Yes,
            Shown::Partly => ShownByBytes::Partly,
            Shown::No => ShownByBytes::No,
        },
    }
}

/// An explanation of a word with nothing in it yet.
fn word(word: &str) -> ExplainWordReport {
    ExplainWordReport {
        header: v1::Header::of(v1::document::EXPLAIN_WORD),
        word: word.to_owned(),
        rule: None,
        cause: None,
        found_by: Vec::new(),
        messages: Vec::new(),
        target: None,
        solver: None,
    }
}

/// What a rule of findings means.
pub fn rule(rule: &Rule) -> ExplainWordReport {
    let paragraph =
        |text: &str| text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned();
    // Documentation lines begin with a blank.
    let lines: Vec<&str> = rule.page.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let page = lines.join("\n");
    ExplainWordReport {
        rule: Some(ExplainRule {
            id: rule.id.to_owned(),
            severity: rule.severity,
            what: rule.what.to_owned(),
            effect: rule.effect.to_owned(),
            advice: rule.advice.to_owned(),
            known: rule.known,
            page: page.split("\n\n").map(paragraph).filter(|text| !text.is_empty()).collect(),
        }),
        ..word(rule.id)
    }
}

/// What a cause means, and which messages can have it.
pub fn cause_of_messages(cause: &Cause) -> ExplainWordReport {
    let having = MESSAGES.iter().filter(|message| message.causes.contains(&cause.id));
    ExplainWordReport {
        cause: Some(of_cause(cause)),
        found_by: catalog::rules_of(cause.id).iter().map(|id| (*id).to_owned()).collect(),
        messages: having.map(known_message).collect(),
        ..word(cause.id)
    }
}

/// What a message of the table means.
pub fn message(message: &Message) -> ExplainWordReport {
    ExplainWordReport { messages: vec![known_message(message)], ..word(message.id) }
}

fn known_message(message: &Message) -> ExplainKnownMessage {
    ExplainKnownMessage {
        id: message.id.to_owned(),
        class: class(message.class),
        library: message.library.to_owned(),
        meaning: message.meaning.to_owned(),
        bytes: message.bytes.to_owned(),
        rules: message.causes.iter().map(|id| (*id).to_owned()).collect(),
    }
}

/// What is known of a processor.
pub fn target(processor: &Processor) -> ExplainWordReport {
    let isa = Isa::by_name(processor.name);
    let others = || PROCESSORS.iter().filter(|other| other.name != processor.name);
    let same: Vec<String> = isa
        .map(|isa| {
            isa.family().iter().filter(|name| **name != processor.name).map(|n| (*n).to_owned()).collect()
        })
        .unwrap_or_default();
    let decodes =
        others().filter(|other| other.family == processor.family && !same.iter().any(|s| s == other.name));
    let decodes = decodes
        .filter(|other| isa.zip(Isa::by_name(other.name)).is_some_and(|(own, other)| has_all(own, other)));
    let loads = std::iter::once(processor.name).chain(processor.generic);
    ExplainWordReport {
        target: Some(ExplainTarget {
            processor: processor.name.to_owned(),
            family: processor.family.name().to_owned(),
            devices: Some(processor.devices.to_owned()).filter(|devices| !devices.is_empty()),
            mach: processor.mach,
            since_llvm: processor.since,
            loads: loads.map(str::to_owned).collect(),
            members: processor.members().map(|member| member.name.to_owned()).collect(),
            decodes: decodes.map(|other| other.name.to_owned()).collect(),
            same_instructions: same,
            source: source().to_owned(),
        }),
        ..word(processor.name)
    }
}

/// Whether a processor has all instructions of another, with the same bits and names.
fn has_all(own: &Isa, other: &Isa) -> bool {
    other.mnemonics().is_subset(&own.mnemonics())
        && own.renamed(other).is_empty()
        && own.moved(other).is_empty()
}

/// The conditions of a solver of MIOpen, by its name in any case of letters; none where there is no such solver, or the rules
/// of this crate do not load.
#[cfg(feature = "engines")]
pub fn solver(name: &str) -> Option<ExplainWordReport> {
    use crate::engines::miopen::solver::{Fidelity, Rules};
    let rules = Rules::miopen().ok()?;
    if let Some(found) = rules.solvers().iter().find(|solver| solver.name.eq_ignore_ascii_case(name)) {
        let condition = |clause: &crate::engines::miopen::solver::Clause| v1::ExplainCondition {
            id: clause.id.clone(),
            refuses: clause.because.clone(),
            source: clause.source.to_string(),
        };
        let note = match &found.fidelity {
            Fidelity::Exact => None,
            Fidelity::Superset(what) => Some(what.clone()),
        };
        return Some(ExplainWordReport {
            solver: Some(v1::ExplainSolver {
                name: found.name.clone(),
                id: found.id,
                algorithm: Some(found.algorithm.name().to_owned()),
                dynamic: Some(found.dynamic),
                note,
                source: Some(found.source.to_string()),
                conditions: found.clauses.iter().map(condition).collect(),
            }),
            ..word(&found.name)
        });
    }
    let other = rules.others().iter().find(|other| other.name.eq_ignore_ascii_case(name))?;
    Some(ExplainWordReport {
        solver: Some(v1::ExplainSolver {
            name: other.name.clone(),
            id: other.id,
            algorithm: None,
            dynamic: None,
            note: Some(other.because.clone()),
            source: None,
            conditions: Vec::new(),
        }),
        ..word(&other.name)
    })
}

/// There are no rules of solvers in this build.
#[cfg(not(feature = "engines"))]
pub fn solver(_: &str) -> Option<ExplainWordReport> {
    None
}

/// The names of all solvers of MIOpen that [`solver`] knows.
#[cfg(feature = "engines")]
pub fn solver_names() -> Vec<String> {
    let rules = crate::engines::miopen::solver::Rules::miopen().ok();
    let of = |rules: &crate::engines::miopen::solver::Rules| -> Vec<String> {
        let solvers = rules.solvers().iter().map(|solver| solver.name.clone());
        solvers.chain(rules.others().iter().map(|other| other.name.clone())).collect()
    };
    rules.map(of).unwrap_or_default()
}

/// The names of all solvers of MIOpen that [`solver`] knows: none in this build.
#[cfg(not(feature = "engines"))]
pub fn solver_names() -> Vec<String> {
    Vec::new()
}
