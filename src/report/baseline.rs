//! A saved report as what must not get worse.

use super::findings::{path, path_of};
use super::saved::{self, list};
use super::v1;
use crate::capability::requirement::Before;
use crate::error::AuditError;
use crate::locator::file_name;
use std::collections::BTreeSet;
use std::path::Path;

/// What an earlier report said.
#[derive(Debug, Default)]
pub struct Baseline {
    /// What each library had for each processor.
    pub before: Vec<Before>,
    /// Findings: rule, target, name of the first file.
    findings: BTreeSet<(String, Option<String>, String)>,
}

impl Baseline {
    /// Reads a report that `rocm-audit -o FILE.json` wrote.
    ///
    /// # Errors
    /// Where it cannot be read, is no JSON (with line and column), or another document.
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
            let file = file_name(path_of(&id, finding["locations"][0]["path"].as_str().unwrap_or_default()));
            found.findings.insert((id, target, file.to_owned()));
        }
        Ok(found)
    }

    /// Whether a finding was there before: of the same rule and target, in a file of the same name.
    pub fn had(&self, finding: &v1::Finding) -> bool {
        let file = file_name(path(finding));
        self.findings.contains(&(finding.id.clone(), finding.target.clone(), file.to_owned()))
    }
}
