//! The capability report in blocks.

mod remainder;

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::coverage::{answers, cells_of, folded, legend, matrix, name_of, shown_targets};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, iec, plural, thousands};
use super::{Drawn, Format, findings, shipped};
use crate::finding::evidence::Evidence;
use crate::report::compiles_at_run_time;
use crate::report::v1::{self, Report};
use rocm_audit_files::sorted_rows::SortedRows as _;

impl Document for Report {
    fn judged(&self) -> Judged<'_> {
        Judged { verdicts: &self.verdicts, ..Judged::new(self.complete, &self.findings).about(&self.roots) }
    }
}

impl Draw for Report {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        super::report(self, format, style)
    }
}

/// What the bytes cannot show, if only the verdict is drawn.
fn short_end(report: &Report) -> [Block; 2] {
    let text = match report.asked.is_empty() {
        true => {
            "Bytes were read, nothing was run. --gpu \"RX 6600\" or --arch gfx1032: the verdict for one card; --full: all tables."
        }
        false => "Bytes were read, nothing was run. --full: all tables; -v: the evidence.",
    };
    [Block::Space, Block::Text(Tone::Dim, text.into())]
}

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = answer(report, style);
    // If nothing was found, the tables say what was read instead.
    match !style.full && !report.verdicts.is_empty() {
        true => blocks.extend(short_end(report)),
        false => blocks.extend(tables(report, style)),
    }
    blocks
}

/// The answer: the title, verdicts or an overview by target, layers.
fn answer(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = title(report, style);
    blocks.extend(style.shared.then(|| stated(report)).flatten());
    if style.page {
        blocks.extend(super::figures::cards(report, style));
    }
    if report.asked.is_empty() {
        blocks.extend(super::by_target::blocks(report, style));
    } else {
        blocks.extend(super::claim::blocks(report.claim.as_ref()));
        blocks.extend(super::verdict::blocks(report, style));
        if !style.full {
            blocks.extend(super::by_target::findings(report, style));
        }
    }
    let digests = inputs(&report.inputs);
    if !digests.is_empty() {
        blocks.extend([Block::Space, Block::Items(digests)]);
    }
    blocks.extend(super::layers::blocks(report, style));
    // The user requested them, or nothing else is here.
    if style.full || !report.user_places.is_empty() || report.matrix.is_empty() {
        blocks.extend(super::caches::blocks(report, style));
    }
    blocks
}

/// All tables behind the answer.
fn tables(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks: Vec<Block> = versions(report).into_iter().collect();
    if style.page {
        blocks.extend(super::figures::bars(report));
        blocks.extend(super::figures::areas(report));
    }
    if report.targets.is_empty() {
        blocks.push(Block::Text(Tone::Plain, no_targets(report)));
    } else {
        blocks.push(Block::known("What is here for each target", Evidence::Observed));
        blocks.extend([targets(report, style), Block::Space, Block::Text(Tone::Dim, LAYERS.into())]);
        blocks.extend(generic_notes(report));
        blocks.extend(answers(report));
    }
    if !report.matrix.is_empty() && !report.targets.is_empty() {
        blocks.push(Block::known("Kernels by library and target", Evidence::Observed));
        blocks.extend([matrix(report, style), Block::Space]);
        blocks.push(Block::Text(Tone::Dim, legend(report, style)));
        blocks.extend(folded(report));
        blocks.extend(stub_notes(report, style));
    }
    blocks.extend(super::origins::blocks(report, style));
    blocks.extend(super::instructions::of_libraries(report, style));
    blocks.extend(without_code(report));
    blocks.extend(run_time_compilers(report));
    blocks.extend(shipped::tables(report, style));
    let heading = match report.summary.compressed_bundles {
        0 => "Where the bytes of the code objects are",
        _ => "Where the bytes of the code objects are, compressed ones inflated",
    };
    blocks.extend(super::fatbin::bytes_table(heading, &report.device_bytes, style));
    // Possible savings concern all targets.
    if report.asked.is_empty() {
        blocks.extend(super::waste::blocks(&report.waste, style));
    }
    if style.verbose > 0 {
        blocks.extend(evidence(report, style));
    }
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks.extend(remainder::blocks(report, style));
    blocks.push(Block::Heading("Not shown by bytes".into()));
    blocks.extend(report.not_shown.iter().map(|s| Block::Text(Tone::Dim, s.clone())));
    let arch = if report.asked.is_empty() { "--arch TARGET for one GPU, " } else { "" };
    let next = format!("Next: {arch}-v for the evidence, `rocm-audit fatbin FILE` for one file.");
    if !style.shared {
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next)]);
    }
    blocks
}

