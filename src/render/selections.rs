//! What libraries choose before and after a change, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::diff::first;
use super::style::{Style, Tone, plural, thousands};
use crate::finding::evidence::Evidence;
use crate::report::v1::{SelectionAnswer, SelectionChange, SelectionChanges, SelectionVerdict};

/// Smallest width for showing changes as a table.
const TABLE_WIDTH: u16 = 130;

/// The part of `diff`.
pub(super) fn blocks(found: &SelectionChanges, style: &Style) -> Vec<Block> {
    let heading = match found.problems.as_str() {
        "reference" => "What libraries choose for reference problems".to_owned(),
        file => format!("What libraries choose for the problems of {file}"),
    };
    let mut blocks = vec![Block::known(&heading, Evidence::Code)];
    if found.targets.is_empty() {
        let text = "Neither side has catalogs or databases for any target; --gpu names one.";
        blocks.push(Block::Text(Tone::Plain, text.into()));
        return blocks;
    }
    // `--arch` asks these problems of whatever is there.
    let compared: u64 = found.targets.iter().map(|row| row.compared).sum();
    if compared == 0 && found.problems == "reference" && style.verbose == 0 {
        let text = "No reference problem could be compared: one side or both lack the libraries' catalogs or databases. -v says for each what is missing.";
        blocks.push(Block::Text(Tone::Plain, text.into()));
        return blocks;
    }
    blocks.push(Block::Table(targets(found, style)));
    if !found.changed.is_empty() {
        let (shown, more) = first(&found.changed, style);
        // Problems are long: side by side with their answers they need a wide terminal or a page.
        let wide = style.width >= TABLE_WIDTH;
        let drawn =
            if wide { Block::Table(changes(shown, style)) } else { Block::Items(items(shown, style)) };
        blocks.extend([Block::Space, drawn]);
        blocks.extend(more);
        if style.verbose > 0 {
            blocks.push(Block::Heading("Kernels and solvers that are taken".into()));
            blocks.push(Block::Lines(shown.iter().flat_map(|change| kernels(change, style)).collect()));
        }
    }
    blocks.extend(gaps(found));
    blocks
}

fn targets(found: &SelectionChanges, style: &Style) -> Table {
    let columns =
        ["multiprocessors", "compared", "as before", "worse", "better", "another kernel", "another name"];
    let columns = columns.into_iter().map(Column::right);
    let mut table = Table::new([Column::left("target")].into_iter().chain(columns));
    for row in &found.targets {
        let assumed = if row.multiprocessors_assumed { " (assumed)" } else { "" };
        let toned = |number: u64, tone: Tone| {
            TableCell::toned(style.number(number), if number > 0 { tone } else { Tone::Plain })
        };
        table.row([
            TableCell::new(target(&row.target, style)),
            TableCell::new(format!("{}{assumed}", row.multiprocessors)),
            TableCell::new(style.number(row.compared)),
            TableCell::new(style.number(row.same)),
            toned(row.worse, Tone::Bad),
            toned(row.better, Tone::Good),
            TableCell::new(style.number(row.other)),
            TableCell::new(style.number(row.renamed)),
        ]);
    }
    table
}

/// The name of a target, or of two compared ones.
fn target(name: &str, style: &Style) -> String {
    name.replace(" → ", style.pick(" → ", " -> "))
}

/// The sign of a change, and how it is drawn.
fn sign(change: &SelectionChange, style: &Style) -> (&'static str, Tone) {
    match change.verdict {
        SelectionVerdict::Worse => (style.pick("▼", "v"), Tone::Bad),
        SelectionVerdict::Better => (style.pick("▲", "^"), Tone::Good),
        SelectionVerdict::Other => (style.pick("≠", "~"), Tone::Plain),
        SelectionVerdict::Renamed => (style.pick("≈", "="), Tone::Dim),
    }
}

/// The new answer to a problem.
fn now(change: &SelectionChange) -> String {
    let other = match change.verdict {
        SelectionVerdict::Other => ", another",
        SelectionVerdict::Renamed => " under another name",
        SelectionVerdict::Worse | SelectionVerdict::Better => "",
    };
    format!("{}{other}", said(&change.after))
}

fn items(shown: &[SelectionChange], style: &Style) -> Vec<ListLine> {
    let item = |change: &SelectionChange| {
        let (glyph, tone) = sign(change, style);
        let arrow = style.pick("→", "->");
        let (before, now) = (said(&change.before), now(change));
        ListLine {
            tone,
            label: format!("{glyph} {} {}", target(&change.target, style), change.library),
            text: format!("{before} {arrow} {now}: {}", change.problem),
        }
    };
    shown.iter().map(item).collect()
}

fn changes(shown: &[SelectionChange], style: &Style) -> Table {
    let columns = ["target", "library", "problem", "before", "now"];
    let mut table = Table::new(columns.into_iter().map(Column::left));
    for change in shown {
        let (glyph, tone) = sign(change, style);
        table.row([
            TableCell::new(target(&change.target, style)),
            TableCell::new(change.library.clone()),
            TableCell::new(change.problem.clone()),
            TableCell::new(said(&change.before)),
            TableCell::toned(format!("{glyph} {}", now(change)), tone),
        ]);
    }
    table
}

/// `near (1.33)`: an answer in a word.
fn said(answer: &SelectionAnswer) -> String {
    match answer.distance {
        Some(distance) if answer.kind == "near" || answer.kind == "far" => {
            format!("{} ({distance:.2})", answer.kind)
        }
        _ => answer.kind.clone(),
    }
}

fn kernels(change: &SelectionChange, style: &Style) -> Vec<String> {
    let taken = |answer: &SelectionAnswer| match answer.taken.is_empty() {
        true => answer.way.clone(),
        false => answer.taken.join("; "),
    };
    vec![
        format!("{}  {}", target(&change.target, style), change.problem),
        format!("  - {}", taken(&change.before)),
        format!("  + {}", taken(&change.after)),
    ]
}

/// What was not compared, and why; targets with the same reason are merged.
fn gaps(found: &SelectionChanges) -> Vec<Block> {
    let mut items: Vec<(String, String, Vec<&str>)> = Vec::new();
    for row in &found.targets {
        for gap in &row.not_compared {
            let text = format!("{}: {}", plural(gap.problems, "problem", "problems"), gap.why);
            match items.iter_mut().find(|(library, known, _)| *library == gap.library && *known == text) {
                Some((_, _, targets)) => targets.push(&row.target),
                None => items.push((gap.library.clone(), text, vec![&row.target])),
            }
        }
    }
    let all = found.targets.len();
    let item = |(library, text, targets): (String, String, Vec<&str>)| ListLine {
        tone: Tone::Dim,
        label: library,
        text: match targets.len() {
            _ if all == 1 => format!("not compared, {text}"),
            n if n == all => format!("not compared on any target, {text}"),
            n if n > 3 => format!("not compared on {} targets, {text}", thousands(n as u64)),
            _ => format!("not compared on {}, {text}", targets.join(", ")),
        },
    };
    match items.is_empty() {
        true => Vec::new(),
        false => vec![Block::Space, Block::Items(items.into_iter().map(item).collect())],
    }
}
