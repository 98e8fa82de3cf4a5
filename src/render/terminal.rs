//! Draws blocks for a terminal: no vertical rules, one thin rule under a header, numbers aligned to the
//! right.

use super::block::{Align, Block, ListLine, Table, TableCell};
use super::style::{Style, Tone};
use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, LineStyle, TableStyle};

/// Longest comfortable line of text; tables use the full width.
const WIDEST_TEXT: u16 = 120;

/// Draws blocks one below the other.
pub(super) fn draw(blocks: &[Block], style: &Style) -> String {
    let mut out = String::new();
    for block in blocks {
        let text = match block {
            Block::Title(left, right) => title(left, right, style),
            Block::Heading(text) => format!("\n{}\n", paint(text, Tone::Strong, style)),
            Block::Space => "\n".to_owned(),
            Block::Map(_)
            | Block::Bands(_)
            | Block::Flow(_)
            | Block::Strip(_)
            | Block::Cards(_)
            | Block::Bars(_)
            | Block::Areas(_) => String::new(),
            Block::Text(tone, text) => wrap(text, "  ", "  ", *tone, style),
            Block::Table(table) => draw_table(table, style),
            Block::Lines(lines) => lines.iter().map(|line| format!("  {line}\n")).collect(),
            Block::Listing(lines) => {
                lines.iter().map(|(tone, line)| format!("  {}\n", paint(line, *tone, style))).collect()
            }
            Block::Items(list) => items(list, style),
        };
        out.push_str(&text);
    }
    out
}

fn title(left: &str, right: &str, style: &Style) -> String {
    let gap = usize::from(style.width).saturating_sub(left.chars().count() + right.chars().count());
    let strong = paint(left, Tone::Strong, style);
    if gap >= 3 {
        format!("{strong}   {right}\n")
    } else {
        let left = match left.chars().count() > usize::from(style.width) {
            true => wrap(left, "", "  ", Tone::Strong, style),
            false => format!("{strong}\n"),
        };
        format!("{left}{}", wrap(right, "  ", "  ", Tone::Plain, style))
    }
}

/// Breaks text at spaces; words longer than a line stay whole, so that paths can be copied.
fn wrap(text: &str, first: &str, next: &str, tone: Tone, style: &Style) -> String {
    let width = usize::from(style.width.min(WIDEST_TEXT));
    let mut lines = vec![first.to_owned()];
    let mut fresh = true;
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !fresh && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{next}{word}"));
            continue;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    let painted = |line: &String| format!("{}\n", paint(line, tone, style));
    lines.iter().map(painted).collect()
}

fn items(list: &[ListLine], style: &Style) -> String {
    let label_width = list.iter().map(|i| i.label.chars().count()).max().unwrap_or(0);
    let indent = " ".repeat(label_width + 4);
    let mut out = String::new();
    for item in list {
        let padding = " ".repeat(label_width - item.label.chars().count());
        let wrapped = wrap(&item.text, &indent, &indent, Tone::Plain, style);
        let label = paint(&item.label, item.tone, style);
        out.push_str(&format!("  {label}{padding}  {}", wrapped.trim_start_matches(' ')));
    }
    out
}

fn paint(text: &str, tone: Tone, style: &Style) -> String {
    if !style.color {
        return text.to_owned();
    }
    let ansi = match tone {
        Tone::Plain => return text.to_owned(),
        Tone::Good => anstyle::AnsiColor::Green.on_default(),
        Tone::Partial => anstyle::AnsiColor::Yellow.on_default(),
        Tone::Bad => anstyle::AnsiColor::Red.on_default(),
        Tone::Dim => anstyle::Style::new().dimmed(),
        Tone::Strong => anstyle::Style::new().bold(),
    };
    format!("{ansi}{text}{ansi:#}")
}

/// Space between two columns: the table's gap, plus padding if there is room.
const WIDE_GAP: usize = 2;
const TIGHT_GAP: usize = 1;

const LINES: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
const ASCII_LINES: TableStyle = TableStyle::new().header_separator(LineStyle::new('-', '-', '-', '-'));