/// Why there is no target to show.
fn no_targets(report: &Report) -> String {
    let moved: Vec<&str> = report.matrix.iter().map(|row| row.library.as_str()).collect();
    let moved = moved.join(" and ");
    let without = report.libraries_without_code.iter().map(|row| row.library.as_str());
    let compiling: Vec<&str> = without.filter(|library| compiles_at_run_time(library)).collect();
    if !moved.is_empty() && report.complete {
        format!(
            "The GPU code of {moved} was moved to kpack archives, and none that it looks for is below these roots: name its device packages, too."
        )
    } else if report.complete && !compiling.is_empty() {
        let (names, verb) =
            (compiling.join(" and "), if compiling.len() == 1 { "compiles its" } else { "compile their" });
        format!(
            "No AMD GPU code, catalog or database is shipped below these roots: {names} {verb} kernels at run time, for the GPU that is there."
        )
    } else if report.complete && !report.run_time_compilers.iter().any(|row| row.makes_kernels) {
        "No AMD GPU code, catalog or database was found below these roots.".to_owned()
    } else if report.complete {
        "No AMD GPU code, catalog or database is shipped below these roots: kernels are compiled at run time, for the GPU that is there.".to_owned()
    } else {
        "Not all could be read: whether there is AMD GPU code below these roots is not known. See the findings.".to_owned()
    }
}

/// Most roots that a title names.
const ROOTS_OF_A_TITLE: usize = 4;

/// Roots listed at once.
const ROOTS_SHOWN: usize = 24;

fn title(report: &Report, style: &Style) -> Vec<Block> {
    let s = &report.summary;
    let mut parts = vec![plural(s.files, "file", "files"), iec(s.bytes)];
    parts.push(plural(s.code_objects, "code object", "code objects"));
    parts.push(plural(s.kernels, "kernel", "kernels"));
    parts.push(match (report.complete, s.unverified_bundles) {
        (false, _) => "incomplete".into(),
        (true, 0) => "complete".into(),
        (true, n) if n == s.compressed_bundles => {
            format!("complete (compressed code not checked{})", style.hint("; --verify does"))
        }
        (true, n) => format!(
            "complete ({} of {} compressed bundles not checked{})",
            thousands(n),
            thousands(s.compressed_bundles),
            style.hint("; --verify does")
        ),
    });
    if s.not_examined_files > 0 {
        parts.push(format!("{} not examined", plural(s.not_examined_files, "file", "files")));
    }
    if s.excluded > 0 {
        parts.push(format!("{} left out", plural(s.excluded, "path", "paths")));
    }
    let outer = &s.outer_packages;
    if outer.count > 0 {
        let packages = plural(outer.count, "package", "packages");
        parts.insert(2, format!("unpacked from {} in {packages}", iec(outer.bytes)));
    }
    let right = parts.join(style.dot());
    if style.shared && (2..=ROOTS_OF_A_TITLE).contains(&report.roots.len()) {
        return vec![Block::Title(report.roots.join(", "), right)];
    }
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

/// The digests of inputs, one line each.
pub(super) fn inputs(inputs: &[v1::Input]) -> Vec<ListLine> {
    let item = |input: &v1::Input| ListLine {
        tone: Tone::Plain,
        label: "sha256".into(),
        text: format!("{} {} ({} bytes)", input.sha256, input.path, thousands(input.bytes)),
    };
    inputs.iter().map(item).collect()
}

/// Packages and versions that a report for others names at its head, so that its reader knows of what it speaks.
fn stated(report: &Report) -> Option<Block> {
    let packages = report.packages.iter().filter_map(|package| package.identity.clone());
    let versions = report.versions.iter().map(|one| format!("{} {}", one.component, one.version));
    let names: std::collections::BTreeSet<String> = packages.chain(versions).collect();
    let more = names.len().saturating_sub(ROOTS_SHOWN);
    let mut shown: Vec<String> = names.into_iter().take(ROOTS_SHOWN).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    (!shown.is_empty()).then(|| Block::Text(Tone::Plain, format!("Versions: {}.", shown.join(", "))))
}

/// Versions that files state, equal ones merged, with their files.
fn versions(report: &Report) -> Vec<Block> {
    let mut stated: Vec<String> = Vec::new();
    for version in &report.versions {
        let text = format!("{} {} ({})", version.component, version.version, version.path);
        if !stated.contains(&text) {
            stated.push(text);
        }
    }
    let mut items: Vec<ListLine> = Vec::new();
    if !stated.is_empty() {
        items.push(ListLine { tone: Tone::Plain, label: "versions".into(), text: stated.join(", ") });
    }
    for row in report.matrix.iter().filter(|row| row.several_versions) {
        let text = format!("{} are counted together as {}", row.sonames.join(" and "), row.library);
        items.push(ListLine { tone: Tone::Partial, label: "note".into(), text });
    }
    if !report.asked.is_empty() {
        let text = format!("only {}; the line above counts everything", report.asked.join(", "));
        items.push(ListLine { tone: Tone::Plain, label: "shown".into(), text });
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Items(items)] }
}

