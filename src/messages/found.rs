//! What one match of a pattern says: a message, or a fact.

use super::clean::Window;
use super::facts::trace::Release;
use super::facts::{self, LogFacts, Reads};
use super::recognise::{AROUND, NEAR, is_old, keep_hit, keeps_path, rest_of_path, sign_near, target};
use super::recognised::Hit;
use super::search::{PROCESSOR, PatternMatch};
use super::table::{self, Message, MessageOrigin, MessageSubject, Weight};
use super::whose::Signs;
use crate::target::Processor;
use regex::bytes::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A match in a window, before which so many bytes of the log stand.
pub(super) struct PatternCapture<'a, 'w> {
    pub(super) window: &'a Window,
    pub(super) found: &'a PatternMatch<'w>,
    pub(super) before: u64,
}

impl PatternCapture<'_, '_> {
    /// The bytes that a name of the pattern, or all of it, captured.
    fn range(&self, name: Option<&str>) -> Option<(usize, usize)> {
        let found = match name {
            Some(name) => self.found.named(name)?,
            None => self.found.range(),
        };
        Some((found.start, found.end))
    }

    /// Adds the message that it is, or counts it where nothing new is learnt.
    pub(super) fn message(&self, message: &'static Message, hits: &mut Vec<Hit>) {
        let target = self.range(Some("target")).and_then(|(from, _)| target(self.window, from));
        if !is_old(hits, message.id, target.as_ref()) {
            keep_hit(hits, self.hit(message, hits));
        }
    }

    /// The numbers of the lines that the match stands in.
    pub(super) fn lines(&self) -> std::ops::RangeInclusive<u64> {
        let (from, to) = self.range(None).unwrap_or_default();
        self.window.line(from).0..=self.window.line(to.saturating_sub(1)).0
    }

    fn text(&self, name: &str) -> Option<String> {
        self.range(Some(name)).map(|(from, to)| self.window.original(from, to))
    }

    /// The message that it is, whose path is found where it would be kept beside the messages so far.
    fn hit(&self, message: &'static Message, hits: &[Hit]) -> Hit {
        let window = self.window;
        let (from, to) = self.range(None).unwrap_or_default();
        let (line, quote) = window.line(from);
        let target = self.range(Some("target")).and_then(|(from, _)| target(window, from));
        let path = || {
            let path = self.range(Some("path"));
            let path = path.map(|(from, to)| window.original(from, to) + &rest_of_path(window, to));
            path.or_else(|| self.text("file"))
        };
        let path = keeps_path(hits, message.id, target.as_ref()).then(path).flatten();
        let path = path
            .map(|path| path.trim_matches(['"', '\'', '`', ':', ',', '[', ']', '(', ')', ' ']).to_owned());
        Hit {
            message,
            words: message.words,
            class: message.class,
            causes: message.causes.to_vec(),
            target,
            path: path.filter(|path| !path.is_empty()),
            line,
            quote,
            count: 1,
            place: self.before + from as u64,
            around: match message.words {
                MessageOrigin::Own => Signs::default(),
                MessageOrigin::Shared | MessageOrigin::Mostly | MessageOrigin::Ported => {
                    Signs::of_lines(window.around(from, to, AROUND))
                }
            },
            sign: sign_near(window, message, from, to),
        }
    }

    /// Adds what a production reads to the facts; what makes a message, to those that are concluded.
    pub(super) fn fact(&self, reads: Reads, facts: &mut LogFacts, concluded: &mut Vec<Hit>) {
        let (from, to) = self.range(None).unwrap_or_default();
        let number = || self.text("number").and_then(|text| text.parse().ok());
        match reads {
            Reads::Status(message) | Reads::Sought(message) => self.message(message, concluded),
            Reads::Foreign(message) => {
                let window = self.window;
                let around = Signs::of_lines(window.around(from, to, AROUND));
                // Of the words for files that lack code, both makers' programs are asked about here; others
                // count only where something says that it is ROCm's.
                let is_own = message.words == MessageOrigin::Own || message.class != MessageSubject::File;
                let words = if is_own { MessageOrigin::Ported } else { message.words };
                let hit = self.hit(message, concluded);
                keep_hit(concluded, Hit { words, around, ..hit });
            }
            Reads::Number { is_hsa } => {
                let number = self.text("number").map(|text| text.to_ascii_lowercase()).unwrap_or_default();
                if let Some(message) = facts::of_number(is_hsa, &number) {
                    keep_hit(concluded, self.hit(message, concluded));
                }
            }
            Reads::Refusal => {
                let near = self
                    .window
                    .squeezed
                    .get(from.saturating_sub(NEAR)..(to + NEAR).min(self.window.squeezed.len()));
                if let Some(message) = table::of_id(facts::of_refusal(near.unwrap_or_default())) {
                    keep_hit(concluded, self.hit(message, concluded));
                }
            }
            Reads::Device => {
                let known = self.range(Some("target")).and_then(|(from, _)| target(self.window, from));
                if let Some(target) = known {
                    facts.add_device(number(), target.processor);
                }
            }
            Reads::Current => facts.current = facts.current.or_else(number),
            Reads::Card => {
                if let Some(name) = self.text("card") {
                    facts.add_card(&name);
                }
            }
            Reads::Override => {
                if let Some(value) = self.text("override") {
                    let before = self.window.squeezed.get(..from).unwrap_or_default();
                    facts.add_override(value, facts::is_tried(before));
                }
            }
            Reads::Frame => {
                if let Some(stem) = self.text("frame") {
                    facts.add_frame(stem.to_ascii_lowercase());
                }
            }
            Reads::Release => {
                if let Some(release) = self.text("release").as_deref().and_then(Release::parse) {
                    facts.add_release(release);
                }
            }
            Reads::Compiled(time) => facts.add_compiled(time),
            Reads::Queue(queue) => facts.add_queue(queue),
            Reads::List => facts.listed.extend(listed(self.window, to)),
        }
    }
}

