//! The findings at the top of every document, next to its header.

use super::Finding;
use crate::finding::rules;
use rocm_audit_files::sorted_rows::SortedRows as _;
use serde::Serialize;

/// Whether everything could be read, and what readers should be careful about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// False if something could not be read: its contents are unknown and may include what the document calls
    /// missing.
    pub complete: bool,
    /// What could not be read, and what else readers should be careful about, worst first.
    pub findings: Vec<Finding>,
}

impl Found {
    /// No findings, for documents that read no files.
    pub fn nothing() -> Self {
        Found { complete: true, findings: Vec::new() }
    }

    /// Wraps findings; the document is complete if none of them is damage.
    pub fn from_findings(findings: Vec<Finding>) -> Self {
        let is_damage = |finding: &Finding| rules::of_id(&finding.id).is_some_and(|rule| rule.is_damage);
        Found { complete: !findings.iter().any(is_damage), findings }
    }

    /// Merges the findings of parts (each with its path) with those of no part.
    pub fn with_parts<'p>(
        own: Vec<Finding>,
        parts: impl IntoIterator<Item = (&'p str, &'p [Finding])>,
    ) -> Self {
        let of_parts = parts.into_iter().flat_map(|(path, found)| found.iter().map(|own| own.in_part(path)));
        let mut all: Vec<Finding> = own.into_iter().chain(of_parts).collect();
        all.sort_rows_by_key(|finding| finding.severity);
        Found::from_findings(all)
    }

    /// The findings that belong to none of these parts, which show their own.
    pub fn beside<'p>(&self, parts: impl IntoIterator<Item = (&'p str, &'p [Finding])>) -> Vec<Finding> {
        let of_parts = parts.into_iter().flat_map(|(path, found)| found.iter().map(|own| own.in_part(path)));
        let of_parts: Vec<Finding> = of_parts.collect();
        self.findings.iter().filter(|finding| !of_parts.contains(finding)).cloned().collect()
    }
}
