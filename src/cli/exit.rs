//! The exit status: one rule for all commands.

use super::global::GlobalArgs;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::finding::gate::Gate;
use crate::finding::rule::Rule;
use crate::finding::rules::{self, RULES, code};
use crate::finding::severity::Severity;
use crate::report::v1::{self, Regression, RegressionKind};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// The end of every `--help`: what stands before it, and what the exit status says.
macro_rules! help {
    ($($before:literal)?) => {
        concat!(
            $($before, "\n",)?
            "Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable."
        )
    };
}
pub(super) use help;

/// That alone.
pub(super) const HELP: &str = help!();

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
    /// What got worse between two sides of `diff`.
    Change(RegressionKind),
    /// So many per mille more bytes, there.
    Bigger(u32),
}

/// What gets worse between two sides of `diff`; more bytes have a number.
fn changes() -> impl Iterator<Item = RegressionKind> + Clone {
    RegressionKind::ALL.into_iter().filter(|kind| *kind != RegressionKind::Bigger)
}

/// How more bytes are written on the command line, where a percentage follows.
const BIGGER_BY: &str = "bigger=";

/// What an override is that would have code loaded which the card does not run as it was meant: an error,
/// where errors fail a run.
const NOT_SAFE: &str = "not-safe";

/// The topics of rules that an audit, and `fatbin`, look for.
pub(super) const CODE: &[&str] = &["read", "code", "linking", "kpack", "waste"];
/// The word for what changes between two sides; no topic of rules.
const CHANGE: &str = "change";
/// Those of `fatbin --waits`.
pub(super) const CODE_AND_WAITS: &[&str] = &["read", "code", "linking", "kpack", "waste", WAITS];

/// Stands among topics for the rules of `code` that are looked for with `--waits` only.
const WAITS: &str = "waits";

fn is_of_waits(rule: &Rule) -> bool {
    let all = [&code::RESULT_USED_EARLY, &code::WAIT_MISSING_ON_A_WAY, &code::WAIT_STATES_MISSING];
    all.iter().any(|own| own.id == rule.id)
}

/// The topics of `diff`.
pub(super) const DIFF: &[&str] = &["read", "code", "linking", "kpack", "waste", CHANGE];
/// Those of `needs`.
pub(super) const NEEDS: &[&str] = &["read", "linking"];
/// Those of `verify`.
pub(super) const VERIFY: &[&str] = &["read", "tensile", "miopen", "answer"];
/// Those of `explain`, of a tree.
pub(super) const EXPLAIN: &[&str] = &["read"];
/// Those of `select` and `model`.
pub(super) const ANSWER: &[&str] = &["read", "answer", "tensile"];