/// What is said in words that no row knows, with the number and the text of its line.
pub(super) type Stated = (facts::Statement, u64, String);

/// Adds what was said in words that no row knows, where nothing else in the log says what is wrong.
pub(super) fn add_stated(hits: &mut Vec<Hit>, stated: Option<Stated>, ended: bool) {
    let Some((statement, line, quote)) = stated else { return };
    let Some(message) = table::of_id(statement.message) else { return };
    let is_open = |hit: &Hit| match hit.message.weight {
        Weight::Crash => message.weight < Weight::Crash,
        Weight::Harmless => ended && hit.line != line,
        // A sentence says more than a status that does not say why.
        Weight::Reason | Weight::Result | Weight::Follow => {
            facts::says_little(hit.message) && statement.says_why()
        }
    };
    // What is said of a crash beside its own line.
    if let (Weight::Crash, Some(first)) = (message.weight, statement.first) {
        let crashes = hits.iter_mut().filter(|hit| hit.message.weight == Weight::Crash);
        crashes.for_each(|hit| hit.put_first(first));
    }
    // A crash of a program that names another maker's library stays open.
    let is_another = message.class == MessageSubject::NotRocm && !hits.is_empty();
    if is_another || !hits.iter().all(is_open) {
        return;
    }
    // The status that it explains goes.
    hits.retain(|hit| hit.message.weight >= message.weight);
    let mut hit = Hit {
        message,
        words: message.words,
        class: message.class,
        causes: message.causes.to_vec(),
        target: None,
        path: None,
        line,
        quote,
        count: 1,
        place: 0,
        around: Signs::default(),
        sign: None,
    };
    if let Some(first) = statement.first {
        hit.put_first(first);
    }
    keep_hit(hits, hit);
}

/// Bytes of a list of processors that are looked at.
const LIST_BYTES: usize = 1500;

/// The processors of a list that begins at a byte of the squeezed form: names that follow each other with
/// little between them.
fn listed(window: &Window, from: usize) -> Vec<String> {
    let rest = window.squeezed.get(from..(from + LIST_BYTES).min(window.squeezed.len())).unwrap_or_default();
    let mut names = Vec::new();
    let mut end = 0;
    let Some(processor) = PROCESSOR.as_ref() else { return names };
    for found in processor.find_iter(rest) {
        if found.start() > end + 140 {
            break;
        }
        end = found.end();
        let name = String::from_utf8_lossy(found.as_bytes()).into_owned();
        if let Some((known, _)) = Processor::longest_prefix(&name) {
            names.push(known.name().to_owned());
        }
    }
    names
}

/// Words with which a program ends, or says that it failed.
static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)\b(error|exception|fatal|abort(ed|ing)?|core dumped|terminate called|assertion|segmentation fault|sigsegv|panic|traceback|crash(ed|es)?|killed|failed)\b|[a-z](Error|Exception)\b",
    )
    .ok()
});

/// The same words where they only say what could be or is not: "if you see any error", "0 errors".
static ONLY_NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)\b(any|no|without|zero|0) (errors?|exceptions?|crash(es)?)\b").ok());

/// The verdict of a test runner that a test passed: pytest's, GoogleTest's, CTest's.
static PASSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m-u)(^|[ \t])PASSED([ \t]*$|[ \t]+\[)|\[ +(OK|PASSED) +\]|\.{3} +Passed +[0-9.]+ sec").ok()
});

/// Whether the window has the verdict of a test runner that a test passed.
pub(super) fn says_passed(window: &Window) -> bool {
    PASSED.as_ref().is_some_and(|passed| passed.is_match(&window.text))
}

/// Whether a line of the window that no message stands in says that a program failed.
pub(super) fn ends_program(window: &Window, harmless: &BTreeSet<u64>) -> bool {
    let (Some(ends), Some(only_named)) = (ENDS.as_ref(), ONLY_NAMED.as_ref()) else { return false };
    window.other_lines(harmless).any(|line| {
        let named = only_named.find_iter(line).count();
        ends.find_iter(line).nth(named).is_some()
    })
}
