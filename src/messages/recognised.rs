//! What a log was recognised to say: its messages, and what it is about.

use super::facts::{self, LogFacts};
use super::table::{Message, MessageOrigin, MessageSubject, Weight};
use super::whose::Signs;
use crate::target::TargetId;
use std::collections::BTreeSet;

/// A message that a log has.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Which.
    pub message: &'static Message,
    /// Whose words it has here: those of the message, or those of CUDA for the same status.
    pub(super) words: MessageOrigin,
    /// What kind of thing it is about here: that of the message, or what the lines around make of it.
    pub class: MessageSubject,
    /// The causes, the most probable first.
    pub causes: Vec<&'static str>,
    /// The target that it names.
    pub target: Option<TargetId>,
    /// The path that it names.
    pub path: Option<String>,
    /// The line in which it first stands, from 1.
    pub line: u64,
    /// That line, cut to some hundred characters.
    pub quote: String,
    /// How often it stands in the log; in a long one that repeats itself, in the part that was read.
    pub count: u64,
    /// Where it first stands in the squeezed log.
    pub(super) place: u64,
    /// What the lines around say of the device.
    pub(super) around: Signs,
    /// The place in [`SIGNS`] of the first sign near it.
    pub(super) sign: Option<usize>,
}

/// What a log says.
#[derive(Debug, Clone, Default)]
pub struct Recognised {
    /// Its messages, the decisive first. Empty where none is known.
    pub hits: Vec<Hit>,
    /// The processors that it names anywhere.
    pub processors: BTreeSet<String>,
    /// What it says of devices, overrides and lists.
    pub facts: LogFacts,
    /// Lines that say where in a kernel a wave was.
    pub waves: Vec<String>,
    /// Number of its lines, once it is UTF-8.
    pub lines: u64,
    /// Number of its bytes, in its own encoding.
    pub bytes: u64,
}

impl Recognised {
    /// The message that decides.
    pub fn first(&self) -> Option<&Hit> {
        self.hits.first()
    }

    /// What kind of thing the log is about.
    pub fn class(&self) -> MessageSubject {
        self.first().map_or(MessageSubject::Unknown, |hit| hit.class)
    }

    /// The same log, of a process for which this value of `HSA_OVERRIDE_GFX_VERSION` was set, on a `card`
    /// where that is known.
    #[must_use]
    pub fn under_override(mut self, value: &str, card: Option<&TargetId>) -> Self {
        self.facts.add_override(value.to_owned(), false);
        let mut facts = self.facts.clone();
        if let Some(card) = card.filter(|_| facts.device().is_none()) {
            facts.add_device(None, card.processor.clone());
        }
        for hit in &mut self.hits {
            facts::conclude(hit, &facts);
            facts::no_code_under_override(hit);
        }
        self
    }

    /// The target that it is about: that of the message which decides, else that of the device in use, else
    /// of another message, else the only one that is named and not merely listed, else that of the only card
    /// that is called by its name.
    pub fn target(&self) -> Option<TargetId> {
        let of_first = self.first().and_then(|hit| hit.target.clone());
        let device = || self.facts.device().map(TargetId::bare);
        let only = || {
            let overridden = self.facts.overridden();
            let of_list = |name: &&String| !self.facts.listed.contains(*name) && !overridden.contains(*name);
            let mut named = self.processors.iter().filter(of_list);
            match (named.next(), named.next(), self.processors.len()) {
                (Some(only), None, _) => Some(TargetId::bare(only)),
                (_, _, 1) => self.processors.first().map(TargetId::bare),
                _ => None,
            }
        };
        let of_others = || {
            let weight = self.first()?.message.weight;
            self.hits
                .iter()
                .filter(|hit| hit.message.weight <= weight.max(Weight::Follow))
                .find_map(|hit| hit.target.clone())
        };
        let card = || self.facts.named_card().map(TargetId::bare).filter(|_| self.processors.is_empty());
        of_first.or_else(device).or_else(of_others).or_else(only).or_else(card)
    }
}

impl Hit {
    /// Puts a cause before the others.
    pub(super) fn put_first(&mut self, cause: &'static str) {
        self.causes.retain(|known| *known != cause);
        self.causes.insert(0, cause);
    }
}
