//! Makes the report of `survey`.

use super::v1::{
    self, Answer, Consequence, Evidence, GemmServed, Layer, SurveyConvolution, SurveyEvent, SurveyFamily,
    SurveyGemm, SurveyGgml, SurveyLayer, SurveyNumber, SurveyRefusal, SurveyReport, SurveyRoute,
    SurveyRouteHere, SurveySide,
};
use super::{audit, findings, verdict};
use crate::answers::Answers;
use crate::answers::reference::{self, GgmlHere, ReferenceGemm, RouteHere, SolverFamily};
use crate::capability::Capability;
use crate::capability::gemm;
use crate::capability::headline::deciding;
use crate::capability::layers::Target;
use crate::capability::verdict::{Answer as Runs, Verdict};
use crate::engines::history::{self, Event};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::solver::release::Answering;
use crate::engines::tensile::coverage::GemmService;
use crate::engines::tensile::library::INTERNAL_ERROR;
use crate::error::AuditError;
use crate::finding::amount::plural;
use crate::inventory::Inventory;
use crate::scan::library_names::{self, Role};
use crate::target::GfxVersion;
use std::collections::BTreeSet;

/// A device to survey.
#[derive(Debug, Clone)]
pub struct Surveyed {
    /// Its target and multiprocessors.
    pub device: Device,
    /// Whether the number of multiprocessors is assumed.
    pub is_assumed: bool,
}

/// Asks the libraries of a tree about devices. `found` was asked for the targets of `devices`.
///
/// # Errors
/// If the crate's own rules are wrong or a database cannot be opened.
pub fn survey(
    inventory: &Inventory,
    found: &Capability<'_>,
    stack: &Answers,
    ggml: Option<&GgmlHere>,
    devices: &[Surveyed],
) -> Result<SurveyReport, AuditError> {
    let here = libraries_here(inventory);
    let mut sides = Vec::new();
    for surveyed in devices {
        let processor = &surveyed.device.target.processor;
        let target = found.targets.iter().find(|target| target.processor == *processor);
        let verdict = found.verdicts.iter().find(|verdict| verdict.processor == *processor);
        if let (Some(target), Some(verdict)) = (target, verdict) {
            let falls = fallback_types(found, processor);
            sides.push(side(surveyed, (target, verdict, &falls), &here, stack, ggml)?);
        }
    }
    let mut not_shown = audit::not_shown(false);
    not_shown.push(
        "Why something was built, kept or removed: commits say what was done and when, not what was meant."
            .to_owned(),
    );
    not_shown.push("How fast any of it is.".to_owned());
    Ok(SurveyReport {
        header: v1::Header::from_document(v1::document::SURVEY),
        claim: None,
        roots: inventory.roots.clone(),
        sides,
        not_shown,
        complete: found.complete,
        findings: findings::rows(&found.findings),
    })
}

