//! The exit status: one rule for all commands.

use super::global::GlobalArgs;
use crate::finding::Finding;
use crate::finding::rule::Rule;
use crate::finding::rules::{self, RULES};
use crate::finding::severity::Severity;
use crate::report::v1;
use std::process::ExitCode;

/// The end of every `--help`.
pub(super) const HELP: &str = "Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable.";

/// How a run that could be done ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub(super) enum Status {
    /// Nothing was found that the caller wanted to fail on.
    Done,
    /// Something was.
    Found,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Done => ExitCode::SUCCESS,
            Status::Found => ExitCode::from(1),
        }
    }
}

/// Which findings make a run fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailOn {
    /// None.
    Never,
    /// Input that could not be read.
    Damage,
    /// Findings of this severity, or worse. Damage is an error.
    Severity(Severity),
    /// Findings of one rule.
    Rule(&'static Rule),
}

/// The words of `--fail-on` that are no rules.
const WORDS: [(&str, FailOn); 5] = [
    ("never", FailOn::Never),
    ("damage", FailOn::Damage),
    ("error", FailOn::Severity(Severity::Error)),
    ("warning", FailOn::Severity(Severity::Warning)),
    ("note", FailOn::Severity(Severity::Note)),
];

impl FailOn {
    /// A word of the command line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let word = WORDS.iter().find(|(word, _)| *word == lower).map(|(_, fail_on)| *fail_on);
        let rule = || rules::of_id(&lower).map(FailOn::Rule);
        word.or_else(rule).ok_or_else(|| {
            let known = WORDS.iter().map(|(word, _)| *word).chain(RULES.iter().map(|(_, rule)| rule.id));
            let near = known.min_by_key(|known| super::distance(known, &lower));
            let near = near.filter(|known| super::distance(known, &lower) <= 3);
            let tip = near.map(|known| format!(" (is {known} meant?)")).unwrap_or_default();
            let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!("expected {}, or a rule{tip}; `rocm-audit list rules` has them", words.join(", "))
        })
    }

    fn is_met_by(self, rule: &Rule) -> bool {
        match self {
            FailOn::Never => false,
            FailOn::Damage => rule.is_damage(),
            FailOn::Severity(least) => rule.severity <= least,
            FailOn::Rule(asked) => asked == rule,
        }
    }
}

/// Gathers what decides the exit status of a run.
pub(super) struct Judge<'g> {
    asked: &'g [FailOn],
    default: FailOn,
    status: Status,
}

impl<'g> Judge<'g> {
    /// For a command that fails on `default` where its caller asks for nothing else.
    pub fn new(global: &'g GlobalArgs, default: FailOn) -> Self {
        Judge { asked: &global.fail_on, default, status: Status::Done }
    }

    /// Takes findings of a report.
    pub fn report(mut self, found: &[v1::Finding]) -> Self {
        found.iter().filter_map(|finding| rules::of_id(&finding.id)).for_each(|rule| self.note(rule));
        self
    }

    /// Takes findings that stand in no report.
    pub fn findings<'f>(mut self, found: impl IntoIterator<Item = &'f Finding>) -> Self {
        found.into_iter().for_each(|finding| self.note(finding.rule));
        self
    }

    fn note(&mut self, rule: &Rule) {
        let default = [self.default];
        let asked = if self.asked.is_empty() { &default[..] } else { self.asked };
        if asked.iter().any(|fail_on| fail_on.is_met_by(rule)) {
            self.status = Status::Found;
        }
    }

    /// What it comes to.
    pub fn status(self) -> Status {
        self.status
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::finding::rules::{read, tensile, waste};

    #[test]
    fn severities_include_what_is_worse_and_damage_is_an_error() {
        let met = |word: &str, rule: &Rule| FailOn::parse(word).unwrap().is_met_by(rule);
        assert!(met("damage", &read::CUT_END) && met("error", &read::CUT_END) && met("note", &read::CUT_END));
        assert!(!met("damage", &read::DANGLING_LINK) && !met("damage", &tensile::CATALOG_MISSING));
        assert!(met("warning", &tensile::CATALOG_MISSING) && !met("error", &waste::PADDING));
        assert!(met("padding", &waste::PADDING) && !met("never", &read::CUT_END));
    }

    #[test]
    fn a_word_that_is_none_is_answered_with_the_nearest() {
        let error = FailOn::parse("catalog-mising").unwrap_err();
        assert!(error.contains("is catalog-missing meant?"), "{error}");
        assert!(FailOn::parse("xyzzy-plugh-frotz").unwrap_err().contains("never, damage, error"));
    }
}
