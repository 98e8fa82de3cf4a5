//! What hipBLASLt's tables were tuned for, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Judged};
use super::findings;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::report::v1::{MatmulCell, MatmulCoverage, MatmulMap, MatmulTable};

impl Document for MatmulCoverage {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.folder])
    }
}

impl Document for MatmulMap {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.folder])
    }
}

/// Draws the tables of a target.
pub fn matmul_coverage<'r>(report: &'r MatmulCoverage, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| coverage(report, style))
}

/// Draws how far sizes are from the tables.
pub fn matmul_map<'r>(report: &'r MatmulMap, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| map(report, style))
}

fn coverage(report: &MatmulCoverage, style: &Style) -> Vec<Block> {
    let sizes = report.catalogs.iter().map(|of| of.exact + of.grid).sum();
    let right = format!(
        "{}, {}",
        plural(report.catalogs.len() as u64, "catalog", "catalogs"),
        plural(sizes, "size", "sizes")
    );
    let mut table = Table::new([
        Column::left("types"),
        Column::left("AB"),
        Column::left("with"),
        Column::right("solutions"),
        Column::right("exact"),
        Column::right("grid"),
        Column::right("M"),
        Column::right("N"),
        Column::right("K"),
    ]);
    for of in &report.catalogs {
        table.row(row(of));
    }
    let mut blocks = vec![
        Block::Title(format!("hipBLASLt on {}: what was tuned", report.target), right),
        Block::Table(table),
    ];
    let unknown: u64 = report.catalogs.iter().map(|of| of.unknown_nodes).sum();
    if unknown > 0 {
        let nodes = plural(unknown, "node is", "nodes are");
        blocks.push(Block::Text(Tone::Partial, format!("{nodes} of a kind that this tool does not know.")));
    }
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    if style.verbose == 0 {
        let next = "Next: --map -k K --type TYPE --trans AB for how far sizes are from these.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next.to_owned())]);
    }
    blocks
}

fn row(of: &MatmulTable) -> [TableCell; 9] {
    let range = |range: Option<[u64; 2]>| match range {
        Some([least, most]) if least == most => thousands(least),
        Some([least, most]) => format!("{} to {}", thousands(least), thousands(most)),
        None => String::new(),
    };
    [
        TableCell::new(&of.types),
        TableCell::new(&of.transposes),
        TableCell::new(of.parts.join(", ")),
        TableCell::new(thousands(of.solutions)),
        TableCell::new(thousands(of.exact)),
        TableCell::new(thousands(of.grid)),
        TableCell::new(range(of.m)),
        TableCell::new(range(of.n)),
        TableCell::new(range(of.k)),
    ]
}

fn map(report: &MatmulMap, style: &Style) -> Vec<Block> {
    let mut table = Table::new(
        std::iter::once(Column::right("M by N")).chain(report.n.iter().map(|n| Column::right(n.to_string()))),
    );
    for (m, cells) in report.m.iter().zip(&report.rows) {
        table.row(
            std::iter::once(TableCell::toned(m.to_string(), Tone::Strong)).chain(cells.iter().map(cell)),
        );
    }
    let total = report.kinds.values().sum::<u64>();
    let item = |(kind, count): (&&str, &u64)| ListLine {
        tone: tone(kind),
        label: (*kind).to_owned(),
        text: format!("{} of {}: {}", thousands(*count), thousands(total), meaning(kind)),
    };
    let mut blocks = vec![
        Block::Title(format!("How far sizes are from those that were tuned: {}", report.call), report.target.clone()),
        Block::Table(table),
        Block::Space,
        Block::Items(report.kinds.iter().map(item).collect()),
        Block::Space,
        Block::Text(
            Tone::Dim,
            "A number is the largest ratio between M, N or K and the size that the first algorithm was tuned for, 1.0 being \
             exactly it. Nearness does not promise speed."
                .to_owned(),
        ),
    ];
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    blocks
}

fn cell(cell: &MatmulCell) -> TableCell {
    let text = match cell.ratio {
        Some(ratio) if ratio < 100.0 => format!("{ratio:.1}"),
        Some(ratio) => format!("{ratio:.0}"),
        None if cell.kind == "fill" => "any".to_owned(),
        None if cell.kind == "nothing" => "none".to_owned(),
        None => "?".to_owned(),
    };
    TableCell::toned(text, tone(cell.kind))
}

fn tone(kind: &str) -> Tone {
    match kind {
        "exact" | "near" => Tone::Good,
        "far" | "ranked" | "fill" => Tone::Partial,
        "nothing" => Tone::Bad,
        _ => Tone::Plain,
    }
}

fn meaning(kind: &str) -> &'static str {
    match kind {
        "exact" => "tuned for exactly this size",
        "near" => "tuned for a size within a factor of 2 in M, N and K",
        "far" => "tuned for a size beyond a factor of 2",
        "ranked" => "no table has it; a model ranks those that can solve it",
        "fill" => "no table has it; any solution that can solve it, in heap order",
        "nothing" => "no solution can solve it",
        _ => "the catalogs have parts that this tool does not know",
    }
}
