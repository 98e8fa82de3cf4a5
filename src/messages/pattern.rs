//! Patterns of the table, compiled at their first use.

use super::clean::OVERLAP;
use super::facts::{FileBehindWord, PRODUCTIONS, Reads};
use super::table::{Message, all_messages};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem::{self, Finder};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// What the names in angle brackets stand for. No match is longer than [`OVERLAP`].
const NAMES: [(&str, &str); 4] = [
    ("<target>", "(?P<target>gfx[0-9][0-9a-z]{2,4})"),
    // A colon ends it, but for that of a drive: what stands behind is of another sentence.
    ("<path>", "(?P<path>(?:[a-z]:)?[^:]{0,300}?)"),
    ("<any>", ".{0,300}?"),
    // A package of ROCm, in the names of its own repositories and of distributions.
    (
        "<package>",
        "(?:(?:lib|amd|python3?-)?(?:roc(?:m|k-dkms|blas|fft|rand|sparse|solver|prim|thrust|tracer|profiler|alution|wmma|r-runtime)|hip(?:cc|-|blas|fft|rand|sparse|solver|cub|ify|tensor|64)|hsa(?:-|kmt)|comgr|amdgpu|amdhip64|miopen|rccl|migraphx|composable-?kernel|pytorch-rocm|tensorflow-rocm)[a-z0-9@+._~-]{0,60})",
    ),
];

/// What a pattern says where it matches.
#[derive(Debug, Clone, Copy)]
pub(super) enum Says {
    /// A message of the table, in the words of its row.
    Message(&'static Message),
    /// A fact, in any words.
    Fact(Reads),
}

/// A pattern of a message or of a fact.
pub(super) struct Pattern {
    /// What it says.
    pub(super) says: Says,
    /// Without the blanks that make it readable.
    source: String,
    /// The file that it has behind a word, which is read without the expression.
    pub(super) behind_word: Option<FileBehindWord>,
    /// What every match contains.
    pub(super) literal: Vec<u8>,
    /// What of the source stands before the literal, and what behind it.
    before: String,
    behind: String,
    /// Whether a match can name a processor, and whether it has any names.
    captures_target: bool,
    has_names: bool,
    regex: OnceLock<Option<Regex>>,
    most: OnceLock<[usize; 2]>,
    others: OnceLock<Vec<Finder<'static>>>,
}

/// A pattern without the blanks that make it readable, and with what names in it stand for.
pub(super) fn written_out(pattern: &str) -> String {
    let source: String = pattern.split(' ').collect();
    NAMES.iter().fold(source, |source, (name, stands_for)| source.replace(name, stands_for))
}

impl Pattern {
    fn new(says: Says, pattern: &str) -> Self {
        let source = written_out(pattern);
        let Parts { literal, before, behind } = parts(&source);
        let behind_word = None;
        Pattern {
            says,
            captures_target: source.contains("(?P<target>"),
            has_names: source.contains("(?P<"),
            source,
            behind_word,
            literal,
            before,
            behind,
            regex: OnceLock::new(),
            most: OnceLock::new(),
            others: OnceLock::new(),
        }
    }

    /// Whether every match names a processor.
    pub(super) fn has_target(&self) -> bool {
        self.captures_target && self.literal == b"gfx"
    }

    /// Whether a match can name a processor.
    pub(super) fn captures_target(&self) -> bool {
        self.captures_target
    }

    /// Whether what a match means is not said without a part of it that has a name: all but those that are
    /// of a file only, which the first match of a message shows.
    pub(super) fn needs_names(&self) -> bool {
        match self.says {
            Says::Message(_) | Says::Fact(Reads::Status(_) | Reads::Sought(_) | Reads::Foreign(_)) => {
                self.captures_target()
            }
            Says::Fact(_) => self.has_names,
        }
    }

    /// Bytes that a match has before its literal and behind it, at most; [`OVERLAP`] where that has no bound.
    fn most(&self) -> [usize; 2] {
        let longest = |part: &str| parsed(part)?.properties().maximum_len();
        let of = |part: &str| longest(part).unwrap_or(OVERLAP).min(OVERLAP);
        *self.most.get_or_init(|| [of(&self.before), of(&self.behind)])
    }

    /// Whether a stretch around the literal has all else that every match contains: most have not, and are
    /// asked for that sooner than for the expression.
    pub(super) fn has_others(&self, stretch: &[u8]) -> bool {
        let others = || {
            let parsed = parsed(&self.source);
            let mut all = Vec::new();
            parsed.iter().for_each(|parsed| add_literals(parsed, &mut all));
            let is_other = |other: &&[u8]| other.len() > 1 && memmem::find(&self.literal, other).is_none();
            all.into_iter().filter(is_other).map(|other| Finder::new(other).into_owned()).collect()
        };
        self.others.get_or_init(others).iter().all(|other| other.find(stretch).is_some())
    }