fn side(
    surveyed: &Surveyed,
    (target, found, falls): (&Target, &Verdict<'_>, &[&str]),
    here: &BTreeSet<&str>,
    stack: &Answers,
    ggml: Option<&GgmlHere>,
) -> Result<SurveySide, AuditError> {
    let device = &surveyed.device;
    let gemms = stack.reference_gemms(device);
    let convolutions = stack.reference_convolutions(device)?;
    // Facts from a library's source apply only to a tree that has the library.
    let has_miopen = here.contains("MIOpen") || !convolutions.is_empty();
    let families = if has_miopen { stack.solver_families(device)? } else { Vec::new() };
    let rules = if has_miopen { Some(stack.convolution_rules(device)?) } else { None };
    let routes = if ggml.is_some() { reference::reference_routes(device, ggml)? } else { Vec::new() };
    let is_here = |event: &&Event| concerns(event.library, here, has_miopen);
    let history: Vec<&Event> =
        history::processor_events(&target.processor).into_iter().filter(is_here).collect();
    let verdict = verdict::verdict(found);
    Ok(SurveySide {
        processor: target.processor.clone(),
        products: verdict.products.clone(),
        multiprocessors: device.compute_units,
        multiprocessors_are_pairs: GfxVersion::from_name(&target.processor)
            .is_some_and(GfxVersion::counts_work_group_processors),
        multiprocessors_assumed: surveyed.is_assumed,
        answer: verdict.answer,
        headline: verdict.headline.clone(),
        layers: layers(target, found, falls, &families, rules.as_ref()),
        blocked: blocked(found),
        gemms: gemms.iter().map(gemm).collect(),
        convolutions: convolutions
            .into_iter()
            .map(|row| SurveyConvolution {
                means: row.means.to_owned(),
                problem: row.notation.to_owned(),
                picked: row.picked,
                measured: row.measured.into_iter().map(str::to_owned).collect(),
            })
            .collect(),
        families: families.iter().map(family).collect(),
        routes: routes
            .iter()
            .map(|row| SurveyRoute {
                ty: row.ty.to_owned(),
                prefill: route(&row.prefill),
                decode: route(&row.decode),
            })
            .collect(),
        ggml: SurveyGgml { version: ggml.map(|here| here.version().to_string()), is_here: ggml.is_some() },
        since: since(&history, here),
        history: history
            .into_iter()
            .map(|event| SurveyEvent {
                date: event.date.to_owned(),
                library: event.library.to_owned(),
                is_first: event.is_first,
                commit: format!("{} {}", event.repository, event.commit),
                place: event.place.to_owned(),
                subject: event.subject.to_owned(),
            })
            .collect(),
    })
}

/// The libraries of a tree, with or without device code.
fn libraries_here(inventory: &Inventory) -> BTreeSet<&str> {
    let with_code = inventory.artifacts.iter().map(|artifact| artifact.library.as_str());
    let without = inventory.libraries_without_code.iter().map(|(library, _)| library.as_str());
    let linked = inventory.linkage.iter().filter_map(|one| library_names::of_shared_library(&one.shown));
    with_code.chain(without).chain(linked).collect()
}

/// The projects in the histories, with the libraries they belong to. MIOpen is built with Composable Kernel.
const PROJECTS: [(&str, &[&str]); 6] = [
    ("MIOpen", &["MIOpen"]),
    ("MIOpen databases", &["MIOpen"]),
    ("Composable Kernel", &["Composable Kernel", "MIOpen"]),
    ("Tensile", &["rocBLAS", "hipBLASLt", "hipSPARSELt"]),
    ("ROCr", &["HSA runtime"]),
    ("ggml", &["ggml"]),
];

/// Whether a project's events concern the libraries here. Events of no library, such as ROCm's notes, concern
/// ROCm's own libraries.
fn concerns(project: &str, here: &BTreeSet<&str>, has_miopen: bool) -> bool {
    let has = |library: &str| here.contains(library) || library == "MIOpen" && has_miopen;
    match PROJECTS.iter().find(|(name, _)| *name == project) {
        Some((_, libraries)) => libraries.iter().any(|library| has(library)),
        None => library_names::OF_ROCM.iter().any(|library| has(library)),
    }
}

/// Since when a processor is refused, from commits that say they remove it or a feature for it. Those about a library
/// that is not here concern another tree.
fn since(events: &[&Event], here: &BTreeSet<&str>) -> Option<String> {
    let is_about = |event: &Event| {
        let subject = event.subject.to_ascii_lowercase();
        let named = |library: &&&str| subject.contains(&library.to_ascii_lowercase());
        let mut libraries = library_names::OF_ROCM.iter().filter(named).peekable();
        libraries.peek().is_none() || libraries.any(|library| here.contains(library))
    };
    let out: Vec<String> = events
        .iter()
        .filter(|event| event.takes_out() && is_about(event))
        .map(|event| format!("{} by {}: {}", event.date, event.library, event.subject))
        .collect();
    (!out.is_empty()).then(|| out.join("; "))
}

fn layers(
    target: &Target,
    found: &Verdict<'_>,
    falls: &[&str],
    families: &[SolverFamily],
    rules: Option<&Answering>,
) -> Vec<SurveyLayer> {
    let libraries = |answer: Runs| -> Vec<&str> {
        let libraries = deciding(&found.libraries).into_iter().filter(|library| library.answer == answer);
        libraries.map(|library| library.library).collect()
    };
    vec![
        build_layer(target, &libraries),
        selection_layer(target, families, rules),
        fallback_layer(target, falls, &libraries(Runs::Not)),
        ship_layer(target),
    ]
}

fn number(what: &str, number: u64) -> SurveyNumber {
    SurveyNumber { what: what.to_owned(), number }
}

fn build_layer<'l>(target: &Target, libraries: &dyn Fn(Runs) -> Vec<&'l str>) -> SurveyLayer {
    let told = [
        (Runs::Runs, "have code for it"),
        (Runs::Limits, "in part"),
        (Runs::Compiles, "compile their kernels at run time"),
        (Runs::Unknown, "not known"),
        (Runs::Not, "nothing"),
    ];
    let parts = told.into_iter().filter_map(|(answer, what)| {
        let names = libraries(answer);
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    });
    let parts: Vec<String> = parts.collect();
    let lacks = |answer| libraries(answer).is_empty();
    let code = &target.build.code;
    SurveyLayer {
        layer: Layer::Build,
        answer: match code.runnable() > 0 {
            _ if !lacks(Runs::Unknown) => Answer::Unknown,
            true if lacks(Runs::Not) && lacks(Runs::Limits) => Answer::Runs,
            true => Answer::Limits,
            false if lacks(Runs::Not) && !lacks(Runs::Compiles) => Answer::Compiles,
            false => Answer::Not,
        },
        conclusion: match parts.is_empty() {
            true => "no library with GPU code is here".to_owned(),
            false => parts.join("; "),
        },
        evidence: Evidence::Observed,
        numbers: vec![number("code objects", code.objects), number("kernels that run", code.runnable())],
    }
}

