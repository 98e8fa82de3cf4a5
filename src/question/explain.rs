//! What a message, a log or a word means.

use super::{Question, Trees, overriding};
use crate::asked::override_value::{self, OverrideValue};
use crate::diagnosis::causes;
use crate::diagnosis::{self, Diagnosis};
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::messages::recognise;
use crate::messages::recognised::Recognised;
use crate::messages::table;
use crate::report::v1::{Claim, ExplainReport, ExplainWordReport, OverrideAnswer};
use crate::report::{self, Overriding, explain};
use crate::scan::code_place;
use crate::target::{GfxVersion, Processor, TargetId};
use std::collections::BTreeSet;
use std::io::BufRead;

/// Asks for the causes of the messages in a log; with trees, decides by their contents.
#[derive(Debug, Clone)]
pub struct LogQuestion {
    log: Recognised,
    targets: Vec<TargetId>,
    overriding: Option<OverrideValue>,
}

impl LogQuestion {
    fn asking(log: Recognised) -> Self {
        LogQuestion { log, targets: Vec::new(), overriding: None }
    }

    /// A text: one message, or a whole log.
    pub fn of_text(text: &str) -> Self {
        LogQuestion::asking(recognise::recognise(text.as_bytes()))
    }

    /// Reads a log of any size and encoding.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn of_reader(reader: impl BufRead) -> std::io::Result<Self> {
        recognise::read(reader).map(LogQuestion::asking)
    }

    /// Whether the log contains a message that this program knows.
    pub fn has_message(&self) -> bool {
        self.log.first().is_some() || !self.log.waves.is_empty()
    }

    /// Asks about these targets instead of the one the log names.
    pub fn about(self, targets: Vec<TargetId>) -> Self {
        LogQuestion { targets, ..self }
    }

    /// Takes this value of `HSA_OVERRIDE_GFX_VERSION` as set for the process that printed the log: the
    /// runtime then looks for the code of the processor that it names.
    pub fn under_override(self, value: OverrideValue) -> Self {
        let cards = self.cards();
        let log = self.log.under_override(&value.text, cards.first());
        LogQuestion { log, overriding: Some(value), targets: cards }
    }

    /// The targets that were asked about, or else the one that the log names.
    fn cards(&self) -> Vec<TargetId> {
        match &self.targets[..] {
            [] => self.log.target().into_iter().collect(),
            asked => asked.to_vec(),
        }
    }

    /// The override that is taken as set, or the only one that the log names, judged for the card by the tables of
    /// instructions.
    fn claim(&self) -> Option<Claim> {
        let of_log = || override_value::value(only(&self.log.facts.overrides)?).ok();
        let value = self.overriding.clone().or_else(of_log)?;
        let cards = self.cards();
        let card = cards.first().filter(|card| card.processor != value.claimed.processor)?;
        let mut claim = report::claim(&Overriding { value: &value.text, claimed: &value.claimed, card });
        if claim.answer == OverrideAnswer::LegalWithDifferences {
            // The most similar processor's stands first.
            let legal = report::legal_values(card);
            if let Some(nearest) = legal.first().filter(|nearest| **nearest != claim.value) {
                claim.because.push_str(&format!("; HSA_OVERRIDE_GFX_VERSION={nearest} names a nearer one"));
            }
        }
        Some(claim)
    }

    /// The override that the log says was set, where the question names none: with it the runtime looks for other code
    /// in the trees.
    fn override_of_log(&self) -> Option<OverrideValue> {
        let only = only(&self.log.facts.in_force).filter(|_| self.overriding.is_none())?;
        let value = override_value::value(only).ok()?;
        let cards = self.cards();
        let card = match &cards[..] {
            // Whatever the card is, the runtime looks for code of what the value names.
            [] => return Some(value),
            [card] => card,
            _ => return None,
        };
        let major = |target: &TargetId| GfxVersion::from_name(&target.processor).map(|version| version.major);
        (card.processor != value.claimed.processor && major(card) == major(&value.claimed)).then_some(value)
    }

    fn found(&self, trees: &Trees<'_>) -> Result<Diagnosis, AuditError> {
        let asked = match &self.overriding {
            Some(value) => vec![value.claimed.clone()],
            None => self.cards(),
        };
        match trees.roots() {
            [] => Ok(diagnosis::of_log(&self.log, &asked, None)),
            #[cfg(feature = "engines")]
            roots => crate::answers::explain::on_files(&self.log, roots, &asked),
            // This build does not compare the releases of libraries and folders.
            #[cfg(not(feature = "engines"))]
            roots => diagnosis::on_files(&self.log, roots, &asked),
        }
    }
}

/// The only one of several values.
fn only(values: &BTreeSet<String>) -> Option<&String> {
    values.first().filter(|_| values.len() == 1)
}

impl Question for LogQuestion {
    type Document = ExplainReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ExplainReport, AuditError> {
        if let Some(value) = self.override_of_log().filter(|_| !trees.roots().is_empty()) {
            return self.clone().under_override(value).ask(trees);
        }
        let found = self.found(trees)?;
        let open = found.tree.as_ref().and_then(|tree| tree.open_override.clone());
        let mut report = explain::messages(&self.log, found);
        if let Some(open) = open {
            // The audit decodes the code before it speaks for or against a value, and so does the advice.
            let question = Overriding { value: &open.value, claimed: &open.claimed, card: &open.card };
            let decoded = overriding::decided(trees, None, &question)?;
            let (answer, judged) = (decoded.answer, decoded.answer.sentence(&decoded.because));
            report.advice = diagnosis::advice_decided(
                &report.advice,
                &open,
                answer.is_legal(),
                answer.is_unsafe(),
                &judged,
            );
        }
        report.claim = self.claim();
        report.places = match trees.roots() {
            [] => code_place::without_trees(&self.log.waves),
            roots => code_place::in_trees(&self.log.waves, roots, &self.cards()),
        };
        if self.overriding.is_some() {
            // The log names the card, and the answer is about the processor that it claims.
            report.of_another = None;
        }
        Ok(report)
    }
}

/// What a word means: the id of a rule, cause or message, a target, a solver of MIOpen, or what a
/// number can be; `None` if it is unknown.
pub fn explain_word(word: &str) -> Option<ExplainWordReport> {
    let lower = word.to_ascii_lowercase();
    let processor = lower.split(':').next().unwrap_or_default();
    (rules::of_id(&lower).map(explain::rule))
        .or_else(|| causes::of_id(word).map(explain::cause_of_messages))
        .or_else(|| rule_of_fact(word).map(explain::rule))
        .or_else(|| Processor::by_name(processor).map(explain::target))
        .or_else(|| table::of_id(&lower).map(explain::message))
        .or_else(|| explain::solver(word))
        .or_else(|| explain::number(word))
}

/// The rule for a fact about files that no message has as its cause, such as `LT-TRANSFORM-TARGETS`.
fn rule_of_fact(id: &str) -> Option<&'static Rule> {
    causes::fact(id)?.rules.first().copied()
}