    /// The expression; none where it is wrong, which a test rules out.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let build = || RegexBuilder::new(&self.source).unicode(false).dot_matches_new_line(true).build().ok();
        self.regex.get_or_init(build).as_ref()
    }
}

fn parsed(source: &str) -> Option<Hir> {
    regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(source).ok()
}

/// Adds what every match of an expression contains.
fn add_literals<'a>(parsed: &'a Hir, all: &mut Vec<&'a [u8]>) {
    match parsed.kind() {
        HirKind::Literal(literal) => all.push(&literal.0),
        HirKind::Capture(capture) => add_literals(&capture.sub, all),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add_literals(part, all)),
        HirKind::Repetition(repetition) if repetition.min > 0 => add_literals(&repetition.sub, all),
        _ => {}
    }
}

/// All patterns, in the order of the table, and behind them those of the facts.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let of = |message: &'static Message| {
        message.patterns.iter().map(move |pattern| Pattern::new(Says::Message(message), pattern))
    };
    let facts = PRODUCTIONS.iter().map(|one| Pattern {
        behind_word: one.behind_word.as_ref().map(|name| FileBehindWord::new(written_out(name))),
        ..Pattern::new(Says::Fact(one.reads), &one.pattern)
    });
    all_messages().flat_map(of).chain(facts).collect()
});

/// Bytes of a stretch before and behind all that a match can have, so that what stands for the end of the
/// text, or of a word, does not match at that of the stretch.
const MARGIN: usize = 2;

/// The literals of all patterns, looked for together.
static LITERALS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(PATTERNS.iter().map(|pattern| &pattern.literal)).ok());
/// The same for logs of several windows: making it takes longer, searching half as long.
static LITERALS_OF_MANY: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let literals = PATTERNS.iter().map(|pattern| &pattern.literal);
    AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(literals).ok()
});

/// For each pattern whose literal is in a squeezed text, in the order of the table, the stretches around it
/// in which a match can lie. The text may be one of many.
pub(super) fn candidates(squeezed: &[u8], of_many: bool) -> Vec<(&'static Pattern, Vec<Range<usize>>)> {
    let mut found: Vec<Vec<Range<usize>>> = vec![Vec::new(); PATTERNS.len()];
    let literals = if of_many { &LITERALS_OF_MANY } else { &LITERALS };
    let Some(literals) = literals.as_ref() else { return Vec::new() };
    for literal in literals.find_overlapping_iter(squeezed) {
        let Some(stretches) = found.get_mut(literal.pattern().as_usize()) else { continue };
        let pattern = PATTERNS.get(literal.pattern().as_usize());
        let [before, behind] = pattern.map_or([OVERLAP; 2], Pattern::most);
        let stretch = literal.start().saturating_sub(before + MARGIN)
            ..(literal.end() + behind + MARGIN).min(squeezed.len());
        match stretches.last_mut() {
            Some(last) if last.end >= stretch.start => last.end = stretch.end,
            _ => stretches.push(stretch),
        }
    }
    PATTERNS.iter().zip(found).filter(|(_, stretches)| !stretches.is_empty()).collect()
}

/// A pattern cut at its literal.
struct Parts {
    literal: Vec<u8>,
    before: String,
    behind: String,
}