/// Which command looks for what.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("audit", CODE),
    ("fatbin", CODE),
    ("needs", NEEDS),
    ("verify", VERIFY),
    ("model", ANSWER),
    ("select", ANSWER),
];

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
    pub fn parse(text: &str) -> Result<Self, NotUnderstood> {
        let lower = text.to_ascii_lowercase();
        let word = WORDS.iter().find(|(word, _)| *word == lower).map(|(_, fail_on)| *fail_on);
        let rule = || rules::of_id(&lower).map(FailOn::Rule);
        let change = || changes().find(|kind| kind.word() == lower).map(FailOn::Change);
        if let Some(amount) = lower.strip_prefix(BIGGER_BY) {
            let percent = amount.trim_end_matches('%').parse::<f64>().ok();
            return match percent.filter(|percent| (0.0..1e6).contains(percent)) {
                Some(percent) => Ok(FailOn::Bigger((percent * 10.0).round() as u32)),
                None => Err(format!("bigger={amount}: expected a percentage, as in bigger=5%").into()),
            };
        }
        word.or_else(rule).or_else(change).ok_or_else(|| {
            let near = FailOn::words().min_by_key(|known| super::distance(known, &lower));
            let near = near.filter(|known| super::distance(known, &lower) <= 3);
            let tip = near.map(|known| format!(" (is {known} meant?)")).unwrap_or_default();
            let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!("expected {}, or a rule{tip}; `rocm-audit list rules` has them", words.join(", ")).into()
        })
    }

    /// All words: those that are no rules, those of `diff`, and the rules.
    pub fn words() -> impl Iterator<Item = &'static str> + Clone {
        let changes = changes().map(RegressionKind::word).chain([BIGGER_BY]);
        WORDS.iter().map(|(word, _)| *word).chain(changes).chain(RULES.iter().map(|(_, rule)| rule.id))
    }

    pub fn is_met_by(self, rule: &Rule) -> bool {
        match self {
            FailOn::Never => false,
            FailOn::Damage => rule.is_damage,
            FailOn::Severity(least) => rule.severity <= least,
            FailOn::Rule(asked) => asked == rule,
            FailOn::Change(_) | FailOn::Bigger(_) => false,
        }
    }

    /// The first word that asks for kernels by name.
    pub fn of_kernels(asked: &[FailOn]) -> Option<&'static str> {
        let kinds = [
            RegressionKind::LostKernel,
            RegressionKind::MoreSpills,
            RegressionKind::LowerOccupancy,
            RegressionKind::FewerWaits,
        ];
        kinds.into_iter().find(|kind| asked.contains(&FailOn::Change(*kind))).map(RegressionKind::word)
    }

    /// Whether a change of machine code is to fail.
    pub fn of_code(asked: &[FailOn]) -> bool {
        asked.contains(&FailOn::Change(RegressionKind::FewerWaits))
    }

    /// Whether worse choices of libraries are to fail.
    #[cfg(feature = "engines")]
    pub fn of_selections(asked: &[FailOn]) -> bool {
        asked.contains(&FailOn::Change(RegressionKind::WorseSelection))
    }

    /// The percentage of `bigger=`, where it is asked for; the smallest of several.
    pub fn bigger(asked: &[FailOn]) -> Option<f64> {
        let all = asked.iter().filter_map(|fail_on| match fail_on {
            FailOn::Bigger(per_mille) => Some(*per_mille),
            _ => None,
        });
        all.min().map(|per_mille| f64::from(per_mille) / 10.0)
    }
}

/// What makes a run fail that asks for this, where a command fails on `default` if nothing is asked.
pub(super) fn gate(global: &GlobalArgs, default: FailOn) -> Gate {
    let asked = global.fail_on.as_slice();
    let is_level = |f: &FailOn| matches!(f, FailOn::Never | FailOn::Damage | FailOn::Severity(_));
    let beside = match asked {
        [] => default,
        asked if asked.iter().any(is_level) => FailOn::Never,
        // A gate for one thing does not ignore what could not be read.
        _ => FailOn::Damage,
    };
    let fails = |rule: &Rule| {
        !(global.allow_incomplete && rule.is_damage)
            && (beside.is_met_by(rule) || asked.iter().any(|fail_on| fail_on.is_met_by(rule)))
    };
    let changes = changes().filter(|kind| asked.contains(&FailOn::Change(*kind)));
    let bigger = FailOn::bigger(asked).map(|_| RegressionKind::Bigger);
    let errors = asked.iter().any(|fail_on| matches!(fail_on, FailOn::Severity(_))).then_some(NOT_SAFE);
    Gate::from_condition(fails).and_changes(changes.chain(bigger).map(RegressionKind::word).chain(errors))
}

/// Gathers what decides the exit status of a run.
pub(super) struct Judge {
    gate: Gate,
    /// The rules, and the words of `diff`, that make the run fail.
    because: BTreeSet<&'static str>,
}

