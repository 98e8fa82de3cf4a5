//! The document of `diff` in blocks: regressions come first.

mod instructions;
mod kernels;

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::coverage::{name_of, words};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::verdict::{first_product, sign};
use super::{Drawn, Format, drawn, findings, selections};
use crate::report::v1::{
    BytesChange, CountChange, Coverage, DiffReport, DiffSide, RegressionKind, VerdictChange,
};
use rocm_audit_files::key_map::KeyMap;

/// Rows of a list shown without `-v`.
const FIRST: usize = 8;
/// Rows of a list shown on a page.
const ON_A_PAGE: usize = 40;

impl Document for DiffReport {
    fn judged(&self) -> Judged<'_> {
        let problems = self.selections.as_ref().map(|selections| &selections.problems);
        let judged = Judged::from_found(&self.found).about([&self.old.path, &self.new.path]).naming(problems);
        Judged { diff: Some(self), ..judged }
    }
}

impl Draw for DiffReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Cuts a list to the shown rows, with a note on the others.
pub(super) fn first<'r, T>(all: &'r [T], style: &Style) -> (&'r [T], Option<Block>) {
    // A page has no edge, but a pull request comment has a size limit.
    let most = match (style.verbose, style.width) {
        (1.., _) => usize::MAX,
        (_, u16::MAX) => ON_A_PAGE,
        _ => FIRST,
    };
    let shown = all.get(..all.len().min(most)).unwrap_or(all);
    let rest = (all.len() - shown.len()) as u64;
    let more =
        || Block::Text(Tone::Dim, format!("and {} more{}", style.number(rest), style.hint("; -v shows all")));
    (shown, (rest > 0).then(more))
}

fn blocks(report: &DiffReport, style: &Style) -> Vec<Block> {
    let arrow = style.pick(" → ", " -> ");
    let title = format!("{}{arrow}{}", report.old.path, report.new.path);
    let mut blocks = vec![Block::Title(title, String::new())];
    blocks.extend(cards(report, style));
    blocks.extend(verdict(report, style));
    blocks.extend(libraries(report, style));
    blocks.extend(coverage(report, style));
    blocks.extend(report.kernels.iter().flat_map(|kernels| kernels::blocks(kernels, style)));
    blocks.extend(report.instructions.iter().flat_map(|changes| instructions::blocks(changes, style)));
    blocks.extend(report.selections.iter().flat_map(|found| selections::blocks(found, style)));
    blocks.extend(counts(&report.counts, style));
    blocks.extend(of_findings(report, style));
    blocks.extend(files(report, style));
    blocks.extend(bytes("Device code", &report.device_bytes, style));
    let versions: Vec<ListLine> = report
        .versions
        .iter()
        .map(|version| {
            let said = |side: &Option<String>| side.clone().unwrap_or_else(|| style.none().to_owned());
            let text = format!("{}{arrow}{}", said(&version.before), said(&version.after));
            ListLine { tone: Tone::Plain, label: version.component.clone(), text }
        })
        .collect();
    if !versions.is_empty() {
        blocks.extend([Block::Heading("Versions".into()), Block::Items(versions)]);
    }
    if report.kernels.is_none() {
        let text = "Kernels were not compared: a saved report counts them and does not name them.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text.into())]);
    }
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    blocks
}

/// What the libraries of both sides do on the cards of the call.
fn cards(report: &DiffReport, style: &Style) -> Option<Block> {
    let line = |change: &VerdictChange| {
        let (glyph, _, tone) = sign(change.after.answer, style);
        let product = first_product(&change.products);
        let text = match change.before == change.after {
            true => format!("{}, as before", change.after.headline),
            false => format!("before: {}; now: {}", change.before.headline, change.after.headline),
        };
        ListLine { tone, label: format!("{glyph} {}{product}", change.processor), text }
    };
    let lines: Vec<ListLine> = report.verdicts.iter().map(line).collect();
    (!lines.is_empty()).then_some(Block::Items(lines))
}

