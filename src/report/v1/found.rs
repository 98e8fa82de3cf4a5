//! What stands at the top of every document beside its header.

use super::Finding;
use crate::finding::rules;
use serde::Serialize;

/// What was found: whether all could be read, and what should make a reader careful.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// False where something could not be read: what it holds is not known, and may be what the document calls missing.
    pub complete: bool,
    /// What could not be read, and what else should make a reader careful, the worst first.
    pub findings: Vec<Finding>,
}

impl Found {
    /// That nothing was found, for what reads no files.
    pub fn nothing() -> Self {
        Found { complete: true, findings: Vec::new() }
    }

    /// Findings as they are; without damage among them all could be read.
    pub fn of(findings: Vec<Finding>) -> Self {
        let is_damage = |finding: &Finding| rules::of_id(&finding.id).is_some_and(|rule| rule.is_damage);
        Found { complete: !findings.iter().any(is_damage), findings }
    }

    /// Findings of parts, each with its path, with those that are of none of them.
    pub fn with_parts<'p>(
        own: Vec<Finding>,
        parts: impl IntoIterator<Item = (&'p str, &'p [Finding])>,
    ) -> Self {
        let of_parts = parts.into_iter().flat_map(|(path, found)| found.iter().map(|own| own.in_part(path)));
        let mut all: Vec<Finding> = own.into_iter().chain(of_parts).collect();
        all.sort_by_key(|finding| finding.severity);
        Found::of(all)
    }

    /// The findings that are of none of these parts, which show their own.
    pub fn beside<'p>(&self, parts: impl IntoIterator<Item = (&'p str, &'p [Finding])>) -> Vec<Finding> {
        let of_parts = parts.into_iter().flat_map(|(path, found)| found.iter().map(|own| own.in_part(path)));
        let of_parts: Vec<Finding> = of_parts.collect();
        self.findings.iter().filter(|finding| !of_parts.contains(finding)).cloned().collect()
    }
}
