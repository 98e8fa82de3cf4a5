//! A saved report as a baseline: what a new report must not make worse.

use super::saved::{self, list};
use crate::capability::requirement::Before;
use crate::error::AuditError;
use crate::report::findings::{files, files_of};
use crate::report::v1;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the earlier report said.
#[derive(Debug, Default)]
pub struct Baseline {
    /// What each library had for each processor.
    pub before: Vec<Before>,
    /// Known findings by rule and target.
    findings: BTreeMap<(String, Option<String>), Known>,
}

/// The places of a known finding.
#[derive(Debug, Default)]
struct Known {
    /// The names of its files.
    files: BTreeSet<String>,
    /// How often the finding occurred; the report may list only the first places.
    count: u64,
}

impl Baseline {
    /// Reads a report written by `rocm-audit -o FILE.json`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not JSON (with line and column), or is another document.
    pub fn read(path: &Path) -> Result<Baseline, AuditError> {
        let value = saved::read(path, "--baseline ")?;
        let mut found = Baseline::default();
        for row in list(&value, "matrix") {
            for cell in list(row, "cells") {
                let coverage = cell["coverage"].as_str().and_then(saved::coverage);
                if let (Some(library), Some(processor), Some(coverage)) =
                    (row["library"].as_str(), cell["processor"].as_str(), coverage)
                {
                    found.before.push(Before {
                        library: library.to_owned(),
                        tensile: row["tensile"].as_bool().unwrap_or_default(),
                        processor: processor.to_owned(),
                        coverage,
                    });
                }
            }
        }
        for finding in list(&value, "findings") {
            let target = finding["target"].as_str().map(str::to_owned);
            let id = finding["id"].as_str().unwrap_or_default().to_owned();
            let files = files_of(&id, finding);
            let known = found.findings.entry((id, target)).or_default();
            known.files.extend(files.into_iter().map(str::to_owned));
            known.count += finding["count"].as_u64().unwrap_or_default();
        }
        Ok(found)
    }

    /// Whether the baseline had a finding: one with the same rule and target, and no file under a new name.
    /// If the baseline lists only some places, their number must not have grown.
    pub fn had(&self, finding: &v1::Finding) -> bool {
        let Some(known) = self.findings.get(&(finding.id.clone(), finding.target.clone())) else {
            return false;
        };
        let is_cut = finding.count > finding.locations.len() as u64;
        files(finding).iter().all(|file| known.files.contains(*file))
            || is_cut && finding.count <= known.count
    }
}
