//! The capability report in blocks.

use super::block::{Align, Block, Cell, Column, Item, Table};
use super::shipped;
use super::style::{Style, Tone, iec, plural, thousands};
use crate::locator::NESTED;
use crate::report::v1::{self, Coverage, Report};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = title(report, style);
    blocks.extend(versions(report));
    if report.targets.is_empty() {
        let what = "No AMD GPU code, catalog or database was found below these roots.";
        blocks.push(Block::Text(Tone::Plain, what.to_owned()));
    } else {
        blocks.push(Block::Heading("What is here for each target".into()));
        blocks.extend([targets(report, style), Block::Space, Block::Text(Tone::Dim, LAYERS.into())]);
        blocks.extend(generic_notes(report));
        blocks.extend(answers(report));
    }
    if !report.matrix.is_empty() {
        blocks.push(Block::Heading("Kernels by library and target".into()));
        blocks.extend([matrix(report, style), Block::Space]);
        blocks.push(Block::Text(Tone::Dim, legend(report, style)));
    }
    blocks.extend(super::instructions::of_libraries(report, style));
    blocks.extend(without_code(report));
    blocks.extend(shipped::tensile(report, style));
    blocks.extend(shipped::gemm(report, style));
    blocks.extend(shipped::miopen(report, style));
    blocks.extend(shipped::firmware(report, style));
    let heading = match report.summary.compressed_bundles {
        0 => "Where the bytes of the code objects are",
        _ => "Where the bytes of the code objects are, compressed ones inflated",
    };
    blocks.extend(super::fatbin::bytes_table(heading, &report.device_bytes, style));
    blocks.extend(super::waste::blocks(&report.waste, style));
    if style.verbose > 0 {
        blocks.extend(evidence(report, style));
    }
    blocks.extend(disagreements(&report.disagreements));
    blocks.extend(problems(&report.problems, style));
    blocks.extend(remainder(report, style));
    blocks.push(Block::Heading("Not shown by bytes".into()));
    blocks.extend(report.not_shown.iter().map(|s| Block::Text(Tone::Dim, s.clone())));
    let next = "Next: --arch TARGET for one GPU, -v for the evidence, `rocm-audit fatbin FILE` for one file.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, next.into())]);
    blocks
}

/// Roots listed at once.
const ROOTS_SHOWN: usize = 24;

fn title(report: &Report, style: &Style) -> Vec<Block> {
    let s = &report.summary;
    let mut parts = vec![plural(s.files, "file", "files"), iec(s.bytes)];
    parts.push(plural(s.code_objects, "code object", "code objects"));
    parts.push(plural(s.kernels, "kernel", "kernels"));
    parts.push(if report.complete { "complete".into() } else { "incomplete".into() });
    let unexamined: u64 =
        report.remainder.iter().filter(|r| is_unexamined(report, &r.format)).map(|r| r.files).sum();
    if unexamined > 0 {
        parts.push(format!("{} not examined", plural(unexamined, "file", "files")));
    }
    if s.excluded > 0 {
        parts.push(format!("{} left out", plural(s.excluded, "path", "paths")));
    }
    // Packages in packages are members of those.
    let outer: Vec<_> = report.packages.iter().filter(|p| !p.path.contains(NESTED)).collect();
    if !outer.is_empty() {
        let bytes: u64 = outer.iter().map(|p| p.bytes).sum();
        parts.insert(
            2,
            format!("unpacked from {} in {}", iec(bytes), plural(outer.len() as u64, "package", "packages")),
        );
    }
    let right = parts.join(style.dot());
    let [root] = &report.roots[..] else {
        let mut lines: Vec<String> = report.roots.iter().take(ROOTS_SHOWN).cloned().collect();
        if report.roots.len() > ROOTS_SHOWN {
            lines.push(format!("and {} more", report.roots.len() - ROOTS_SHOWN));
        }
        let left = plural(report.roots.len() as u64, "root", "roots");
        return vec![Block::Title(left, right), Block::Lines(lines)];
    };
    vec![Block::Title(root.clone(), right)]
}

/// Whether files of a format may hold device code that was not looked for.
fn is_unexamined(report: &Report, format: &str) -> bool {
    report.not_examined.iter().any(|n| n.what == format)
}

