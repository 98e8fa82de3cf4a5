//! Copies what MIOpen does with a convolution.

mod layers;
mod statements;
mod words;

use super::gemm::gemm;
use super::v1::{
    ConvAssumption, ConvCandidate, ConvDatabase, ConvDatabaseKind, ConvEstimate, ConvFind, ConvImmediate,
    ConvKernel, ConvLaunch, ConvLine, ConvOutcome, ConvParameter, ConvParametersBy, ConvPick, ConvRecorded,
    ConvRefusal, ConvRejected, ConvReport, ConvRules, ConvRulesChange, DatabaseChoice, Evidence,
    RecordVerdict,
};
use super::v1::{Header, document};
use crate::answers::findings::of_gemm;
use crate::answers::{ConvolutionAnswer, ParametersFrom, ValueSource};
use crate::engines::miopen::find_db::Origin;
use crate::engines::miopen::folder::{Choice, DatabaseKind};
use crate::engines::miopen::solver::convolution::{Recorded, Selection, Verdict};
use crate::engines::miopen::solver::parameters;
use crate::engines::miopen::solver::release::{Answering, LaterChange};
use crate::engines::miopen::solver::tunanet::ModelOutcome;
use crate::engines::miopen::solver::{BuildPart, Derived, Fidelity, Rejection, Solver};
use crate::finding::Finding;

/// What bytes cannot show if several candidates are measured.
const WINNER: &str = "Which candidate wins a measurement: on a miss MIOpen measures, and no pick is named.";

/// Why a find refuses the gradient of INT8 weights.
const REFUSED_BY_FIND: &str =
    "a find of backward weights refuses an image of INT8 before any solver is asked";

/// What bytes cannot show for any convolution.
const NOT_SHOWN: [&str; 3] = [
    "Whether rocMLIR or Composable Kernel have an instance for the problem; rules of such solvers say that they leave it out.",
    "User databases that were not pointed at, and variables that were not given with --env.",
    "Strides of tensors that are not packed; keys do not hold them.",
];

/// The report on a convolution, with the findings.
pub fn conv(c: &ConvolutionAnswer<'_>, found: &[Finding]) -> ConvReport {
    let s = &c.selection;
    let pick = pick(c);
    let databases = databases(c);
    ConvReport {
        header: Header::from_document(document::SELECT_CONV),
        found: super::findings::found(found),
        target: c.question.device.target.to_string(),
        compute_units: c.question.device.compute_units,
        key: c.question.key.clone(),
        problem: words::words(&c.problem),
        outcome: outcome(s),
        recorded: s.recorded.iter().map(recorded).collect(),
        candidates: candidates(c),
        rejected: s.candidates.rejected.iter().map(rejected).collect(),
        only_winograd: s.candidates.only_winograd,
        find: find(s),
        estimates: estimates(s),
        immediate: immediate(c),
        layers: layers::convolution_layers(c, pick.as_ref(), &databases),
        statements: statements::convolution_statements(c),
        assumptions: assumptions(c),
        gemm: c
            .gemm
            .as_ref()
            .and_then(|found| found.as_ref().ok())
            .map(|own| Box::new(gemm(own, &of_gemm(own)))),
        not_shown: not_shown(s),
        rules: rules(&c.rules),
        databases,
        pick,
    }
}

fn not_shown(s: &Selection<'_, '_>) -> Vec<String> {
    let winner = (s.candidates.measured().count() > 1).then_some(WINNER);
    winner.into_iter().chain(NOT_SHOWN).map(str::to_owned).collect()
}

fn rules(answering: &Answering) -> ConvRules {
    let told = |changes: &[LaterChange]| {
        let change =
            |own: &LaterChange| ConvRulesChange { since: own.since.to_string(), what: own.what.to_owned() };
        changes.iter().map(change).collect()
    };
    ConvRules {
        miopen: answering.asked.to_string(),
        rules_of: answering.read.to_string(),
        exact: answering.is_exact(),
        later: told(&answering.later),
        undecided: told(&answering.undecided),
    }
}

/// The answer to one line of a file of problems.
pub fn conv_line<'a>(
    id: &'a serde_json::Value,
    rules: &Answering,
    s: &'a Selection<'_, '_>,
    with_refusals: bool,
) -> ConvLine<'a> {
    let refusal = |r: &'a Rejection<'_>| ConvRefusal {
        name: r.solver.name,
        clause: r.clause.id,
        because: &r.clause.because,
    };
    ConvLine {
        id,
        miopen: rules.asked.to_string(),
        rules_of: rules.read.to_string(),
        outcome: outcome(s),
        pick: s.pick.and_then(|at| s.recorded.get(at)).map(|r| r.item.solver),
        line: s.record.map(|(_, record)| record.line),
        candidates: s.candidates.applicable.iter().map(|solver| solver.name).collect(),
        measured: s.candidates.measured().map(|solver| solver.name).collect(),
        rejected: with_refusals.then(|| s.candidates.rejected.iter().map(refusal).collect()),
        mode: s.candidates.find.mode.name(),
        estimates: estimates(s),
        estimates_decide: s.estimates_decide(),
        at_once: s.first_at_once().map(|solver| solver.name),
    }
}

