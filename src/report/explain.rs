//! Makes the reports of what messages and words mean.

use super::findings;
use super::v1::{
    self, ExplainBuilds, ExplainCause, ExplainDevice, ExplainHistory, ExplainKnownMessage, ExplainLibrary,
    ExplainMessage, ExplainNumber, ExplainPackage, ExplainReport, ExplainRule, ExplainServed, ExplainTarget,
    ExplainTree, ExplainWordReport, MessageClass, ShownByBytes, TreeVerdict,
};
#[cfg(feature = "engines")]
use super::v1::{ExplainBuild, ExplainCommit};
use crate::diagnosis::cause::{Cause, Visibility};
use crate::diagnosis::packages::{PUBLIC, PublicPackage};
use crate::diagnosis::{Decision, DecisionPlace, Diagnosis, TreeDecision};
#[cfg(feature = "engines")]
use crate::engines::build_targets::{self, Span};
use crate::finding::rule::Rule;
use crate::isa::processor::{Isa, source};
use crate::messages::facts::{Device, LogFacts};
use crate::messages::number::{self, NumberMeaning};
use crate::messages::recognise::recognise;
use crate::messages::recognised::{Hit, Recognised};
use crate::messages::table::{Message, MessageSubject, all_messages};
use crate::target::{PROCESSORS, Processor, TargetId};

/// What the messages of a log mean.
pub fn messages(log: &Recognised, found: Diagnosis) -> ExplainReport {
    let first = log.first();
    let unknown = "No message that this program knows is in the text. That is no statement about the cause.";
    // Who prints these words on ROCm has not printed them where they are another's.
    let of_rocm = first.filter(|hit| hit.class == hit.message.class || hit.class != MessageSubject::NotRocm);
    let Diagnosis { causes, target, of_another, advice, tree, findings } = found;
    ExplainReport {
        header: v1::Header::from_document(v1::document::EXPLAIN),
        found: findings::found(&findings),
        class: class(log.class()),
        claim: None,
        message: first.map(|hit| hit.message.id.to_owned()),
        library: of_rocm.map(|hit| hit.message.library.to_owned()),
        target: target.as_ref().map(|target| target.processor.clone()),
        target_id: target.as_ref().map(TargetId::to_string),
        of_another,
        path: first.and_then(|hit| hit.path.clone()),
        rules: causes.iter().map(|cause| cause.id.to_owned()).collect(),
        meaning: first.map_or(unknown, |hit| meaning(hit)).to_owned(),
        bytes: of_rocm.map(|hit| hit.message.bytes.to_owned()),
        advice,
        causes: causes.into_iter().map(of_cause).collect(),
        tree: tree.map(of_tree),
        messages: log.hits.iter().map(of_hit).collect(),
        processors: log.processors.iter().cloned().collect(),
        devices: devices(&log.facts),
        overrides: log.facts.overrides.iter().cloned().collect(),
        listed: log.facts.listed.iter().cloned().collect(),
        lines: log.lines,
        places: Vec::new(),
    }
}

fn devices(facts: &LogFacts) -> Vec<ExplainDevice> {
    let device = |device: &Device| ExplainDevice {
        number: device.number,
        processor: device.processor.clone(),
        in_use: device.number.is_some() && device.number == facts.current,
    };
    facts.devices.iter().map(device).collect()
}

fn of_tree(decided: TreeDecision) -> ExplainTree {
    let places = |places: Vec<DecisionPlace>| {
        let place = |DecisionPlace { library, tensile, path }| ExplainLibrary { library, tensile, path };
        places.into_iter().map(place).collect()
    };
    ExplainTree {
        roots: decided.roots,
        verdict: match decided.decision {
            Decision::Confirmed => TreeVerdict::Confirmed,
            Decision::NotTheFiles => TreeVerdict::NotTheFiles,
            Decision::NotDecided => TreeVerdict::NotDecided,
        },
        because: decided.because,
        known: decided.known,
        lacking: places(decided.lacking),
        serving: places(decided.serving),
    }
}

