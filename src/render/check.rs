//! What `check` says, in blocks: what fails first.

use super::audit::{name_of, words};
use super::block::{Block, Item};
use super::style::{Style, Tone, plural};
use super::{Format, drawn, findings};
use crate::report::v1::{CheckReport, Coverage, Requirement};

/// Draws the report of `check`.
pub fn draw(report: &CheckReport, format: Format, style: &Style) -> String {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &CheckReport, style: &Style) -> Vec<Block> {
    let failed: Vec<&Requirement> = report.requirements.iter().filter(|row| !row.is_met).collect();
    let all = report.requirements.len() as u64;
    let (tone, verdict) = match (report.passed, failed.len()) {
        (true, _) => (Tone::Good, format!("passed: {}", plural(all, "requirement", "requirements"))),
        (false, 0) if all == 0 => (Tone::Bad, "failed: no library here carries device code".to_owned()),
        (false, 0) => (Tone::Bad, "failed: not all could be read, so that it is not known".to_owned()),
        (false, n) => {
            (Tone::Bad, format!("failed: {n} of {} not met", plural(all, "requirement", "requirements")))
        }
    };
    let mut blocks = vec![
        Block::Title(report.roots.join(", "), format!("requires {}", report.required.join(", "))),
        Block::Text(tone, verdict),
    ];
    let (bad, good) = (style.pick("✗", "x"), style.pick("✓", "+"));
    let item = |row: &Requirement| {
        let name = name_of(&row.library, row.tensile, row.place.as_deref());
        let mut text = row.coverage.map_or("not here".to_owned(), |coverage| words(coverage).to_owned());
        if !row.lacking.is_empty() {
            text.push_str(&format!("; not in {}", row.lacking.join(", ")));
        }
        let (glyph, tone) = match (row.is_met, row.coverage) {
            (false, _) => (bad, Tone::Bad),
            (true, Some(Coverage::Native | Coverage::Generic)) => (good, Tone::Good),
            (true, _) => ("~", Tone::Partial),
        };
        Item { tone, label: format!("{glyph} {} {name}", row.processor), text }
    };
    if !failed.is_empty() {
        blocks.extend([Block::Space, Block::Items(failed.into_iter().map(item).collect())]);
    }
    let met: Vec<Item> = report.requirements.iter().filter(|row| row.is_met).map(item).collect();
    if !met.is_empty() {
        blocks.extend([Block::Space, Block::Items(met)]);
    }
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}
