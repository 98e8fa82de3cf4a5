//! A log made plain: without colours, prefixes and encodings, once with blanks and once without.
//!
//! Messages are looked for in the form without blanks, since terminals and loggers break lines anywhere. It
//! follows from the other form, from which captures and quotations are taken: few of its bytes are asked for
//! their places there, which are counted from marks.

use regex::bytes::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Bytes of a line that are cleaned at once; a longer one is cleaned in parts.
pub(super) const LINE: usize = 1 << 14;
/// Bytes that two windows share: no match is longer.
pub(super) const OVERLAP: usize = 1 << 12;

/// Escape sequences of terminals: real ones, as loggers write them out, and those whose first byte was lost.
static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?:\x1b|\\u001b|\\x1b|\\033|\\e|\^\[|\xe2\x90\x9b)\[[0-9;?]*[A-Za-z]",
        r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|\[[0-9;]{1,8}m"
    ))
    .ok()
});

/// What loggers write before a message.
static PREFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)^(?:[ \t]+|>+ ?|\| |E {2,}|#[0-9]+ (?:[0-9.]+ )?",
        r"|\[?[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?\]?:?",
        r"|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\]?:?",
        r"|[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)? [\w.-]+ [\w./@-]+(?:\[[0-9]+\])?: ",
        r"|\[ *[0-9]+\.[0-9]+\]|[\w.-]{1,60} +\| |\([A-Za-z][\w ]{0,40}pid=[0-9]+[^)]{0,40}\)|\[rank[0-9]+\]:?",
        r"|(?:stdout|stderr)(?: [FP])? |(?:stdout|stderr): ",
        r"|\[?(?:INFO|WARNING|WARN|ERROR|DEBUG|FATAL|CRITICAL)\]? *:? +(?:[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} )?(?:\[[\w./:-]+\])?",
        r"|:[0-9]:[\w.]+\.c(?:pp|c)? *: *[0-9]+ *: *(?:[0-9]+d? *us: *)?",
        r"|\[pid: *[0-9]+ +tid: *0x[0-9a-f]+\]|[0-9]+: \[tid:0x[0-9a-f]+\])"
    ))
    .ok()
});

/// Entities of HTML that messages are pasted with.
const ENTITIES: [(&[u8], u8); 7] = [
    (b"&gt;", b'>'),
    (b"&lt;", b'<'),
    (b"&amp;", b'&'),
    (b"&quot;", b'"'),
    (b"&#39;", b'\''),
    (b"&#x27;", b'\''),
    (b"&nbsp;", b' '),
];

/// What becomes of a byte in both forms of a log.
#[derive(Clone, Copy)]
struct Forms {
    text: u8,
    /// A small letter; 0 where it is left out.
    squeezed: u8,
}

static FORMS: [Forms; 256] = {
    let mut all = [Forms { text: b' ', squeezed: 0 }; 256];
    let mut at = 0;
    while at < all.len() {
        let byte = at as u8;
        let is_control = byte.is_ascii_control();
        if !is_control || byte == b'\t' {
            all[at].text = byte;
        }
        if !is_control && !matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'*') {
            all[at].squeezed = byte.to_ascii_lowercase();
        }
        at += 1;
    }
    all
};

/// Bytes between two marks, at most: so many are counted for the place of a byte.
const MARKED: usize = 512;

/// A stretch of a log in both forms.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// With blanks; a line break for each line.
    pub(super) text: Vec<u8>,
    /// In small letters, without blanks, quotes and asterisks.
    pub(super) squeezed: Vec<u8>,
    /// Places in `squeezed` with what they are in `text`.
    marks: Vec<(usize, usize)>,
    /// Where lines begin in `text`, with their numbers from 1.
    lines: Vec<(usize, u64)>,
    /// Whether a line began as those of HIP's own log do (`AMD_LOG_LEVEL`), which is taken off.
    pub(super) is_of_hip: bool,
}

