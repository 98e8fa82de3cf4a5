//! Blocks drawn as GitHub Markdown.

use super::block::{Align, Block, Table};
use super::mermaid;
use super::style::{Tone, printable, title};

/// Rows from which a section is folded, so that it does not push the important parts out of sight.
const FOLDED: usize = 8;

/// Draws blocks one below the other; long sections are folded behind their headings.
pub(super) fn draw(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut rest = blocks;
    while let Some((first, behind)) = rest.split_first() {
        let is_heading = |block: &Block| matches!(block, Block::Heading(_) | Block::Title(..));
        let length = behind.iter().position(is_heading).unwrap_or(behind.len());
        let (section, next) = behind.split_at(length);
        match first {
            Block::Heading(heading) if section.iter().map(rows).sum::<usize>() > FOLDED => {
                out.push_str(&format!("\n<details><summary><b>{}</b></summary>\n", html(heading)));
                out.push_str(&plain(section));
                out.push_str("\n</details>\n");
            }
            _ => out.push_str(&plain(rest.get(..=length).unwrap_or_default())),
        }
        rest = next;
    }
    let made = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    out.push_str(&format!("\n_{made}_\n"));
    out
}

/// Approximate height of a block in rows.
fn rows(block: &Block) -> usize {
    match block {
        Block::Table(table) => table.rows.len(),
        Block::Lines(lines) => lines.len(),
        Block::Listing(lines) => lines.len(),
        Block::Items(list) => list.len(),
        _ => 0,
    }
}

/// Lines as they are.
fn fenced<'l>(out: &mut String, lines: impl Iterator<Item = &'l String>) {
    out.push_str("\n```text\n");
    lines.for_each(|line| out.push_str(&format!("{}\n", line.replace('`', "'"))));
    out.push_str("```\n");
}

/// Text for HTML elements in Markdown, where Markdown markup has no meaning.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(['\n', '\r'], " ")
}

/// The signs of a verdict, with coloured replacements for pages.
const SIGNS: [(&str, &str); 7] =
    [("✓", "✅"), ("+", "✅"), ("✗", "❌"), ("~", "⚠️"), ("▼", "⚠️"), ("▲", "⚠️"), ("?", "❔")];

/// Splits a label into its sign and the rest.
fn sign(label: &str) -> (Option<&'static str>, &str) {
    let (first, rest) = label.split_once(' ').unwrap_or((label, ""));
    match SIGNS.iter().find(|(own, _)| *own == first) {
        Some((_, shown)) => (Some(shown), rest),
        None => (None, label),
    }
}

/// Draws blocks without folding.
fn plain(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Title(left, right) => {
                out.push_str(&format!("# {}\n\n{}\n", escape(&title(left)), escape_line(right)))
            }
            Block::Heading(text) => out.push_str(&format!("\n## {}\n\n", escape(text))),
            Block::Text(Tone::Dim, text) => out.push_str(&format!("\n_{}_\n", escape(text))),
            Block::Text(_, text) => match sign(text) {
                (Some(sign), rest) => out.push_str(&format!("\n{sign} **{}**\n", escape(rest.trim()))),
                (None, text) => out.push_str(&format!("\n{}\n", escape_line(text))),
            },
            Block::Table(found) => out.push_str(&table(found)),
            Block::Space
            | Block::Strip(_)
            | Block::Cards(_)
            | Block::Bars(_)
            | Block::Areas(_)
            | Block::Bands(_)
            | Block::Flow(_) => {}
            Block::Map(map) => out.push_str(&format!("\n```mermaid\n{}\n```\n", mermaid::flow_chart(map))),
            Block::Lines(lines) => fenced(&mut out, lines.iter()),
            Block::Listing(lines) => fenced(&mut out, lines.iter().map(|(_, line)| line)),
            Block::Items(list) => {
                out.push('\n');
                for item in list {
                    let (sign, label) = sign(&item.label);
                    let sign = sign.map(|sign| format!("{sign} ")).unwrap_or_default();
                    let (label, text) = (label.trim(), item.text.trim());
                    let line = match (label.is_empty(), sign.is_empty()) {
                        // An item without a label belongs to the one before it.
                        (true, true) if item.label.is_empty() => format!("  {}", escape_line(text)),
                        (true, true) => format!("- {}", escape_line(text)),
                        (true, false) => format!("- {sign}**{}**  ", escape(text)),
                        (false, _) => format!("- {sign}**{}** {}", escape(label), escape_line(text)),
                    };
                    out.push_str(&line);
                    out.push('\n');
                }
            }
        }
    }
    out
}

