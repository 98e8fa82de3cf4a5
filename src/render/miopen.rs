//! MIOpen's databases in blocks: what is there, what a device opens, and what is wrong.

use super::block::{Block, Cell, Column, Item, Table};
use super::style::{Style, Tone, plural, thousands};
use super::{Format, audit, drawn};
use crate::report::v1::{
    Evidence, MiopenDefect, MiopenDevice, MiopenExample, MiopenFinding, MiopenFolder, MiopenLines,
    MiopenOpened, MiopenReport,
};

/// States of [`MiopenOpened`], how they are drawn, and what the legend says of them.
const STATES: [(&str, &str, &str, Tone, &str); 6] = [
    ("exact", "●", "+", Tone::Good, "the device's own"),
    ("processor", "●", "+", Tone::Good, "the processor's"),
    ("nearest", "◔", "~", Tone::Partial, "that of the nearest number of compute units"),
    ("unreachable", "✗", "X", Tone::Bad, "the nearest, which MIOpen looks for and cannot find"),
    ("pointer", "!", "!", Tone::Bad, "a Git LFS pointer in place of the file"),
    ("nothing", "·", "-", Tone::Dim, "nothing"),
];

/// Draws the report of MIOpen's databases.
pub fn draw(report: &MiopenReport, format: Format, style: &Style) -> String {
    drawn(report, format, style, &|style| blocks(report, style))
}

fn blocks(report: &MiopenReport, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    for folder in &report.folders {
        blocks.extend(of_folder(folder, style));
    }
    blocks.extend(audit::problems(&report.problems, style));
    blocks.push(Block::Heading("Not shown by these files".into()));
    blocks.extend(report.not_shown.iter().map(|s| Block::Text(Tone::Dim, s.clone())));
    if report.asked_compute_units.is_empty() {
        let next = "Next: `rocm-audit miopen --arch TARGET --cu N PATH` for what another device opens.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next.into())]);
    }
    blocks
}

fn of_folder(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    let parts = [
        plural(folder.databases.len() as u64, "database", "databases"),
        plural(folder.records, "record", "records"),
        plural(folder.entries, "entry", "entries"),
        style.size(folder.bytes),
    ];
    let mut blocks = vec![Block::Title(folder.path.clone(), parts.join(style.dot())), verdict(folder)];
    blocks.extend(databases(folder, style));
    blocks.extend(devices(folder, style));
    blocks.extend(lines(folder, style));
    if !folder.findings.is_empty() {
        blocks.push(Block::Heading("What was found".into()));
        blocks.extend(folder.findings.iter().flat_map(|found| finding(found, style)));
    }
    blocks
}

fn verdict(folder: &MiopenFolder) -> Block {
    let count = |severity: &str| {
        let of = folder.findings.iter().filter(|found| found.severity == severity);
        of.map(|found| found.files.len() as u64).sum::<u64>()
    };
    let kinds = [
        plural(count("error"), "error", "errors"),
        plural(count("warning"), "warning", "warnings"),
        plural(count("note"), "note", "notes"),
    ];
    let tone = if count("error") > 0 { Tone::Bad } else { Tone::Good };
    Block::Items(vec![Item { tone, label: "MIOpen".into(), text: kinds.join(", ") }])
}

