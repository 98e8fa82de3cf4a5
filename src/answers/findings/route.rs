//! Warnings about an answer on llama.cpp's routes.

use crate::answers::{GgmlLibrary, RouteAnswer, TableColumn};
use crate::engines::ggml::Route;
use crate::engines::ggml::presence::Presence;
use crate::engines::ggml::presence_table::RouteRow;
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::answer as rules;
use crate::finding::{self, Finding};
use crate::target::TargetId;
use std::collections::BTreeSet;

/// The findings for a route, worst first.
pub fn of_route(found: &RouteAnswer) -> Vec<Finding> {
    let (answer, library, target) = (&found.answer, &found.library, &found.question.target);
    let about = |rule: &'static Rule, detail: String| about(rule, target, library, detail);
    let mut all = Vec::new();
    match (found.has_code, found.has_names) {
        (false, _) if library.is_whole => all.push(without_code(target, library)),
        // The kernel may be in a part that was not read.
        (false, _) => {}
        (true, false) => all.push(about(&rules::SYMBOLS_STRIPPED, String::new())),
        (true, true) => {}
    }
    if !library.not_examined.is_empty() {
        all.push(about(&rules::CONTENT_NOT_EXAMINED, library.not_examined.join(", ")));
    }
    all.extend(found.presence.as_ref().and_then(of_kernel).map(|(rule, detail)| about(rule, detail)));
    if answer.route == Route::Unsupported {
        all.push(about(&rules::OPERATION_REFUSED, String::new()));
    }
    if answer.sliced {
        let text = "the route is that of an expert that gets all tokens";
        all.push(about(&rules::EXPERTS_BY_HOST, text.to_owned()));
    }
    if answer.rule.is_some_and(|rule| !rule.is_documented_for(answer.version)) {
        all.push(about(&rules::RULE_CARRIED_OVER, format!("carried over to ggml {}", library.rules)));
    }
    all.extend(of_version(library));
    finding::sort(&mut all);
    all
}

/// The findings for a table of routes, worst first.
pub fn of_routes(columns: &[TableColumn<'_>], rows: &[RouteRow]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let cells = rows.iter().filter_map(|row| row.cells.get(number));
        let carried = cells.filter(|cell| cell.carried_over).filter_map(|cell| cell.rule.as_deref());
        let carried: BTreeSet<&str> = carried.collect();
        if !carried.is_empty() {
            let names = carried.into_iter().collect::<Vec<_>>().join(", ");
            let text = format!("carried over to ggml {}: {names}", column.known.rules);
            all.push(about(&rules::RULE_CARRIED_OVER, column.target, &column.known, text));
        }
    }
    for column in columns {
        let target = column.target.to_string();
        if column.known.is_whole
            && !column.known.targets.iter().any(|own| own.to_string().starts_with(&target))
        {
            all.push(without_code(column.target, &column.known));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for column in columns {
        if !seen.contains(&column.known.path.as_str()) {
            seen.push(&column.known.path);
            all.extend(of_version(&column.known));
        }
    }
    finding::sort(&mut all);
    all
}

fn about(rule: &'static Rule, target: &TargetId, library: &GgmlLibrary, detail: String) -> Finding {
    let finding = Finding::at(rule, Location::file(&library.path, ""));
    Finding { detail, target: Some(target.to_string()), ..finding }
}

fn without_code(target: &TargetId, library: &GgmlLibrary) -> Finding {
    let targets: Vec<String> = library.targets.iter().map(ToString::to_string).collect();
    let has = format!("it has code for {}", targets.join(", "));
    about(&rules::TARGET_WITHOUT_CODE, target, library, has)
}

fn of_kernel(presence: &Presence) -> Option<(&'static Rule, String)> {
    match presence {
        Presence::Stub(_) => Some((
            &rules::TRAP_STUB,
            "registers and scratch are those of the function that reports NO_DEVICE_CODE".to_owned(),
        )),
        Presence::Absent => Some((&rules::KERNEL_ABSENT, String::new())),
        Presence::Real(found) => {
            let spills = found.resources.map_or(0, |resources| resources.vgpr_spills);
            (spills > 0).then(|| (&rules::REGISTER_SPILLS, format!("{spills} registers")))
        }
        Presence::NoTarget | Presence::Unknown => None,
    }
}

/// Says that the rules of another version gave the answer.
fn of_version(library: &GgmlLibrary) -> Option<Finding> {
    let version = library.stated_version();
    let rules = library.rules.to_string();
    let is_known = version.split(' ').any(|word| word == rules);
    (!is_known).then(|| Finding {
        detail: format!("{version} is answered with the rules of {rules}"),
        ..Finding::at(&rules::RULES_OF_NEAREST_VERSION, Location::file(&library.path, ""))
    })
}