/// Versions that files state, the same ones once, each with its file.
fn versions(report: &Report) -> Vec<Block> {
    let mut stated: Vec<String> = Vec::new();
    for version in &report.versions {
        let text = format!("{} {} ({})", version.component, version.version, version.path);
        if !stated.contains(&text) {
            stated.push(text);
        }
    }
    let mut items: Vec<Item> = Vec::new();
    if !stated.is_empty() {
        items.push(Item { tone: Tone::Plain, label: "versions".into(), text: stated.join(", ") });
    }
    for row in &report.matrix {
        let stem = |s: &String| s.split(".so").next().unwrap_or(s).to_owned();
        let names: BTreeSet<String> = row.sonames.iter().map(stem).collect();
        if names.len() < row.sonames.len() {
            let text = format!("{} are counted together as {}", row.sonames.join(" and "), row.library);
            items.push(Item { tone: Tone::Partial, label: "note".into(), text });
        }
    }
    if !report.asked.is_empty() {
        let text = format!("only {}; the line above counts everything", report.asked.join(", "));
        items.push(Item { tone: Tone::Plain, label: "shown".into(), text });
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Items(items)] }
}

/// From this width on there is room for the names of devices.
const DEVICES_FROM: u16 = 116;

fn targets(report: &Report, style: &Style) -> Block {
    let with_devices = style.width >= DEVICES_FROM;
    let mut table = Table::new([
        Column::left("target"),
        Column::right("objects").group("build"),
        Column::right("kernels").group(""),
        Column::right("code").group(""),
        Column::right("catalogs").group("selection"),
        Column::right("db lines").group(""),
        Column::right("files").group("fallback"),
        Column::right("files").group("ship"),
    ]);
    if with_devices {
        table.columns.push(Column::left("devices, for example"));
    }
    let mut sum = [0u64; 7];
    for target in &report.targets {
        let lines = target.selection.find_db_lines + target.selection.perf_db_lines;
        let numbers = [
            target.build.code_objects,
            target.build.kernels,
            target.build.code_bytes,
            target.selection.catalogs,
            lines,
            target.fallback.code_objects,
            target.ship.files,
        ];
        let mut cells = number_row(Cell::new(&target.processor), &numbers, style);
        if with_devices {
            let devices = target.devices.as_ref().or(target.family.as_ref()).cloned().unwrap_or_default();
            cells.push(Cell::toned(devices, Tone::Dim));
        }
        table.row(cells);
        for (all, one) in sum.iter_mut().zip(numbers) {
            *all += one;
        }
        if target.target_ids.iter().any(|id| id.target_id != target.processor) {
            for id in &target.target_ids {
                let features = id.target_id.strip_prefix(&target.processor).filter(|f| !f.is_empty());
                let name = Cell::toned(format!("  {}", features.unwrap_or("any features")), Tone::Dim);
                let dim = |n: u64| Cell::toned(style.number(n), Tone::Dim);
                let mut cells = vec![name, dim(id.code_objects), dim(id.kernels)];
                cells.resize(table.columns.len(), Cell::default());
                table.row(cells);
            }
        }
    }
    let mut total = number_row(Cell::new("TOTAL"), &sum, style);
    // A file that carries several targets counts for each; a sum would count it as often.
    if let Some(last) = total.last_mut() {
        *last = Cell::default();
    }
    total.resize(table.columns.len(), Cell::default());
    table.row(total);
    table.total = true;
    Block::Table(table)
}

/// What the columns of the first table count.
const LAYERS: &str = "build: code objects by their e_flags, kernels by their metadata, machine code. \
    selection: Tensile catalogs, lines of MIOpen find-dbs and perf-dbs. fallback: Tensile fallback code objects. \
    ship: files that name the target or carry code for it.";

/// A name and numbers, the third of which is a size.
fn number_row(name: Cell, numbers: &[u64; 7], style: &Style) -> Vec<Cell> {
    let number =
        |(index, n): (usize, &u64)| Cell::new(if index == 2 { style.size(*n) } else { style.number(*n) });
    std::iter::once(name).chain(numbers.iter().enumerate().map(number)).collect()
}

