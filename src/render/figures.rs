//! Figures of a capability report, for pages: verdicts as cards, bar charts of the targets with data, and
//! bytes as areas. All their numbers are also in the report's tables.

use super::block::{AreaGroup, AreaPart, Areas, Bar, Bars, Block, Card};
use super::coverage::name_of;
use super::style::Style;
use super::verdict::{place_name, rank, shown, sign};
use crate::codeobject::SectionBytes;
use crate::report::v1::{Answer, Cell, DatabaseKind, Report, Verdict};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cmp::Reverse;

/// Most verdicts to show as cards.
const CARDS: usize = 48;

/// Most clauses on a card.
const CLAUSES: usize = 6;

/// Most groups of areas, and most parts of a group; the others are merged.
const GROUPS: usize = 12;
const PARTS: usize = 40;

/// A card for each verdict; those that run come first.
pub(super) fn cards(report: &Report, style: &Style) -> Option<Block> {
    let mut verdicts: Vec<&Verdict> = report.verdicts.iter().collect();
    verdicts.sort_rows_by_key(|verdict| rank(verdict.answer));
    let card = |verdict: &&Verdict| {
        let (glyph, words, tone) = sign(verdict.answer, style);
        let libraries: Vec<_> = shown(verdict).collect();
        let of = |answer: Answer| {
            let names: Vec<String> = libraries
                .iter()
                .filter(|library| library.answer == answer)
                .map(|library| place_name(library))
                .collect();
            let (_, words, _) = sign(answer, style);
            (!names.is_empty()).then(|| format!("{words}: {}", names.join(", ")))
        };
        let answers = [Answer::Runs, Answer::Compiles, Answer::Limits, Answer::Unknown, Answer::Not];
        let mut lines: Vec<String> = answers.into_iter().filter_map(of).collect();
        // What the title says about all of them is not repeated.
        if let [only] = &libraries[..] {
            lines = vec![only.reason.clone()];
        } else if let [_] = &lines[..] {
            lines = vec![libraries.iter().map(|library| place_name(library)).collect::<Vec<_>>().join(", ")];
        }
        lines.extend(
            verdict
                .overrides
                .first()
                .map(|best| format!("HSA_OVERRIDE_GFX_VERSION={}: {}", best.value, best.answer.words())),
        );
        lines.truncate(CLAUSES);
        Card {
            tone,
            title: format!("{glyph} {}: {words}", verdict.processor),
            lines,
            note: verdict.products.first().cloned().unwrap_or_default(),
        }
    };
    let cards: Vec<Card> = verdicts.iter().take(CARDS).map(card).collect();
    (!cards.is_empty()).then_some(Block::Cards(cards))
}

/// Which targets have files in a Tensile folder, and which have lines in MIOpen's databases; includes targets
/// without any.
pub(super) fn bars(report: &Report) -> Vec<Block> {
    let mut charts: KeyMap<String, KeyMap<&str, u64>> = KeyMap::new();
    for row in &report.tensile {
        if let Some(processor) = &row.processor {
            let title = format!("Files of {}'s library folder by target", row.library);
            *charts.entry(title).or_default().entry(processor).or_default() += row.files;
        }
    }
    for row in &report.miopen {
        let kind = match row.kind {
            DatabaseKind::FindDb => "find-db",
            DatabaseKind::PerfDb => "perf-db",
            DatabaseKind::KernelDb | DatabaseKind::Model => continue,
        };
        let title = format!("Lines of MIOpen's {kind} by target");
        *charts.entry(title).or_default().entry(&row.processor).or_default() += row.records.unwrap_or(0);
    }
    let asked = |processor: &str| {
        report.verdicts.len() <= 2
            && report.asked.iter().any(|asked| asked.split(':').next() == Some(processor))
    };
    let targets =
        report.targets.iter().filter(|target| !target.runtime_kernels_only || asked(&target.processor));
    let known: Vec<&str> = targets.map(|target| target.processor.as_str()).collect();
    let chart = |(title, mut values): (String, KeyMap<&str, u64>)| {
        for processor in &known {
            values.entry(processor).or_default();
        }
        let mut rows: Vec<Bar> = values
            .into_iter()
            .map(|(name, value)| Bar { name: name.to_owned(), value, chosen: asked(name) })
            .collect();
        rows.sort_rows_by_key(|row| Reverse(row.value));
        Block::Bars(Bars { title, rows })
    };
    // A single bar compares nothing.
    charts
        .into_iter()
        .map(chart)
        .filter(|chart| matches!(chart, Block::Bars(bars) if bars.rows.len() > 1))
        .collect()
}

/// Bytes of code objects by library, target and class.
pub(super) fn areas(report: &Report) -> Option<Block> {
    let mut groups: Vec<AreaGroup> = Vec::new();
    for library in &report.matrix {
        let cells = library.cells.iter().filter(|cell| cell.bytes > 0);
        let mut parts: Vec<AreaPart> = cells.map(part).collect();
        largest_first(&mut parts, PARTS);
        if !parts.is_empty() {
            let name = name_of(&library.library, library.tensile, library.place.as_deref());
            groups.push(AreaGroup { name, parts });
        }
    }
    groups.sort_rows_by_key(|group| Reverse(group.bytes()));
    if groups.len() > GROUPS {
        let rest = groups.split_off(GROUPS - 1).into_iter();
        let mut parts: Vec<AreaPart> = rest.map(|group| summed(group.name, &group.parts)).collect();
        largest_first(&mut parts, PARTS);
        groups.push(AreaGroup { name: "other libraries".to_owned(), parts });
        groups.sort_rows_by_key(|group| Reverse(group.bytes()));
    }
    let title = "Bytes of code objects by library, target and class, compressed ones inflated".to_owned();
    let several = groups.iter().map(|group| group.parts.len()).sum::<usize>() > 2;
    several.then_some(Block::Areas(Areas { title, groups }))
}

/// A library's target with its bytes by class; bytes of unknown class form their own class.
fn part(cell: &Cell) -> AreaPart {
    let of = |id: &str| cell.bytes_by_class.get(id).copied().unwrap_or(0);
    let known: u64 = cell.bytes_by_class.values().sum();
    let all = SectionBytes::default();
    let classes = all.iter().map(|(class, name, _)| (name, of(class.id())));
    let classes = classes.chain([(NOT_TOLD_APART, cell.bytes.saturating_sub(known))]);
    AreaPart { name: cell.processor.clone(), bytes: cell.bytes, classes: classes.collect() }
}

/// Bytes of code objects that were read only at their beginning.
const NOT_TOLD_APART: &str = "not told apart, compressed";

/// Merges parts into one.
fn summed(name: String, parts: &[AreaPart]) -> AreaPart {
    let mut sum = AreaPart { name, ..AreaPart::default() };
    for part in parts {
        sum.bytes += part.bytes;
        for (class, bytes) in &part.classes {
            match sum.classes.iter_mut().find(|(known, _)| known == class) {
                Some((_, all)) => *all += bytes,
                None => sum.classes.push((class, *bytes)),
            }
        }
    }
    sum
}

/// Sorts parts by size, and merges those beyond a number.
fn largest_first(parts: &mut Vec<AreaPart>, most: usize) {
    parts.sort_rows_by_key(|part| Reverse(part.bytes));
    if parts.len() > most {
        let rest = parts.split_off(most);
        parts.push(summed("others".to_owned(), &rest));
        parts.sort_rows_by_key(|part| Reverse(part.bytes));
    }
}
