//! Makes the report of MIOpen's choice.

use super::v1::{
    self, ConvAssumption, ConvCandidate, ConvDatabase, ConvEstimate, ConvPick, ConvRecorded, ConvRejected,
    ConvReport, Evidence, GemmReport, Statement,
};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::find_db::Origin;
use crate::engines::miopen::folder::{Choice, DatabaseFolder, DatabaseKind};
use crate::engines::miopen::problem::{ConvolutionProblem, Direction};
use crate::engines::miopen::solver::convolution::{Recorded, Selection, Verdict};
use crate::engines::miopen::solver::{Context, Fidelity, Rejection, Solver};

/// What bytes do not show here.
const NOT_SHOWN: [&str; 4] = [
    "Which candidate wins a measurement: on a miss MIOpen measures, and no pick is named.",
    "Whether rocMLIR or Composable Kernel have an instance for the problem; rules of such solvers say that they leave it out.",
    "User databases that were not pointed at, and variables that were not given with --env.",
    "Strides of tensors that are not packed; keys do not hold them.",
];

/// Everything that a report is made from.
#[derive(Debug)]
pub struct Convolution<'a> {
    /// The key.
    pub key: &'a str,
    /// The problem.
    pub problem: &'a ConvolutionProblem<'a>,
    /// The device.
    pub device: &'a Device,
    /// The databases, where there are any.
    pub folder: Option<&'a DatabaseFolder>,
    /// The user's find-db that was pointed at.
    pub user: Option<String>,
    /// What is assumed.
    pub context: &'a Context,
    /// What came of it.
    pub selection: &'a Selection<'a, 'a>,
    /// Tuned parameters of the pick, and the file they are from.
    pub parameters: Option<(String, String)>,
    /// What the library's symbols say of the pick: the file, and whether it has the solver.
    pub library: Option<(String, bool)>,
    /// What rocBLAS chooses for the pick's product, or why that is not known.
    pub gemm: Option<Result<GemmReport, String>>,
}

/// The report of a convolution.
pub fn conv(c: &Convolution<'_>) -> ConvReport {
    let s = c.selection;
    let pick = pick(c);
    ConvReport {
        header: v1::Header::of(v1::document::SELECT_CONV),
        arch: c.device.target.to_string(),
        cu: c.device.compute_units,
        key: c.key.to_owned(),
        problem: words(c.problem),
        kind: if s.is_hit() { "hit" } else { "miss" }.to_owned(),
        databases: databases(c),
        recorded: s.recorded.iter().map(recorded).collect(),
        candidates: candidates(s),
        rejected: s.candidates.rejected.iter().map(rejected).collect(),
        only_winograd: s.candidates.only_winograd,
        estimates: s
            .estimates
            .iter()
            .map(|e| ConvEstimate { solver: e.solver.name.clone(), wti: e.wti })
            .collect(),
        layers: layers(c, pick.as_ref()),
        statements: statements(c),
        assumptions: c
            .context
            .assumptions()
            .into_iter()
            .map(|(name, value)| ConvAssumption { name, value, evidence: Evidence::Inferred })
            .collect(),
        gemm: c.gemm.as_ref().and_then(|g| g.as_ref().ok()).map(|g| Box::new(g.clone())),
        not_shown: NOT_SHOWN.iter().map(|s| (*s).to_owned()).collect(),
        pick,
    }
}

/// The problem as the forward convolution has it.
pub fn words(p: &ConvolutionProblem<'_>) -> String {
    let forward = p.forward();
    let skip = usize::from(p.dimensions == 2);
    let by = |extent: &[u32; 3]| {
        extent.get(skip..).unwrap_or_default().iter().map(u32::to_string).collect::<Vec<_>>().join("×")
    };
    let short = |extent: &[u32; 3]| {
        let [.., last] = extent;
        let same = extent.get(skip..).unwrap_or_default().iter().all(|step| step == last);
        if same { last.to_string() } else { by(extent) }
    };
    let direction = match p.direction {
        Direction::Forward => "forward",
        Direction::BackwardData => "backward data",
        Direction::BackwardWeights => "backward weights",
    };
    let groups = if p.groups == 1 { String::new() } else { format!(", {} groups", p.groups) };
    let dilation = if p.dilation.get(skip..).is_some_and(|d| d.iter().all(|d| *d == 1)) {
        String::new()
    } else {
        format!(" l{}", short(&p.dilation))
    };
    format!(
        "{direction} {} {}  N{} C{} {} K{} {} s{} p{}{dilation}{groups}",
        p.data_type,
        p.layouts.first().unwrap_or(&""),
        p.batch,
        forward.channels,
        by(&forward.input),
        forward.filters,
        by(&p.filter),
        short(&p.stride),
        short(&p.pad),
    )
}

