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
            Block::Diagram(text) => out.push_str(&format!("\n```mermaid\n{text}\n```\n")),
            Block::Lines(lines) => {
                out.push_str("\n```text\n");
                lines.iter().for_each(|line| out.push_str(&format!("{}\n", line.replace('`', "'"))));
                out.push_str("```\n");
            }
            Block::Items(list) => {
                out.push('\n');
                for item in list {
                    // An item without a label belongs to the one before it.
                    let indent = if item.label.is_empty() { "  " } else { "" };
                    let label = if item.label.is_empty() {
                        String::new()
                    } else {
                        format!("**{}** ", escape(&item.label))
                    };
                    out.push_str(&format!("{indent}- {label}{}\n", escape(&item.text)));
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
        // Groups have no place of their own in Markdown; each column carries the name.
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
            let mut text = escape(&cell.text);
            if column.align == Align::Right {
                // A number stays with its unit.
                text = text.replace(' ', "&nbsp;");
            }
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
    let indent = text.len() - text.trim_start_matches(' ').len();
    out.push_str(&"&nbsp;".repeat(indent));
    for c in text.chars().skip(indent) {
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
