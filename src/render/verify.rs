//! What hangs together in blocks: library folders, databases, and what is wrong with either.

use super::block::{Block, ListLine};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings, miopen, tensile};
use crate::report::v1::{TuningFile, VerifyReport};

impl Document for VerifyReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Draw for VerifyReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &VerifyReport, style: &Style) -> Vec<Block> {
    let libraries = report.libraries.iter().flat_map(|folder| tensile::of_folder(folder, style));
    let databases = report.databases.iter().flat_map(|folder| miopen::of_folder(folder, style));
    let tuning = report.tuning.iter().flat_map(|file| of_tuning(file, style));
    let mut blocks: Vec<Block> = libraries.chain(databases).chain(tuning).collect();
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

/// Who reads a tuning file, and how many of its rows are in force.
fn of_tuning(file: &TuningFile, style: &Style) -> Vec<Block> {
    let rows = plural(file.rows, "row", "rows");
    let (tone, text) = match &file.rejected {
        Some(why) => (Tone::Bad, format!("rejects the whole file: {why}")),
        None if file.rows == 0 => (Tone::Bad, "finds no row in it".to_owned()),
        None if file.in_force == file.rows => (Tone::Good, format!("takes {rows}: every solution is here")),
        None => {
            (Tone::Partial, format!("takes {} of {rows}; the others are stale", style.number(file.in_force)))
        }
    };
    let title = Block::Title(file.path.clone(), format!("a tuning file with {rows}"));
    vec![title, Block::Items(vec![ListLine { tone, label: file.reader.clone(), text }]), Block::Space]
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
