//! Makes the report of `check`.

use super::baseline::Baseline;
use super::manifest_check;
use super::size_budget::SizeBudget;
use crate::capability::Capability;
use crate::capability::requirement::{Ignore, Required, Requirement, check as requirements, groups};
use crate::error::AuditError;
use crate::finding::rules::waste::SIZE_OVER_BUDGET;
use crate::inventory::{ArtifactKind, Inventory};
use crate::report::v1::Manifest;
use crate::report::{findings, v1};
use crate::scan::library_names::LIBRARIES;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Makes the report from an inventory and the requirements on it.
pub fn check(
    inventory: &Inventory,
    found: &Capability<'_>,
    required: &Required<'_>,
    baseline: Option<(&Path, &Baseline)>,
) -> v1::CheckReport {
    report(inventory, found, required, baseline, (&[], Vec::new()))
}

/// The same with manifests beside the inventory, which can be empty.
///
/// # Errors
///
/// Where a manifest does not say what is asked, such as of a target's features.
pub fn check_with_manifests(
    inventory: &Inventory,
    found: &Capability<'_>,
    required: &Required<'_>,
    baseline: Option<(&Path, &Baseline)>,
    manifests: &[(PathBuf, Manifest)],
) -> Result<v1::CheckReport, AuditError> {
    let several = inventory.roots.len() + manifests.len() > 1;
    let mut rows = Vec::new();
    for (path, manifest) in manifests {
        let shown = path.to_string_lossy();
        for found in manifest_check::rows(&shown, manifest, required)? {
            let mut own = row(&found, &Places::new(), &[shown.clone().into_owned()]);
            if several {
                own.places = vec![shown.clone().into_owned()];
                own.place = Some(shown.clone().into_owned());
            }
            rows.push(own);
        }
    }
    Ok(report(inventory, found, required, baseline, (manifests, rows)))
}

fn report(
    inventory: &Inventory,
    found: &Capability<'_>,
    required: &Required<'_>,
    baseline: Option<(&Path, &Baseline)>,
    (manifests, of_manifests): (&[(PathBuf, Manifest)], Vec<v1::Requirement>),
) -> v1::CheckReport {
    let places = places(inventory);
    let asked = |found: &Capability<'_>, required: &Required<'_>| -> Vec<v1::Requirement> {
        requirements(found, required).iter().map(|found| row(found, &places, &inventory.roots)).collect()
    };
    let groups = groups(required.targets);
    let mut rows = match groups.as_slice() {
        _ if inventory.roots.is_empty() => Vec::new(),
        [] | [_] => asked(found, required),
        groups => {
            let of_group = |(number, group): (usize, &Vec<TargetId>)| {
                let before = if number == 0 { required.before } else { &[] };
                asked(
                    &Capability::from_inventory(inventory, group),
                    &Required { targets: group, before, ..*required },
                )
            };
            groups.iter().enumerate().flat_map(of_group).collect()
        }
    };
    rows.extend(of_manifests);
    let findings = findings::of_trees(inventory, &found.findings);
    let is_ignored = |ignore: &Ignore, finding: &v1::Finding| {
        ignore.is_of_finding(&finding.id, finding.target.as_deref(), findings::path(finding))
    };
    let is_used = |ignore: &Ignore| {
        rows.iter().any(|row| !row.is_met && ignore.is_of_requirement(&row.library, &row.processor))
            || findings.iter().any(|finding| is_ignored(ignore, finding))
    };
    let unused = required.ignores.iter().filter(|ignore| !is_used(ignore));
    let counts = |finding: &&v1::Finding| {
        !required.ignores.iter().any(|ignore| is_ignored(ignore, finding))
            && !baseline.is_some_and(|(_, baseline)| baseline.had(finding))
    };
    let counted: BTreeSet<&str> = findings.iter().filter(counts).map(|finding| finding.id.as_str()).collect();
    let all: BTreeSet<&str> = findings.iter().map(|finding| finding.id.as_str()).collect();
    let named = manifests.iter().map(|(path, _)| path.to_string_lossy().into_owned());
    let roots = inventory.roots.iter().cloned().chain(named);
    let mut report = v1::CheckReport {
        header: v1::Header::from_document(v1::document::CHECK),
        roots: roots.collect(),
        inputs: Vec::new(),
        required: required.targets.iter().map(ToString::to_string).collect(),
        passed: false,
        failed_because: Vec::new(),
        complete: found.complete && manifests.iter().all(|(_, manifest)| manifest.complete),
        roots_without_code: roots_without_code(inventory),
        baseline: baseline.map(|(path, _)| path.display().to_string()),
        size_budgets: Vec::new(),
        unused_ignores: unused
            .map(|ignore| v1::UnusedIgnore { what: ignore.to_string(), reason: ignore.reason.clone() })
            .collect(),
        not_counted: all.difference(&counted).map(|id| (*id).to_owned()).collect(),
        requirements: rows,
        findings,
    };
    report.passed = report.complete && !report.is_unmet();
    report.failed_because = report.is_unmet().then(|| NOT_MET.to_owned()).into_iter().collect();
    if manifests.iter().any(|(_, manifest)| !manifest.complete) {
        report.failed_because.push(INCOMPLETE.to_owned());
    }
    report
}

