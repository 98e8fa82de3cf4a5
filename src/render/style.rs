//! Colours, glyphs and units: three colours with a meaning, each doubled by a glyph or a word.

pub use crate::finding::amount::{plural, thousands};
use crate::finding::gate::Gate;
use std::borrow::Cow;

/// How to draw.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Available columns.
    pub width: u16,
    /// Whether to use colours.
    pub color: bool,
    /// Only ASCII.
    pub ascii: bool,
    /// 0 normal, 1 with evidence, 2 with every file.
    pub verbose: u8,
    /// Whether to show all tables; otherwise the verdict, or an overview by target, is enough.
    pub full: bool,
    /// Rows of the terminal, if it is drawn for one.
    pub height: Option<u16>,
    /// Whether other people than the user who ran the command will read it.
    pub shared: bool,
    /// Whether it is a page, which can have figures.
    pub page: bool,
    /// The requested table of a report, for formats that hold only one.
    pub rows: Option<&'static str>,
    /// The command that the report is an answer to, and the day that was asked for, for what others read.
    pub made_by: Option<fn() -> &'static str>,
    /// What makes the run fail, whatever its severity, for formats that mark failures.
    pub fails: Gate,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            width: 100,
            color: false,
            ascii: false,
            verbose: 0,
            full: true,
            height: None,
            shared: false,
            page: false,
            rows: None,
            made_by: None,
            fails: Gate::from_condition(|rule| rule.is_damage),
        }
    }
}

/// The meaning of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Present, or as it should be.
    Good,
    /// Partly present.
    Partial,
    /// Missing or wrong.
    Bad,
    /// Less prominent.
    Dim,
    /// A heading.
    Strong,
}

impl Style {
    /// This style without features that only terminals have.
    #[must_use]
    pub fn for_markdown(&self) -> Style {
        Style { color: false, width: u16::MAX, full: true, shared: true, ..*self }
    }

    /// This style for a page, whose width is up to the reader.
    #[must_use]
    pub fn for_page(&self) -> Style {
        Style { ascii: false, page: true, ..self.for_markdown() }
    }

    /// A hint about the command line, for the user who ran the command; empty for others.
    pub fn hint<'a>(&self, text: &'a str) -> &'a str {
        if self.shared { "" } else { text }
    }

    /// Chooses one of two spellings.
    pub fn pick(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// The separator between parts of a line.
    pub fn dot(&self) -> &'static str {
        self.pick(" · ", " | ")
    }

    /// The sign for a number that is zero.
    pub fn none(&self) -> &'static str {
        self.pick("·", "-")
    }

    /// A number with thousands separators; [`Style::none`] for zero.
    pub fn number(&self, number: u64) -> String {
        if number == 0 { self.none().to_owned() } else { thousands(number) }
    }

    /// A size in IEC units; [`Style::none`] for zero.
    pub fn size(&self, bytes: u64) -> String {
        if bytes == 0 { self.none().to_owned() } else { iec(bytes) }
    }

    /// A bar of eight cells for a share from 0 to 1.
    pub fn bar(&self, share: f64) -> String {
        let eighths = (share.clamp(0.0, 1.0) * 8.0 * BAR_CELLS as f64).round() as usize;
        if self.ascii {
            return "#".repeat(eighths.div_ceil(8).min(BAR_CELLS));
        }
        let mut bar = "█".repeat(eighths / 8);
        bar.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(eighths % 8).unwrap_or(&""));
        bar
    }
}

/// Cells of a full bar.
pub const BAR_CELLS: usize = 24;

/// `612.4 MiB`; whole bytes below 1 KiB.
pub fn iec(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1023.95 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}

/// At most so many characters of a name, with `...` where more follow.
pub(super) fn cut(name: &str, most: usize) -> String {
    let cut: String = name.chars().take(most).collect();
    if cut.len() < name.len() { format!("{cut}...") } else { cut }
}

/// Text from files or paths, made safe to print: characters that terminals and viewers obey or hide become
/// `?`.
pub fn printable(text: &str) -> Cow<'_, str> {
    inert(text, "")
}

/// The title of a page, which is read elsewhere than where it was made: a bare dot says nothing there.
pub(super) fn title(path: &str) -> Cow<'_, str> {
    let is_here = !path.is_empty() && path.chars().all(|letter| matches!(letter, '.' | '/'));
    if is_here { Cow::Owned(format!("The folder {path}")) } else { Cow::Borrowed(path) }
}

/// The same, except for characters in `left`, which the format escapes itself.
pub(super) fn inert<'t>(text: &'t str, left: &str) -> Cow<'t, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let is_taken = |c: char| is_obeyed(c) && !left.contains(c);
    if text.contains(is_taken) {
        Cow::Owned(text.chars().map(|c| if is_taken(c) { '?' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a terminal, editor or viewer obeys a character without showing it: controls, characters that
/// change the direction of writing or break lines, and characters without width. All formats use this list.
/// Source: Unicode 16, categories Cc, Zl, Zp and Cf, except for the soft hyphen and characters that scripts
/// are written with; UTS 55 explains what they can hide.
pub(super) fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_folder_is_no_bare_dot_in_a_title() {
        assert_eq!(
            (title("."), title("../"), title("a.b")),
            ("The folder .".into(), "The folder ../".into(), "a.b".into())
        );
    }

    #[test]
    fn units_and_separators() {
        assert_eq!(iec(1023), "1023 B");
        assert_eq!(iec(1024), "1.0 KiB");
        assert_eq!(iec(1_270_539_728), "1.2 GiB");
        assert_eq!(iec(1_048_575), "1.0 MiB");
        assert_eq!(Style::default().bar(1.0).chars().count(), BAR_CELLS);
        assert_eq!(Style::default().bar(0.0), "");
    }
}
