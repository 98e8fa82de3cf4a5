//! Warnings about an answer from MIOpen.

use crate::answers::ConvolutionAnswer;
use crate::engines::miopen::folder::{Choice, DatabaseKind};
use crate::engines::miopen::solver::tuning;
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};

/// The kinds of databases that a device looks for, and what reports call them.
const DATABASES: [(DatabaseKind, &str); 4] = [
    (DatabaseKind::FindDbHip, "find-db"),
    (DatabaseKind::PerfDbText, "perf-db (text)"),
    (DatabaseKind::PerfDbSqlite, "perf-db (SQLite)"),
    (DatabaseKind::KernelDb, "kernel database"),
];

/// The findings for an answer from MIOpen, worst first.
pub fn of_convolution(c: &ConvolutionAnswer<'_>) -> Vec<Finding> {
    let taken = c.selection.pick.and_then(|at| c.selection.recorded.get(at)).map(|taken| taken.item.solver);
    let mut all = Vec::new();
    let mut add = |rule: &'static Rule, at: Option<Location>, detail: String| {
        let target = Some(c.question.device.target.to_string());
        all.push(Finding { target, detail, locations: at.into_iter().collect(), ..Finding::new(rule) });
    };
    if let Some((file, Some(false))) = &c.library {
        add(
            &rules::SOLVER_CHECK_MISSING,
            Some(Location::file(file, "")),
            taken.unwrap_or_default().to_owned(),
        );
    }
    if let (None, Some((_, record))) = (taken, &c.selection.record) {
        add(&rules::RECORD_WITHOUT_SOLVER, None, format!("line {} records the problem", record.line));
    }
    if let Some(crash) = c.selection.candidates.crash() {
        let detail = format!("a find asks {}: {}", crash.solver.name, crash.because);
        add(&rules::CONVOLUTION_CRASHES, None, detail);
    }
    if let Some(algorithm) = c.selection.candidates.ended_finder {
        let files = tuning::files_of(&c.question.device.target.processor).unwrap_or_default();
        let detail = format!("no {} solver is searched; looked for: {}", algorithm.name(), files.join(", "));
        add(&rules::TUNING_MODEL_MISSING, None, detail);
    }
    if let Some(fusion) = c.selection.recorded_fusion() {
        let detail =
            format!("the record names {fusion}, a fusion, and the immediate mode asks for all of it");
        add(&rules::CONVOLUTION_CRASHES, None, detail);
    }
    if let Some(why) = c.selection.why_model_fails() {
        add(&rules::IMMEDIATE_MODE_FAILS, None, why.to_owned());
    }
    for variable in &c.not_modelled {
        add(&rules::VARIABLE_NOT_MODELLED, None, format!("{}: {}", variable.name, variable.because));
    }
    if !c.rules.is_exact() {
        let detail = format!("the rules of MIOpen {} answer for {}", c.rules.read, c.rules.asked);
        add(&rules::RULES_OF_NEAREST_VERSION, None, detail);
    }
    if c.databases.is_none() {
        add(&rules::NO_DATABASE, None, String::new());
    }
    for (kind, called) in DATABASES {
        let choice = c.databases.as_ref().map(|folder| folder.choose(&c.question.device, kind));
        if let Some(Choice::Unreachable(database)) = choice {
            let file = Location::file(&database.file, called);
            add(&rules::NEAREST_DATABASE_UNREACHABLE, Some(file), String::new());
        }
    }
    if let Some(mirrored) = c.selection.mirrored {
        add(&rules::MIRRORED_RECORD, None, format!("line {}", mirrored.line));
    }
    if let Some(Err(why)) = &c.gemm {
        add(&rules::GEMM_NOT_ANSWERED, None, why.to_string());
    }
    let candidates = &c.selection.candidates;
    if taken.is_some_and(|taken| !candidates.measured().any(|solver| taken != solver.name)) {
        add(&rules::NO_FALLBACK_SOLVER, None, String::new());
    }
    finding::sort(&mut all);
    all
}