/// What a message means here; for words that CUDA prints too, it does not claim that ROCm printed them.
fn meaning(hit: &Hit) -> &'static str {
    match (hit.class, hit.message.class) {
        (MessageSubject::NotRocm, MessageSubject::NotRocm) => hit.message.meaning,
        (MessageSubject::NotRocm, _) => {
            "The lines around it are about another maker's device or software, which prints these words too. It is not of ROCm."
        }
        (MessageSubject::Unknown, _) => {
            "The only line that is known is harmless. What failed stands beside it, in words that this program does not know."
        }
        (MessageSubject::Ambiguous, MessageSubject::File) => {
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

fn class(class: MessageSubject) -> MessageClass {
    match class {
        MessageSubject::File => MessageClass::File,
        MessageSubject::Application => MessageClass::Application,
        MessageSubject::Harmless => MessageClass::Harmless,
        MessageSubject::Environment => MessageClass::Environment,
        MessageSubject::Runtime => MessageClass::Runtime,
        MessageSubject::Build => MessageClass::Build,
        MessageSubject::NotRocm => MessageClass::NotRocm,
        MessageSubject::Ambiguous => MessageClass::Ambiguous,
        MessageSubject::Unknown => MessageClass::Unknown,
    }
}

fn of_cause(cause: &Cause) -> ExplainCause {
    ExplainCause {
        id: cause.id.to_owned(),
        what: cause.what.to_owned(),
        tell: cause.tell.to_owned(),
        advice: cause.advice.to_owned(),
        shown_by_bytes: match cause.shown {
            Visibility::Yes => ShownByBytes::Yes,
            Visibility::Partly => ShownByBytes::Partly,
            Visibility::No => ShownByBytes::No,
        },
    }
}

/// An explanation of a word, still empty.
fn word(word: &str) -> ExplainWordReport {
    ExplainWordReport {
        header: v1::Header::from_document(v1::document::EXPLAIN_WORD),
        found: v1::Found::nothing(),
        word: word.to_owned(),
        rule: None,
        cause: None,
        found_by: Vec::new(),
        messages: Vec::new(),
        target: None,
        solver: None,
        numbers: Vec::new(),
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

/// What a cause means, and the messages that can have it.
pub fn cause_of_messages(cause: &Cause) -> ExplainWordReport {
    let having = all_messages().filter(|message| message.causes.contains(&cause.id));
    ExplainWordReport {
        cause: Some(of_cause(cause)),
        found_by: cause.rules.iter().map(|rule| rule.id.to_owned()).collect(),
        messages: having.map(known_message).collect(),
        ..word(cause.id)
    }
}

/// What a message of this program's table means.
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

/// What a number that stands alone can be; `None` if it is nothing that this program knows.
pub fn number(text: &str) -> Option<ExplainWordReport> {
    let number = number::parse(text)?;
    let of_call = |one: NumberMeaning| {
        let log = one.is_message.then(|| recognise(one.name.as_bytes()));
        let meaning = log.as_ref().and_then(Recognised::first).map(|hit| meaning(hit).to_owned());
        ExplainNumber { of: one.of.to_owned(), explained: one.is_message, name: one.name, meaning }
    };
    let mut numbers: Vec<ExplainNumber> = number::meanings(number).into_iter().map(of_call).collect();
    numbers.extend(solver_of_id(number).map(|name| ExplainNumber {
        of: "solver id of MIOpen".to_owned(),
        name,
        meaning: None,
        explained: true,
    }));
    (!numbers.is_empty()).then(|| ExplainWordReport { numbers, ..word(text) })
}

/// The solver of MIOpen with an id.
#[cfg(feature = "engines")]
fn solver_of_id(id: i64) -> Option<String> {
    let rules = crate::engines::miopen::solver::SolverRules::miopen().ok()?;
    let own = rules.solvers().iter().map(|solver| (solver.id, solver.name));
    let others = rules.others().iter().map(|other| (other.id, other.name));
    own.chain(others).find(|(known, _)| i64::from(*known) == id).map(|(_, name)| name.to_owned())
}

/// This build has no rules for solvers.
#[cfg(not(feature = "engines"))]
fn solver_of_id(_: i64) -> Option<String> {
    None
}

/// What this program knows about a processor.
pub fn target(processor: &Processor) -> ExplainWordReport {
    let isa = Isa::by_name(processor.name());
    let others = || PROCESSORS.iter().filter(|other| other.name() != processor.name());
    let same: Vec<String> = isa
        .map(|isa| {
            isa.family().iter().filter(|name| **name != processor.name()).map(|n| (*n).to_owned()).collect()
        })
        .unwrap_or_default();
    let decodes = others()
        .filter(|other| other.family() == processor.family() && !same.iter().any(|s| s == other.name()));
    let decodes = decodes
        .filter(|other| isa.zip(Isa::by_name(other.name())).is_some_and(|(own, other)| has_all(own, other)));
    let loads = std::iter::once(processor.name()).chain(processor.generic());
    ExplainWordReport {
        target: Some(ExplainTarget {
            processor: processor.name().to_owned(),
            family: processor.family().name().to_owned(),
            devices: Some(processor.devices().to_owned()).filter(|devices| !devices.is_empty()),
            mach: processor.mach(),
            since_llvm: processor.since(),
            loads: loads.map(str::to_owned).collect(),
            members: processor.members().map(|member| member.name().to_owned()).collect(),
            decodes: decodes.map(|other| other.name().to_owned()).collect(),
            same_instructions: same,
            source: source().to_owned(),
            history: history(processor.name()),
            builds: builds(processor.name()),
            packages: packages(processor.name()),
        }),
        ..word(processor.name())
    }
}

/// What public packages have for a processor, by name.
fn packages(processor: &str) -> Vec<ExplainPackage> {
    let answer = |package: &PublicPackage| match (&package.runs, &package.limits) {
        (runs, _) if runs.contains(&processor) => ExplainServed::Runs,
        (_, limits) if limits.contains(&processor) => ExplainServed::Limits,
        _ => ExplainServed::NotShown,
    };
    let of = |package: &PublicPackage| ExplainPackage {
        package: package.title.to_owned(),
        file: package.file.to_owned(),
        read: package.read.to_owned(),
        answer: answer(package),
    };
    PUBLIC.iter().map(of).collect()
}

/// What public histories say of a processor, by library.
#[cfg(feature = "engines")]
fn history(processor: &str) -> Vec<ExplainHistory> {
    let mut found: Vec<ExplainHistory> = Vec::new();
    for event in crate::engines::history::processor_events(processor) {
        let commit = Some(ExplainCommit {
            date: event.date.to_owned(),
            commit: format!("{} {}", event.repository, event.commit),
            subject: event.subject.to_owned(),
        });
        let known = found.iter_mut().find(|known| known.library == event.library);
        let (first, last) = if event.is_first { (commit, None) } else { (None, commit) };
        match known {
            Some(known) => {
                known.first = known.first.take().or(first);
                known.last = known.last.take().or(last);
                known.is_taken_out |= event.takes_out();
            }
            None => found.push(ExplainHistory {
                library: event.library.to_owned(),
                place: event.place.to_owned(),
                first,
                last,
                is_taken_out: event.takes_out(),
            }),
        }
    }
    found
}

/// This build knows no histories.
#[cfg(not(feature = "engines"))]
fn history(_: &str) -> Vec<ExplainHistory> {
    Vec::new()
}

/// In which releases libraries are built for a processor by default.
#[cfg(feature = "engines")]
fn builds(processor: &str) -> Vec<ExplainBuilds> {
    let of_library = |spans: &[Span]| {
        let (first, last) = (spans.first()?, spans.last()?);
        let mut releases: Vec<ExplainBuild> = Vec::new();
        let mut goes_on = false;
        for span in spans {
            let targets: Vec<String> = span.targets_of(processor).into_iter().map(str::to_owned).collect();
            let is_built = !targets.is_empty();
            match releases.last_mut() {
                Some(known) if goes_on && known.targets == targets => known.last = span.last.to_owned(),
                _ if is_built => releases.push(ExplainBuild {
                    first: span.first.to_owned(),
                    last: span.last.to_owned(),
                    targets,
                    source: format!("{} {} {}", span.repository, span.commit, span.place),
                }),
                _ => {}
            }
            goes_on = is_built;
        }
        Some(ExplainBuilds {
            library: first.library.to_owned(),
            examined_first: first.first.to_owned(),
            examined_last: last.last.to_owned(),
            releases,
        })
    };
    build_targets::libraries().into_iter().filter_map(of_library).collect()
}

/// This build knows no sources.
#[cfg(not(feature = "engines"))]
fn builds(_: &str) -> Vec<ExplainBuilds> {
    Vec::new()
}

/// Whether a processor has all instructions of another, with the same bits and names.
fn has_all(own: &Isa, other: &Isa) -> bool {
    other.mnemonics().is_subset(&own.mnemonics())
        && own.renamed(other).is_empty()
        && own.moved(other).is_empty()
}

/// The conditions of a solver of MIOpen; upper and lower case are equal in its name. `None` if the solver
/// does not exist or this crate's rules do not load.
#[cfg(feature = "engines")]
pub fn solver(name: &str) -> Option<ExplainWordReport> {
    use crate::engines::miopen::solver::{Fidelity, SolverRules};
    let rules = SolverRules::miopen().ok()?;
    if let Some(found) = rules.solvers().iter().find(|solver| solver.name.eq_ignore_ascii_case(name)) {
        let condition = |clause: &crate::engines::miopen::solver::Clause| v1::ExplainCondition {
            id: clause.id.to_owned(),
            refuses: clause.because.clone().into_owned(),
            source: clause.source.to_string(),
        };
        let note = match &found.fidelity {
            Fidelity::Exact => None,
            Fidelity::Superset(what) => Some((*what).to_owned()),
        };
        return Some(ExplainWordReport {
            solver: Some(v1::ExplainSolver {
                name: found.name.to_owned(),
                id: found.id,
                algorithm: Some(found.algorithm.name().to_owned()),
                dynamic: Some(found.dynamic),
                note,
                source: Some(found.source.to_string()),
                conditions: found.clauses.iter().map(condition).collect(),
            }),
            ..word(found.name)
        });
    }
    let other = rules.others().iter().find(|other| other.name.eq_ignore_ascii_case(name))?;
    Some(ExplainWordReport {
        solver: Some(v1::ExplainSolver {
            name: other.name.to_owned(),
            id: other.id,
            algorithm: None,
            dynamic: None,
            note: Some(other.because.to_owned()),
            source: None,
            conditions: Vec::new(),
        }),
        ..word(other.name)
    })
}

/// This build has no rules for solvers.
#[cfg(not(feature = "engines"))]
pub fn solver(_: &str) -> Option<ExplainWordReport> {
    None
}

/// The names of all solvers of MIOpen that [`solver`] knows.
#[cfg(feature = "engines")]
pub fn solver_names() -> Vec<String> {
    let rules = crate::engines::miopen::solver::SolverRules::miopen().ok();
    let of = |rules: &crate::engines::miopen::solver::SolverRules| -> Vec<String> {
        let solvers = rules.solvers().iter().map(|solver| solver.name.to_owned());
        solvers.chain(rules.others().iter().map(|other| other.name.to_owned())).collect()
    };
    rules.map(of).unwrap_or_default()
}

/// The names of all solvers of MIOpen that [`solver`] knows; this build knows none.
#[cfg(not(feature = "engines"))]
pub fn solver_names() -> Vec<String> {
    Vec::new()
}