impl Window {
    /// Adds a line, or a part of one that is too long; `number` counts from 1.
    pub(super) fn push(&mut self, line: &[u8], number: u64, begins: bool) {
        // UTF-16 of our messages is their ASCII with a NUL beside each byte.
        let plain: Cow<'_, [u8]> = match memchr::memchr2(0, b'\r', line) {
            None => Cow::Borrowed(line),
            Some(_) => line.iter().copied().filter(|byte| !matches!(byte, 0 | b'\r')).collect(),
        };
        // Each of them has one of these.
        let may_escape = memchr::memchr2(0x1b, b'[', &plain).is_some();
        let replaced = ESCAPES.as_ref().filter(|_| may_escape).and_then(|escapes| {
            match escapes.replace_all(&plain, &b""[..]) {
                Cow::Owned(replaced) => Some(replaced),
                Cow::Borrowed(_) => None,
            }
        });
        let plain = replaced.map_or(plain, Cow::Owned);
        let mut rest = &plain[..];
        let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
        for mark in marks {
            rest = rest.strip_prefix(mark).unwrap_or(rest);
        }
        if begins {
            for _ in 0..8 {
                if !may_have_prefix(rest) {
                    break;
                }
                let Some(found) = PREFIX.as_ref().and_then(|prefix| prefix.find(rest)) else { break };
                self.is_of_hip |=
                    matches!(found.as_bytes(), [b':', level, b':', ..] if level.is_ascii_digit());
                rest = rest.get(found.end()..).unwrap_or_default();
            }
            self.lines.push((self.text.len(), number));
        }
        self.add(rest);
    }

    /// Ends a line.
    pub(super) fn end_line(&mut self) {
        self.text.push(b'\n');
    }

    fn add(&mut self, mut rest: &[u8]) {
        loop {
            // Most lines have none of it.
            let ascii = memchr::memchr2(b'&', b'\\', rest).unwrap_or(rest.len());
            let begins = memchr::memchr3(0xc2, 0xe2, 0xef, rest.get(..ascii).unwrap_or_default());
            let (plain, behind) = rest.split_at(begins.unwrap_or(ascii));
            self.add_plain(plain);
            rest = behind;
            let Some((&first, tail)) = rest.split_first() else { break };
            if first == b'&'
                && let Some((entity, byte)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))
            {
                self.add_plain(&[*byte]);
                rest = rest.get(entity.len()..).unwrap_or_default();
                continue;
            }
            // Blanks that are no ASCII: not to be broken, of no width, a mark of byte order.
            let blanks: [&[u8]; 4] = [b"\xc2\xa0", b"\xe2\x80\x8b", b"\xef\xbb\xbf", b"\xe2\x80\xaf"];
            if let Some(blank) = blanks.iter().find(|blank| rest.starts_with(blank)) {
                self.text.push(b' ');
                rest = rest.get(blank.len()..).unwrap_or_default();
                continue;
            }
            // Quotes of typographers, as compilers print them: ‘ ’ ‚ ‛ “ ” „ ‟.
            if let [0xe2, 0x80, 0x98..=0x9f, after @ ..] = rest {
                self.text.push(b'\'');
                rest = after;
                continue;
            }
            match (first, tail.first()) {
                // A doubled backslash, or one before a quote, is an escape of the logger.
                (b'\\', Some(b'\\' | b'"' | b'\'')) => {}
                // So is a line break that is written out; small letters behind it would be a path.
                (b'\\', Some(b'n' | b'r' | b't')) if escapes_a_break(tail) => {
                    self.text.push(b' ');
                    rest = tail.get(1..).unwrap_or_default();
                    continue;
                }
                _ => self.add_plain(&[first]),
            }
            rest = tail;
        }
    }

    /// Adds bytes that stand for themselves.
    fn add_plain(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(MARKED) {
            self.marks.push((self.squeezed.len(), self.text.len()));
            let (mut small, mut length, mut controls) = ([0; MARKED], 0, false);
            // Every byte is written, and what stays is counted: that is faster than to ask each byte first.
            for byte in part {
                let forms = FORMS[usize::from(*byte)];
                if let Some(place) = small.get_mut(length) {
                    *place = forms.squeezed;
                }
                length += usize::from(forms.squeezed != 0);
                controls |= forms.text != *byte;
            }
            self.squeezed.extend_from_slice(small.get(..length).unwrap_or_default());
            if controls {
                self.text.extend(part.iter().map(|byte| FORMS[usize::from(*byte)].text));
            } else {
                self.text.extend_from_slice(part);
            }
        }
    }

    /// The place in the text of a byte of the squeezed form.
    fn at(&self, place: usize) -> Option<usize> {
        if place >= self.squeezed.len() {
            return None;
        }
        let mark = self.marks.partition_point(|(squeezed, _)| *squeezed <= place).checked_sub(1)?;
        let (squeezed, text) = *self.marks.get(mark)?;
        let rest = self.text.get(text..)?.iter().enumerate();
        let mut kept = rest.filter(|(_, byte)| FORMS[usize::from(**byte)].squeezed != 0);
        kept.nth(place - squeezed).map(|(behind, _)| text + behind)
    }

    /// The part of the text that the bytes `from..to` of the squeezed form are.
    fn part(&self, from: usize, to: usize) -> std::ops::Range<usize> {
        let first = self.at(from).unwrap_or(self.text.len());
        let last = to.checked_sub(1).and_then(|last| self.at(last)).map_or(first, |last| last + 1);
        first..last
    }

    /// What stands behind the bytes `from..to` of the squeezed form, with line breaks taken out.
    pub(super) fn original(&self, from: usize, to: usize) -> String {
        let bytes = self.text.get(self.part(from, to)).unwrap_or_default();
        String::from_utf8_lossy(bytes).split('\n').map(str::trim).collect()
    }

    /// The text around the bytes `from..to` of the squeezed form, with some of it before and behind.
    pub(super) fn around(&self, from: usize, to: usize, bytes: usize) -> &[u8] {
        let part = self.part(from, to);
        let until = (part.end + bytes).min(self.text.len());
        self.text.get(part.start.saturating_sub(bytes)..until).unwrap_or_default()
    }

    /// What follows a byte of the squeezed form in the text: at most `bytes`.
    pub(super) fn from(&self, from: usize, bytes: usize) -> &[u8] {
        let first = self.at(from).unwrap_or(self.text.len());
        self.text.get(first..(first + bytes).min(self.text.len())).unwrap_or_default()
    }

    /// The number of the line that a byte of the squeezed form stands in, and the line.
    pub(super) fn line(&self, from: usize) -> (u64, String) {
        self.line_at(self.at(from).unwrap_or(0))
    }

    /// The same of a byte of the text.
    pub(super) fn line_at(&self, place: usize) -> (u64, String) {
        let index = self.lines.partition_point(|(start, _)| *start <= place);
        let (start, number) = index.checked_sub(1).and_then(|i| self.lines.get(i)).copied().unwrap_or((0, 1));
        // A log may be one line: no more of it is looked at than is kept, which its blanks do not count for.
        let end = self.text.len().min(start + 4 * QUOTE);
        let rest = self.text.get(start..end).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let text: String = String::from_utf8_lossy(line).chars().take(QUOTE).collect();
        (number, text.trim().to_owned())
    }

    /// Where the lines of these numbers begin in the text.
    pub(super) fn places(&self, numbers: &BTreeSet<u64>) -> BTreeSet<usize> {
        let own = self.lines.iter().filter(|(_, number)| numbers.contains(number));
        own.map(|(start, _)| *start).collect()
    }

    /// The lines of the window, but for those of these numbers.
    pub(super) fn other_lines<'a>(&'a self, numbers: &'a BTreeSet<u64>) -> impl Iterator<Item = &'a [u8]> {
        let ends = self.lines.iter().skip(1).map(|(start, _)| *start).chain([self.text.len()]);
        let lines = self.lines.iter().zip(ends);
        let others = lines.filter(|((_, number), _)| !numbers.contains(number));
        others.map(|((start, _), end)| self.text.get(*start..end).unwrap_or_default())
    }

    /// A window that begins with the last `keep` bytes of the squeezed form.
    pub(super) fn last(&self, keep: usize) -> Window {
        let gone = self.squeezed.len().saturating_sub(keep);
        let cut = self.at(gone).unwrap_or(self.text.len());
        let behind = self.marks.partition_point(|(squeezed, _)| *squeezed <= gone);
        let marks = self.marks.get(behind..).unwrap_or_default().iter();
        // The line that the rest begins in stays.
        let first = self.lines.partition_point(|(start, _)| *start <= cut).saturating_sub(1);
        let lines = self.lines.get(first.min(self.lines.len())..).unwrap_or_default();
        Window {
            text: self.text.get(cut..).unwrap_or_default().to_vec(),
            squeezed: self.squeezed.get(gone..).unwrap_or_default().to_vec(),
            marks: [(0, 0)].into_iter().chain(marks.map(|(of, place)| (of - gone, place - cut))).collect(),
            lines: lines.iter().map(|(start, number)| (start.saturating_sub(cut), *number)).collect(),
            is_of_hip: false,
        }
    }
}

