//! What `check` says, in blocks: what fails first.

use super::block::{Block, Item};
use super::coverage::{name_of, words};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{CheckReport, Coverage, Requirement};

/// Draws the report of `check`.
pub fn draw<'r>(report: &'r CheckReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &CheckReport, style: &Style) -> Vec<Block> {
    let is_failed = |row: &&Requirement| !row.is_met && row.ignored.is_none();
    let failed: Vec<&Requirement> = report.requirements.iter().filter(is_failed).collect();
    let all = report.requirements.len() as u64;
    let (tone, verdict) = match (report.passed, failed.len()) {
        (true, _) if all == 0 => (Tone::Good, "passed: nothing is worse than before".to_owned()),
        (true, _) => (Tone::Good, format!("passed: {}", plural(all, "requirement", "requirements"))),
        (false, 0) if all == 0 && report.baseline.is_none() => {
            (Tone::Bad, "failed: no library here carries device code".to_owned())
        }
        (false, 0) if !report.complete => {
            (Tone::Bad, "failed: not all could be read, so that it is not known".to_owned())
        }
        (false, 0) => (Tone::Bad, format!("failed because of {}", report.failed_because.join(", "))),
        (false, n) => {
            (Tone::Bad, format!("failed: {n} of {} not met", plural(all, "requirement", "requirements")))
        }
    };
    let mut asked = Vec::new();
    if !report.required.is_empty() {
        asked.push(format!("requires {}", report.required.join(", ")));
    }
    asked.extend(report.baseline.as_ref().map(|path| format!("nothing worse than in {path}")));
    let mut blocks =
        vec![Block::Title(report.roots.join(", "), asked.join("; ")), Block::Text(tone, verdict)];
    let digests = super::audit::inputs(&report.inputs);
    if !digests.is_empty() {
        blocks.extend([Block::Space, Block::Items(digests)]);
    }
    let (bad, good) = (style.pick("✗", "x"), style.pick("✓", "+"));
    let item = |row: &Requirement| {
        let name = name_of(&row.library, row.tensile, row.place.as_deref());
        let mut text = row.coverage.map_or("not here".to_owned(), |coverage| words(coverage).to_owned());
        if row.is_met && matches!(row.coverage, Some(Coverage::SomeFiles | Coverage::Partial)) {
            text.push_str(style.hint(" (--per-file asks for all)"));
        }
        if let Some(before) = row.before {
            text.push_str(&format!("; it was {}", words(before)));
        }
        if let Some(reason) = &row.ignored {
            text.push_str(&format!("; ignored: {reason}"));
        }
        if !row.lacking.is_empty() {
            text.push_str(&format!("; not in {}", row.lacking.join(", ")));
        }
        let (glyph, tone) = match (row.is_met, row.coverage) {
            (false, _) if row.ignored.is_none() => (bad, Tone::Bad),
            (true, Some(Coverage::Native | Coverage::Generic)) => (good, Tone::Good),
            _ => ("~", Tone::Partial),
        };
        Item { tone, label: format!("{glyph} {} {name}", row.processor), text }
    };
    if !failed.is_empty() {
        blocks.extend([Block::Space, Block::Items(failed.into_iter().map(item).collect())]);
    }
    let met: Vec<Item> = report.requirements.iter().filter(|row| !is_failed(row)).map(item).collect();
    if !met.is_empty() {
        blocks.extend([Block::Space, Block::Items(met)]);
    }
    if !report.roots_without_code.is_empty() {
        let text = format!(
            "No library carries device code in {}: nothing is required of it.",
            report.roots_without_code.join(", ")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text)]);
    }
    let unused = report.unused_ignores.iter().map(|ignore| Item {
        tone: Tone::Partial,
        label: "unused ignore".into(),
        text: format!("{}: nothing matches it any more ({})", ignore.what, ignore.reason),
    });
    let unused: Vec<Item> = unused.collect();
    if !unused.is_empty() {
        blocks.extend([Block::Space, Block::Items(unused)]);
    }
    if !report.not_counted.is_empty() {
        let text = format!(
            "Not counted, as the baseline has them or they are ignored: {}.",
            report.not_counted.join(", ")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}