fn table(table: &Table) -> String {
    let mut out = String::from("\n|");
    let mut group: Option<&String> = None;
    for column in &table.columns {
        // Markdown tables have no column groups, so each column carries the group's name.
        group = column.group.as_ref().filter(|g| !g.is_empty()).or(group);
        let title = match group {
            Some(name) if column.group.is_some() => format!("{name}: {}", column.title),
            _ => column.title.clone(),
        };
        out.push_str(&format!(" {} |", escape(&title)));
    }
    out.push_str("\n|");
    for column in &table.columns {
        out.push_str(if column.align == Align::Right { " ---: |" } else { " --- |" });
    }
    out.push('\n');
    for (index, row) in table.rows.iter().enumerate() {
        let sum = table.total && index + 1 == table.rows.len();
        out.push('|');
        for (cell, column) in row.iter().zip(&table.columns) {
            // Letters and plus signs have no special meaning in a cell.
            let mut text = match sign(&cell.text) {
                (Some(shown), rest) if !cell.text.starts_with(['+', 'x', '?']) => {
                    format!("{shown} {}", escape(rest))
                }
                _ => escape(&cell.text),
            };
            if column.align == Align::Right {
                // Keeps a number and its unit together.
                text = text.replace(' ', "&nbsp;");
            }
            let bold = sum && !text.trim().is_empty();
            out.push_str(&if bold { format!(" **{text}** |") } else { format!(" {text} |") });
        }
        out.push('\n');
    }
    out
}

/// Escapes text for a line, a heading or a cell: names of kernels, files and entries can contain anything. In
/// addition to markup, this covers what GitHub turns plain text into: links, mentions, formulas.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let indent = text.len() - text.trim_start_matches(' ').len();
    out.push_str(&"&nbsp;".repeat(indent));
    let mut before = ' ';
    let mut rest = text.get(indent..).unwrap_or_default().chars();
    while let Some(c) = rest.next() {
        match c {
            '|' | '\\' | '*' | '_' | '`' | '[' | ']' | '~' | '#' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Addresses: `http://`, `www.`.
            ':' if rest.as_str().starts_with("//") => out.push_str("&#58;"),
            '.' if ends_with_www(&out) => out.push_str("&#46;"),
            // A mention, unless it is within a word.
            '@' if !before.is_alphanumeric() => out.push_str("@\u{2060}"),
            '\n' | '\r' => out.push(' '),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

fn ends_with_www(text: &str) -> bool {
    let last = text.len().checked_sub(3).and_then(|at| text.get(at..));
    last.is_some_and(|last| last.eq_ignore_ascii_case("www"))
}

/// Escapes text at the beginning of a line, so that it does not begin a list, rule or underline.
fn escape_line(text: &str) -> String {
    let escaped = escape(text);
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    match escaped.as_bytes().get(digits) {
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{escaped}"),
        Some(b'.' | b')') if digits > 0 => match escaped.split_at_checked(digits) {
            Some((number, behind)) => format!("{number}\\{behind}"),
            None => escaped,
        },
        _ => escaped,
    }
}

/// Text as code within a line or a cell. Replaces characters that would end it.
pub(super) fn code(text: &str) -> String {
    // A pipe ends a cell even within code, unless exactly one backslash precedes it.
    let plain = printable(text).replace('`', "'").replace('\\', "/").replace('|', "\\|");
    format!("`{plain}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::block::{Column, ListLine, TableCell};

    #[test]
    fn foreign_text_cannot_break_a_table() {
        assert_eq!(escape("a|b<c>\n*x*"), "a\\|b&lt;c&gt; \\*x\\*");
    }

    #[test]
    fn foreign_text_is_no_markup_wherever_it_stands() {
        const EVIL: &str =
            "x|`<script>*a*_b_~~c~~[d](javascript:e)![f](http://g/h)# www.i.j @k $l$ &lt; \\|m";
        let column = Column::left(EVIL).group(EVIL);
        let mut table = Table::new([column, Column::right(EVIL)]);
        table.row([TableCell::new(EVIL), TableCell::new(EVIL)]);
        let item =
            |label: &str| ListLine { tone: Tone::Plain, label: label.to_owned(), text: EVIL.to_owned() };
        let blocks = [
            Block::Title(EVIL.to_owned(), EVIL.to_owned()),
            Block::Heading(EVIL.to_owned()),
            Block::Text(Tone::Dim, EVIL.to_owned()),
            Block::Text(Tone::Plain, EVIL.to_owned()),
            Block::Items(vec![item(EVIL), item("")]),
            Block::Table(table),
        ];
        let drawn = draw(&blocks);
        assert_eq!(drawn.matches("&lt;script").count(), 13, "{drawn}");
        for markup in ["<", "\n1.", "://", "www.", "@k", "\\\\|"] {
            let found = drawn.replace("\\\\\\|", "");
            assert!(!found.contains(markup), "{markup}: {drawn}");
        }
        // Foreign characters with a meaning in a line must have a backslash before them.
        for c in ['`', '[', ']', '~', '$'] {
            let bare = drawn.match_indices(c).filter(|(at, _)| !drawn[..*at].ends_with('\\'));
            assert_eq!(bare.count(), 0, "{c}: {drawn}");
        }
        // The pipes of the table: 3 in each of 3 lines.
        let pipes = drawn.match_indices('|').filter(|(at, _)| !drawn[..*at].ends_with('\\'));
        assert_eq!(pipes.count(), 9, "{drawn}");
    }

    #[test]
    fn a_line_begins_no_list() {
        for (text, line) in
            [("1. a", "1\\. a"), ("- a", "\\- a"), ("+", "\\+"), ("12) b", "12\\) b"), ("=", "\\=")]
        {
            assert_eq!(escape_line(text), line);
        }
        assert_eq!(escape_line("12 files"), "12 files");
    }

    #[test]
    fn code_ends_where_it_is_meant_to() {
        assert_eq!(code("a`<b>`\\|c"), "`a'<b>'/\\|c`");
    }
}
