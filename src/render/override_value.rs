//! The document of `explain --override` in blocks.

use super::absent::{need_text, read_as};
use super::block::{Block, Column, ListLine, Table, TableCell};
use super::coverage::part_name;
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::capability::variants;
use crate::report::v1::{Absent, AbsentRow, Evidence, OverriddenLibrary, OverrideAnswer, OverrideReport};

impl Document for OverrideReport {
    fn judged(&self) -> Judged<'_> {
        Judged::new(self.complete, &self.findings).about(&self.roots)
    }
}

impl Draw for OverrideReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &OverrideReport, style: &Style) -> Vec<Block> {
    let card = &report.card;
    let tone = match report.answer {
        OverrideAnswer::Legal | OverrideAnswer::Unneeded => Tone::Good,
        OverrideAnswer::LegalWithDifferences | OverrideAnswer::NotDecoded => Tone::Partial,
        _ => Tone::Bad,
    };
    let judged = report.answer.sentence(&report.because);
    let title = format!("HSA_OVERRIDE_GFX_VERSION={} on {card}", report.value);
    let mut blocks = vec![
        Block::Title(title, report.roots.join(", ")),
        Block::Text(tone, format!("{judged} [{}]", report.evidence.name())),
    ];
    if report.answer.is_unsafe() && !report.libraries.is_empty() && report.libraries.iter().all(|l| !l.needed)
    {
        let text = format!(
            "Nor is it needed: everything here that has {} code has {card} code, too.",
            report.claimed
        );
        blocks.push(Block::Text(Tone::Plain, text));
    }
    let items: Vec<ListLine> = report.libraries.iter().map(|l| library(l, report, style)).collect();
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    if !report.without.is_empty() && report.libraries.iter().any(|library| library.needed) {
        let names: Vec<String> = report.without.iter().map(part_name).collect();
        let text = format!(
            "Without code still: {}. What needs one of them fails there, whatever the value. [observed]",
            names.join(", ")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text)]);
    }
    if style.full && style.verbose > 0 {
        blocks.extend(tables(report));
    }
    if let Some(better) = &report.better {
        let text = format!(
            "Better: HSA_OVERRIDE_GFX_VERSION={better}: files without code for {card} have code of that version, which {card} runs."
        );
        blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
    }
    let limits = "The variable works on Linux only, for a process as a whole. Nothing was run: registers, memory model and the driver may \
        still differ.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, limits.into())]);
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

/// Most mnemonics to name.
const MNEMONICS: usize = 4;

/// The most frequent instructions that a card lacks.
pub(super) fn mnemonics(absent: &Absent) -> String {
    let row = |row: &AbsentRow| match &row.there {
        _ if row.odd_registers => format!("{} (odd registers)", row.mnemonic),
        _ if row.unknown_bits => format!("{} (bits without a meaning there)", row.mnemonic),
        Some(there) if row.other_operands => {
            format!("{} (read as {there})", row.here.as_deref().unwrap_or(&row.mnemonic))
        }
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

/// Every mnemonic that a card lacks, with the first kernel that contains it.
fn tables(report: &OverrideReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    for found in &report.libraries {
        let Some(absent) = found.absent.as_ref().filter(|absent| !absent.mnemonics.is_empty()) else {
            continue;
        };
        let mut table = Table::new([
            Column::left("instruction"),
            Column::right("number"),
            Column::right("kernels"),
            Column::left(format!("read by {} as", report.card)),
            Column::left("first kernel"),
        ]);
        for row in &absent.mnemonics {
            let kernel = row.first_kernel_demangled.as_ref().or(row.first_kernel.as_ref());
            table.row([
                TableCell::new(row.here.as_ref().unwrap_or(&row.mnemonic)),
                TableCell::new(thousands(row.count)),
                TableCell::new(thousands(row.kernels)),
                TableCell::new(read_as(row, "nothing")),
                TableCell::new(kernel.cloned().unwrap_or_default()),
            ]);
        }
        blocks.push(Block::known(&part_name(&found.part), Evidence::Observed));
        blocks.push(Block::Table(table));
    }
    blocks
}

fn library(found: &OverriddenLibrary, report: &OverrideReport, style: &Style) -> ListLine {
    let (claimed, card) = (&report.claimed, &report.card);
    let mut text = plural(found.kernels, "kernel", "kernels");
    if found.trap_stubs > 0 {
        text.push_str(&format!(", {} of them only trap", style.number(found.trap_stubs)));
    }
    let absent = found.absent.as_ref().filter(|absent| absent.instructions > 0 || !absent.needs.is_empty());
    if let Some(instructions) = found.instructions {
        let all = thousands(instructions);
        text.push_str(&match absent {
            Some(absent) if absent.instructions == 0 => {
                let run = found.kernels.saturating_sub(absent.kernels + found.trap_stubs);
                format!("; {card} runs all {all} instructions, and {} of the kernels", thousands(run))
            }
            Some(absent) if absent.kernels > 0 && absent.kernels + found.trap_stubs <= found.kernels => {
                let run = found.kernels - absent.kernels - found.trap_stubs;
                format!(
                    "; {card} runs {} of them, and does not run {}, which have {} of {all} instructions that it lacks or reads as others",
                    thousands(run),
                    thousands(absent.kernels),
                    thousands(absent.instructions)
                )
            }
            Some(absent) => {
                format!("; {card} does not run {} of {all} instructions", thousands(absent.instructions))
            }
            None => format!("; {card} runs all {all} instructions"),
        });
    }
    if let Some(absent) = absent.filter(|absent| absent.instructions > 0) {
        text.push_str(&format!(": {}", mnemonics(absent)));
        if let Some(first) = absent
            .mnemonics
            .iter()
            .find_map(|row| row.first_kernel_demangled.as_ref().or(row.first_kernel.as_ref()))
        {
            text.push_str(&format!("; first in {first}"));
        }
    }
    for need in absent.iter().flat_map(|absent| &absent.needs) {
        text.push_str(&format!("; {}", need_text(need, card)));
    }
    if report.answer == OverrideAnswer::CrossMajor {
        text.push_str(&format!(" for {claimed}, which {card} would read as other code"));
    } else if claimed != card && report.answer != OverrideAnswer::Unneeded {
        text.push_str(&need(found, card));
    }
    // An unsafe value helps no library, because the variable applies to the whole process.
    let (tone, glyph) = match (report.answer.is_unsafe(), absent) {
        (_, Some(_)) => (Tone::Bad, style.pick("✗", "x")),
        (true, None) if report.answer == OverrideAnswer::CrossMajor => (Tone::Bad, style.pick("✗", "x")),
        (true, None) => (Tone::Plain, style.pick("·", "-")),
        (false, None) => (Tone::Good, style.pick("✓", "+")),
    };
    ListLine { tone, label: format!("{glyph} {}", part_name(&found.part)), text }
}

/// The files of a library that need the override, if not all do, and those that it stops.
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
