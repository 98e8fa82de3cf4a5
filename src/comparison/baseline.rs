//! A saved report as what must not get worse.

use super::saved;
use crate::capability::coverage::Coverage;
use crate::capability::requirement::Before;
use crate::error::AuditError;
use crate::report::findings::files;
use crate::report::v1;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What an earlier report said.
#[derive(Debug, Default)]
pub struct Baseline {
    /// What each library had for each processor.
    pub before: Vec<Before>,
    /// Findings by rule and target.
    findings: BTreeMap<(String, Option<String>), Known>,
}

/// Where a finding was.
#[derive(Debug, Default)]
struct Known {
    /// The names of its files.
    files: BTreeSet<String>,
    /// How often it was there, of which those may be the first.
    count: u64,
}

impl Baseline {
    /// Reads a report that `rocm-audit -o FILE.json` wrote.
    ///
    /// # Errors
    /// Where it cannot be read, is no JSON (with line and column), or another document.
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

    /// Whether a finding was there before: of the same rule and target, in no file of another name. Where not all places are listed,
    /// it is if there are no more of them.
    pub fn had(&self, finding: &v1::Finding) -> bool {
        let Some(known) = self.findings.get(&(finding.id.clone(), finding.target.clone())) else {
            return false;
        };
        let is_cut = finding.count > finding.locations.len() as u64;
        files(finding).iter().all(|file| known.files.contains(*file))
            || is_cut && finding.count <= known.count
    }
}
