//! The document of `needs` in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::diff::first;
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings};
use crate::finding::evidence::Evidence;
use crate::report::v1::{FileNeeds, MissingLibrary, NeededLibrary, NeededPlace, NeedsReport};
use rocm_audit_files::key_map::KeyMap;

impl Document for NeedsReport {
    fn judged(&self) -> Judged<'_> {
        Judged::new(self.complete, &self.findings)
            .about(&self.roots)
            .naming(self.files.iter().map(|file| &file.path))
    }
}

impl Draw for NeedsReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// The last component of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn blocks(report: &NeedsReport, style: &Style) -> Vec<Block> {
    let libraries = plural(report.files.len() as u64, "file", "files");
    let mut blocks = vec![Block::Title(
        report.roots.join(", "),
        format!("{libraries} of ROCm, linked with it or with code for GPUs"),
    )];
    if report.files.is_empty() {
        let (tone, text) = match report.complete {
            true => (Tone::Plain, "Nothing here is linked with ROCm, so nothing is needed."),
            false => (Tone::Partial, "Not all could be read: what is needed is not known."),
        };
        blocks.push(Block::Text(tone, text.into()));
        blocks.extend(findings::section(&report.findings, "", style));
        return blocks;
    }
    blocks.extend([Block::Space, Block::Items(verdict(report, style))]);
    blocks.extend(missing(report, style));
    blocks.extend(files(report, style));
    blocks.extend(opened(report, style));
    blocks.extend(versions(report, style));
    blocks.extend(findings::section(&report.findings, "", style));
    let text = "Names were looked for among the files; LD_LIBRARY_PATH, ld.so.conf and what a process has loaded before are not in them.";
    blocks.extend([
        Block::Space,
        Block::Text(Tone::Dim, format!("{text}{}", style.hint(" -v: every library of every file."))),
    ]);
    blocks
}

fn of_kind(report: &NeedsReport, kind: NeededPlace) -> Vec<&MissingLibrary> {
    report.missing.iter().filter(|library| library.place == kind).collect()
}

/// The conclusion.
fn verdict(report: &NeedsReport, style: &Style) -> Vec<ListLine> {
    let mut items = Vec::new();
    let mut item = |tone: Tone, label: &str, text: String| {
        let glyph = match tone {
            Tone::Good => style.pick("✓", "+"),
            Tone::Partial => "~",
            _ => style.pick("·", "-"),
        };
        items.push(ListLine { tone, label: format!("{glyph} {label}"), text });
    };
    let rocm = of_kind(report, NeededPlace::Rocm);
    let names =
        |all: &[&MissingLibrary]| all.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    match rocm.is_empty() {
        true => item(Tone::Good, "ROCm", "every library of ROCm that is needed is here".into()),
        false => item(Tone::Partial, "ROCm", format!("comes from elsewhere: {}", names(&rocm))),
    }
    let other = of_kind(report, NeededPlace::Other);
    if !other.is_empty() {
        item(Tone::Plain, "others", format!("from elsewhere too: {}", names(&other)));
    }
    let unreachable = |needed: &&NeededLibrary| needed.place == NeededPlace::Unreachable;
    let lost: std::collections::BTreeSet<&str> = report
        .files
        .iter()
        .flat_map(|file| file.needed.iter().filter(unreachable).map(|needed| needed.name.as_str()))
        .collect();
    if !lost.is_empty() {
        let all = lost.into_iter().collect::<Vec<_>>().join(", ");
        item(Tone::Partial, "search", format!("here, but no file leads the loader to it: {all}"));
    }
    let unnamed: Vec<&str> = report
        .files
        .iter()
        .filter(|file| file.unnamed_runtime_symbols > 0)
        .map(|file| name(&file.path))
        .collect();
    if let Some((first, others)) = unnamed.split_first() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let (ask, do_not) = if others.is_empty() { ("asks", "does not") } else { ("ask", "do not") };
        let text = format!(
            "{first}{more} {ask} for symbols of the HIP runtime and {do_not} name its library [observed]: it comes with another that is \
             named, or the process has loaded it before; the files do not say which [inferred]"
        );
        item(Tone::Plain, "HIP", text);
    }
    if let Some(least) = &report.least_runtime {
        item(Tone::Plain, "runtime", format!("HIP {} or later: {}", least.release, least.why));
    }
    items
}

fn missing(report: &NeedsReport, style: &Style) -> Vec<Block> {
    if report.missing.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([Column::left("not here"), Column::left("of"), Column::left("needed by")]);
    // Libraries that every system has are shown only with -v.
    let is_shown = |library: &&MissingLibrary| style.verbose > 0 || library.place != NeededPlace::System;
    let all: Vec<&MissingLibrary> = report.missing.iter().filter(is_shown).collect();
    if all.is_empty() {
        return Vec::new();
    }
    // ROCm's missing libraries are the answer, so all of them are named.
    let (rocm, others) = all.split_at(all.partition_point(|library| library.place == NeededPlace::Rocm));
    let (shown, more) = first(others, style);
    for library in rocm.iter().chain(shown) {
        let of = match library.place {
            NeededPlace::Rocm => "ROCm",
            NeededPlace::System => "the system",
            _ => "others",
        };
        table.row([
            TableCell::new(library.name.clone()),
            TableCell::new(of),
            TableCell::new(some(&library.needed_by, style)),
        ]);
    }
    let mut blocks = vec![Block::Heading("What comes from elsewhere".into()), Block::Table(table)];
    blocks.extend(more);
    blocks
}