fn draw_table(table: &Table, style: &Style) -> String {
    let widths = widths(table);
    let room = usize::from(style.width);
    let natural = |gap: usize| 2 + widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
    // A wide last column of text is wrapped; a table with many columns of numbers is split.
    let last_is_text = table.columns.last().is_some_and(|c| c.align == Align::Left && !c.title.is_empty());
    let last = widths.last().copied().unwrap_or(0);
    let fits =
        |gap: usize| natural(gap) <= room || (last_is_text && last > 24 && natural(gap) - last + 24 <= room);
    if fits(WIDE_GAP) {
        return draw_part(table, &widths, WIDE_GAP, style);
    }
    if fits(TIGHT_GAP) {
        return draw_part(table, &widths, TIGHT_GAP, style);
    }
    let parts = table.split(room, &widths, WIDE_GAP);
    let drawn = parts.iter().map(|part| draw_part(part, &self::widths(part), WIDE_GAP, style));
    drawn.collect::<Vec<_>>().join("\n")
}

/// Width of each column as drawn.
fn widths(table: &Table) -> Vec<usize> {
    let cells = |index: usize| table.rows.iter().filter_map(move |row| row.get(index));
    let columns = table.columns.iter().enumerate();
    columns
        .map(|(index, column)| {
            let group = column.group.as_ref().map_or(0, |g| g.chars().count());
            let content = cells(index).map(|c| c.text.chars().count()).max().unwrap_or(0);
            column.title.chars().count().max(content).max(group)
        })
        .collect()
}

fn draw_part(table: &Table, widths: &[usize], gap: usize, style: &Style) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(if style.ascii { ASCII_LINES } else { LINES });
    drawn.set_content_arrangement(ContentArrangement::Dynamic).set_width(style.width).force_no_tty();
    if style.color {
        drawn.enforce_styling();
    }
    let grouped = table.columns.iter().any(|c| c.group.is_some());
    drawn.set_header(table.columns.iter().map(|column| {
        let title = match (&column.group, grouped) {
            (Some(group), _) => format!("{group}\n{}", column.title),
            (None, true) => format!("\n{}", column.title),
            (None, false) => column.title.clone(),
        };
        comfy_table::Cell::new(title).set_alignment(alignment(column.align))
    }));
    for (index, row) in table.rows.iter().enumerate() {
        let sum = table.total && index + 1 == table.rows.len();
        drawn.add_row(
            row.iter()
                .zip(&table.columns)
                .map(|(cell, column)| draw_cell(cell, sum, style).set_alignment(alignment(column.align))),
        );
    }
    let last = widths.len().saturating_sub(1);
    for (index, column) in drawn.column_iter_mut().enumerate() {
        let padding = if index < last { (gap - TIGHT_GAP) as u16 } else { 0 };
        column.set_padding((0, padding));
        if let (Some(width), true) = (widths.get(index), index < last) {
            let width = u16::try_from(*width).unwrap_or(u16::MAX).saturating_add(padding);
            column.set_constraint(comfy_table::ColumnConstraint::LowerBoundary(comfy_table::Width::Fixed(
                width,
            )));
        }
    }
    let mut out = drawn.trim_fmt();
    out.push('\n');
    out
}

fn alignment(align: Align) -> CellAlignment {
    match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    }
}

fn draw_cell(cell: &TableCell, sum: bool, style: &Style) -> comfy_table::Cell {
    let drawn = comfy_table::Cell::new(&cell.text);
    if !style.color {
        return drawn;
    }
    match cell.tone {
        Tone::Good => drawn.fg(Color::Green),
        Tone::Partial => drawn.fg(Color::Yellow),
        Tone::Bad => drawn.fg(Color::Red),
        Tone::Dim => drawn.add_attribute(Attribute::Dim),
        Tone::Strong => drawn.add_attribute(Attribute::Bold),
        Tone::Plain if sum => drawn.add_attribute(Attribute::Bold),
        Tone::Plain => drawn,
    }
}