fn pick(c: &Convolution<'_>) -> Option<ConvPick> {
    let taken = c.selection.recorded.get(c.selection.pick?)?;
    let (origin, record) = c.selection.record?;
    let file = match origin {
        Origin::User => c.user.clone().unwrap_or_default(),
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
        parameters: c.parameters.as_ref().map(|(parameters, _)| parameters.clone()),
        parameters_from: c.parameters.as_ref().map(|(_, file)| file.clone()),
    })
}

fn find_db_file(c: &Convolution<'_>) -> Option<String> {
    let choice = c.folder?.choose(c.device, DatabaseKind::FindDbHip);
    Some(choice.read()?.file.clone())
}

fn databases(c: &Convolution<'_>) -> Vec<ConvDatabase> {
    let kinds = [
        (DatabaseKind::FindDbHip, "find-db"),
        (DatabaseKind::PerfDbText, "perf-db (text)"),
        (DatabaseKind::PerfDbSqlite, "perf-db (SQLite)"),
        (DatabaseKind::KernelDb, "kernel database"),
    ];
    let of_kind = |(kind, name): (DatabaseKind, &str)| {
        let choice = c.folder.map_or(Choice::Nothing, |folder| folder.choose(c.device, kind));
        let state = match choice {
            Choice::Exact(_) => "exact",
            Choice::Nearest(_) => "nearest",
            Choice::OfProcessor(_) => "of the processor",
            Choice::Unreachable(_) => "unreachable",
            Choice::Pointer(_) => "LFS pointer",
            Choice::Nothing => "none",
        };
        ConvDatabase {
            kind: name.to_owned(),
            state: state.to_owned(),
            file: choice.file().map(|file| file.file.clone()),
            wanted: format!("{}{}", c.device.base_name(), kind.ending()),
        }
    };
    let user = c.user.iter().map(|file| ConvDatabase {
        kind: "user find-db".to_owned(),
        state: "exact".to_owned(),
        file: Some(file.clone()),
        wanted: file.clone(),
    });
    kinds.into_iter().map(of_kind).chain(user).collect()
}

fn recorded(r: &Recorded<'_, '_>) -> ConvRecorded {
    let (verdict, because) = match &r.verdict {
        Verdict::Taken => ("taken", None),
        Verdict::TakenUnmeasured => {
            ("taken", Some("its time is 0, which was not measured and sorts first".to_owned()))
        }
        Verdict::Slower => ("slower", None),
        Verdict::Refused(rejection) => ("skipped", Some(why(rejection))),
        Verdict::Unknown(Some(other)) => ("skipped", Some(other.because.clone())),
        Verdict::Unknown(None) => {
            ("skipped", Some("MIOpen's registry has no solver of this name".to_owned()))
        }
        Verdict::Off(switch) => ("skipped", Some(format!("its algorithm is turned off by {switch}"))),
        Verdict::Workspace => ("skipped", Some("it needs more workspace than there is".to_owned())),
    };
    ConvRecorded {
        solver: r.item.solver.to_owned(),
        algorithm: r.item.algorithm.name().to_owned(),
        time_ms: r.item.time_ms,
        workspace: r.item.workspace,
        verdict: verdict.to_owned(),
        because,
    }
}

fn why(rejection: &Rejection<'_>) -> String {
    let detail = if rejection.detail.is_empty() { String::new() } else { format!(" ({})", rejection.detail) };
    format!("{}{detail}", rejection.clause.because)
}

fn candidates(s: &Selection<'_, '_>) -> Vec<ConvCandidate> {
    let measured: Vec<u16> = s.candidates.measured().map(|solver| solver.id).collect();
    let candidate = |solver: &&Solver| ConvCandidate {
        id: solver.id,
        solver: solver.name.clone(),
        algorithm: solver.algorithm.name().to_owned(),
        dynamic: solver.dynamic,
        measured: measured.contains(&solver.id),
        superset: match &solver.fidelity {
            Fidelity::Exact => None,
            Fidelity::Superset(what) => Some(what.clone()),
        },
    };
    s.candidates.applicable.iter().map(candidate).collect()
}

fn rejected(rejection: &Rejection<'_>) -> ConvRejected {
    ConvRejected {
        id: rejection.solver.id,
        solver: rejection.solver.name.clone(),
        algorithm: rejection.solver.algorithm.name().to_owned(),
        clause: rejection.clause.id.clone(),
        because: why(rejection),
        source: rejection.clause.source.to_string(),
    }
}

fn say(about: &str, text: String, evidence: Evidence, warning: bool) -> Statement {
    Statement { about: about.to_owned(), text, evidence, warning }
}