/// What generic targets cover, which is a statement of LLVM's and not of these bytes.
fn generic_notes(report: &Report) -> Vec<Block> {
    let mut covered: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for target in report.targets.iter().filter(|t| t.processor.ends_with("-generic") && t.build.kernels > 0) {
        let members = crate::target::Processor::by_name(&target.processor);
        covered.insert(&target.processor, members.iter().flat_map(|p| p.members()).map(|p| p.name).collect());
    }
    let item = |(generic, members): (&String, Vec<&str>)| Item {
        tone: Tone::Plain,
        label: generic.clone(),
        text: format!("also runs on {} (by LLVM's AMDGPUUsage; not observed)", members.join(", ")),
    };
    if covered.is_empty() {
        return Vec::new();
    }
    vec![Block::Space, Block::Items(covered.into_iter().map(item).collect())]
}

/// A sentence for each processor that was asked for: where it has kernels, how, and where it has none.
fn answers(report: &Report) -> Vec<Block> {
    let answer = |target: &v1::Target| {
        let with = |coverage: Coverage| -> Vec<String> {
            let has = |l: &&v1::LibraryRow| {
                l.cells.iter().any(|c| c.processor == target.processor && c.coverage == coverage)
            };
            report.matrix.iter().filter(has).map(row_name).collect()
        };
        let mut parts = Vec::new();
        for coverage in COVERAGES {
            let libraries = with(coverage);
            if !libraries.is_empty() {
                parts.push(format!("{}: {}", sign(coverage).2, libraries.join("; ")));
            }
        }
        if parts.is_empty() {
            parts.push("nothing here carries device code".into());
        }
        let device = match (&target.family, &target.devices) {
            (Some(family), Some(devices)) => format!("{devices} ({family})"),
            (Some(family), None) => family.clone(),
            _ => "a processor that this program does not know".into(),
        };
        let tone = if target.build.kernels > 0 { Tone::Good } else { Tone::Bad };
        let mut items = vec![Item { tone, label: target.processor.clone(), text: device }];
        items.extend(parts.into_iter().map(|text| Item { tone: Tone::Plain, label: String::new(), text }));
        items
    };
    if report.asked.is_empty() {
        return Vec::new();
    }
    vec![Block::Space, Block::Items(report.targets.iter().flat_map(answer).collect())]
}

/// All coverages, best first.
const COVERAGES: [Coverage; 7] = [
    Coverage::Native,
    Coverage::Partial,
    Coverage::FallbackOnly,
    Coverage::Generic,
    Coverage::RunTime,
    Coverage::NoKernels,
    Coverage::Absent,
];

/// The glyph, the ASCII letter and the word of a coverage.
fn sign(coverage: Coverage) -> (&'static str, &'static str, &'static str, Tone) {
    match coverage {
        Coverage::Native => ("●", "+", "native", Tone::Good),
        Coverage::Partial => ("◐", "%", "in some bundles only", Tone::Partial),
        Coverage::FallbackOnly => ("◔", "f", "fallback kernels only", Tone::Partial),
        Coverage::Generic => ("◇", "g", "through a generic target", Tone::Partial),
        Coverage::RunTime => ("▷", "r", "SPIR-V, compiled at run time", Tone::Partial),
        Coverage::NoKernels => ("◌", "0", "code objects without kernels", Tone::Partial),
        Coverage::Absent => ("○", ".", "absent", Tone::Bad),
    }
}

/// Libraries that are here without device code: their kernels come from elsewhere or from nowhere.
fn without_code(report: &Report) -> Vec<Block> {
    let mut files: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for row in &report.libraries_without_code {
        files.entry(&row.library).or_default().push(&row.path);
    }
    if files.is_empty() {
        return Vec::new();
    }
    let mut list: Vec<String> = Vec::new();
    for (library, paths) in files {
        let more = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
        list.push(format!("{library} ({}{more})", paths.first().unwrap_or(&"")));
    }
    let text = format!("Here without device code: {}.", list.join(", "));
    vec![Block::Space, Block::Text(Tone::Plain, text)]
}

/// The name of a row of the matrix.
fn row_name(row: &v1::LibraryRow) -> String {
    if row.tensile { format!("{}, Tensile", row.library) } else { row.library.clone() }
}

