//! What hangs together in blocks: library folders, databases, and what is wrong with either.

use super::block::Block;
use super::style::{Style, Tone};
use super::{Drawn, Format, drawn, findings, miopen, tensile};
use crate::report::v1::VerifyReport;

/// Draws the report of library folders and databases.
pub fn draw<'r>(report: &'r VerifyReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &VerifyReport, style: &Style) -> Vec<Block> {
    let libraries = report.libraries.iter().flat_map(|folder| tensile::of_folder(folder, style));
    let databases = report.databases.iter().flat_map(|folder| miopen::of_folder(folder, style));
    let mut blocks: Vec<Block> = libraries.chain(databases).collect();
    blocks.extend(findings::section(&report.found.beside(report.parts()), "", style));
    // Rows of a tuning file alone have nothing that files could hide.
    if !report.not_shown.is_empty() {
        blocks.push(Block::Heading("Not shown by these files".into()));
        blocks.extend(report.not_shown.iter().map(|s| Block::Text(Tone::Dim, s.clone())));
    }
    if let Some(next) = next(report).filter(|_| !style.shared) {
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next.into())]);
    }
    blocks
}

fn next(report: &VerifyReport) -> Option<&'static str> {
    if !report.libraries.is_empty() {
        Some("Next: `rocm-audit select gemm --arch TARGET …` for the choice among the kernels.")
    } else if !report.databases.is_empty() && report.asked_multiprocessors.is_empty() {
        Some("Next: `rocm-audit verify --arch TARGET --cu N PATH` for what another device opens.")
    } else {
        None
    }
}