/// The word for a manifest of an artifact that could not be read whole.
pub const INCOMPLETE: &str = "incomplete-manifest";

/// The word for an unmet requirement.
pub const NOT_MET: &str = "requirement-not-met";

/// Checks that each library name is known or in the trees.
///
/// # Errors
///
/// The first name that is neither, with the names in the trees.
pub fn are_known(
    inventory: &Inventory,
    manifests: &[(PathBuf, Manifest)],
    names: &[String],
) -> Result<(), AuditError> {
    let here = || {
        let of_manifests = manifests.iter().flat_map(|(_, manifest)| &manifest.libraries);
        let files = inventory.artifacts.iter().map(|artifact| artifact.library.as_str());
        files.chain(of_manifests.map(|library| library.library.as_str()))
    };
    let is_known = |name: &String| {
        let known = LIBRARIES.iter().map(|library| library.name);
        here().chain(known).any(|known| known.eq_ignore_ascii_case(name))
    };
    let Some(name) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let all: BTreeSet<&str> = here().collect();
    let all: Vec<&str> = all.into_iter().collect();
    let what =
        format!("--library {name}: no library of this name is known, or here; here are {}", all.join(", "));
    Err(AuditError::Usage(what))
}

impl v1::CheckReport {
    /// Makes the check fail for reasons other than requirements.
    pub fn fail(&mut self, because: Vec<String>) {
        self.passed &= because.is_empty();
        self.failed_because.extend(because);
    }

    /// Whether a requirement that is not ignored is unmet, or no library could be checked.
    pub fn is_unmet(&self) -> bool {
        let nothing = self.requirements.is_empty() && self.baseline.is_none() && self.size_budgets.is_empty();
        nothing || self.requirements.iter().any(|row| !row.is_met && row.ignored.is_none())
    }
}

/// Adds what sizes were allowed to a report; what is larger was found before. It counts as a requirement does,
/// unless it is ignored or was so in the baseline.
pub fn add_budgets(report: &mut v1::CheckReport, budgets: &[SizeBudget]) {
    if budgets.is_empty() {
        return;
    }
    report.size_budgets = budgets.iter().map(ToString::to_string).collect();
    let id = SIZE_OVER_BUDGET.id;
    let is_over = report.findings.iter().any(|finding| finding.id == id);
    report.failed_because.retain(|why| why != NOT_MET);
    report.passed = report.complete && !report.is_unmet();
    let unmet = report.is_unmet().then(|| NOT_MET.to_owned());
    let over = (is_over && !report.not_counted.iter().any(|own| own == id)).then(|| id.to_owned());
    report.failed_because.extend(unmet);
    report.fail(over.into_iter().collect());
}

/// A package without device code, checked together with others, meets every requirement; this must not pass
/// unnoticed.
fn roots_without_code(inventory: &Inventory) -> Vec<String> {
    let with: BTreeSet<usize> =
        inventory.artifacts.iter().filter(|one| one.device.is_some()).map(|one| one.root).collect();
    let without =
        inventory.roots.iter().enumerate().filter(|(root, _)| !with.contains(root) && !with.is_empty());
    without.map(|(_, shown)| shown.clone()).collect()
}

/// Where each library's code and Tensile folder lie: the outermost packages, else the roots.
type Places<'a> = KeyMap<(&'a str, bool), BTreeSet<&'a str>>;

fn places(inventory: &Inventory) -> Places<'_> {
    let mut all = Places::new();
    for artifact in inventory.artifacts.iter().filter(|one| one.device.is_some()) {
        let package = artifact.locator.member.as_ref().and_then(|_| artifact.locator.path.to_str());
        let root = || inventory.roots.get(artifact.root).map(String::as_str);
        let tensile = matches!(artifact.kind, ArtifactKind::Tensile(..));
        all.entry((artifact.library.as_str(), tensile)).or_default().extend(package.or_else(root));
    }
    all
}

fn row(found: &Requirement<'_>, places: &Places<'_>, roots: &[String]) -> v1::Requirement {
    let own = places.get(&(found.library.as_str(), found.tensile));
    let places = match (found.place, own) {
        (Some(place), _) => vec![place.to_owned()],
        (None, Some(own)) => own.iter().map(|place| (*place).to_owned()).collect(),
        (None, None) => roots.to_vec(),
    };
    v1::Requirement {
        places,
        processor: found.processor.clone(),
        library: found.library.clone(),
        tensile: found.tensile,
        place: found.place.map(str::to_owned),
        is_met: found.is_met,
        coverage: found.coverage,
        why: found.why.as_deref().map(str::to_owned),
        before: found.before,
        ignored: found.ignored.map(str::to_owned),
        code: found.code.map(|code| v1::RequiredCode {
            code_objects: code.code_objects,
            kernels: code.kernels,
            first: code.first.map(|first| first.shown()),
        }),
        lacking: found.lacking.iter().map(|path| (*path).to_owned()).collect(),
    }
}