fn matrix(report: &Report, style: &Style) -> Block {
    let processors = report.targets.iter().map(|t| Column::right(&t.processor));
    let mut table = Table::new(std::iter::once(Column::left("library")).chain(processors));
    for library in &report.matrix {
        let cell = |cell: &v1::Cell| {
            let (glyph, letter, _, tone) = sign(cell.coverage);
            let glyph = if style.ascii { letter } else { glyph };
            let text = if cell.kernels > 0 {
                format!("{} {glyph}", thousands(cell.kernels))
            } else {
                glyph.to_owned()
            };
            Cell::toned(text, tone)
        };
        table.row(std::iter::once(Cell::new(row_name(library))).chain(library.cells.iter().map(cell)));
    }
    Block::Table(table)
}

/// Explains the glyphs that occur.
fn legend(report: &Report, style: &Style) -> String {
    let occurs = |c: &Coverage| report.matrix.iter().flat_map(|l| &l.cells).any(|cell| cell.coverage == *c);
    let word = |c: Coverage| {
        let (glyph, letter, word, _) = sign(c);
        format!("{} {word}", if style.ascii { letter } else { glyph })
    };
    COVERAGES.into_iter().filter(occurs).map(word).collect::<Vec<_>>().join(style.dot())
}

/// Path and offset behind the numbers: with `-v` one place for each cell, with `-vv` every file.
fn evidence(report: &Report, style: &Style) -> Vec<Block> {
    let mut items = Vec::new();
    for library in &report.matrix {
        for cell in library.cells.iter().filter(|c| c.code_objects > 0) {
            items.push(Item {
                tone: Tone::Plain,
                label: format!("{} {}", library.library, cell.processor),
                text: format!(
                    "{} observed, first {}",
                    plural(cell.code_objects, "code object", "code objects"),
                    cell.first.clone().unwrap_or_default()
                ),
            });
        }
    }
    for row in &report.tensile {
        items.push(Item {
            tone: Tone::Plain,
            label: format!("{} {}", row.library, row.processor.as_deref().unwrap_or("no target")),
            text: format!("{} by name, first {}", plural(row.files, "file", "files"), row.first),
        });
    }
    for row in &report.miopen {
        items.push(Item {
            tone: Tone::Plain,
            label: format!("MIOpen {}", row.processor),
            text: format!("{} {}", row.kind, row.path),
        });
    }
    for row in &report.firmware {
        items.push(Item {
            tone: Tone::Plain,
            label: format!("firmware {}", row.codename),
            text: format!("{}, first {}", plural(row.files, "file", "files"), row.first),
        });
    }
    for row in &report.versions {
        items.push(Item {
            tone: Tone::Plain,
            label: format!("{} {}", row.component, row.version),
            text: row.path.clone(),
        });
    }
    let mut blocks = vec![Block::Heading("Evidence".into()), Block::Items(items)];
    if style.verbose > 1 {
        let line = |a: &v1::Artifact| format!("{:>14}  {:<22}  {}", thousands(a.bytes), a.kind, a.path);
        blocks.push(Block::Heading("Files".into()));
        blocks.push(Block::Lines(report.artifacts.iter().map(line).collect()));
    }
    blocks
}

pub(super) fn disagreements(rows: &[v1::Disagreement]) -> Vec<Block> {
    let mut groups: BTreeMap<String, (u64, u64, &str)> = BTreeMap::new();
    for d in rows {
        let mut names = vec![format!("e_flags say {}", d.e_flags)];
        for (who, what) in
            [("bundle id", &d.bundle_id), ("metadata", &d.metadata), ("file name", &d.file_name)]
        {
            if let Some(what) = what.as_ref().filter(|w| **w != d.e_flags) {
                names.push(format!("the {who} {what}"));
            }
        }
        let group = groups.entry(names.join(", ")).or_insert((0, 0, &d.first));
        *group = (group.0 + d.count, group.1 + 1, group.2);
    }
    let item = |(names, (objects, files, first)): (String, (u64, u64, &str))| {
        let count = format!(
            "{} in {}",
            plural(objects, "code object", "code objects"),
            plural(files, "file", "files")
        );
        Item { tone: Tone::Partial, label: "note".into(), text: format!("{names}: {count}, first {first}") }
    };
    if groups.is_empty() {
        return Vec::new();
    }
    vec![Block::Heading("Names that disagree".into()), Block::Items(groups.into_iter().map(item).collect())]
}

