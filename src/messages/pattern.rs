//! Patterns of the table, compiled at their first use.

use super::table::{MESSAGES, Message};
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

/// What the names in angle brackets stand for. No match is longer than [`super::recognise::OVERLAP`].
const NAMES: [(&str, &str); 3] = [
    ("<target>", "(?P<target>gfx[0-9][0-9a-z]{2,4})"),
    // A colon ends it, but for that of a drive: what stands behind is of another sentence.
    ("<path>", "(?P<path>(?:[a-z]:)?[^:]{0,300}?)"),
    ("<any>", ".{0,300}?"),
];

/// A pattern of a message.
pub(super) struct Pattern {
    /// The message.
    pub(super) message: &'static Message,
    /// Without the blanks that make it readable.
    source: String,
    /// What every match contains.
    literal: memmem::Finder<'static>,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(message: &'static Message, pattern: &str) -> Self {
        let mut source: String = pattern.split(' ').collect();
        for (name, stands_for) in NAMES {
            source = source.replace(name, stands_for);
        }
        let literal = memmem::Finder::new(&literal(&source)).into_owned();
        Pattern { message, source, literal, regex: OnceLock::new() }
    }

    /// Whether a window can have a match.
    pub(super) fn may_match(&self, squeezed: &[u8]) -> bool {
        self.literal.find(squeezed).is_some()
    }

    /// The expression; none where it is wrong, which a test rules out.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let build = || RegexBuilder::new(&self.source).unicode(false).dot_matches_new_line(true).build().ok();
        self.regex.get_or_init(build).as_ref()
    }
}

/// All patterns, in the order of the table.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let of = |message: &'static Message| message.patterns.iter().map(move |p| Pattern::new(message, p));
    MESSAGES.iter().flat_map(of).collect()
});

/// The longest stretch of a pattern that stands for itself and that every match has.
fn literal(source: &str) -> Vec<u8> {
    let (mut best, mut run): (Vec<u8>, Vec<u8>) = Default::default();
    let mut end = |run: &mut Vec<u8>| {
        if run.len() > best.len() {
            best.clone_from(run);
        }
        run.clear();
    };
    let mut depth = 0_usize;
    let mut bytes = source.bytes().peekable();
    let mut in_class = false;
    while let Some(byte) = bytes.next() {
        let escaped = byte == b'\\';
        let byte = if escaped { bytes.next().unwrap_or(b'\\') } else { byte };
        if in_class {
            in_class = escaped || byte != b']';
            continue;
        }
        let stands_for_itself =
            if escaped { byte.is_ascii_punctuation() } else { !b"()[]{}?*+.|^$".contains(&byte) };
        if stands_for_itself {
            if depth == 0 {
                run.push(byte);
            }
            continue;
        }
        match byte {
            // What is optional is no part of every match.
            b'?' | b'*' | b'{' if !escaped => {
                run.pop();
                if byte == b'{' {
                    bytes.by_ref().find(|b| *b == b'}');
                }
            }
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'[' => in_class = true,
            _ => {}
        }
        end(&mut run);
    }
    end(&mut run);
    best
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_a_literal() {
        let short = PATTERNS.iter().filter(|pattern| pattern.literal.needle().len() < 3);
        let short: Vec<&str> = short.map(|pattern| pattern.source.as_str()).collect();
        assert!(short.is_empty(), "patterns with hardly a literal: {short:#?}");
        for pattern in PATTERNS.iter() {
            assert!(pattern.regex().is_some(), "{}: {}", pattern.message.id, pattern.source);
            let plain = pattern.source.replace("(?P<", "").replace("\\(", "").replace("\\)", "");
            assert!(!plain.bytes().any(|b| b.is_ascii_uppercase()), "{}: capitals", pattern.source);
        }
    }

    #[test]
    fn literals_are_what_every_match_has() {
        for (source, expected) in [
            ("abcd?efgh", "efgh"),
            ("abcd(efghij|k)lm", "abcd"),
            (r"ab\.cd[efgh]{2,3}ijklm+", "ab.cd"),
            (r"x{0,3}(a(b)c)?yz\[", "yz["),
        ] {
            assert_eq!(String::from_utf8(literal(source)).unwrap(), expected, "{source}");
        }
    }
}
