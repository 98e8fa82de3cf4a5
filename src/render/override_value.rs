//! What `override` says, in blocks.

use super::block::{Block, Cell, Column, Item, Table};
use super::coverage::part_name;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{Absent, AbsentRow, Evidence, OverriddenLibrary, OverrideAnswer, OverrideReport};

/// Draws the report of `override`.
pub fn draw<'r>(report: &'r OverrideReport, format: Format, style: &Style) -> Drawn<'r> {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &OverrideReport, style: &Style) -> Vec<Block> {
    let (claimed, card) = (&report.claimed, &report.card);
    let (tone, text) = match report.answer {
        OverrideAnswer::Legal if report.decoded => (
            Tone::Good,
            format!("legal: {card} has every instruction of the code for {claimed} that is here"),
        ),
        OverrideAnswer::Legal => (
            Tone::Good,
            format!(
                "legal: {card} and {claimed} have the same instructions, or {card} has more, in every bit"
            ),
        ),
        OverrideAnswer::LegalWithDifferences => (
            Tone::Partial,
            format!(
                "the instructions are legal, but {claimed} has {}, which {card} lacks and decoding cannot judge",
                report.features.join(", ")
            ),
        ),
        OverrideAnswer::Illegal => (
            Tone::Bad,
            format!("not safe: the code for {claimed} has instructions that {card} lacks or reads as others"),
        ),
        OverrideAnswer::Unneeded if claimed == card => {
            (Tone::Good, format!("not needed: the card is a {card}"))
        }
        OverrideAnswer::Unneeded => {
            (Tone::Good, format!("not needed: what has code for {claimed} has code for {card}, too"))
        }
        OverrideAnswer::CrossMajor => (
            Tone::Bad,
            format!(
                "not safe: {claimed} and {card} are of different major versions, and read machine code differently"
            ),
        ),
        OverrideAnswer::NoCode => (Tone::Bad, format!("of no use: there is no code for {claimed} here")),
    };
    let title = format!("HSA_OVERRIDE_GFX_VERSION={} on {card}", report.value);
    let mut blocks = vec![
        Block::Title(title, report.roots.join(", ")),
        Block::Text(tone, format!("{text} [{}]", report.evidence.name())),
    ];
    let items: Vec<Item> = report.libraries.iter().map(|l| library(l, card, style)).collect();
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    if style.full && style.verbose > 0 {
        blocks.extend(tables(report));
    }
    if let Some(better) = &report.better {
        let text = format!("better: HSA_OVERRIDE_GFX_VERSION={better}, whose code is here, too");
        blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
    }
    let limits = "The variable works on Linux only, for a process as a whole. Nothing was run: registers, memory model and the driver may \
        still differ.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, limits.into())]);
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

/// Mnemonics that are named.
const MNEMONICS: usize = 4;

/// The most frequent of the instructions that a card lacks.
pub(super) fn mnemonics(absent: &Absent) -> String {
    let row = |row: &AbsentRow| match &row.there {
        Some(there) => format!("{} (read as {there})", row.mnemonic),
        None => row.mnemonic.clone(),
    };
    let mut text = absent.mnemonics.iter().take(MNEMONICS).map(row).collect::<Vec<_>>().join(", ");
    let more = absent.mnemonics.len().saturating_sub(MNEMONICS);
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// Every mnemonic that a card lacks, with the first kernel that has it.
fn tables(report: &OverrideReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    for found in &report.libraries {
        let Some(absent) = found.absent.as_ref().filter(|absent| !absent.mnemonics.is_empty()) else {
            continue;
        };
        let mut table = Table::new([
            Column::left("instruction"),
            Column::right("number"),
            Column::left(format!("read by {} as", report.card)),
            Column::left("first kernel"),
        ]);
        for row in &absent.mnemonics {
            let kernel = row.first_kernel_demangled.as_ref().or(row.first_kernel.as_ref());
            table.row([
                Cell::new(&row.mnemonic),
                Cell::new(thousands(row.count)),
                Cell::new(row.there.as_deref().unwrap_or("nothing")),
                Cell::new(kernel.cloned().unwrap_or_default()),
            ]);
        }
        blocks.push(Block::known(&part_name(&found.part), Evidence::Observed));
        blocks.push(Block::Table(table));
    }
    blocks
}

fn library(found: &OverriddenLibrary, card: &str, style: &Style) -> Item {
    let mut text = plural(found.kernels, "kernel", "kernels");
    if found.trap_stubs > 0 {
        text.push_str(&format!(", of which {} only trap", style.number(found.trap_stubs)));
    }
    let absent = found.absent.as_ref().filter(|absent| absent.instructions > 0);
    if let Some(instructions) = found.instructions {
        let lacks = absent.map_or(0, |absent| absent.instructions);
        text.push_str(&format!(
            ", {} of {} instructions are not those of {card}",
            thousands(lacks),
            thousands(instructions)
        ));
    }
    if let Some(absent) = absent {
        text.push_str(&format!(": {}", mnemonics(absent)));
        if let Some(first) = absent
            .mnemonics
            .iter()
            .find_map(|row| row.first_kernel_demangled.as_ref().or(row.first_kernel.as_ref()))
        {
            text.push_str(&format!("; first in {first}"));
        }
    }
    let tone = if absent.is_some() { Tone::Bad } else { Tone::Good };
    let glyph = if absent.is_some() { style.pick("✗", "x") } else { style.pick("✓", "+") };
    Item { tone, label: format!("{glyph} {}", part_name(&found.part)), text }
}