fn verdict(report: &DiffReport, style: &Style) -> Vec<Block> {
    let item = |side: &DiffSide, label: &str| {
        let saved = if side.saved { "saved report, " } else { "" };
        let complete = if side.complete { "" } else { "; incomplete: what is missing may be there" };
        let text = format!(
            "{saved}{}, {}, {} of files with something to report{complete}",
            plural(side.code_objects, "code object", "code objects"),
            plural(side.kernels, "kernel", "kernels"),
            style.size(side.artifact_bytes)
        );
        ListLine { tone: Tone::Dim, label: label.into(), text }
    };
    let sides = Block::Items(vec![item(&report.old, "old"), item(&report.new, "new")]);
    if report.regressions.is_empty() {
        let both = report.old.complete && report.new.complete;
        let text = match (both, is_same(report)) {
            (true, true) => "the same: nothing that is compared changed",
            (true, false) if report.kernels.is_none() => {
                "nothing that was compared got worse; kernels were not"
            }
            (true, false) => "nothing got worse",
            (false, _) => "nothing that could be read got worse; not all could",
        };
        let tone = if both { Tone::Good } else { Tone::Partial };
        return vec![Block::Text(tone, text.into()), sides];
    }
    let bad = style.pick("✗", "x");
    let worse = style.pick("▼", "v");
    let items = report.regressions.iter().map(|regression| {
        let (glyph, tone) = match regression.kind {
            RegressionKind::LostTarget | RegressionKind::LostKernel => (bad, Tone::Bad),
            _ => (worse, Tone::Partial),
        };
        ListLine { tone, label: format!("{glyph} {}", kind(regression.kind)), text: regression.what.clone() }
    });
    let items: Vec<ListLine> = items.collect();
    let (shown, more) = first(&items, style);
    let mut blocks = vec![Block::Items(shown.to_vec())];
    blocks.extend(more);
    blocks.extend(kept(report, style));
    blocks.extend(gained(report, style));
    blocks.push(sides);
    blocks
}

/// That no target was lost, where kernels or files were: a reader of those lines asks it next.
fn kept(report: &DiffReport, style: &Style) -> Option<Block> {
    let has = |kind| report.regressions.iter().any(|regression| regression.kind == kind);
    let is_asked = has(RegressionKind::LostKernel) || has(RegressionKind::LostFile);
    let is_known = report.old.complete && report.new.complete;
    let label = format!("{} targets", style.pick("✓", "+"));
    let text = "no target was lost: every library has code for each one that it had code for".to_owned();
    (is_asked && is_known && !has(RegressionKind::LostTarget))
        .then(|| Block::Items(vec![ListLine { tone: Tone::Good, label, text }]))
}

/// The targets that libraries gained code for, which may be the purpose of the release.
fn gained(report: &DiffReport, style: &Style) -> Option<Block> {
    let lacks = |coverage: Coverage| matches!(coverage, Coverage::NoKernels | Coverage::Absent);
    let runs =
        |coverage: Coverage| !lacks(coverage) && !matches!(coverage, Coverage::Broken | Coverage::NotKnown);
    let mut targets: KeyMap<&str, Vec<&str>> = KeyMap::new();
    for row in report.coverage.iter().filter(|row| lacks(row.before) && runs(row.after)) {
        let gained = targets.entry(&row.library).or_default();
        // A library with several folders has a row for each.
        if !gained.contains(&row.processor.as_str()) {
            gained.push(&row.processor);
        }
    }
    let label = format!("{} new target", style.pick("✓", "+"));
    let items: Vec<ListLine> = targets
        .iter()
        .map(|(library, processors)| ListLine {
            tone: Tone::Good,
            label: label.clone(),
            text: format!("{library} has code now for {}", processors.join(", ")),
        })
        .collect();
    (!items.is_empty()).then_some(Block::Items(items))
}

fn is_same(report: &DiffReport) -> bool {
    let files = &report.files;
    report.libraries.is_empty()
        && report.coverage.is_empty()
        && report.counts.is_empty()
        && report.finding_changes.new.is_empty()
        && report.finding_changes.gone.is_empty()
        && files.lost.len() + files.added.len() + files.renamed.len() + files.resized.len() == 0
        && report.device_bytes.is_empty()
        && report.versions.is_empty()
        && report.selections.as_ref().is_none_or(|selections| selections.changed.is_empty())
        && report.instructions.as_ref().is_none_or(|changes| changes.iter().all(instructions::is_same))
        && report.kernels.as_ref().is_none_or(|kernels| {
            kernels
                .targets
                .iter()
                .all(|target| target.lost + target.added + target.renamed + target.changed == 0)
        })
}

fn kind(kind: RegressionKind) -> &'static str {
    match kind {
        RegressionKind::LostTarget => "lost target",
        RegressionKind::LessCoverage => "less coverage",
        RegressionKind::LostKernel => "lost kernel",
        RegressionKind::MoreSpills => "more spills",
        RegressionKind::LowerOccupancy => "lower occupancy",
        RegressionKind::FewerWaits => "fewer waits",
        RegressionKind::WorseSelection => "worse selection",
        RegressionKind::FewerRecords => "fewer records",
        RegressionKind::LostFile => "lost file",
        RegressionKind::NewFinding => "new finding",
        RegressionKind::Bigger => "bigger",
    }
}

