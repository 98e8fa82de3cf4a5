//! What a message, a log or a word means.

use super::{Question, Trees};
use crate::diagnosis::causes;
use crate::diagnosis::{self, Diagnosis};
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::messages::recognise::{self, Recognised};
use crate::messages::table;
use crate::report::explain;
use crate::report::v1::{ExplainReport, ExplainWordReport};
use crate::target::{Processor, TargetId};
use std::io::BufRead;

/// Asks for the causes of the messages in a log; with trees, decides by their contents.
#[derive(Debug)]
pub struct LogQuestion {
    log: Recognised,
    targets: Vec<TargetId>,
}

impl LogQuestion {
    /// A text: one message, or a whole log.
    pub fn of_text(text: &str) -> Self {
        LogQuestion { log: recognise::recognise(text.as_bytes()), targets: Vec::new() }
    }

    /// Reads a log of any size and encoding.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn of_reader(reader: impl BufRead) -> std::io::Result<Self> {
        Ok(LogQuestion { log: recognise::read(reader)?, targets: Vec::new() })
    }

    /// Whether the log contains a message that this program knows.
    pub fn has_message(&self) -> bool {
        self.log.first().is_some()
    }

    /// Asks about these targets instead of the one the log names.
    pub fn about(self, targets: Vec<TargetId>) -> Self {
        LogQuestion { targets, ..self }
    }

    fn found(&self, trees: &Trees<'_>) -> Result<Diagnosis, AuditError> {
        let asked: Vec<TargetId> = match &self.targets[..] {
            [] => self.log.target().into_iter().collect(),
            asked => asked.to_vec(),
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

impl Question for LogQuestion {
    type Document = ExplainReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ExplainReport, AuditError> {
        self.found(trees).map(|found| explain::messages(&self.log, found))
    }
}

/// What a word means: the id of a rule, cause or message, a target, or a solver of MIOpen; `None` if it is
/// unknown.
pub fn explain_word(word: &str) -> Option<ExplainWordReport> {
    let lower = word.to_ascii_lowercase();
    let processor = lower.split(':').next().unwrap_or_default();
    (rules::of_id(&lower).map(explain::rule))
        .or_else(|| causes::of_id(word).map(explain::cause_of_messages))
        .or_else(|| rule_of_fact(word).map(explain::rule))
        .or_else(|| Processor::by_name(processor).map(explain::target))
        .or_else(|| table::of_id(&lower).map(explain::message))
        .or_else(|| explain::solver(word))
}

/// The rule for a fact about files that no message has as its cause, such as `LT-TRANSFORM-TARGETS`.
fn rule_of_fact(id: &str) -> Option<&'static Rule> {
    causes::fact(id)?.rules.first().copied()
}
