//! One matrix product side by side, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Judged};
use super::findings;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::report::v1::{BesideReport, BesideSide, LaunchRole, ProductTaker};

impl Document for BesideReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

/// Draws what several libraries do with one product.
pub fn beside<'r>(report: &'r BesideReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &BesideReport, style: &Style) -> Vec<Block> {
    let count = report.sides.len() as u64;
    let mut blocks = vec![Block::Title(report.call.clone(), plural(count, "answer", "answers"))];
    blocks.push(Block::Table(sides(report)));
    blocks.push(Block::Space);
    blocks.push(Block::Text(Tone::Plain, plural(report.kernels, "kernel", "different kernels") + "."));
    blocks.push(Block::Heading("Each of them".into()));
    let item = |(at, side): (usize, &BesideSide)| ListLine {
        tone: if side.answered && side.status.unwrap_or_default() == 0 { Tone::Plain } else { Tone::Bad },
        label: (at + 1).to_string(),
        text: match &side.kernel {
            Some(kernel) => format!("{}: {kernel}", side.answer),
            None => side.answer.clone(),
        },
    };
    blocks.push(Block::Items(report.sides.iter().enumerate().map(item).collect()));
    if !report.releases.is_empty() {
        blocks.extend(releases(report));
    }
    if !report.found.findings.is_empty() {
        blocks.push(Block::Heading("Basis".into()));
        blocks.extend(findings::items(&report.found.findings));
    }
    if style.verbose == 0 && !style.shared {
        let next = "Next: the same call without --vs and --vs-library for the reasons of the first.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next.to_owned())]);
    }
    blocks
}

fn sides(report: &BesideReport) -> Table {
    let mut table = Table::new([
        Column::right(""),
        Column::left("library"),
        Column::left("target"),
        Column::right("CUs"),
        Column::right("solution"),
        Column::right("work groups"),
        Column::left("code object"),
        Column::left("install"),
    ]);
    for (at, side) in report.sides.iter().enumerate() {
        let main = side.launches.iter().find(|launch| launch.role == LaunchRole::Main);
        let grid = main.map(|launch| launch.grid.map(thousands).join(" × ")).unwrap_or_default();
        table.row([
            TableCell::new((at + 1).to_string()),
            TableCell::new(if side.answered { &side.library } else { "no answer" }),
            TableCell::new(&side.target),
            TableCell::new(side.multiprocessors.to_string()),
            TableCell::new(side.solution.map(|solution| solution.to_string()).unwrap_or_default()),
            TableCell::new(grid),
            TableCell::new(side.code_object.clone().unwrap_or_default()),
            TableCell::new(&side.root),
        ]);
    }
    table
}

fn releases(report: &BesideReport) -> [Block; 3] {
    let target = report.sides.first().map(|side| side.target.as_str()).unwrap_or_default();
    let mut table = Table::new([Column::left("release of rocBLAS"), Column::left("takes it with")]);
    for row in &report.releases {
        let first = match row.first {
            ProductTaker::Hipblaslt => "hipBLASLt first, then its own catalogs",
            ProductTaker::Catalogs => "its own catalogs",
            ProductTaker::Vector => "a kernel of its own for a matrix and a vector",
        };
        table.row([TableCell::new(&row.release), TableCell::new(first)]);
    }
    let limits = "For a library that was built with hipBLASLt, without ROCBLAS_USE_HIPBLASLT; read in the source. The source of 5.2 \
                  was compared with a library that was built without it.";
    [
        Block::Heading(format!("Which library takes it on {target}, by release")),
        Block::Table(table),
        Block::Text(Tone::Dim, limits.to_owned()),
    ]
}
