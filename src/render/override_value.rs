//! What `override` says, in blocks.

use super::block::{Block, Cell, Column, Item, Table};
use super::coverage::part_name;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::capability::variants;
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
        OverrideAnswer::Unneeded => (Tone::Good, format!("not needed: {}", without_need(report))),
        OverrideAnswer::CrossMajor => (
            Tone::Bad,
            format!(
                "not safe: {claimed} and {card} are of different major versions, and read machine code differently"
            ),
        ),
        OverrideAnswer::NoCode => (Tone::Bad, format!("of no use: there is no code for {claimed} here")),
        OverrideAnswer::Windows => (
            Tone::Bad,
            format!(
                "of no use: only files of Windows have code for {claimed} here, and Windows has no such variable"
            ),
        ),
    };
    let title = format!("HSA_OVERRIDE_GFX_VERSION={} on {card}", report.value);
    let mut blocks = vec![
        Block::Title(title, report.roots.join(", ")),
        Block::Text(tone, format!("{text} [{}]", report.evidence.name())),
    ];
    if is_unsafe(report) && !report.libraries.is_empty() && report.libraries.iter().all(|l| !l.needed) {
        let text = format!("nor needed: {}", without_need(report));
        blocks.push(Block::Text(Tone::Plain, text));
    }
    let items: Vec<Item> = report.libraries.iter().map(|l| library(l, report, style)).collect();
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    if style.full && style.verbose > 0 {
        blocks.extend(tables(report));
    }
    if let Some(better) = &report.better {
        let text =
            format!("better: HSA_OVERRIDE_GFX_VERSION={better}, whose code is in what has none for {card}");
        blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
    }
    let limits = "The variable works on Linux only, for a process as a whole. Nothing was run: registers, memory model and the driver may \
        still differ.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, limits.into())]);
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

/// Why nothing needs the override.
fn without_need(report: &OverrideReport) -> String {
    format!("what has code for {} has code for {}, too", report.claimed, report.card)
}

/// Whether code would be loaded that the card does not read as it was meant.
fn is_unsafe(report: &OverrideReport) -> bool {
    matches!(report.answer, OverrideAnswer::CrossMajor | OverrideAnswer::Illegal)
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

fn library(found: &OverriddenLibrary, report: &OverrideReport, style: &Style) -> Item {
    let (claimed, card) = (&report.claimed, &report.card);
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
    if report.answer == OverrideAnswer::CrossMajor {
        text.push_str(&format!(" for {claimed}, which {card} would read as other code"));
    } else if claimed != card && report.answer != OverrideAnswer::Unneeded {
        text.push_str(&need(found, card));
    }
    // What is not safe works for no library: the variable is one for the process.
    let (tone, glyph) = match (is_unsafe(report), absent) {
        (_, Some(_)) => (Tone::Bad, style.pick("✗", "x")),
        (true, None) if report.answer == OverrideAnswer::CrossMajor => (Tone::Bad, style.pick("✗", "x")),
        (true, None) => (Tone::Plain, style.pick("·", "-")),
        (false, None) => (Tone::Good, style.pick("✓", "+")),
    };
    Item { tone, label: format!("{glyph} {}", part_name(&found.part)), text }
}

/// Which files of a library need the override, where not all do, and which lose by it.
fn need(found: &OverriddenLibrary, card: &str) -> String {
    let words = |paths: &[String]| {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        variants::words(&paths)
    };
    let mut text = match (found.needed, found.not_needed_by.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(
            "; needed by its {}; its {} have code for {card} without it",
            words(&found.needed_by),
            words(&found.not_needed_by)
        ),
        (false, _) => format!("; not needed: it has code for {card}"),
    };
    if !found.lost_by.is_empty() {
        text.push_str(&format!("; its {} have code for {card} only, and stop", words(&found.lost_by)));
    }
    text
}
