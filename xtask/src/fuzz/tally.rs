//! The results of all runs of targets, in a file next to their corpora.

use super::target::Run;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "tally.json";

/// The sums of one target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TargetSums {
    /// Inputs that were tried.
    pub executions: u64,
    /// Seconds that it ran.
    pub seconds: u64,
    /// Edges that were reached in the last run, which began with all inputs of those before.
    pub coverage: u64,
    /// Inputs that fail.
    pub findings: u64,
    /// Inputs that ever failed.
    pub found: u64,
}

/// The sums of all targets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AllSums(BTreeMap<String, TargetSums>);

impl AllSums {
    /// That of a folder; that of the repository where it has none yet, so that runs on different machines add
    /// up.
    pub(super) fn begin(folder: &Path, repository: &Path) -> Result<Self> {
        let begun = folder.join(FILE).exists();
        let mut tally = AllSums::read(if begun { folder } else { repository })?;
        if !begun {
            // Inputs that failed elsewhere are not here.
            tally.0.values_mut().for_each(|row| row.findings = 0);
        }
        Ok(tally)
    }

    /// The tally of a folder; empty if the folder has none yet.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(AllSums::default());
        }
        let value: Value =
            serde_json::from_slice(&std::fs::read(&path)?).with_context(|| path.display().to_string())?;
        let rows = value.as_object().with_context(|| format!("{}: an object is expected", path.display()))?;
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or(0);
        let row = |(name, row): (&String, &Value)| {
            let sums = TargetSums {
                executions: number(row, "executions"),
                seconds: number(row, "seconds"),
                coverage: number(row, "coverage"),
                findings: number(row, "findings"),
                found: number(row, "found"),
            };
            (name.clone(), sums)
        };
        Ok(AllSums(rows.iter().map(row).collect()))
    }

    /// Writes it; the file is whole at any time.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let row = |row: &TargetSums| {
            json!({
                "executions": row.executions, "seconds": row.seconds, "coverage": row.coverage,
                "findings": row.findings, "found": row.found,
            })
        };
        let all: serde_json::Map<String, Value> =
            self.0.iter().map(|(name, sums)| (name.clone(), row(sums))).collect();
        let next = folder.join("tally.next");
        std::fs::write(&next, serde_json::to_string_pretty(&all)? + "\n")?;
        Ok(std::fs::rename(next, folder.join(FILE))?)
    }

    pub(super) fn row(&self, name: &str) -> TargetSums {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(super) fn set_findings(&mut self, name: &str, findings: u64) {
        self.0.entry(name.to_owned()).or_default().findings = findings;
    }

    /// Adds a run.
    pub(super) fn add(&mut self, name: &str, run: Run, seconds: u64, failed: bool) {
        let row = self.0.entry(name.to_owned()).or_default();
        row.executions += run.executions;
        row.seconds += seconds;
        row.coverage = run.coverage.max(row.coverage);
        row.findings += u64::from(failed);
        row.found += u64::from(failed);
    }

    /// The table at the end.
    pub(super) fn table(&self, names: &[&str]) -> String {
        let line = |name: &str, row: &TargetSums| {
            let TargetSums { executions, seconds, coverage, findings, found } = row;
            format!("{name:<26} {executions:>12} {seconds:>8} {coverage:>9} {found:>6} {findings:>5}\n")
        };
        let mut text = format!(
            "{:<26} {:>12} {:>8} {:>9} {:>6} {:>5}\n",
            "target", "executions", "seconds", "coverage", "found", "open"
        );
        let mut sum = TargetSums::default();
        for name in names {
            let row = self.row(name);
            text += &line(name, &row);
            sum.executions += row.executions;
            sum.seconds += row.seconds;
            sum.findings += row.findings;
            sum.found += row.found;
        }
        text + &line("all", &sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut tally = AllSums::read(folder.path()).unwrap();
        tally.add("a", Run { executions: 10, coverage: 7 }, 3, false);
        tally.add("b", Run { executions: 1, coverage: 2 }, 0, true);
        tally.write(folder.path()).unwrap();
        let mut again = AllSums::read(folder.path()).unwrap();
        assert_eq!(again, tally);
        again.add("a", Run { executions: 5, coverage: 6 }, 1, false);
        assert_eq!(
            again.row("a"),
            TargetSums { executions: 15, seconds: 4, coverage: 7, findings: 0, found: 0 }
        );
        again.set_findings("b", 0);
        assert_eq!(
            again.row("b"),
            TargetSums { executions: 1, seconds: 0, coverage: 2, findings: 0, found: 1 }
        );
        let table = again.table(&["a", "b"]);
        assert!(
            table
                .lines()
                .last()
                .is_some_and(|sum| sum.split_whitespace().eq(["all", "16", "4", "0", "1", "0"])),
            "{table}"
        );
    }
}
