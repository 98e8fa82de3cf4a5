//! The options under which an artifact's rows are made, and whether existing rows match them: every option
//! that changes the rows is stored in the file.

use super::column::Table;
use super::parquet::{TABLE, VERSION};
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::input::exclude::Exclusion;
use crate::scan::run::{Options, StopSignal};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// Options for making rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowOptions {
    /// Decode machine code, for the columns that need it.
    pub instructions: bool,
    /// Patterns of members to leave out.
    pub exclude: Vec<String>,
    /// How long one file may be read.
    pub time_per_file: Option<Duration>,
}

/// What a folder has for an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderRows {
    /// No rows.
    Absent,
    /// All rows. The rules had findings when the artifact was read.
    There(Vec<&'static Rule>),
    /// Rows made in another way: the artifact must be read again.
    Stale(StaleReason),
}

/// Why an artifact with rows must be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StaleReason {
    /// The file of this table is missing or incomplete.
    NotWhole(&'static str),
    /// The columns have another version.
    OtherColumns,
    /// Another release of the program made them: this one.
    OtherTool(String),
    /// A build of the program with other features made them.
    OtherBuild(String),
    /// It has findings of a rule that this program does not know.
    OtherRule(String),
    /// Its machine code was not decoded.
    NotDecoded,
    /// Other patterns of members were left out: these.
    OtherExclusion(Vec<String>),
    /// Files were given up after a shorter time: this one.
    LessTime(Duration),
}

impl fmt::Display for StaleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StaleReason::NotWhole(table) => write!(f, "the file of {table} is not there, or not whole"),
            StaleReason::OtherColumns => f.write_str("its columns are of another version"),
            StaleReason::OtherTool(tool) if tool.is_empty() => f.write_str("an earlier release has read it"),
            StaleReason::OtherTool(tool) => write!(f, "{tool} has read it"),
            StaleReason::OtherBuild(parts) => write!(f, "a build with other parts has read it: {parts}"),
            StaleReason::OtherRule(rule) => write!(f, "it found {rule}, which is no rule of this release"),
            StaleReason::NotDecoded => f.write_str("its machine code was not decoded"),
            StaleReason::OtherExclusion(patterns) if patterns.is_empty() => {
                f.write_str("nothing was left out")
            }
            StaleReason::OtherExclusion(patterns) => write!(f, "{} was left out", patterns.join(", ")),
            StaleReason::LessTime(time) => write!(f, "files were given up after {} s", time.as_secs_f64()),
        }
    }
}

/// Metadata keys: the program, its features, the ids of rules with findings, whether machine code was
/// decoded, the excluded patterns as a JSON list, and the time limit for a file in nanoseconds.
const TOOL: &str = "rocm-audit.tool";
const PARTS: &str = "rocm-audit.parts";
const FOUND: &str = "rocm-audit.found";
const DECODED: &str = "rocm-audit.decoded";
const EXCLUDED: &str = "rocm-audit.excluded";
const TIME: &str = "rocm-audit.time-per-file";

/// The features of this build that affect what is read.
fn parts() -> String {
    let parts = [
        (cfg!(feature = "engines"), "engines"),
        (cfg!(feature = "packages"), "packages"),
        (cfg!(feature = "sqlite"), "sqlite"),
    ];
    parts.iter().filter(|(here, _)| *here).map(|(_, part)| *part).collect::<Vec<_>>().join(" ")
}

impl RowOptions {
    /// Run options that make such rows.
    ///
    /// # Errors
    ///
    /// If a pattern is not a glob.
    pub fn options(&self, stop: &StopSignal) -> Result<Options, AuditError> {
        let RowOptions { instructions, exclude, time_per_file } = self;
        Ok(Options {
            instructions: *instructions,
            exclude: Exclusion::new(exclude)?,
            time_per_file: *time_per_file,
            stop: stop.clone(),
            ..Options::default()
        })
    }

    /// The patterns, sorted and each once.
    fn patterns(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.exclude.iter().collect();
        all.into_iter().cloned().collect()
    }

    /// The metadata for rows made with these options, without the rules that had findings.
    pub(super) fn marks(&self, found: &BTreeSet<&str>) -> Vec<(&'static str, String)> {
        let mut marks = vec![
            (TOOL, super::tool()),
            (PARTS, parts()),
            (FOUND, found.iter().copied().collect::<Vec<_>>().join(",")),
            (DECODED, self.instructions.to_string()),
            (EXCLUDED, serde_json::Value::from(self.patterns()).to_string()),
        ];
        marks.extend(self.time_per_file.map(|time| (TIME, time.as_nanos().to_string())));
        marks
    }