fn libraries(report: &DiffReport, style: &Style) -> Vec<Block> {
    let item = |change: &crate::report::v1::LibraryChange| {
        let (glyph, tone) = match change.lost {
            true => (style.pick("✗", "x"), Tone::Bad),
            false => ("+", Tone::Good),
        };
        let label = format!("{glyph} {}", name_of(&change.library, change.tensile, None));
        ListLine { tone, label, text: change.processors.join(", ") }
    };
    let items: Vec<ListLine> = report.libraries.iter().map(item).collect();
    match items.is_empty() {
        true => Vec::new(),
        false => vec![Block::Heading("Libraries that only one side has".into()), Block::Items(items)],
    }
}

fn coverage(report: &DiffReport, style: &Style) -> Vec<Block> {
    if report.coverage.is_empty() {
        return Vec::new();
    }
    let (shown, more) = first(&report.coverage, style);
    let mut table = Table::new([
        Column::left("library"),
        Column::left("target"),
        Column::left("before"),
        Column::left("now"),
    ]);
    for row in shown {
        let tone = if row.is_worse { Tone::Bad } else { Tone::Good };
        table.row([
            TableCell::new(name_of(&row.library, row.tensile, None)),
            TableCell::new(row.processor.clone()),
            TableCell::new(words(row.before)),
            TableCell::toned(words(row.after), tone),
        ]);
    }
    let mut blocks = vec![Block::Heading("What libraries have for a target".into()), Block::Table(table)];
    blocks.extend(more);
    blocks
}

fn counts(counts: &[CountChange], style: &Style) -> Vec<Block> {
    if counts.is_empty() {
        return Vec::new();
    }
    let (shown, more) = first(counts, style);
    let mut table = Table::new([
        Column::left("of"),
        Column::left("target"),
        Column::left("what"),
        Column::right("before"),
        Column::right("now"),
    ]);
    for row in shown {
        table.row([
            TableCell::new(row.of.clone()),
            TableCell::new(row.processor.clone()),
            TableCell::new(row.what.clone()),
            TableCell::new(style.number(row.before)),
            TableCell::toned(
                style.number(row.after),
                if row.after < row.before { Tone::Partial } else { Tone::Plain },
            ),
        ]);
    }
    let mut blocks = vec![Block::Heading("Numbers".into()), Block::Table(table)];
    blocks.extend(more);
    blocks
}

fn of_findings(report: &DiffReport, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    let lists = [
        ("Findings that are new", &report.finding_changes.new),
        ("Findings that are gone", &report.finding_changes.gone),
    ];
    for (heading, list) in lists {
        if list.is_empty() {
            continue;
        }
        let items: Vec<ListLine> = list
            .iter()
            .map(|finding| {
                let target = finding.target.as_ref().map(|target| format!(", {target}")).unwrap_or_default();
                let file =
                    if finding.file.is_empty() { String::new() } else { format!(", {}", finding.file) };
                ListLine {
                    tone: Tone::Plain,
                    label: format!("{} {}", finding.severity, finding.id),
                    text: format!("{}{target}{file}", finding.what),
                }
            })
            .collect();
        let (shown, more) = first(&items, style);
        blocks.extend([Block::Heading(heading.into()), Block::Items(shown.to_vec())]);
        blocks.extend(more);
    }
    blocks
}

fn files(report: &DiffReport, style: &Style) -> Vec<Block> {
    let files = &report.files;
    let arrow = style.pick("→", "->");
    let lost = files.lost.iter().map(|file| format!("- {} ({})", file.path, style.size(file.bytes)));
    let added = files.added.iter().map(|file| format!("+ {} ({})", file.path, style.size(file.bytes)));
    let renamed = files.renamed.iter().map(|file| {
        let (before, after) = (style.size(file.bytes_before), style.size(file.bytes_after));
        format!("  {} {arrow} {} ({before} {arrow} {after})", file.before, file.after)
    });
    let resized = files.resized.iter().map(|file| {
        format!("  {} ({} {arrow} {})", file.of, style.size(file.before), style.size(file.after))
    });
    let all: Vec<String> = lost.chain(added).chain(renamed).chain(resized).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let (shown, more) = first(&all, style);
    let mut blocks = vec![Block::Heading("Files".into()), Block::Lines(shown.to_vec())];
    blocks.extend(more);
    blocks
}

fn bytes(heading: &str, changes: &[BytesChange], style: &Style) -> Vec<Block> {
    if changes.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([Column::left("class"), Column::right("before"), Column::right("now")]);
    for change in changes {
        table.row([
            TableCell::new(change.of.clone()),
            TableCell::new(style.size(change.before)),
            TableCell::new(style.size(change.after)),
        ]);
    }
    vec![Block::Heading(heading.into()), Block::Table(table)]
}