/// Smallest width with room for the names of devices.
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
    for target in shown_targets(report) {
        let numbers = [
            target.build.code_objects,
            target.build.kernels.saturating_sub(target.build.trap_stubs),
            target.build.code_bytes,
            target.selection.catalogs,
            target.selection.db_lines,
            target.fallback.code_objects,
            target.ship.files,
        ];
        let mut cells = number_row(TableCell::new(&target.processor), &numbers, style);
        if with_devices {
            let devices = target.devices.as_ref().or(target.family.as_ref()).cloned().unwrap_or_default();
            cells.push(TableCell::toned(devices, Tone::Dim));
        }
        table.row(cells);
        target_ids(target, &mut table, style);
    }
    // A single row needs no sum.
    if shown_targets(report).len() < 2 {
        return Block::Table(table);
    }
    let sum = &report.totals.targets;
    let numbers = [
        sum.code_objects,
        sum.kernels.saturating_sub(sum.trap_stubs),
        sum.code_bytes,
        sum.catalogs,
        sum.db_lines,
        sum.fallback_code_objects,
    ];
    let mut total = number_row(TableCell::new("TOTAL"), &numbers, style);
    total.resize(table.columns.len(), TableCell::default());
    table.row(total);
    table.total = true;
    Block::Table(table)
}

/// Adds rows for target IDs below their processor, if some of them fix features.
fn target_ids(target: &v1::Target, table: &mut Table, style: &Style) {
    if target.target_ids.iter().all(|id| id.target_id == target.processor) {
        return;
    }
    for id in &target.target_ids {
        let features = id.target_id.strip_prefix(&target.processor).filter(|f| !f.is_empty());
        let name = TableCell::toned(format!("  {}", features.unwrap_or("any features")), Tone::Dim);
        let dim = |n: u64| TableCell::toned(style.number(n), Tone::Dim);
        let mut cells = vec![name, dim(id.code_objects), dim(id.kernels)];
        cells.resize(table.columns.len(), TableCell::default());
        table.row(cells);
    }
}

/// Explains the columns of the first table.
const LAYERS: &str = "build: code objects by their e_flags, kernels that can run by their metadata, machine code. \
    selection: Tensile catalogs, lines of MIOpen find-dbs and perf-dbs. fallback: Tensile fallback code objects. \
    ship: files that name the target or carry code for it.";

/// A name and numbers; the third number is a size.
fn number_row(name: TableCell, numbers: &[u64], style: &Style) -> Vec<TableCell> {
    let number = |(index, n): (usize, &u64)| {
        TableCell::new(if index == 2 { style.size(*n) } else { style.number(*n) })
    };
    std::iter::once(name).chain(numbers.iter().enumerate().map(number)).collect()
}

/// Says which processors run generic targets, which is LLVM's statement and not in these bytes.
fn generic_notes(report: &Report) -> Vec<Block> {
    let mut covering: Vec<&v1::Target> =
        report.targets.iter().filter(|target| !target.also_runs_on.is_empty()).collect();
    covering.sort_rows_by_key(|target| &target.processor);
    let item = |target: &v1::Target| ListLine {
        tone: Tone::Plain,
        label: target.processor.clone(),
        text: format!("also runs on {} by LLVM's AMDGPUUsage [code]", target.also_runs_on.join(", ")),
    };
    if covering.is_empty() {
        return Vec::new();
    }
    vec![Block::Space, Block::Items(covering.into_iter().map(item).collect())]
}

/// Libraries here without device code: other files contain their kernels, or they have none.
fn without_code(report: &Report) -> Vec<Block> {
    let elsewhere =
        |row: &&v1::LibraryWithoutCode| report.matrix.iter().all(|lib| lib.library != row.library);
    let found: Vec<_> = report.libraries_without_code.iter().filter(elsewhere).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let text = |row: &v1::LibraryWithoutCode| {
        let first = row.paths.first().map_or("", String::as_str);
        let more = match row.paths.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        format!("{} ({first}{more})", row.library)
    };
    let list: Vec<String> = found.into_iter().map(text).collect();
    let text = format!("Here without device code: {}.", list.join(", "));
    vec![Block::Space, Block::Text(Tone::Plain, text)]
}