/// Build, selection, fallback, ship.
fn layers(c: &Convolution<'_>, pick: Option<&ConvPick>) -> Vec<Statement> {
    let s = c.selection;
    let count = s.candidates.applicable.len();
    let all = count + s.candidates.rejected.len();
    let build = match &c.library {
        Some((file, true)) => {
            let solver = pick.map_or("", |p| p.solver.as_str());
            say("build", format!("{file} has the check of {solver}"), Evidence::Observed, false)
        }
        Some((file, false)) => {
            let solver = pick.map_or("", |p| p.solver.as_str());
            say(
                "build",
                format!("{file} has no check of {solver}: this build lacks it"),
                Evidence::Observed,
                true,
            )
        }
        None => say(
            "build",
            "no libMIOpen was found here, so a complete build is assumed but for --without".to_owned(),
            Evidence::Inferred,
            false,
        ),
    };
    let selection = match (pick, &s.record) {
        (Some(p), _) => say(
            "selection",
            format!(
                "line {} of {} records the problem, and {} is its fastest solver that can be taken",
                p.line, p.file, p.solver
            ),
            Evidence::Observed,
            false,
        ),
        (None, Some((_, record))) => say(
            "selection",
            format!(
                "line {} records the problem, and none of its solvers can be taken: MIOpen measures",
                record.line
            ),
            Evidence::Observed,
            true,
        ),
        (None, None) => say(
            "selection",
            "no find-db that MIOpen opens records the problem: it measures the candidates".to_owned(),
            if c.folder.is_some() { Evidence::Observed } else { Evidence::Inferred },
            false,
        ),
    };
    let mut names: Vec<&str> = s.candidates.measured().map(|s| s.name.as_str()).collect();
    names.retain(|name| pick.is_none_or(|p| p.solver != *name));
    let fallback = if names.is_empty() {
        say("fallback", "no other solver would be measured".to_owned(), Evidence::Code, true)
    } else {
        let text = format!("{count} of {all} solvers take the problem; a find measures {}", names.join(", "));
        say("fallback", text, Evidence::Code, false)
    };
    let kernels = databases(c).into_iter().find(|d| d.kind == "kernel database");
    let ship = match kernels {
        Some(ConvDatabase { state, file: Some(file), .. }) if state == "exact" || state == "of the processor" => {
            say("ship", format!("{file} is there with kernels that need no compilation"), Evidence::Observed, false)
        }
        _ => say(
            "ship",
            "no kernel database for the device: kernels of Direct, Winograd and ImplicitGEMM solvers are compiled when first used"
                .to_owned(),
            Evidence::Observed,
            false,
        ),
    };
    vec![build, selection, fallback, ship]
}

fn statements(c: &Convolution<'_>) -> Vec<Statement> {
    let s = c.selection;
    let mut all = Vec::new();
    if c.folder.is_none() {
        let text =
            "no MIOpen database was found; name the install, or the folder share/miopen/db, with --root";
        all.push(say("databases", text.to_owned(), Evidence::Observed, true));
    }
    for database in databases(c).iter().filter(|d| d.state == "unreachable") {
        let text = format!(
            "{} is the {} of the nearest number of compute units, and MIOpen means to take it and cannot: it compares the \
             extension of a path, which is .txt, with the whole ending",
            database.file.as_deref().unwrap_or_default(),
            database.kind
        );
        all.push(say("nearest", text, Evidence::Code, true));
    }
    if let Some(mirrored) = s.mirrored {
        let text = format!(
            "line {} records the problem with height and width exchanged. In a file whose two were swapped when it was written, \
             that record was measured for this problem, and this one's record for the other: `rocm-audit miopen` tells",
            mirrored.line
        );
        all.push(say("swapped", text, Evidence::Observed, true));
    }
    if let Some(Err(why)) = &c.gemm {
        all.push(say("rocBLAS", why.clone(), Evidence::Observed, true));
    }
    if s.candidates.only_winograd {
        let text = "ConvBinWinograd3x3U takes the problem and the output channels are even and at least 16: a find searches Winograd alone";
        all.push(say("search", text.to_owned(), Evidence::Code, false));
    }
    if !s.is_hit() && !s.estimates.is_empty() {
        let text = "FAST and immediate mode take the first by these estimates instead of measuring; TunaNet, where it is \
                    built in and has a model for the problem, comes before them and is not computed here";
        all.push(say("estimates", text.to_owned(), Evidence::Code, false));
    }
    let known = "rules of applicability are read in MIOpen 3.3.0, each with its place; later releases drop and add solvers. \
                 Predicted, not observed on a GPU";
    all.push(say("known", known.to_owned(), Evidence::Code, false));
    all
}