fn find(s: &Selection<'_, '_>) -> ConvFind {
    let find = &s.candidates.find;
    ConvFind {
        mode: find.mode.name().to_owned(),
        enforced: find.enforced,
        reads_installed: find.reads_installed(),
        only: find.only.clone(),
        at_once: s.candidates.at_once,
        refuses: s.candidates.refused_by_find.then(|| REFUSED_BY_FIND.to_owned()),
    }
}

fn immediate(c: &ConvolutionAnswer<'_>) -> ConvImmediate {
    let model = c.selection.model.as_ref();
    let folder = c.databases.as_ref().map(|folder| &folder.place);
    ConvImmediate {
        estimates_decide: c.selection.estimates_decide(),
        first: c.selection.first_at_once().map(|solver| solver.name.to_owned()),
        named: match model.map(|model| &model.outcome) {
            Some(ModelOutcome::Order(order)) => order.iter().map(|solver| solver.name.to_owned()).collect(),
            _ => Vec::new(),
        },
        fails: statements::immediate_fails(c),
        model: model.map(|model| model.model.to_owned()),
        refuses: model.and_then(|model| model.refuses).map(str::to_owned),
        files_are_here: model.zip(folder).map(|(model, place)| model.files().iter().all(|f| place.has(f))),
        evidence: Evidence::Code,
    }
}

fn outcome(s: &Selection<'_, '_>) -> ConvOutcome {
    if s.is_hit() { ConvOutcome::Hit } else { ConvOutcome::Miss }
}

fn estimates(s: &Selection<'_, '_>) -> Vec<ConvEstimate> {
    s.estimates.iter().map(|e| ConvEstimate { solver: e.solver.name.to_owned(), wti: e.wti }).collect()
}

/// What the answer assumes about device, build and environment; values stated by the tree are observed.
fn assumptions(c: &ConvolutionAnswer<'_>) -> Vec<ConvAssumption> {
    let evidence = |name: &str| match (&c.version, c.lacking.iter().find(|l| l.part.name() == name)) {
        (ValueSource::Tree(_), _) if name == "MIOpen" => Evidence::Observed,
        (_, Some(lacking)) if lacking.observed => Evidence::Observed,
        _ => Evidence::Inferred,
    };
    let all = c.context.assumptions().into_iter();
    all.map(|(name, value)| ConvAssumption { evidence: evidence(&name), name, value }).collect()
}

fn pick(c: &ConvolutionAnswer<'_>) -> Option<ConvPick> {
    let taken = c.selection.recorded.get(c.selection.pick?)?;
    let (origin, record) = c.selection.record?;
    let file = match origin {
        Origin::User => c.user.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        Origin::System => find_db_file(c)?,
    };
    let solver = c.selection.candidates.applicable.iter().find(|s| s.name == taken.item.solver);
    Some(ConvPick {
        solver: taken.item.solver.to_owned(),
        id: solver.map(|s| s.id),
        algorithm: taken.item.algorithm.name().to_owned(),
        time_ms: taken.item.time_ms,
        workspace: taken.item.workspace,
        file,
        line: record.line,
        kernel: kernel(c, taken.item.solver),
    })
}

/// The kernel of a solver.
fn kernel(c: &ConvolutionAnswer<'_>, solver: &str) -> ConvKernel {
    let Some(own) = c.kernels.get(solver) else { return ConvKernel::default() };
    let launch = own.launch.as_ref().map(|launch| ConvLaunch {
        kernel: launch.kernel.clone(),
        work_items: launch.work_items,
        work_group: launch.work_group,
    });
    let (source, built, built_alike) = (own.source.clone(), own.built, own.alike);
    let mut kernel = ConvKernel { source, launch, built, built_alike, ..ConvKernel::default() };
    if let Some(parameters) = &own.parameters {
        let named = parameters::named(solver, &parameters.text).into_iter();
        kernel.named = named.map(|p| ConvParameter { name: p.name.to_owned(), value: p.value }).collect();
        kernel.parameters = Some(parameters.text.clone());
        kernel.parameters_by = Some(match &parameters.from {
            ParametersFrom::PerfDb { file, only_in_sqlite_builds } => {
                kernel.parameters_from = Some(file.clone());
                kernel.parameters_in_sqlite_builds_only = *only_in_sqlite_builds;
                ConvParametersBy::PerfDb
            }
            ParametersFrom::Heuristic => ConvParametersBy::Heuristic,
            ParametersFrom::Model => ConvParametersBy::Model,
        });
    }
    kernel
}

