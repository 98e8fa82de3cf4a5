//! Makes the reports of what messages and words mean.

use super::v1::{
    self, Evidence, ExplainCause, ExplainKnownMessage, ExplainLibrary, ExplainMessage, ExplainReport,
    ExplainRule, ExplainTarget, ExplainTree, ExplainWordReport, MessageClass, ShownByBytes, TreeVerdict,
};
use crate::capability::Capability;
use crate::capability::coverage::{Coverage, LibraryRow};
use crate::finding::rule::Rule;
use crate::inventory::Inventory;
use crate::isa::processor::{Isa, source};
use crate::locator::file_name;
use crate::messages::cause::{self, Cause, Shown};
use crate::messages::recognise::{Hit, Recognised};
use crate::messages::table::{Class, MESSAGES, Message};
use crate::scan::library_names;
use crate::target::{PROCESSORS, Processor, TargetId};

/// What the messages of a log mean. With a `tree` its files decide, for `target`.
pub fn messages(
    log: &Recognised,
    target: Option<&TargetId>,
    tree: Option<(&Inventory, &Capability<'_>)>,
) -> ExplainReport {
    let first = log.first();
    let mut ids: Vec<&'static str> = first.map(|hit| hit.causes.clone()).unwrap_or_default();
    let tree = tree.map(|(inventory, capability)| on_tree(first, target, inventory, capability));
    if tree.as_ref().is_some_and(|tree| tree.verdict == TreeVerdict::NotTheFiles) {
        left_over(&mut ids);
    }
    let causes: Vec<&Cause> = ids.iter().filter_map(|id| cause::of_id(id)).collect();
    let unknown = "No message that this program knows is in the text. That is no statement about the cause.";
    let ask = "Look for the first line that names an error, and ask with it; more of the log helps.";
    let advice = match (causes.first(), &tree) {
        (Some(cause), _) => cause.advice,
        (None, _) => ask,
    };
    ExplainReport {
        header: v1::Header::of(v1::document::EXPLAIN),
        class: class(log.class()),
        message: first.map(|hit| hit.message.id.to_owned()),
        library: first.map(|hit| hit.message.library.to_owned()),
        target: target.map(|target| target.processor.clone()),
        target_id: target.map(TargetId::to_string),
        path: first.and_then(|hit| hit.path.clone()),
        rules: causes.iter().map(|cause| cause.id.to_owned()).collect(),
        meaning: first.map_or(unknown, |hit| meaning(hit)).to_owned(),
        bytes: first.map(|hit| hit.message.bytes.to_owned()),
        advice: advice.to_owned(),
        causes: causes.into_iter().map(of_cause).collect(),
        tree,
        messages: log.hits.iter().map(of_hit).collect(),
        processors: log.processors.iter().cloned().collect(),
        lines: log.lines,
    }
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

/// Names of the file without which a library does not serve a target, where that is a file of its own.
fn files_for(cause: &str, processor: &str) -> Option<(&'static str, Vec<String>)> {
    let catalogs = || {
        vec![
            format!("TensileLibrary_lazy_{processor}.dat"),
            format!("TensileLibrary_{processor}.dat"),
            format!("TensileLibrary_lazy_{processor}.yaml"),
        ]
    };
    match cause {
        "RB-ARCH-MISSING" | "RB-EMPTY" | "RB-PATH-WRONG" => Some(("rocBLAS", catalogs())),
        "LT-ARCH-MISSING" => Some(("hipBLASLt", catalogs())),
        "MI-CK-MISSING" => Some(("MIOpen", vec![format!("libMIOpenCKGroupedConv_{processor}.so")])),
        _ => None,
    }
}

/// Libraries that a program can do without: what they lack is not why it stops.
const SPARE: [&str; 3] = ["hipBLASLt", "hipSPARSELt", "firmware"];

fn on_tree(
    hit: Option<&Hit>,
    target: Option<&TargetId>,
    inventory: &Inventory,
    capability: &Capability<'_>,
) -> ExplainTree {
    let decided = decide(hit, target, inventory, capability);
    ExplainTree { roots: inventory.roots.clone(), ..decided }
}

fn decide(
    hit: Option<&Hit>,
    target: Option<&TargetId>,
    inventory: &Inventory,
    capability: &Capability<'_>,
) -> ExplainTree {
    let plain = |verdict, because: String| ExplainTree {
        roots: Vec::new(),
        verdict,
        because,
        known: Evidence::Observed,
        lacking: Vec::new(),
        serving: Vec::new(),
    };
    let Some(hit) = hit else {
        let what = "The message is not known, so nothing is decided; `rocm-audit --arch TARGET PATH` says what the tree has.";
        return plain(TreeVerdict::NotDecided, what.into());
    };
    let first = hit.causes.first().copied().unwrap_or_default();
    if capability.matrix.is_empty() && inventory.artifacts.iter().all(|artifact| artifact.device.is_none()) {
        let confirmed = first.starts_with("PKG-");
        let what = "The tree has no device code of AMD GPUs at all.";
        let verdict = if confirmed { TreeVerdict::Confirmed } else { TreeVerdict::NotDecided };
        return plain(verdict, what.into());
    }
    if hit.class == Class::NotRocm {
        let what =
            "The tree has ROCm device code, so it is no CUDA-only build; the message is of other software.";
        return plain(TreeVerdict::NotTheFiles, what.into());
    }
    let Some(target) = target else {
        let what = "The message names no target: name that of the GPU with --arch.";
        return plain(TreeVerdict::NotDecided, what.into());
    };
    let processor = target.processor.as_str();
    let incomplete = if capability.complete { "" } else { " Some files could not be read." };
    if let Some((library, names)) = files_for(first, processor) {
        let of_library = || inventory.artifacts.iter().filter(|artifact| artifact.library == library);
        let named = |name: &str| of_library().find(|a| file_name(&a.relative) == name);
        let found = names.iter().find_map(|name| named(name));
        // One catalog of everything, as releases before ROCm 5.6 had it, has a row for each processor.
        let serves_all = || {
            let of = |a: &&crate::inventory::Artifact| match &a.kind {
                crate::inventory::ArtifactKind::Tensile(_, facts) => {
                    facts.of_processors.iter().any(|(name, count)| name == processor && *count > 0)
                }
                _ => false,
            };
            of_library().find(of)
        };
        if of_library().next().is_none() {
            let what = format!("{library} is not in this tree; name the tree that the program uses.");
            return plain(TreeVerdict::NotDecided, what);
        }
        let place = |path: Option<&str>| ExplainLibrary {
            library: library.to_owned(),
            tensile: first != "MI-CK-MISSING",
            path: path.map(str::to_owned),
        };
        return match found.or_else(serves_all) {
            Some(artifact) => ExplainTree {
                serving: vec![place(Some(&artifact.shown))],
                ..plain(
                    TreeVerdict::NotTheFiles,
                    format!(
                        "{library} of this tree has {} for {processor}: not the cause, if this is the folder that the \
                         program reads. Look at its path, its release, and overrides.{incomplete}",
                        file_name(&artifact.relative)
                    ),
                )
            },
            None => ExplainTree {
                lacking: vec![place(of_library().next().map(|artifact| artifact.shown.as_str()))],
                ..plain(
                    TreeVerdict::Confirmed,
                    format!(
                        "{library} of this tree has no {}.{incomplete}",
                        names.first().map_or("", String::as_str)
                    ),
                )
            },
        };
    }
    let about_code =
        ["FB-", "OV-", "ISA-", "SYS-", "KP-", "DEV-", "APP-", "RT-", "DIFF-", "VGPR", "FW-", "CO-"];
    if !about_code.iter().any(|prefix| first.starts_with(prefix)) {
        let what = format!("No rule of this program decides {first} on a tree yet.");
        return plain(TreeVerdict::NotDecided, what);
    }
    let named = hit.path.as_deref().map(|path| library_names::of(&path.replace('\\', "/")));
    let row_of = |name: &str| capability.matrix.iter().any(|row| row.part.library == name);
    let named = named.filter(|name| row_of(name));
    let asked = |row: &&LibraryRow<'_>| match &named {
        Some(name) => row.part.library == name,
        None => !SPARE.contains(&row.part.library),
    };
    let (mut lacking, mut serving) = (Vec::new(), Vec::new());
    for row in capability.matrix.iter().filter(asked) {
        let Some(cell) = row.cells.first() else { continue };
        let lacks = matches!(cell.coverage, Coverage::Absent | Coverage::NoKernels);
        let file = || {
            let of = |a: &&crate::inventory::Artifact| {
                a.library == row.part.library && a.device.as_ref().is_some_and(|d| !d.targets.is_empty())
            };
            inventory.artifacts.iter().find(of).map(|artifact| artifact.shown.as_str())
        };
        let without = cell.files.as_ref().and_then(|share| share.without.first().copied());
        let library = |path: Option<&str>| ExplainLibrary {
            library: row.part.library.to_owned(),
            tensile: row.part.tensile,
            path: path.map(str::to_owned),
        };
        match (lacks, without) {
            (true, _) => lacking.push(library(file())),
            (false, Some(path)) => lacking.push(library(Some(path))),
            (false, None) => serving.push(library(file())),
        }
    }
    let all = lacking.len() + serving.len();
    let by_files = cause::of_id(first).is_some_and(|cause| cause.shown == Shown::Yes);
    let (verdict, because) = match (lacking.is_empty(), by_files) {
        _ if all == 0 => (
            TreeVerdict::NotDecided,
            "No library of the tree that the message could mean has device code.".to_owned(),
        ),
        (true, _) => (
            TreeVerdict::NotTheFiles,
            format!(
                "all libraries that were looked at ({all}) have code for {processor}. Look at the device, the driver, \
                 permissions, overrides and the path.{incomplete}"
            ),
        ),
        (false, true) => (
            TreeVerdict::Confirmed,
            format!(
                "{} of {all} libraries looked at have no code for {processor}; those that the program loads \
                 are the cause.{incomplete}",
                lacking.len()
            ),
        ),
        (false, false) => (
            TreeVerdict::NotDecided,
            format!(
                "{} of {all} of the tree's libraries have no code for {processor}; that is another message's cause, though.{incomplete}",
                lacking.len()
            ),
        ),
    };
    ExplainTree { lacking, serving, ..plain(verdict, because) }
}

/// An explanation of a word with nothing in it yet.
fn word(word: &str) -> ExplainWordReport {
    ExplainWordReport {
        header: v1::Header::of(v1::document::EXPLAIN_WORD),
        word: word.to_owned(),
        rule: None,
        cause: None,
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
