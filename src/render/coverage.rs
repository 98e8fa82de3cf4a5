//! How libraries cover targets: as a matrix, in words, and as a sentence for each asked target.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::style::{Style, Tone, plural, thousands};
use crate::finding::evidence::Evidence;
use crate::locator::file_name;
use crate::report::v1::{self, Coverage, Report};
use std::collections::BTreeSet;

/// A sentence for each asked processor: which libraries have kernels for it, in which way, and which have
/// none.
pub(super) fn answers(report: &Report) -> Vec<Block> {
    let items = |(answer, target): (&v1::TargetAnswer, &v1::Target)| {
        let covered = |row: &v1::CoveredLibraries| {
            let names: Vec<String> = row.parts.iter().map(covered_part).collect();
            // LLVM states which processors run a generic target.
            let evidence = match row.coverage {
                Coverage::Generic => Evidence::Code,
                _ => Evidence::Observed,
            };
            format!("{}: {} [{}]", sign(row.coverage).2, names.join("; "), evidence.name())
        };
        let mut parts: Vec<String> = answer.libraries.iter().map(covered).collect();
        if parts.is_empty() {
            parts.push(match report.complete {
                true => "nothing here carries device code".into(),
                false => "not known: not all could be read".into(),
            });
        }
        let device = match (&target.family, &target.devices) {
            (Some(family), Some(devices)) => format!("{devices} ({family})"),
            (Some(family), None) => family.clone(),
            _ => "a processor that this program does not know".into(),
        };
        let tone = if target.build.kernels > 0 { Tone::Good } else { Tone::Bad };
        let mut items = vec![ListLine { tone, label: answer.processor.clone(), text: device }];
        items.extend(parts.into_iter().map(|text| ListLine {
            tone: Tone::Plain,
            label: String::new(),
            text,
        }));
        items
    };
    if report.answers.is_empty() {
        return Vec::new();
    }
    let all = report.answers.iter().zip(&report.targets).flat_map(items);
    vec![Block::Space, Block::Items(all.collect())]
}

/// The glyph, the ASCII letter and the word of a coverage.
fn sign(coverage: Coverage) -> (&'static str, &'static str, &'static str, Tone) {
    match coverage {
        Coverage::Native => ("●", "+", "native", Tone::Good),
        Coverage::SomeFiles => ("◒", "/", "in some of its files only", Tone::Partial),
        Coverage::Partial => ("◐", "%", "in some bundles only", Tone::Partial),
        Coverage::FallbackOnly => ("◔", "f", "fallback kernels only", Tone::Partial),
        Coverage::Generic => ("◇", "g", "through a generic target", Tone::Partial),
        Coverage::RunTime => ("▷", "r", "compiled at run time", Tone::Partial),
        Coverage::Translated => ("▹", "t", "translated at load", Tone::Partial),
        Coverage::Broken => ("◍", "!", "calls fail: kernels are missing", Tone::Bad),
        Coverage::NotKnown => ("?", "?", "not known", Tone::Partial),
        Coverage::NoKernels => ("◌", "0", "code objects without a kernel that runs", Tone::Bad),
        Coverage::Absent => ("○", ".", "absent", Tone::Bad),
    }
}

/// The sign for a coverage. Where the page sets the colours, some signs bring their own.
fn glyph(coverage: Coverage, style: &Style) -> &'static str {
    let (glyph, letter, _, _) = sign(coverage);
    match coverage {
        _ if style.ascii => letter,
        Coverage::Native if style.shared && !style.page => "✅",
        Coverage::Absent if style.shared && !style.page => "❌",
        Coverage::NoKernels if style.shared && !style.page => "⛔",
        _ => glyph,
    }
}

/// A coverage in words.
pub(super) fn words(coverage: Coverage) -> &'static str {
    sign(coverage).2
}

/// A library that covers a target: how many of its kernels run, and which of its files contain them.
fn covered_part(covered: &v1::CoveredPart) -> String {
    let mut text = part_name(&covered.part);
    if covered.trap_stubs > 0 {
        let runs = thousands(covered.kernels.saturating_sub(covered.trap_stubs));
        text.push_str(&format!(
            " ({runs} of {} kernels run, the others are empty stubs)",
            thousands(covered.kernels)
        ));
    }
    if let Some(files) = &covered.files {
        let names = |paths: &[String]| {
            let names = paths.iter().map(|path| file_name(path));
            names.collect::<Vec<_>>().join(", ")
        };
        let (with, of) = (files.with.len(), files.with.len() + files.without.len());
        text.push_str(&format!(
            " (native in {with} of {of} files: {}; not in {})",
            names(&files.with),
            names(&files.without)
        ));
    }
    text
}