fn selection_layer(target: &Target, families: &[SolverFamily], rules: Option<&Answering>) -> SurveyLayer {
    let lines = target.selection.find_db_lines + target.selection.perf_db_lines;
    let admitted: u64 = families.iter().map(|family| family.admitted.len() as u64).sum();
    let all: u64 = families.iter().map(|family| (family.admitted.len() + family.refused.len()) as u64).sum();
    let mut conclusion = format!(
        "{} and {} name it [observed]",
        plural(target.selection.catalogs, "catalog", "catalogs"),
        plural(lines, "database line", "database lines"),
    );
    let mut numbers = vec![number("catalogs", target.selection.catalogs), number("database lines", lines)];
    if let Some(rules) = rules.filter(|_| all > 0) {
        let whose = match rules.is_exact() {
            true => format!("the rules of MIOpen {}", rules.asked),
            false => format!("the rules of MIOpen {}, read for {}", rules.read, rules.asked),
        };
        conclusion.push_str(&format!(
            "; {whose} admit {admitted} of {all} solvers on it, whatever the shape [code]"
        ));
        numbers.push(number("solvers admitted", admitted));
    }
    SurveyLayer {
        layer: Layer::Selection,
        answer: if target.selection.catalogs + lines > 0 { Answer::Runs } else { Answer::Not },
        conclusion,
        evidence: Evidence::Observed,
        numbers,
    }
}

/// The types of matrix products that library folders serve by fallback kernels alone, by the names that catalogs
/// and the audit have for them.
fn fallback_types<'f>(found: &'f Capability<'_>, processor: &str) -> Vec<&'f str> {
    let rows = found.gemm.iter().filter(|row| row.processor == processor);
    let falls =
        |row: &gemm::TypeRow<'_>| row.count(GemmService::Fallback) > 0 && row.count(GemmService::Tuned) == 0;
    let names: BTreeSet<&str> =
        rows.flat_map(|row| gemm::types(&row.coverage)).filter(falls).map(|row| row.name).collect();
    names.into_iter().collect()
}