/// Cuts a pattern at the longest stretch of it that stands for itself and that every match has.
fn parts(source: &str) -> Parts {
    // Bytes that stand for themselves, each with its place in the source; and how many names are open there.
    type Run = (Vec<(u8, Range<usize>)>, usize);
    let (mut best, mut run): (Run, Vec<(u8, Range<usize>)>) = Default::default();
    let mut end = |run: &mut Vec<(u8, Range<usize>)>, open: usize| {
        if run.len() > best.0.len() {
            best = (run.clone(), open);
        }
        run.clear();
    };
    // Groups that are open, and whether one is a name for what it holds: what stands in such a group is in
    // every match, too.
    let mut groups: Vec<bool> = Vec::new();
    let mut bytes = source.bytes().enumerate();
    let mut in_class = false;
    while let Some((at, byte)) = bytes.next() {
        let escaped = byte == b'\\';
        let byte = if escaped { bytes.next().map_or(b'\\', |(_, byte)| byte) } else { byte };
        if in_class {
            in_class = escaped || byte != b']';
            continue;
        }
        let stands_for_itself =
            if escaped { byte.is_ascii_punctuation() } else { !b"()[]{}?*+.|^$".contains(&byte) };
        if stands_for_itself {
            if groups.iter().all(|is_name| *is_name) {
                run.push((byte, at..at + 1 + usize::from(escaped)));
            }
            continue;
        }
        let open = groups.len();
        match byte {
            // What is optional is no part of every match.
            b'?' | b'*' | b'{' if !escaped => {
                run.pop();
                if byte == b'{' {
                    bytes.by_ref().find(|(_, b)| *b == b'}');
                }
            }
            b'(' if source.get(at..).is_some_and(|rest| rest.starts_with("(?P<")) => {
                bytes.by_ref().find(|(_, b)| *b == b'>');
                groups.push(true);
            }
            b'(' => groups.push(false),
            b')' => drop(groups.pop()),
            b'[' => in_class = true,
            _ => {}
        }
        end(&mut run, open);
    }
    end(&mut run, groups.len());
    let (run, open) = best;
    let place = |range: Option<&(u8, Range<usize>)>| range.map_or(0..0, |(_, place)| place.clone());
    let (first, last) = (place(run.first()), place(run.last()));
    // A name that is open at the literal is closed and opened again, so that both parts are patterns.
    let before = format!("{}{}", source.get(..first.start).unwrap_or_default(), ")".repeat(open));
    let behind = format!("{}{}", "(".repeat(open), source.get(last.end..).unwrap_or_default());
    Parts { literal: run.into_iter().map(|(byte, _)| byte).collect(), before, behind }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_a_literal() {
        let short = PATTERNS.iter().filter(|pattern| pattern.literal.len() < 3);
        let short: Vec<&str> = short.map(|pattern| pattern.source.as_str()).collect();
        assert!(short.is_empty(), "patterns with hardly a literal: {short:#?}");
        for pattern in PATTERNS.iter() {
            assert!(pattern.regex().is_some(), "{:?}: {}", pattern.says, pattern.source);
            let plain = pattern.source.replace("(?P<", "").replace("\\(", "").replace("\\)", "");
            assert!(!plain.bytes().any(|b| b.is_ascii_uppercase()), "{}: capitals", pattern.source);
        }
    }

    #[test]
    fn candidates_are_near_their_literals() {
        let mut text = vec![b'x'; 100_000];
        for at in [100, 5_000, 60_000] {
            text[at..at + 22].copy_from_slice(b"hiperrornobinaryforgpu");
        }
        let found = candidates(&text, true);
        let (_, stretches) =
            found.iter().find(|(pattern, _)| pattern.literal == b"hiperrornobinaryforgpu").unwrap();
        let expected = [100, 5_000, 60_000].map(|at| at - MARGIN..at + 22 + MARGIN);
        assert_eq!(stretches[..], expected);
        assert!(candidates(b"nothing of the kind", false).is_empty());
    }

    #[test]
    fn stretches_hold_all_that_a_match_can_have() {
        for (source, most) in [
            ("abc", [0, 0]),
            ("[0-9]{1,4}(a|bc)?xyz.{0,9}", [6, 9]),
            (r"(ab|c)(?P<file>[a-z]{2}lib(x|y)\.kdb)-", [8, 1]),
            (r"x(?P<file>y?\.library.{3}(a|z))q", [2, 5]),
            ("ab.*long", [OVERLAP, 0]),
            ("ablong+", [0, OVERLAP]),
        ] {
            let message = all_messages().next().unwrap();
            assert_eq!(Pattern::new(Says::Message(message), source).most(), most, "{source}");
        }
        // The literal is in every match once: a choice between whole patterns has none.
        for pattern in PATTERNS.iter() {
            let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
            let parsed = parser.parse(&pattern.source).unwrap();
            let is_choice = matches!(parsed.kind(), regex_syntax::hir::HirKind::Alternation(_));
            assert!(!is_choice, "{}", pattern.source);
        }
    }

    #[test]
    fn literals_are_what_every_match_has() {
        for (source, expected) in [
            ("abcd?efgh", "efgh"),
            ("abcd(efghij|k)lm", "abcd"),
            (r"ab\.cd[efgh]{2,3}ijklm+", "ab.cd"),
            (r"x{0,3}(a(b)c)?yz\[", "yz["),
            (r"(ab|cd)(?P<file>[a-z]{2}lib(x|y)\.kdb)", ".kdb"),
        ] {
            assert_eq!(String::from_utf8(parts(source).literal).unwrap(), expected, "{source}");
        }
    }
}