/// The code of a library in words.
pub(super) fn part_name(part: &v1::LibraryPart) -> String {
    name_of(&part.library, part.tensile, part.place.as_deref())
}

pub(super) fn name_of(library: &str, tensile: bool, place: Option<&str>) -> String {
    let mut name = if tensile { format!("{library}, Tensile") } else { library.to_owned() };
    if let Some(place) = place {
        let last = file_name(place);
        name.push_str(&format!(" in {last}"));
    }
    name
}

/// Libraries by targets; the larger number becomes the rows, because a page is longer than it is wide.
pub(super) fn matrix(report: &Report, style: &Style) -> Block {
    let shown = shown_targets(report);
    let text = |cell: &v1::Cell| {
        let glyph = glyph(cell.coverage, style);
        let runs = cell.kernels.saturating_sub(cell.trap_stubs);
        let text = if runs > 0 { format!("{} {glyph}", thousands(runs)) } else { glyph.to_owned() };
        TableCell::toned(text, sign(cell.coverage).3)
    };
    let name =
        |library: &v1::LibraryRow| name_of(&library.library, library.tensile, library.place.as_deref());
    if shown.len() <= report.matrix.len() {
        let processors = shown.iter().map(|t| Column::right(&t.processor));
        let mut table = Table::new(std::iter::once(Column::left("library")).chain(processors));
        for library in &report.matrix {
            let cells = cells_of(library, &shown).map(text);
            table.row(std::iter::once(TableCell::new(name(library))).chain(cells));
        }
        return Block::Table(table);
    }
    let libraries = report.matrix.iter().map(|library| Column::right(name(library)));
    let mut table = Table::new(std::iter::once(Column::left("target")).chain(libraries));
    for target in shown {
        let cell = |library: &v1::LibraryRow| {
            library.cells.iter().find(|cell| cell.processor == target.processor).map(text).unwrap_or_default()
        };
        table.row(std::iter::once(TableCell::new(&target.processor)).chain(report.matrix.iter().map(cell)));
    }
    Block::Table(table)
}

/// The cells of the shown targets.
pub(super) fn cells_of<'a>(
    library: &'a v1::LibraryRow,
    shown: &'a [&'a v1::Target],
) -> impl Iterator<Item = &'a v1::Cell> {
    let is_shown = |cell: &&v1::Cell| shown.iter().any(|target| target.processor == cell.processor);
    library.cells.iter().filter(is_shown)
}

/// The targets in tables. Targets served only by the HSA runtime's own kernels are hidden, unless the user
/// asked about them or there are no others.
pub(super) fn shown_targets(report: &Report) -> Vec<&v1::Target> {
    let all = || report.targets.iter();
    if !report.asked.is_empty() || all().all(|target| target.runtime_kernels_only) {
        return all().collect();
    }
    all().filter(|target| !target.runtime_kernels_only).collect()
}

/// Says which targets are hidden.
pub(super) fn folded(report: &Report) -> Option<Block> {
    let shown = shown_targets(report);
    let hidden = report.targets.iter().filter(|target| shown.iter().all(|s| s.processor != target.processor));
    let names: Vec<&str> = hidden.map(|target| target.processor.as_str()).collect();
    let text = format!(
        "Not in these tables: {}, for which only the HSA runtime has kernels, its own for copying and filling memory: {}.",
        plural(names.len() as u64, "target", "targets"),
        names.join(", ")
    );
    (!names.is_empty()).then_some(Block::Text(Tone::Dim, text))
}

/// Explains the glyphs that occur.
pub(super) fn legend(report: &Report, style: &Style) -> String {
    let shown = shown_targets(report);
    let cells = report.matrix.iter().flat_map(|library| cells_of(library, &shown));
    let occurring: BTreeSet<Coverage> = cells.map(|cell| cell.coverage).collect();
    let word = |c: Coverage| format!("{} {}", glyph(c, style), words(c));
    occurring.into_iter().map(word).collect::<Vec<_>>().join(style.dot())
}
