//! A choice of hipBLASLt in blocks: what it chooses and launches, and why.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::findings;
use super::select::{launch_rows, statement};
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::report::v1::{MatmulAlgorithm, MatmulDecided, MatmulReport};

/// Algorithms shown unless the user requests more.
const SHOWN: usize = 8;

impl Document for MatmulReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.folder])
    }
}

impl Draw for MatmulReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &MatmulReport, style: &Style) -> Vec<Block> {
    let right = match report.multiprocessors {
        Some(number) => format!("{}, {number} multiprocessors", report.target),
        None => report.target.clone(),
    };
    let mut blocks = vec![Block::Title(report.call.clone(), right), Block::Items(answer(report))];
    if let Some(first) = report.algorithms.first() {
        let lines = vec![if style.verbose > 0 { first.name.clone() } else { first.kernel.clone() }];
        blocks.extend([Block::Heading("The kernel".into()), Block::Lines(lines)]);
    }
    blocks.extend(launch_rows(
        &report.launches,
        report.algorithms.first().map(|first| first.kernel.as_str()),
        report.code_object.as_deref(),
        false,
    ));
    if report.returned > 1 {
        blocks.extend(list(report, style));
    }
    if style.verbose > 0 {
        blocks.push(Block::Heading("The walk: why this one".into()));
        blocks.push(Block::Lines(report.walk.clone()));
        if report.walk_dropped > 0 {
            let more = plural(report.walk_dropped, "more candidate", "more candidates");
            blocks.push(Block::Text(Tone::Dim, format!("{more}.")));
        }
    }
    blocks.push(Block::Heading("Basis".into()));
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    if style.verbose == 0 {
        let next = "Next: -v for the walk through the catalogs.".to_owned();
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next)]);
    }
    blocks
}

fn answer(report: &MatmulReport) -> Vec<ListLine> {
    let tone = match report.decided {
        MatmulDecided::Tables | MatmulDecided::Ranked | MatmulDecided::OneCandidate => Tone::Good,
        MatmulDecided::Undetermined | MatmulDecided::NotKnown | MatmulDecided::RunTimeCompiler => {
            Tone::Partial
        }
        MatmulDecided::None => Tone::Bad,
    };
    let mut items = vec![ListLine { tone, label: "answer".into(), text: report.answer.clone() }];
    let Some(first) = report.algorithms.first() else { return items };
    let mut add = |label: &str, text: String| {
        items.push(ListLine { tone: Tone::Plain, label: label.to_owned(), text });
    };
    if let Some(tuned) = first.tuned {
        add("tuned for", size(tuned));
    }
    let [tile0, tile1, depth] = first.tile;
    let split = if first.split > 1 { format!(", K split in {}", first.split) } else { String::new() };
    add("tile", format!("{tile0} × {tile1}, {depth} of K at once{split}"));
    if first.workspace_bytes > 0 {
        add("workspace", format!("{} bytes needed", thousands(first.workspace_bytes)));
    }
    add("code object", report.code_object.clone().unwrap_or_else(|| "named by no catalog".into()));
    if let Some(status) = report.run_status.filter(|status| *status != 0) {
        items.push(ListLine {
            tone: Tone::Bad,
            label: "launch".into(),
            text: format!("hipblasLtMatmul returns status {status}"),
        });
    }
    items
}

fn size([m, n, batch, k]: [u64; 4]) -> String {
    let batch = if batch == 1 { String::new() } else { format!(", batch {batch}") };
    format!("{m} × {n} × {k}{batch}")
}

/// The algorithms in the order of a fresh process.
fn list(report: &MatmulReport, style: &Style) -> Vec<Block> {
    let shown = if style.verbose > 0 { report.algorithms.len() } else { SHOWN };
    let mut table = Table::new([
        Column::right("place"),
        Column::right("solution"),
        Column::left("decided by"),
        Column::left("tuned for"),
        Column::left("tile"),
        Column::right("K split"),
        Column::right("workspace"),
    ]);
    let row = |(place, of): (usize, &MatmulAlgorithm)| {
        let [tile0, tile1, depth] = of.tile;
        [
            TableCell::new((place + 1).to_string()),
            TableCell::new(of.solution.to_string()),
            TableCell::new(if of.fixed { "the tables" } else { "heap order" }),
            TableCell::new(of.tuned.map_or_else(String::new, size)),
            TableCell::new(format!("{tile0} × {tile1} × {depth}")),
            TableCell::new(of.split.max(1).to_string()),
            TableCell::new(thousands(of.workspace_bytes)),
        ]
    };
    for cells in report.algorithms.iter().enumerate().take(shown).map(row) {
        table.row(cells);
    }
    let heading = format!("The list: {} of {} asked for", report.returned, report.requested);
    let mut blocks = vec![Block::Heading(heading), Block::Table(table)];
    let hidden = report.returned.saturating_sub(shown.min(report.algorithms.len()) as u64);
    if hidden > 0 {
        blocks.push(Block::Text(Tone::Dim, format!("{} more.", thousands(hidden))));
    }
    blocks
}