/// `falls` are the types that fallback kernels alone serve, `without` the libraries that do not run.
fn fallback_layer(target: &Target, falls: &[&str], without: &[&str]) -> SurveyLayer {
    let objects = target.fallback.code_objects;
    let generic: Vec<&str> = target.fallback.generic_targets.iter().copied().collect();
    let mut counted = plural(objects, "fallback code object", "fallback code objects");
    if !falls.is_empty() {
        let serve = if objects == 1 { "serves" } else { "serve" };
        counted.push_str(&format!(", which alone {serve} {} [observed]", falls.join(" ")));
    }
    let mut clauses = vec![counted];
    if !generic.is_empty() {
        clauses.push(format!("generic code: {}", generic.join(", ")));
    }
    if without.contains(&"hipBLASLt") && !without.contains(&"rocBLAS") {
        clauses.push("hipBLASLt has nothing, and its callers go on with rocBLAS [code]".to_owned());
    }
    SurveyLayer {
        layer: Layer::Fallback,
        answer: if objects > 0 || !generic.is_empty() { Answer::Runs } else { Answer::Not },
        conclusion: clauses.join("; "),
        evidence: Evidence::Observed,
        numbers: vec![number("fallback code objects", objects)],
    }
}

fn ship_layer(target: &Target) -> SurveyLayer {
    SurveyLayer {
        layer: Layer::Ship,
        answer: if target.ship.files > 0 { Answer::Runs } else { Answer::Not },
        conclusion: format!(
            "{} its name or code for it, {} of firmware",
            plural(target.ship.files, "file carries", "files carry"),
            plural(target.ship.firmware_files, "file", "files"),
        ),
        evidence: Evidence::Observed,
        numbers: vec![
            number("files", target.ship.files),
            number("firmware files", target.ship.firmware_files),
        ],
    }
}

/// Libraries that do not run and so block the use.
fn blocked(found: &Verdict<'_>) -> Vec<Consequence> {
    let libraries = deciding(&found.libraries).into_iter();
    let not = libraries.filter(|library| library.answer == Runs::Not && library.role != Role::Optional);
    let both = |library: &crate::capability::verdict::LibraryVerdict<'_>| {
        let text = format!("{}: {}", library.library, library.reason);
        let seen = Consequence { text, evidence: library.evidence };
        // What follows from it, sources say.
        let then = library.then.map(|then| Consequence { text: then.to_string(), evidence: Evidence::Code });
        [Some(seen), then].into_iter().flatten()
    };
    not.flat_map(both).collect()
}

fn served(row: &ReferenceGemm) -> GemmServed {
    match &row.answer {
        Ok(answer) if answer.solution.is_none() => GemmServed::None,
        Ok(answer) if answer.status == INTERNAL_ERROR => GemmServed::Fails,
        Ok(answer) if answer.fallback => GemmServed::Fallback,
        Ok(_) => GemmServed::Tuned,
        Err(_) => GemmServed::Unknown,
    }
}

fn gemm(row: &ReferenceGemm) -> SurveyGemm {
    let found = row.answer.as_ref().ok();
    SurveyGemm {
        ty: row.ty.to_owned(),
        means: row.means.to_owned(),
        served: served(row),
        kernel: found.and_then(|answer| answer.kernel.clone()),
        code_object: found.and_then(|answer| match answer.status {
            INTERNAL_ERROR => None,
            _ => answer.loaded_from.clone().or_else(|| answer.code_object.clone()),
        }),
        why: match &row.answer {
            Ok(answer) if answer.status == INTERNAL_ERROR => {
                answer.code_object.as_ref().map(|file| format!("{file} is not here, or lacks the kernel"))
            }
            Ok(_) => None,
            Err(why) => Some(why.to_string()),
        },
    }
}

fn family(row: &SolverFamily) -> SurveyFamily {
    SurveyFamily {
        name: row.name.to_owned(),
        admitted: row.admitted.iter().map(|solver| solver.name.to_owned()).collect(),
        refused: row
            .refused
            .iter()
            .map(|refused| SurveyRefusal {
                solver: refused.solver.name.to_owned(),
                because: refused.clause.because.clone().into_owned(),
                source: refused.clause.source.to_string(),
            })
            .collect(),
    }
}

fn route(row: &RouteHere) -> SurveyRouteHere {
    SurveyRouteHere {
        route: row.route.name().to_owned(),
        presence: row.presence.as_ref().map(|presence| presence.name().to_owned()),
    }
}