fn find_db_file(c: &ConvolutionAnswer<'_>) -> Option<String> {
    let choice = c.databases.as_ref()?.choose(&c.question.device, DatabaseKind::FindDbHip);
    Some(choice.read()?.file.clone())
}

fn databases(c: &ConvolutionAnswer<'_>) -> Vec<ConvDatabase> {
    let device = &c.question.device;
    let kinds = [
        (DatabaseKind::FindDbHip, ConvDatabaseKind::FindDb),
        (DatabaseKind::PerfDbText, ConvDatabaseKind::PerfDbText),
        (DatabaseKind::PerfDbSqlite, ConvDatabaseKind::PerfDbSqlite),
        (DatabaseKind::KernelDb, ConvDatabaseKind::KernelDb),
    ];
    let of_kind = |(kind, stated): (DatabaseKind, ConvDatabaseKind)| {
        // What the build leaves out is not opened, whatever lies there.
        let is_off =
            kind != DatabaseKind::KernelDb && c.context.without.contains(&BuildPart::SystemDatabases);
        let opened = c.databases.as_ref().filter(|_| !is_off);
        let choice = opened.map_or(Choice::Nothing, |folder| folder.choose(device, kind));
        let state = match choice {
            Choice::Exact(_) => DatabaseChoice::Exact,
            Choice::Nearest(_) => DatabaseChoice::Nearest,
            Choice::OfProcessor(_) => DatabaseChoice::Processor,
            Choice::Unreachable(_) => DatabaseChoice::Unreachable,
            Choice::Pointer(_) => DatabaseChoice::Pointer,
            Choice::Nothing => DatabaseChoice::None,
        };
        ConvDatabase {
            kind: stated,
            state,
            file: choice.file().map(|file| file.file.clone()),
            wanted: format!("{}{}", device.base_name(), kind.ending()),
        }
    };
    let user = c.user.iter().map(|file| ConvDatabase {
        kind: ConvDatabaseKind::UserFindDb,
        state: DatabaseChoice::Exact,
        file: Some(file.display().to_string()),
        wanted: file.display().to_string(),
    });
    kinds.into_iter().map(of_kind).chain(user).collect()
}

fn recorded(r: &Recorded<'_, '_>) -> ConvRecorded {
    let (verdict, because) = match &r.verdict {
        Verdict::Taken => (RecordVerdict::Taken, None),
        Verdict::TakenUnmeasured => {
            (RecordVerdict::Taken, Some("its time is 0, which was not measured and sorts first".to_owned()))
        }
        Verdict::Slower => (RecordVerdict::Slower, None),
        Verdict::Refused(rejection) => (RecordVerdict::Skipped, Some(why(rejection))),
        Verdict::Unknown(Some(other)) => (RecordVerdict::Skipped, Some(other.because.to_owned())),
        Verdict::Unknown(None) => {
            (RecordVerdict::Skipped, Some("MIOpen's registry has no solver of this name".to_owned()))
        }
        Verdict::Off(switch) => {
            (RecordVerdict::Skipped, Some(format!("its algorithm is turned off by {switch}")))
        }
        Verdict::Workspace => {
            (RecordVerdict::Skipped, Some("it needs more workspace than there is".to_owned()))
        }
    };
    ConvRecorded {
        solver: r.item.solver.to_owned(),
        algorithm: r.item.algorithm.name().to_owned(),
        time_ms: r.item.time_ms,
        workspace: r.item.workspace,
        verdict,
        because,
    }
}

fn why(rejection: &Rejection<'_>) -> String {
    let detail = if rejection.detail.is_empty() { String::new() } else { format!(" ({})", rejection.detail) };
    format!("{}{detail}", rejection.clause.because)
}

fn candidates(c: &ConvolutionAnswer<'_>) -> Vec<ConvCandidate> {
    let s = &c.selection;
    let derived = Derived::from(&c.problem);
    let measured: Vec<u16> = s.candidates.measured().map(|solver| solver.id).collect();
    let candidate = |solver: &&Solver| ConvCandidate {
        id: solver.id,
        solver: solver.name.to_owned(),
        algorithm: solver.algorithm.name().to_owned(),
        dynamic: solver.dynamic,
        measured: measured.contains(&solver.id),
        workspace: solver.workspace_for(&derived),
        kernel: kernel(c, solver.name),
        workspace_source: solver.workspace.as_ref().map(|workspace| workspace.source.to_string()),
        superset: match &solver.fidelity {
            Fidelity::Exact => None,
            Fidelity::Superset(what) => Some((*what).to_owned()),
        },
    };
    s.candidates.applicable.iter().map(candidate).collect()
}

fn rejected(rejection: &Rejection<'_>) -> ConvRejected {
    ConvRejected {
        id: rejection.solver.id,
        solver: rejection.solver.name.to_owned(),
        algorithm: rejection.solver.algorithm.name().to_owned(),
        clause: rejection.clause.id.to_owned(),
        because: why(rejection),
        source: rejection.clause.source.to_string(),
    }
}
