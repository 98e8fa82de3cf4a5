//! The windows of a log searched side by side: what is looked for in each of them, whatever the others say.

use super::facts::FilePlace;
use super::pattern::{Pattern, candidates};
use super::sign;
use super::windows::Cut;
use crate::target::Processor;
use rayon::prelude::*;
use regex::bytes::{Captures, Regex};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Patterns that can match in one window from which on those are left out whose message was found often: a log
/// that has all messages in each of its pages.
pub(super) const DENSE: usize = 150;

/// The name of a processor, in squeezed text.
pub(super) static PROCESSOR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)gfx[0-9][0-9a-f]{2,3}").ok());

/// What was found in a window.
pub(super) struct WindowMatches<'w> {
    /// Patterns that can match.
    pub(super) candidates: usize,
    /// The matches of each of them that has some, in the order of the table.
    pub(super) matches: Vec<(&'static Pattern, Vec<PatternMatch<'w>>)>,
    /// What else is looked for in each window of a log that has several.
    pub(super) rest: Option<Rest>,
}

/// Processors and signs of a window.
pub(super) struct Rest {
    /// The names of processors.
    pub(super) processors: Vec<&'static str>,
    /// Which of the signs that count in all of a log are in it.
    pub(super) far: Vec<usize>,
}

/// One match of a pattern.
pub(super) struct PatternMatch<'w> {
    pattern: &'static Pattern,
    /// The part of the squeezed window that was searched, and where it begins.
    stretch: &'w [u8],
    first: usize,
    /// Where the match is in that part.
    at: Range<usize>,
    names: Names<'w>,
}

/// What the names of a pattern captured.
enum Names<'w> {
    /// It is a file behind a word.
    File(FilePlace),
    /// Once that was asked for: most matches say nothing new.
    Captured(OnceCell<Option<Captures<'w>>>),
}

impl PatternMatch<'_> {
    /// The bytes of the squeezed window.
    pub(super) fn range(&self) -> Range<usize> {
        self.first + self.at.start..self.first + self.at.end
    }

    /// The bytes that a name of the pattern captured.
    pub(super) fn named(&self, name: &str) -> Option<Range<usize>> {
        let found = match &self.names {
            Names::File(place) if name == "file" => place.file.clone(),
            Names::File(place) => self.pattern.behind_word.as_ref()?.named(self.stretch, place, name)?,
            Names::Captured(captures) => {
                let regex = self.pattern.regex()?;
                regex.capture_names().flatten().find(|known| *known == name)?;
                let captured = || regex.captures_at(self.stretch, self.at.start);
                captures.get_or_init(captured).as_ref()?.name(name)?.range()
            }
        };
        Some(self.first + found.start..self.first + found.end)
    }
}

/// Searches windows, for all patterns but those that are `left_out` where a window is dense, and for the signs
/// of a whole log that are not `known` to be there.
pub(super) fn search<'w>(
    cuts: &'w [Cut],
    left_out: &(dyn Fn(&Pattern) -> bool + Sync),
    known: &BTreeSet<usize>,
) -> Vec<WindowMatches<'w>> {
    match cuts {
        // Threads are not worth it.
        [cut] => vec![one(cut, left_out, known)],
        cuts => cuts.par_iter().map(|cut| one(cut, left_out, known)).collect(),
    }
}

fn one<'w>(
    cut: &'w Cut,
    left_out: &(dyn Fn(&Pattern) -> bool + Sync),
    known: &BTreeSet<usize>,
) -> WindowMatches<'w> {
    let squeezed = cut.window.squeezed.as_slice();
    let all = candidates(squeezed, !cut.is_whole());
    let count = all.len();
    let wanted = all.into_iter().filter(|(pattern, _)| count <= DENSE || !left_out(pattern));
    let matches = wanted.filter_map(|(pattern, stretches)| {
        let mut matches = Vec::new();
        for stretch in stretches {
            add_matches(pattern, squeezed.get(stretch.clone())?, stretch.start, &mut matches);
        }
        (!matches.is_empty()).then_some((pattern, matches))
    });
    let matches = matches.collect();
    let rest = || Rest { processors: processors(squeezed), far: sign::far(squeezed, known) };
    WindowMatches { candidates: count, matches, rest: (!cut.is_whole()).then(rest) }
}

fn add_matches<'w>(
    pattern: &'static Pattern,
    stretch: &'w [u8],
    first: usize,
    matches: &mut Vec<PatternMatch<'w>>,
) {
    if !pattern.has_others(stretch) {
        return;
    }
    let of = |at: Range<usize>, names| PatternMatch { pattern, stretch, first, at, names };
    if let Some(file) = &pattern.behind_word {
        matches.extend(
            file.find_all(stretch).into_iter().map(|place| of(place.all.clone(), Names::File(place))),
        );
        return;
    }
    let Some(regex) = pattern.regex() else { return };
    if pattern.needs_names() {
        matches.extend(regex.captures_iter(stretch).filter_map(|captures| {
            let at = captures.get(0)?.range();
            Some(of(at, Names::Captured(OnceCell::from(Some(captures)))))
        }));
    } else {
        let found = regex.find_iter(stretch);
        matches.extend(found.map(|found| of(found.range(), Names::Captured(OnceCell::new()))));
    }
}

/// The processors whose names are in a squeezed text, in their order there. A terminal breaks names, too: the
/// list of names says where one ends.
pub(super) fn processors(squeezed: &[u8]) -> Vec<&'static str> {
    let mut names = Vec::new();
    let Some(processor) = PROCESSOR.as_ref() else { return names };
    let mut last: &[u8] = b"";
    for found in processor.find_iter(squeezed) {
        // Most lines that name one name that of the line before.
        if found.as_bytes() == last {
            continue;
        }
        last = found.as_bytes();
        let known = Processor::longest_prefix(&String::from_utf8_lossy(last)).map(|(known, _)| known.name());
        names.extend(known.filter(|name| !names.contains(name)));
    }
    names
}