    /// The rules that had findings, if rows with this metadata satisfy these options. Rows with more satisfy
    /// them too: decoded ones, and those with a longer time limit.
    pub(super) fn met_by(
        &self,
        table: &Table,
        said: &BTreeMap<String, String>,
    ) -> Result<Vec<&'static Rule>, StaleReason> {
        let of = |key: &str| said.get(key).map(String::as_str).unwrap_or_default();
        if of(TABLE) != table.name {
            return Err(StaleReason::NotWhole(table.name));
        }
        if of(VERSION) != super::VERSION {
            return Err(StaleReason::OtherColumns);
        }
        if of(TOOL) != super::tool() {
            return Err(StaleReason::OtherTool(of(TOOL).to_owned()));
        }
        if of(PARTS) != parts() {
            return Err(StaleReason::OtherBuild(of(PARTS).to_owned()));
        }
        if self.instructions && of(DECODED) != "true" {
            return Err(StaleReason::NotDecoded);
        }
        let excluded: Vec<String> = serde_json::from_str(of(EXCLUDED)).unwrap_or_default();
        if excluded != self.patterns() {
            return Err(StaleReason::OtherExclusion(excluded));
        }
        let time = of(TIME).parse().ok().map(Duration::from_nanos);
        if let Some(time) = time.filter(|time| self.time_per_file.is_none_or(|wanted| wanted > *time)) {
            return Err(StaleReason::LessTime(time));
        }
        let ids = of(FOUND).split(',').filter(|id| !id.is_empty());
        ids.map(|id| rules::of_id(id).ok_or_else(|| StaleReason::OtherRule(id.to_owned()))).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::KERNELS;
    use super::*;

    /// The metadata of a file made with these options.
    fn said(wanted: &RowOptions, found: &[&str]) -> BTreeMap<String, String> {
        let found = found.iter().copied().collect();
        let mut said: BTreeMap<String, String> =
            wanted.marks(&found).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        said.insert(TABLE.to_owned(), KERNELS.name.to_owned());
        said.insert(VERSION.to_owned(), super::super::VERSION.to_owned());
        said
    }

    #[test]
    fn rows_that_have_less_than_is_wanted_are_made_again() {
        let plain = RowOptions::default();
        let decoded = RowOptions { instructions: true, ..RowOptions::default() };
        let less = |patterns: &[&str]| RowOptions {
            exclude: patterns.iter().map(|p| (*p).to_owned()).collect(),
            ..RowOptions::default()
        };
        let within = |s| RowOptions { time_per_file: Some(Duration::from_secs(s)), ..RowOptions::default() };
        let met = |wanted: &RowOptions, made: &RowOptions| {
            wanted.met_by(&KERNELS, &said(made, &["cut-end"])).map(drop)
        };
        for same in [&plain, &decoded, &less(&["*.so"]), &within(1)] {
            assert_eq!(met(same, same), Ok(()));
        }
        assert_eq!((met(&plain, &decoded), met(&decoded, &plain)), (Ok(()), Err(StaleReason::NotDecoded)));
        assert_eq!(met(&plain, &less(&["*.so"])), Err(StaleReason::OtherExclusion(vec!["*.so".to_owned()])));
        assert_eq!(met(&less(&["*.so"]), &plain), Err(StaleReason::OtherExclusion(Vec::new())));
        assert_eq!(met(&less(&["a", "b"]), &less(&["b", "a", "a"])), Ok(()));
        let second = Err(StaleReason::LessTime(Duration::from_secs(1)));
        assert_eq!((met(&plain, &within(1)), met(&within(2), &within(1))), (second.clone(), second));
        assert_eq!((met(&within(1), &plain), met(&within(1), &within(2))), (Ok(()), Ok(())));
    }

    #[test]
    fn rows_of_another_program_are_made_again() {
        let plain = RowOptions::default();
        let with = |key: &str, value: &str| {
            let mut said = said(&plain, &["cut-end", "padding"]);
            said.insert(key.to_owned(), value.to_owned());
            plain.met_by(&KERNELS, &said).map(|rules| rules.iter().map(|rule| rule.id).collect::<Vec<_>>())
        };
        assert_eq!(with("x", "y"), Ok(vec!["cut-end", "padding"]));
        assert_eq!(with(FOUND, ""), Ok(Vec::new()));
        assert_eq!(with(FOUND, "cut-end,gone"), Err(StaleReason::OtherRule("gone".to_owned())));
        assert_eq!(
            with(TOOL, "rocm-audit 0.0.1"),
            Err(StaleReason::OtherTool("rocm-audit 0.0.1".to_owned()))
        );
        assert_eq!(with(PARTS, ""), Err(StaleReason::OtherBuild(String::new())));
        assert_eq!(with(VERSION, "0.9.0"), Err(StaleReason::OtherColumns));
        assert_eq!(with(TABLE, "findings"), Err(StaleReason::NotWhole("kernels")));
    }
}