/// Whether [`PREFIX`] can match: most lines begin with a word and go on.
fn may_have_prefix(line: &[u8]) -> bool {
    let (Some(&first), head) = (line.first(), line.get(..line.len().min(72)).unwrap_or_default()) else {
        return false;
    };
    !(first.is_ascii_lowercase() || first >= 0x80)
        || line.starts_with(b"stdout")
        || line.starts_with(b"stderr")
        || memchr::memchr(b'|', head).is_some()
}

/// Characters of a line that are kept for quotation.
const QUOTE: usize = 300;

/// Whether the letter behind a backslash, with which `tail` begins, stands for a break and not for a folder.
fn escapes_a_break(tail: &[u8]) -> bool {
    match tail.get(1) {
        None => true,
        Some(next) => next.is_ascii_uppercase() || !(next.is_ascii_alphanumeric() || *next == b'_'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(line: &[u8]) -> String {
        let mut window = Window::default();
        window.push(line, 1, true);
        String::from_utf8_lossy(&window.squeezed).into_owned()
    }

    #[test]
    fn wrapping_is_taken_off() {
        for line in [
            &b"a Bc"[..],
            b"\x1b[31ma \x1b[0mBc\r",
            b"2024-05-04T09:45:04.334Z  a Bc",
            b"[2024-05-04 09:45:04,334] [ERROR] a Bc",
            b"Jul 28 15:11:48 host ollama[307422]: a Bc",
            b"ollama-1  | a Bc",
            b"(EngineCore pid=2651) a Bc",
            b"\xff\xfea\0 \0B\0c\0",
            b"> a&nbsp;\"Bc\"",
            b":1:hip_fatbin.cpp           :272 : 3169196830 us: [pid:9111  tid:0x79a41865cb80] a Bc",
            b"\\u001b[1ma\\u001b[0m\\nBc",
            b"[33ma **Bc**",
        ] {
            assert_eq!(squeezed(line), "abc", "{}", String::from_utf8_lossy(line));
        }
        assert_eq!(squeezed(b"C:\\\\new\\rocblas\\tensile"), "c:\\new\\rocblas\\tensile");
    }

    #[test]
    fn places_survive_forgetting() {
        let mut window = Window::default();
        for number in 1..=9 {
            window.push(format!("line {number} ends").as_bytes(), number, true);
            window.end_line();
        }
        assert_eq!(window.squeezed.len(), 9 * 9);
        let window = window.last(15);
        assert_eq!(window.squeezed, b"e8endsline9ends");
        let at = window.squeezed.len() - 5;
        assert_eq!(window.line(at), (9, "line 9 ends".to_owned()));
        assert_eq!(window.original(at, at + 5), "9 ends");
    }
}
