//! Copies findings into the output types.

use super::v1;
use crate::codeobject::SectionByteClass;
use crate::finding::Finding;
use crate::finding::amount::thousands;
use crate::finding::confidence::Confidence;
use crate::finding::evidence::Evidence;
use crate::finding::location::Location;
use crate::finding::rule::Rule;
use crate::finding::rules::{self, waste};
use crate::inventory::{DeviceCode, Inventory};
use crate::locator::file_name;
use std::collections::BTreeSet;

/// The bytes of a file that a rule counts.
type BytesOf = fn(&DeviceCode) -> u64;

/// Rules whose findings sum up bytes over all files read, each with the function that gives one file's share.
const SUMS: [(&Rule, BytesOf); 3] = [
    (&waste::DEBUG_INFORMATION, |code| of_class(code, SectionByteClass::Debug)),
    (&waste::UNCOMPRESSED_BUNDLES, |code| code.plain.bytes),
    (&waste::PADDING, |code| {
        code.gaps.padding() + code.between_entries + of_class(code, SectionByteClass::Padding)
    }),
];

fn of_class(code: &DeviceCode, class: SectionByteClass) -> u64 {
    code.targets.values().map(|target| target.sections.get(class)).sum()
}

/// Copies the findings of an inventory. For sums, lists the roots that contribute to them.
pub(crate) fn of_trees(inventory: &Inventory, found: &[Finding]) -> Vec<v1::Finding> {
    let located = |finding: &Finding| {
        let mut row = row(finding);
        if let Some((_, bytes)) = SUMS.iter().find(|(rule, _)| *rule == finding.rule) {
            let of_root = |(place, shown): (usize, &String)| {
                let files = inventory.artifacts.iter().filter(|artifact| artifact.root == place);
                let sum: u64 = files.filter_map(|file| file.device.as_ref()).map(bytes).sum();
                let what = format!("{} bytes", thousands(sum));
                (sum > 0).then(|| Location::file(shown, what))
            };
            row.locations = inventory.roots.iter().enumerate().filter_map(of_root).collect();
        }
        row
    };
    found.iter().map(located).collect()
}

/// The path of the first file in a finding; empty for sums, since the names of roots change from release to
/// release.
pub(crate) fn path(finding: &v1::Finding) -> &str {
    let first = finding.locations.first().map_or("", |place| place.path.as_str());
    path_of(&finding.id, first)
}

/// The names of the files of a finding, each once; an empty one for what is not about files.
pub(crate) fn files(finding: &v1::Finding) -> BTreeSet<&str> {
    file_names(&finding.id, finding.locations.iter().map(|place| place.path.as_str()))
}

/// The names of the files at these paths, which a finding of a rule is in.
pub(crate) fn file_names<'p>(id: &str, paths: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
    let names: BTreeSet<&str> = paths.map(|path| file_name(path_of(id, path))).collect();
    if names.is_empty() { BTreeSet::from([""]) } else { names }
}

/// Waste is summed over all files, so its path is left out.
fn path_of<'p>(id: &str, path: &'p str) -> &'p str {
    if rules::of_id(id).is_some_and(|rule| rule.topic() == "waste") { "" } else { path }
}

/// Copies findings in their order.
pub(crate) fn rows<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Vec<v1::Finding> {
    found.into_iter().map(row).collect()
}

/// Makes the findings part at the top of a document.
pub fn found<'a>(found: impl IntoIterator<Item = &'a Finding>) -> v1::Found {
    v1::Found::from_findings(rows(found))
}

fn row(found: &Finding) -> v1::Finding {
    let rule = found.rule;
    v1::Finding {
        id: rule.id.to_owned(),
        severity: rule.severity,
        confidence: found.confidence,
        known: known(found),
        what: rule.what.to_owned(),
        target: found.target.clone(),
        count: found.count,
        detail: found.detail.clone(),
        effect: rule.effect.to_owned(),
        effect_known: found.effect_known,
        advice: rule.advice.to_owned(),
        locations: found.locations.clone(),
    }
}

/// How a finding is known; one that the bytes only suggest counts as inferred.
fn known(found: &Finding) -> Evidence {
    match (found.rule.known, found.confidence) {
        (Evidence::Observed, Confidence::Likely) => Evidence::Inferred,
        (known, _) => known,
    }
}
