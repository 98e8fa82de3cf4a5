//! The patterns of processors' names that rules have. Each is compared with the name of a device once,
//! however many clauses have it.

use regex_lite::Regex;

/// A pattern, by its place among [`Patterns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pattern(usize);

/// All patterns, each once.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    all: Vec<(&'static str, Regex)>,
}

impl Patterns {
    /// Takes one in.
    ///
    /// # Errors
    ///
    /// If the text is no regular expression.
    pub(super) fn place(&mut self, text: &'static str) -> Result<Pattern, regex_lite::Error> {
        if let Some(known) = self.all.iter().position(|(known, _)| *known == text) {
            return Ok(Pattern(known));
        }
        self.all.push((text, Regex::new(text)?));
        Ok(Pattern(self.all.len() - 1))
    }

    /// Those that a name matches.
    pub(super) fn matches(&self, name: &str) -> Matches {
        Matches(self.all.iter().map(|(_, pattern)| pattern.is_match(name)).collect())
    }
}

/// The patterns that a processor's name matches.
#[derive(Debug)]
pub(super) struct Matches(Vec<bool>);

impl Matches {
    pub(super) fn has(&self, pattern: Pattern) -> bool {
        self.0.get(pattern.0).copied().unwrap_or_default()
    }
}
