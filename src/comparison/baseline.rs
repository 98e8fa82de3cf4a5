//! A saved report as a baseline: what a new report must not make worse.

use super::saved;
use crate::capability::coverage::Coverage;
use crate::capability::requirement::Before;
use crate::error::AuditError;
use crate::report::findings::files;
use crate::report::v1;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::Path;

/// What the earlier report said.
#[derive(Debug, Default)]
pub struct Baseline {
    /// What each library had for each processor.
    pub before: Vec<Before>,
    /// Known findings by rule and target.
    findings: KeyMap<(String, Option<String>), KnownFinding>,
}

/// The places of a known finding.
#[derive(Debug, Default)]
struct KnownFinding {
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
        let report = saved::read(path, "--baseline ")?;
        let mut found = Baseline::default();
        for row in &report.matrix {
            for cell in &row.cells {
                if let Some(coverage) = Coverage::of_name(&cell.coverage) {
                    found.before.push(Before {
                        library: row.library.clone(),
                        tensile: row.tensile,
                        processor: cell.processor.clone(),
                        coverage,
                    });
                }
            }
        }
        for finding in &report.findings {
            let known = found.findings.entry((finding.id.clone(), finding.target.clone())).or_default();
            known.files.extend(finding.files().into_iter().map(str::to_owned));
            known.count += finding.count;
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