/// Software that compiles kernels at run time.
fn run_time_compilers(report: &Report) -> Vec<Block> {
    let item = |row: &v1::RunTimeCompiler| {
        let files = plural(row.files, "file", "files");
        let text = match (row.sign, row.files) {
            (v1::CompilerSign::IsOfIt, _) => {
                format!("compiles {} ({files}, such as {}) [inferred from names]", row.compiles, row.first)
            }
            (v1::CompilerSign::IsLinked, n) => {
                let are = if n == 1 { "is" } else { "are" };
                format!(
                    "compiles {}; {files}, such as {}, {are} linked with it [observed]",
                    row.compiles, row.first
                )
            }
            (v1::CompilerSign::CallsIt, n) => {
                let has = if n == 1 { "has" } else { "have" };
                format!(
                    "compiles {}; {files} of text, such as {}, {has} kernels compiled by it [inferred]",
                    row.compiles, row.first
                )
            }
            (v1::CompilerSign::NamesFunction, n) => {
                let name = if n == 1 { "names" } else { "name" };
                format!(
                    "compiles {}; {files}, such as {}, {name} its function, which they may load [inferred]",
                    row.compiles, row.first
                )
            }
        };
        ListLine { tone: Tone::Partial, label: row.name.clone(), text }
    };
    if report.run_time_compilers.is_empty() {
        return Vec::new();
    }
    let items = report.run_time_compilers.iter().map(item).collect();
    vec![Block::known("Compilers for the GPU, used at run time", Evidence::Inferred), Block::Items(items)]
}

/// Says what the numbers of kernels leave out.
fn stub_notes(report: &Report, style: &Style) -> Vec<Block> {
    let shown = shown_targets(report);
    let mut items = Vec::new();
    for library in &report.matrix {
        let name = name_of(&library.library, library.tensile, library.place.as_deref());
        let cells: Vec<&v1::Cell> = cells_of(library, &shown).collect();
        if let Some(cell) = cells.iter().max_by_key(|cell| cell.trap_stubs).filter(|cell| cell.trap_stubs > 0)
        {
            let (runs, all) =
                (thousands(cell.kernels.saturating_sub(cell.trap_stubs)), thousands(cell.kernels));
            let text = format!(
                "only kernels that can run are counted; on {} {runs} of {all} do, the others are empty stubs",
                cell.processor
            );
            items.push(ListLine { tone: Tone::Partial, label: name.clone(), text });
        }
        let some = |cell: &&&v1::Cell| cell.files.is_some();
        let shares: Vec<String> = cells
            .iter()
            .filter(some)
            .filter_map(|cell| Some((cell, cell.files.as_ref()?)))
            .map(|(cell, files)| format!("{} in {}", cell.processor, files.with.len()))
            .collect();
        if let Some(files) = cells.iter().find_map(|cell| cell.files.as_ref()) {
            let of = files.with.len() + files.without.len();
            let text = format!(
                "has {of} files, and not all of them every target: {}{}",
                shares.join(", "),
                style.hint(" (--arch names the files)")
            );
            items.push(ListLine { tone: Tone::Partial, label: name, text });
        }
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Items(items)] }
}

/// Paths and offsets behind the numbers: with `-v` one for each cell, with `-vv` every file.
fn evidence(report: &Report, style: &Style) -> Vec<Block> {
    let mut items = Vec::new();
    for library in &report.matrix {
        for cell in library.cells.iter().filter(|c| c.code_objects > 0) {
            items.push(ListLine {
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
        items.push(ListLine {
            tone: Tone::Plain,
            label: format!("{} {}", row.library, row.processor.as_deref().unwrap_or("no target")),
            text: format!("{} by name, first {}", plural(row.files, "file", "files"), row.first),
        });
    }
    for row in &report.miopen {
        items.push(ListLine {
            tone: Tone::Plain,
            label: format!("MIOpen {}", row.processor),
            text: format!("{} {}", shipped::kind(row.kind), row.path),
        });
    }
    for row in &report.firmware {
        items.push(ListLine {
            tone: Tone::Plain,
            label: format!("firmware {}", row.codename),
            text: format!("{}, first {}", plural(row.files, "file", "files"), row.first),
        });
    }
    for row in &report.versions {
        items.push(ListLine {
            tone: Tone::Plain,
            label: format!("{} {}", row.component, row.version),
            text: row.path.clone(),
        });
    }
    let mut blocks = vec![Block::Heading("Evidence".into()), Block::Items(items)];
    if style.verbose > 1 {
        let line = |a: &v1::Artifact| {
            format!("{:>14}  {:<22}  {}", thousands(a.bytes), shipped::artifact(a.kind), a.path)
        };
        blocks.push(Block::Heading("Files".into()));
        blocks.push(Block::Lines(report.artifacts.iter().map(line).collect()));
    }
    blocks
}
