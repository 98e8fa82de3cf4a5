//! What a target has, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::finding::evidence::Evidence;
use crate::report::v1::{
    ClaimingLibrary, IsaCapability, IsaClass, IsaDifference, IsaFeature, IsaReport, IsaTarget,
};

impl Document for IsaReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

/// Most examples of a class to show.
const EXAMPLES: usize = 3;

impl Draw for IsaReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &IsaReport, style: &Style) -> Vec<Block> {
    let target = &report.target;
    let mut parts: Vec<String> = target.family.iter().cloned().collect();
    parts.extend(target.devices.iter().cloned());
    parts.push(plural(target.mnemonics, "mnemonic", "mnemonics"));
    let mut blocks = vec![Block::Title(target.processor.clone(), parts.join(style.dot()))];
    let others: Vec<&str> =
        target.same_as.iter().map(String::as_str).filter(|n| *n != target.processor).collect();
    let same = match &others[..] {
        [] => "No other processor has exactly these instructions.".to_owned(),
        others => {
            format!("The same instruction set: {}.", others.join(", "))
        }
    };
    blocks.push(Block::Text(Tone::Plain, same));
    match &report.difference {
        Some(difference) => blocks.extend(compared(target, difference, style)),
        None => {
            blocks.extend([
                Block::known("Instructions by class", Evidence::Code),
                classes(&target.classes, style),
            ]);
            blocks.extend(features("Features", &target.features));
            blocks.extend(libraries(&report.libraries, style));
        }
    }
    let note = format!(
        "Read in the target description of {}, not measured. A mnemonic counts once for each of its encodings \
         (_e32, _e64, _dpp, _sdwa).",
        report.source
    );
    blocks.extend([Block::Space, Block::Text(Tone::Dim, note)]);
    blocks
}

fn classes(classes: &[IsaClass], style: &Style) -> Block {
    let mut table =
        Table::new([Column::left("class"), Column::right("mnemonics"), Column::left("what, for example")]);
    for class in classes {
        let count = class.mnemonics.len() as u64;
        let examples: Vec<&str> = spread(&class.mnemonics);
        let text = match examples[..] {
            [] => class.title.clone(),
            _ => format!("{}: {}", class.title, examples.join(", ")),
        };
        table.row([TableCell::new(&class.class), TableCell::new(style.number(count)), TableCell::new(text)]);
    }
    Block::Table(table)
}

/// A few of a list, from its beginning, middle and end.
fn spread(list: &[String]) -> Vec<&str> {
    let step = list.len().div_ceil(EXAMPLES).max(1);
    list.iter().step_by(step).take(EXAMPLES).map(String::as_str).collect()
}

fn features(heading: &str, features: &[IsaFeature]) -> Vec<Block> {
    if features.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([Column::left("feature"), Column::left("in LLVM's words")]);
    for feature in features {
        table.row([TableCell::new(&feature.feature), TableCell::new(&feature.description)]);
    }
    vec![Block::Heading(heading.to_owned()), Block::Table(table)]
}

/// Libraries' claims about the target.
fn libraries(rows: &[IsaCapability], style: &Style) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("library"),
        Column::left("asks for"),
        Column::left("says"),
        Column::left("LLVM"),
    ]);
    let mut notes: Vec<ListLine> = Vec::new();
    for row in rows {
        // Composable Kernel's code is compiled for the target; a capability of Tensile stands for itself.
        let (library, label) = match row.library {
            ClaimingLibrary::ComposableKernel => ("Composable Kernel", "Composable Kernel"),
            ClaimingLibrary::Tensile => ("Tensile", row.what.as_str()),
        };
        let says = match &row.newer {
            Some(newer) => format!("{}; later {newer}", row.says),
            None => row.says.clone(),
        };
        let llvm = row.llvm.map_or("", |has| if has { "has it" } else { "has none" });
        let (mark, tone) =
            if row.misleads { (style.pick("≠", "!="), Tone::Partial) } else { ("", Tone::Plain) };
        table.row([
            TableCell::new(library),
            TableCell::new(&row.what),
            TableCell::toned(says, tone),
            TableCell::toned(format!("{llvm} {mark}").trim_end().to_owned(), tone),
        ]);
        if let Some(note) = row.note.as_ref().filter(|_| notes.iter().all(|item| item.label != label)) {
            notes.push(ListLine { tone, label: label.to_owned(), text: note.clone() });
        }
    }
    let mut sources: Vec<&String> = rows.iter().map(|row| &row.source).collect();
    sources.dedup();
    let item = |source: &String| ListLine { tone: Tone::Dim, label: "source".into(), text: source.clone() };
    notes.extend(sources.into_iter().map(item));
    let text = "What the libraries' own sources take the target to have, not what their shipped code uses: that is counted by \
                --isa. Composable Kernel: the branch of its inner product; Tensile: its table of assembler capabilities.";
    vec![
        Block::known("What libraries take it to have", Evidence::Code),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text.into()),
        Block::Space,
        Block::Items(notes),
    ]
}

fn compared(target: &IsaTarget, d: &IsaDifference, style: &Style) -> Vec<Block> {
    let (own, other) = (&target.processor, &d.other);
    let mut blocks = vec![Block::Space];
    let item = |label: String, text: String| ListLine { tone: Tone::Plain, label, text };
    let moved = match d.moved {
        0 => "all with the same encodings".to_owned(),
        n if n == d.common => "none with the same encoding".to_owned(),
        n => format!("{} of them with other encodings only", thousands(n)),
    };
    blocks.push(Block::Items(vec![
        item(format!("only {own}"), plural(d.gained_mnemonics, "mnemonic", "mnemonics")),
        item(format!("only {other}"), plural(d.lost_mnemonics, "mnemonic", "mnemonics")),
        item("both".into(), format!("{}, {moved}", plural(d.common, "mnemonic", "mnemonics"))),
    ]));
    blocks.extend(mnemonics(format!("Only {own} has"), &d.gained, style));
    blocks.extend(mnemonics(format!("Only {other} has"), &d.lost, style));
    if !d.renamed.is_empty() {
        let mut table = Table::new([Column::left(format!("on {own}")), Column::left(format!("on {other}"))]);
        let shown = if style.verbose > 0 { d.renamed.len() } else { 24 };
        for pair in d.renamed.iter().take(shown) {
            table.row([TableCell::new(&pair.here), TableCell::new(&pair.there)]);
        }
        blocks.extend([
            Block::known("The same bits mean another instruction", Evidence::Code),
            Block::Table(table),
        ]);
        if d.renamed.len() > shown {
            let what = format!("{} more pairs: -v.", thousands((d.renamed.len() - shown) as u64));
            blocks.push(Block::Text(Tone::Dim, what));
        }
    }
    blocks.extend(features(&format!("Features that only {own} has"), &d.features_gained));
    blocks.extend(features(&format!("Features that only {other} has"), &d.features_lost));
    blocks
}

/// Mnemonics by class; long lists are cut.
fn mnemonics(heading: String, rows: &[IsaClass], style: &Style) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let shown = if style.verbose > 0 { usize::MAX } else { 12 };
    let item = |row: &IsaClass| {
        let mut list: Vec<&str> = row.mnemonics.iter().take(shown).map(String::as_str).collect();
        let more = row.mnemonics.len().saturating_sub(shown);
        let rest = format!("{more} more (-v)");
        if more > 0 {
            list.push(&rest);
        }
        ListLine { tone: Tone::Plain, label: row.class.clone(), text: list.join(", ") }
    };
    vec![Block::Heading(heading), Block::Items(rows.iter().map(item).collect())]
}
