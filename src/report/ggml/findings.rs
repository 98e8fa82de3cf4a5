//! What an answer about llama.cpp's routes should make its reader careful about.

use crate::answers::RouteAnswer;
use crate::engines::ggml::Route;
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};
use crate::report::v1::{KernelPresence, RouteColumn, RouteKernel, RouteLibrary, RouteReport, RouteRow};
use std::collections::BTreeSet;

/// The findings of a route, the worst first.
pub(super) fn of_route(report: &RouteReport, found: &RouteAnswer) -> Vec<Finding> {
    let answer = &found.answer;
    let about = |rule: &'static Rule, detail: String| about(rule, &report.target, &report.library, detail);
    let mut all = Vec::new();
    match (found.has_code, found.has_names) {
        (false, _) => all.push(without_code(&report.target, &report.library)),
        (true, false) => all.push(about(&rules::SYMBOLS_STRIPPED, String::new())),
        (true, true) => {}
    }
    if !report.library.not_examined.is_empty() {
        all.push(about(&rules::CONTENT_NOT_EXAMINED, report.library.not_examined.join(", ")));
    }
    all.extend(report.kernel.iter().filter_map(|kernel| {
        let (rule, detail) = of_kernel(kernel)?;
        Some(about(rule, detail))
    }));
    if answer.route == Route::Unsupported {
        all.push(about(&rules::OPERATION_REFUSED, String::new()));
    }
    if answer.sliced {
        let text = "the route is that of an expert that gets all tokens";
        all.push(about(&rules::EXPERTS_BY_HOST, text.to_owned()));
    }
    if report.rule.as_ref().is_some_and(|rule| !rule.is_documented) {
        let text = format!("carried over to ggml {}", report.library.rules);
        all.push(about(&rules::RULE_CARRIED_OVER, text));
    }
    all.extend(of_version(&report.library));
    finding::sort(&mut all);
    all
}

/// The findings of a table of routes, the worst first.
pub(super) fn of_table(columns: &[RouteColumn], rows: &[RouteRow]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let cells = rows.iter().filter_map(|row| row.cells.get(number));
        let carried = cells.filter(|cell| cell.carried_over).filter_map(|cell| cell.rule.as_deref());
        let carried: BTreeSet<&str> = carried.collect();
        if !carried.is_empty() {
            let names = carried.into_iter().collect::<Vec<_>>().join(", ");
            let text = format!("carried over to ggml {}: {names}", column.library.rules);
            all.push(about(&rules::RULE_CARRIED_OVER, &column.target, &column.library, text));
        }
    }
    for column in columns {
        if !column.library.targets.iter().any(|target| target.starts_with(&column.target)) {
            all.push(without_code(&column.target, &column.library));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for column in columns {
        if !seen.contains(&column.library.path.as_str()) {
            seen.push(&column.library.path);
            all.extend(of_version(&column.library));
        }
    }
    finding::sort(&mut all);
    all
}

fn about(rule: &'static Rule, target: &str, library: &RouteLibrary, detail: String) -> Finding {
    let finding = Finding::at(rule, Location::file(&library.path, ""));
    Finding { detail, target: Some(target.to_owned()), ..finding }
}

fn without_code(target: &str, library: &RouteLibrary) -> Finding {
    let has = format!("it has code for {}", library.targets.join(", "));
    about(&rules::TARGET_WITHOUT_CODE, target, library, has)
}

fn of_kernel(kernel: &RouteKernel) -> Option<(&'static Rule, String)> {
    let spills = kernel.vgpr_spills.unwrap_or(0);
    match kernel.presence {
        KernelPresence::TrapStub => Some((
            &rules::TRAP_STUB,
            "registers and scratch are those of the function that reports NO_DEVICE_CODE".to_owned(),
        )),
        KernelPresence::Absent => Some((&rules::KERNEL_ABSENT, String::new())),
        KernelPresence::Real if spills > 0 => Some((&rules::REGISTER_SPILLS, format!("{spills} registers"))),
        _ => None,
    }
}

fn of_version(library: &RouteLibrary) -> Option<Finding> {
    let known = library.version.split(' ').any(|word| word == library.rules);
    let rules_of = format!("{} is answered with the rules of {}", library.version, library.rules);
    (!known).then(|| Finding {
        detail: rules_of,
        ..Finding::at(&rules::RULES_OF_NEAREST_VERSION, Location::file(&library.path, ""))
    })
}
