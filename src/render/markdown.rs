//! Blocks drawn as GitHub Markdown.

use super::block::{Align, Block, Table};
use super::style::Tone;

/// Draws blocks one below the other.
pub(super) fn draw(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Title(left, right) => out.push_str(&format!("# {}\n\n{}\n", escape(left), escape(right))),
            Block::Heading(text) => out.push_str(&format!("\n## {}\n\n", escape(text))),
            Block::Text(Tone::Dim, text) => out.push_str(&format!("\n_{}_\n", escape(text))),
            Block::Text(_, text) => out.push_str(&format!("\n{}\n", escape(text))),
            Block::Table(found) => out.push_str(&table(found)),
            Block::Space => {}
            Block::Items(list) => {
                out.push('\n');
                for item in list {
                    let label = if item.label.is_empty() {
                        String::new()
                    } else {
                        format!("**{}** ", escape(&item.label))
                    };
                    out.push_str(&format!("- {label}{}\n", escape(&item.text)));
                }
            }
        }
    }
    out
}

fn table(table: &Table) -> String {
    let mut out = String::from("\n|");
    let mut group = None;
    for column in &table.columns {
        // Groups have no place of their own in Markdown; the first column of each carries the name.
        let title = match &column.group {
            Some(name) if group != Some(name) => format!("{name}: {}", column.title),
            _ => column.title.clone(),
        };
        group = column.group.as_ref().or(group);
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
        for cell in row {
            let text = escape(&cell.text);
            let bold = sum && !text.trim().is_empty();
            out.push_str(&if bold { format!(" **{text}** |") } else { format!(" {text} |") });
        }
        out.push('\n');
    }
    out
}

/// Makes text safe inside a table cell: names of kernels and files are not ours.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '*' | '_' | '`' | '[' | ']' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn foreign_text_cannot_break_a_table() {
        assert_eq!(escape("a|b<c>\n*x*"), "a\\|b&lt;c&gt; \\*x\\*");
    }
}