/// What no linker knows of: libraries that files open by name while they run.
fn opened(report: &NeedsReport, style: &Style) -> Vec<Block> {
    let mut by_name: KeyMap<&str, (NeededPlace, Vec<String>)> = KeyMap::new();
    for file in &report.files {
        for library in &file.opens {
            let known = by_name.entry(&library.name).or_insert((library.place, Vec::new()));
            known.1.push(file.path.clone());
        }
    }
    if by_name.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([Column::left("library"), Column::left("where"), Column::left("named in")]);
    for (library, (place, files)) in &by_name {
        let place = match place {
            NeededPlace::Here => "here",
            NeededPlace::Unreachable => "here, not reached",
            _ => "not here",
        };
        table.row([TableCell::new(*library), TableCell::new(place), TableCell::new(some(files, style))]);
    }
    let text = "Names among the constants of files that call dlopen: such a library is loaded when it is first used, \
                or done without.";
    vec![
        Block::known("What may be opened by name at run time", Evidence::Inferred),
        Block::Table(table),
        Block::Text(Tone::Dim, text.into()),
    ]
}

/// The first names of some files, and the number of others.
fn some(paths: &[String], style: &Style) -> String {
    let most = if style.verbose > 0 { usize::MAX } else { 2 };
    let shown: Vec<&str> = paths.iter().take(most).map(|path| name(path)).collect();
    match paths.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn files(report: &NeedsReport, style: &Style) -> Vec<Block> {
    if style.verbose > 0 {
        let arrow = style.pick("→", "->");
        let lines = report.files.iter().flat_map(|file| lines(file, arrow));
        return vec![Block::Heading("Every file".into()), Block::Lines(lines.collect())];
    }
    let mut table = Table::new(
        [Column::left("file")]
            .into_iter()
            .chain(["here", "not reached", "elsewhere", "system", "least HIP"].map(Column::right)),
    );
    let (shown, more) = first(&report.files, style);
    for file in shown {
        let count = |of: fn(NeededPlace) -> bool| {
            let number = file.needed.iter().filter(|needed| of(needed.place)).count() as u64;
            if number == 0 { TableCell::new("·") } else { TableCell::new(style.number(number)) }
        };
        table.row([
            TableCell::new(name(&file.path)),
            count(|place| place == NeededPlace::Here),
            count(|place| place == NeededPlace::Unreachable),
            count(|place| matches!(place, NeededPlace::Rocm | NeededPlace::Other)),
            count(|place| place == NeededPlace::System),
            TableCell::new(file.least_runtime.as_ref().map_or("·", |least| &least.release)),
        ]);
    }
    let mut blocks = vec![Block::Heading("What each file needs".into()), Block::Table(table)];
    blocks.extend(more);
    blocks
}

fn lines(file: &FileNeeds, arrow: &str) -> Vec<String> {
    let paths = match (file.search_paths.is_empty(), file.is_rpath) {
        (true, _) => String::new(),
        (false, true) => format!("  RPATH {}", file.search_paths.join(":")),
        (false, false) => format!("  RUNPATH {}", file.search_paths.join(":")),
    };
    let mut lines = vec![format!("{}{paths}", file.path)];
    lines.extend(file.needed.iter().map(|needed| {
        let place = match (needed.place, &needed.path) {
            (NeededPlace::Here, Some(path)) => format!("{arrow} {path}"),
            (NeededPlace::Unreachable, Some(path)) => {
                format!("{arrow} {path}, which no search path leads to")
            }
            (NeededPlace::System, _) => "of the system".to_owned(),
            (NeededPlace::Rocm, _) => "not here, of ROCm".to_owned(),
            _ => "not here".to_owned(),
        };
        format!("  {}  {place}", needed.name)
    }));
    lines
}

fn versions(report: &NeedsReport, style: &Style) -> Vec<Block> {
    if report.versions.is_empty() {
        return Vec::new();
    }
    let mut table =
        Table::new([Column::left("library"), Column::left("highest version asked"), Column::left("by")]);
    for version in &report.versions {
        table.row([
            TableCell::new(version.library.clone()),
            TableCell::new(version.version.clone()),
            TableCell::new(some(&version.asked_by, style)),
        ]);
    }
    let text = "Of the files above; others of the same package may ask for newer ones.";
    vec![
        Block::Heading("How new they have to be".into()),
        Block::Table(table),
        Block::Text(Tone::Dim, text.into()),
    ]
}
