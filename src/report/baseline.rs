//! A saved report as what must not get worse.

use super::v1;
use crate::capability::coverage::Coverage;
use crate::capability::requirement::Before;
use crate::error::AuditError;
use crate::locator::file_name;
use serde_json::Value;
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

/// Largest report that is read, in bytes.
const LARGEST: u64 = 1 << 30;

impl Baseline {
    /// Reads a report that `rocm-audit -o FILE.json` wrote.
    ///
    /// # Errors
    /// Where it cannot be read, is no JSON (with line and column), or another document.
    pub fn read(path: &Path) -> Result<Baseline, AuditError> {
        let wrong = |what: String| AuditError::Usage(format!("--baseline {}: {what}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| AuditError::io("read", path, error))?.len();
        if size > LARGEST {
            return Err(wrong(format!("{size} bytes, more than the {LARGEST} that a report may have")));
        }
        let bytes = std::fs::read(path).map_err(|error| AuditError::io("read", path, error))?;
        // The error of the parser names line and column.
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("no JSON: {error}")))?;
        let schema = v1::document::REPORT.schema();
        match (value["schema"].as_str(), value["schema_version"].as_str()) {
            (Some(own), Some(version)) if own == schema && version.starts_with("2.") => {}
            (Some(own), version) => {
                let version = version.unwrap_or("without a version");
                return Err(wrong(format!(
                    "it is {own} {version}; expected {schema} 2, as `rocm-audit -o FILE.json PATH` writes"
                )));
            }
            (None, _) => {
                return Err(wrong(format!(
                    "it has no \"schema\"; expected {schema}, as `rocm-audit -o FILE.json PATH` writes"
                )));
            }
        }
        let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
        let mut found = Baseline::default();
        for row in list(&value, "matrix") {
            for cell in list(&row, "cells") {
                let coverage = cell["coverage"].as_str().and_then(coverage);
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
            let file = finding["locations"][0]["path"].as_str().map(file_name).unwrap_or_default();
            let target = finding["target"].as_str().map(str::to_owned);
            let id = finding["id"].as_str().unwrap_or_default().to_owned();
            found.findings.insert((id, target, file.to_owned()));
        }
        Ok(found)
    }

    /// Whether a finding was there before: of the same rule and target, in a file of the same name.
    pub fn had(&self, finding: &v1::Finding) -> bool {
        let file = finding.locations.first().map(|place| file_name(&place.path)).unwrap_or_default();
        self.findings.contains(&(finding.id.clone(), finding.target.clone(), file.to_owned()))
    }
}

/// The coverage of a word of the JSON.
fn coverage(word: &str) -> Option<Coverage> {
    let written = |own: &Coverage| serde_json::to_value(super::audit::coverage(*own)).ok();
    Coverage::ALL.into_iter().find(|own| written(own).is_some_and(|value| value == word))
}