fn databases(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    if folder.databases.is_empty() {
        let text = "No database here is of a target that was asked for.";
        return vec![Block::Text(Tone::Plain, text.into())];
    }
    let mut table = Table::new([
        Column::left("device"),
        Column::left("database"),
        Column::right("records"),
        Column::right("entries"),
        Column::left("form"),
        Column::right("size"),
        Column::right("defects"),
    ]);
    let number = |number: Option<u64>| number.map_or(String::new(), |number| style.number(number));
    for file in &folder.databases {
        let tone = if file.defects > 0 { Tone::Partial } else { Tone::Dim };
        table.row([
            Cell::new(&file.base),
            Cell::new(&file.kind),
            Cell::new(number(file.records)),
            Cell::new(number(file.entries)),
            Cell::new(&file.form),
            Cell::new(style.size(file.bytes)),
            Cell::toned(style.number(file.defects), tone),
        ]);
    }
    if folder.databases.len() > 1 {
        table.total = true;
        let [records, entries] = [folder.records, folder.entries].map(|n| Cell::new(style.number(n)));
        let (none, size) = (Cell::default(), Cell::new(style.size(folder.bytes)));
        table.row([Cell::new("TOTAL"), none.clone(), records, entries, none.clone(), size, none]);
    }
    let text =
        "Records are problems, each once; entries are their solvers. Defects are kinds of defects; below.";
    vec![
        Block::Heading("Databases".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text.into()),
    ]
}

fn devices(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    // Kinds of which nobody opens anything are left out, but not those that every install is asked for.
    let shown = |kind: &str| {
        let of = folder.devices.iter().flat_map(|device| &device.opened).filter(|opened| opened.kind == kind);
        !kind.starts_with("user") || of.into_iter().any(|opened| opened.state != "nothing")
    };
    let Some(first) = folder.devices.first() else { return Vec::new() };
    let kinds: Vec<&str> = first.opened.iter().map(|o| o.kind.as_str()).filter(|kind| shown(kind)).collect();
    let columns = kinds.iter().map(|kind| Column::left(*kind));
    let mut table = Table::new(std::iter::once(Column::left("device")).chain(columns));
    for device in &folder.devices {
        let cell = |kind: &&str| {
            let opened = device.opened.iter().find(|opened| opened.kind == **kind);
            opened.map_or(Cell::default(), |opened| sign(opened, &device.base, style))
        };
        table.row(std::iter::once(Cell::new(&device.base)).chain(kinds.iter().map(cell)));
    }
    let occurs = |state: &str| {
        let mut all = folder.devices.iter().flat_map(|device| &device.opened);
        all.any(|opened| opened.state == state && kinds.contains(&opened.kind.as_str()))
    };
    let signs = STATES.iter().filter(|(state, ..)| occurs(state));
    let legend: Vec<String> =
        signs.map(|(_, unicode, ascii, _, what)| format!("{} {what}", style.pick(unicode, ascii))).collect();
    let mut text = format!("{}.", legend.join("; "));
    if folder.devices.iter().flat_map(|device| &device.opened).any(|opened| opened.made_from.is_some()) {
        text.push_str(
            " The text form of a perf-db that is here in SQLite is what a default build makes of it.",
        );
    }
    let mut blocks = vec![
        Block::Heading("What a device opens".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text),
    ];
    blocks.extend(reasons(&folder.devices, &kinds, style));
    blocks
}

fn state(
    opened: &MiopenOpened,
) -> Option<&'static (&'static str, &'static str, &'static str, Tone, &'static str)> {
    STATES.iter().find(|(state, ..)| *state == opened.state)
}

fn sign(opened: &MiopenOpened, device: &str, style: &Style) -> Cell {
    let Some((_, unicode, ascii, tone, _)) = state(opened) else { return Cell::new(&opened.state) };
    let sign = style.pick(unicode, ascii);
    match &opened.base {
        Some(base) if base != device => Cell::toned(format!("{sign} {base}"), *tone),
        _ => Cell::toned(sign, *tone),
    }
}

/// Why a device does not open a file of its own: once for each kind and file, with `-v` for each device.
fn reasons(devices: &[MiopenDevice], kinds: &[&str], style: &Style) -> Vec<Block> {
    let mut items: Vec<Item> = Vec::new();
    for device in devices {
        for opened in device.opened.iter().filter(|opened| kinds.contains(&opened.kind.as_str())) {
            let told = match style.verbose {
                0 => opened.state == "unreachable" && items.is_empty(),
                _ => opened.state != "nothing",
            };
            if told {
                let made = opened.made_from.as_ref().map_or(String::new(), |from| format!(" (of {from})"));
                let file = opened.file.as_deref().unwrap_or_default();
                items.push(Item {
                    tone: state(opened).map_or(Tone::Plain, |(.., tone, _)| *tone),
                    label: device.base.clone(),
                    text: format!("{}: {file}{made}: {} ({})", opened.kind, opened.why, source(opened.known)),
                });
            }
        }
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Space, Block::Items(items)] }
}