impl Judge {
    /// For a command that finds what is in `topics`, and fails on `default` where its caller asks for nothing
    /// else.
    ///
    /// # Errors
    /// Where the caller asks for a rule that the command does not look for.
    pub fn new(global: &GlobalArgs, default: FailOn, topics: &[&str]) -> Result<Self, AuditError> {
        let of_waits = global.fail_on.iter().find_map(|fail_on| match fail_on {
            FailOn::Rule(rule) if is_of_waits(rule) => Some(rule),
            _ => None,
        });
        if let Some(rule) = of_waits.filter(|_| !topics.contains(&WAITS)) {
            return Err(AuditError::Usage(format!(
                "--fail-on {}: only `fatbin --waits` looks for it",
                rule.id
            )));
        }
        let elsewhere = global.fail_on.iter().find_map(|fail_on| match fail_on {
            FailOn::Rule(rule) if !topics.contains(&rule.topic()) => Some(rule),
            _ => None,
        });
        if let Some(rule) = elsewhere {
            let at = COMMANDS.iter().filter(|(_, topics)| topics.contains(&rule.topic()));
            let at: Vec<&str> = at.map(|(command, _)| *command).collect();
            return Err(AuditError::Usage(format!(
                "--fail-on {}: this command does not look for it; {} would",
                rule.id,
                at.join(", ")
            )));
        }
        let of_diff = |fail_on: &FailOn| matches!(fail_on, FailOn::Change(_) | FailOn::Bigger(_));
        if !topics.contains(&CHANGE) && global.fail_on.iter().any(of_diff) {
            let words: Vec<&str> = changes().map(RegressionKind::word).collect();
            let what = format!("--fail-on: {} and bigger= are of `rocm-audit diff`", words.join(", "));
            return Err(AuditError::Usage(what));
        }
        let damage = |fail_on: &&FailOn| {
            matches!(fail_on, FailOn::Damage) || matches!(fail_on, FailOn::Rule(rule) if rule.is_damage)
        };
        if global.allow_incomplete && global.fail_on.iter().any(|fail_on| damage(&fail_on)) {
            let what = "--allow-incomplete contradicts --fail-on damage, and rules that are damage: leave one of them out";
            return Err(AuditError::Usage(what.into()));
        }
        Ok(Judge { gate: gate(global, default), because: BTreeSet::new() })
    }

    /// Takes findings of a report.
    pub fn report<'f>(self, found: impl IntoIterator<Item = &'f v1::Finding>) -> Self {
        self.rules(found.into_iter().filter_map(|finding| rules::of_id(&finding.id)))
    }

    /// Takes what got worse between two sides.
    pub fn regressions(mut self, found: &[Regression]) -> Self {
        let words = found.iter().map(|regression| regression.kind.word());
        self.because.extend(words.filter(|word| self.gate.has(word)));
        self
    }

    /// Takes the judgement of an override.
    pub fn overriding(mut self, is_unsafe: bool) -> Self {
        if is_unsafe && self.gate.has(NOT_SAFE) {
            self.because.insert(NOT_SAFE);
        }
        self
    }

    /// Takes findings that stand in no report.
    pub fn findings<'f>(self, found: impl IntoIterator<Item = &'f Finding>) -> Self {
        self.rules(found.into_iter().map(|finding| finding.rule))
    }

    /// Takes rules that found something.
    pub fn rules(mut self, found: impl IntoIterator<Item = &'static Rule>) -> Self {
        found.into_iter().for_each(|rule| self.note(rule));
        self
    }

    fn note(&mut self, rule: &'static Rule) {
        if self.gate.has(rule.id) {
            self.because.insert(rule.id);
        }
    }

    /// The rules, and the words of `diff`, that make the run fail so far.
    pub fn because(&self) -> Vec<String> {
        self.because.iter().map(|id| (*id).to_owned()).collect()
    }

    /// The exit status. Unless it is success, standard error says why: reports may have gone elsewhere.
    pub fn status(self) -> Status {
        if self.because.is_empty() {
            return Status::Done;
        }
        let ids: Vec<&str> = self.because.into_iter().collect();
        super::global::note(&format!("exit status 1, because of {}; --fail-on chooses", ids.join(", ")));
        Status::Found
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
    fn what_shells_complete_is_understood() {
        for word in FailOn::words() {
            let word = if word == BIGGER_BY { "bigger=5%" } else { word };
            assert!(FailOn::parse(word).is_ok(), "{word}");
        }
        let all: Vec<&str> = FailOn::words().collect();
        assert!(
            all.contains(&"never") && all.contains(&"lost-target") && all.contains(&"padding"),
            "{all:?}"
        );
    }

    #[test]
    fn a_word_that_is_none_is_answered_with_the_nearest() {
        let error = FailOn::parse("catalog-mising").unwrap_err();
        assert!(error.contains("is catalog-missing meant?"), "{error}");
        assert!(FailOn::parse("xyzzy-plugh-frotz").unwrap_err().contains("never, damage, error"));
    }
}