/// Problems shown at once; the rest is counted.
const PROBLEMS_SHOWN: usize = 20;

pub(super) fn problems(rows: &[v1::Problem], style: &Style) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    // Links that lead nowhere come in crowds and lack nothing that could be read.
    let (links, rows): (Vec<&v1::Problem>, Vec<&v1::Problem>) =
        rows.iter().partition(|p| style.verbose == 0 && p.kind == "dangling-link");
    let shown = if style.verbose > 0 { rows.len() } else { PROBLEMS_SHOWN };
    let item = |p: &v1::Problem| {
        let place = match (p.offset, p.unpacked) {
            (Some(offset), false) => format!(" at offset {offset:#x}"),
            (Some(offset), true) => format!(" at offset {offset:#x} of the unpacked content"),
            (None, _) => String::new(),
        };
        let (label, tone) =
            if p.kind == "dangling-link" { ("note", Tone::Partial) } else { ("error", Tone::Bad) };
        Item { tone, label: label.into(), text: format!("{}: {}{place}: {}", p.kind, p.path, p.what) }
    };
    let mut items: Vec<Item> = rows.iter().take(shown).map(|p| item(p)).collect();
    if let Some(first) = links.first() {
        let count = plural(links.len() as u64, "symbolic link leads", "symbolic links lead");
        let text = format!("{count} nowhere, such as {}", first.path);
        items.push(Item { tone: Tone::Partial, label: "note".into(), text });
    }
    let count = thousands((rows.len() + links.len()) as u64);
    let mut blocks = vec![Block::Heading(format!("Problems: {count}")), Block::Items(items)];
    if rows.len() > shown {
        let more = format!("{} more; -v lists them all.", thousands((rows.len() - shown) as u64));
        blocks.push(Block::Text(Tone::Dim, more));
    }
    blocks
}

fn remainder(report: &Report, style: &Style) -> Vec<Block> {
    let s = &report.summary;
    let mut table = Table::new([
        Column { group: None, title: "files".into(), align: Align::Left },
        Column::right("number"),
        Column::right("bytes"),
    ]);
    let row = |name: &str, files: u64, bytes: u64| {
        [Cell::new(name), Cell::new(style.number(files)), Cell::new(style.size(bytes))]
    };
    let links_to_firmware: u64 = report.firmware.iter().map(|f| f.links).sum();
    table.row(row("reported above", s.artifacts - links_to_firmware, s.artifact_bytes));
    for rest in &report.remainder {
        let name = match rest.format.as_str() {
            crate::inventory::SKIPPED | "unreadable" => rest.format.clone(),
            format if is_unexamined(report, format) => format!("{format}, not examined"),
            format => format!("{format}, nothing to report"),
        };
        table.row(row(&name, rest.files, rest.bytes));
    }
    table.row(row("TOTAL", s.files, s.bytes));
    table.total = true;
    let mut blocks = vec![Block::Heading("What was read".into()), Block::Table(table)];
    let mut items = Vec::new();
    for seen in report.not_examined.iter().filter(|n| !report.remainder.iter().any(|r| r.format == n.what)) {
        let text =
            format!("{} in {}, such as {}", seen.what, plural(seen.files, "file", "files"), seen.example);
        items.push(Item { tone: Tone::Partial, label: "not examined".into(), text });
    }
    if s.unverified_bundles > 0 {
        let text = format!(
            "{} of {} compressed bundles were inflated only up to their kernel metadata; --verify reads them whole and checks their hashes",
            thousands(s.unverified_bundles),
            thousands(s.compressed_bundles)
        );
        items.push(Item { tone: Tone::Partial, label: "not verified".into(), text });
    }
    if s.links > 0 {
        let text = format!("{} (--follow-links)", plural(s.links, "symbolic link", "symbolic links"));
        items.push(Item { tone: Tone::Plain, label: "not followed".into(), text });
    }
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    blocks
}