fn lines(folder: &MiopenFolder, style: &Style) -> Vec<Block> {
    if folder.lines.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("target"),
        Column::left("device"),
        Column::right("find-db HIP"),
        Column::right("find-db OpenCL"),
        Column::right("perf-db"),
        Column::right("lines"),
    ]);
    for row in &folder.lines {
        let MiopenLines { processor, base, find_db_hip, find_db_opencl, perf_db, lines } = row;
        let target = processor.as_deref().unwrap_or("TOTAL");
        let device = base.as_deref().unwrap_or(if processor.is_some() { "all" } else { "" });
        let numbers = [find_db_hip, find_db_opencl, perf_db, lines];
        let cells = [Cell::new(target), Cell::new(device)].into_iter();
        table.total |= processor.is_none();
        table.row(cells.chain(numbers.map(|number| Cell::new(style.number(*number)))));
    }
    let text = "As `wc -l` counts; a perf-db in SQLite, where it has no text form, counts as that.";
    vec![
        Block::Heading("Lines of text".into()),
        Block::Table(table),
        Block::Space,
        Block::Text(Tone::Dim, text.into()),
    ]
}

fn finding(found: &MiopenFinding, style: &Style) -> Vec<Block> {
    let tone = match found.severity.as_str() {
        "error" => Tone::Bad,
        "warning" => Tone::Partial,
        _ => Tone::Plain,
    };
    let files = plural(found.files.len() as u64, "file", "files");
    let mut blocks = vec![Block::Items(vec![
        Item {
            tone,
            label: found.severity.clone(),
            text: format!("{}: {files} ({})", found.id, source(found.known)),
        },
        Item {
            tone: Tone::Plain,
            label: "then".into(),
            text: format!("{} ({})", found.effect.trim_end_matches('.'), source(found.effect_known)),
        },
    ])];
    for defect in &found.files {
        let mut lines = vec![of_file(defect)];
        if !defect.detail.is_empty() {
            lines.extend(wrapped(&defect.detail, style));
        }
        let shown = if style.verbose > 0 { defect.examples.len() } else { 1 };
        lines.extend(defect.examples.iter().take(shown).flat_map(|example| of_example(example, style)));
        blocks.push(Block::Lines(lines));
    }
    blocks
}

fn of_file(defect: &MiopenDefect) -> String {
    let likely =
        if defect.certainty == "proven" { String::new() } else { format!(" ({})", defect.certainty) };
    format!("  {}: {}{likely}", defect.file, thousands(defect.count))
}

fn of_example(example: &MiopenExample, style: &Style) -> Vec<String> {
    let place = match (example.line, example.row) {
        (Some(line), _) => format!("line {line}: "),
        (None, Some(row)) => format!("row {row}: "),
        (None, None) => String::new(),
    };
    wrapped(&format!("{place}{}", example.text), style)
}

/// A sentence on lines of their own below a file; what goes on is indented more.
fn wrapped(sentence: &str, style: &Style) -> Vec<String> {
    let width = usize::from(style.width).saturating_sub(2);
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("      {word}")),
            None => lines.push(format!("    {word}")),
        }
    }
    lines
}

fn source(known: Evidence) -> &'static str {
    match known {
        Evidence::Observed => "observed",
        Evidence::Code => "read in the source of MIOpen 3.3",
        Evidence::Runtime => "measured",
        Evidence::Inferred => "inferred",
    }
}
