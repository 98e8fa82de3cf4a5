//! Device code by source file, template and kernel, in blocks.

use super::block::{AreaGroup, AreaPart, Areas, Block, Column, Table, TableCell};
use super::style::{Style, Tone, cut, plural};
use crate::finding::evidence::Evidence;
use crate::report::v1::{ByteClass, CodeSources, Fatbin, NamedBytes};
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Rows of each table without `-v`.
const SHOWN: usize = 20;

/// The part of `fatbin --sources`.
pub(super) fn blocks(sources: &CodeSources, file: &Fatbin, style: &Style) -> Vec<Block> {
    let mut blocks = vec![Block::known("Bytes by source file", Evidence::Observed)];
    if !sources.files.is_empty() {
        blocks.push(Block::Areas(areas(sources, file)));
    }
    blocks.push(by_file(sources, file, style));
    let about = "Inlined code belongs to the file that it was written in. Sizes are of machine code, as far as line tables name a file.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, about.into())]);
    if sources.objects_without_lines > 0 {
        let what = format!(
            "{} of {} have no line tables: they were built without -g.",
            sources.objects_without_lines,
            plural(sources.objects, "code object", "code objects"),
        );
        blocks.push(Block::Text(Tone::Partial, what));
    }
    blocks.extend(sources.problems.iter().map(|what| Block::Text(Tone::Partial, what.clone())));
    for (title, first, rows) in [
        ("Device code by template", "template or function", &sources.families),
        ("Device code by kernel", "kernel or function", &sources.kernels),
    ] {
        if !rows.is_empty() {
            blocks.extend([Block::known(title, Evidence::Observed), named(first, rows, sources, style)]);
        }
    }
    blocks
}

/// The bytes of a file by class, of its unpacked content where it is compressed.
fn classes(file: &Fatbin) -> (&[ByteClass], u64) {
    match file.where_the_unpacked_bytes_are.is_empty() {
        true => (&file.where_the_bytes_are, file.accounted_bytes),
        false => (&file.where_the_unpacked_bytes_are, file.accounted_unpacked_bytes),
    }
}

/// What is beside source files: code without a file, and what is no code. All adds up to the file.
fn rest(sources: &CodeSources, file: &Fatbin) -> Vec<(String, u64)> {
    let (classes, _) = classes(file);
    let is_code = |class: &&ByteClass| class.class == CODE;
    let all_code = classes.iter().find(is_code).map_or(0, |class| class.bytes);
    let mut rows = vec![
        ("code without a line table".to_owned(), sources.without_lines),
        ("padding between functions".to_owned(), sources.outside_functions),
        ("code that was not looked into".to_owned(), all_code.saturating_sub(sources.code_bytes)),
    ];
    rows.extend(
        classes.iter().filter(|class| !is_code(class)).map(|class| (class.title.to_owned(), class.bytes)),
    );
    rows.retain(|(_, bytes)| *bytes > 0);
    rows
}

/// The class of machine code in [`Fatbin::where_the_bytes_are`].
const CODE: &str = "device-code";

fn by_file(sources: &CodeSources, file: &Fatbin, style: &Style) -> Block {
    let (_, total) = classes(file);
    let mut table = Table::new([
        Column::left("source file"),
        Column::right("functions"),
        Column::right("bytes"),
        Column::right("share"),
    ]);
    let shown = if style.verbose > 0 { usize::MAX } else { SHOWN };
    for row in sources.files.iter().take(shown) {
        table.row(cells(row, total, style));
    }
    let (more, bytes) = left_out(&sources.files, shown);
    if more > 0 {
        let name = plural(more, "more file", "more files");
        table.row(cells(&NamedBytes { name, bytes, functions: 0 }, total, style));
    }
    for (name, bytes) in rest(sources, file) {
        let mut row = cells(&NamedBytes { name, bytes, functions: 0 }, total, style);
        row[0].tone = Tone::Dim;
        table.row(row);
    }
    table.row(cells(&NamedBytes { name: "TOTAL".to_owned(), bytes: total, functions: 0 }, total, style));
    table.total = true;
    Block::Table(table)
}

fn left_out(rows: &[NamedBytes], shown: usize) -> (u64, u64) {
    let rest = rows.get(shown.min(rows.len())..).unwrap_or_default();
    (rest.len() as u64, rest.iter().map(|row| row.bytes).sum())
}

fn cells(row: &NamedBytes, total: u64, style: &Style) -> [TableCell; 4] {
    let functions = if row.functions == 0 { String::new() } else { style.number(row.functions) };
    [
        TableCell::new(&row.name),
        TableCell::new(functions),
        TableCell::new(style.size(row.bytes)),
        TableCell::new(share(row.bytes, total)),
    ]
}

fn share(bytes: u64, total: u64) -> String {
    format!("{:.1} %", bytes as f64 / total.max(1) as f64 * 100.0)
}

fn named(first: &str, rows: &[NamedBytes], sources: &CodeSources, style: &Style) -> Block {
    let total = sources.code_bytes;
    let mut table = Table::new([
        Column::left(first),
        Column::right("functions"),
        Column::right("bytes"),
        Column::right("share of code"),
    ]);
    let shown = if style.verbose > 0 { usize::MAX } else { SHOWN };
    for row in rows.iter().take(shown) {
        let mut cells = cells(row, total, style);
        cells[0].text = shortened(&row.name);
        table.row(cells);
    }
    let (more, bytes) = left_out(rows, shown);
    if more > 0 {
        table.row(cells(&NamedBytes { name: format!("{more} more"), bytes, functions: 0 }, total, style));
    }
    let between = NamedBytes {
        name: "padding between functions".to_owned(),
        bytes: sources.outside_functions,
        functions: 0,
    };
    if between.bytes > 0 {
        table.row(cells(&between, total, style));
    }
    table.row(cells(&NamedBytes { name: "TOTAL".to_owned(), bytes: total, functions: 0 }, total, style));
    table.total = true;
    Block::Table(table)
}

/// Longest name in a table, in characters.
const NAME_SHOWN: usize = 64;

fn shortened(name: &str) -> String {
    cut(name.strip_prefix("void ").unwrap_or(name), NAME_SHOWN)
}

/// The same as areas: files by folder, and what is beside them.
fn areas(sources: &CodeSources, file: &Fatbin) -> Areas {
    let mut groups: Vec<AreaGroup> = Vec::new();
    for row in &sources.files {
        let (folder, name) = row.name.rsplit_once('/').unwrap_or(("", &row.name));
        let part = AreaPart { name: name.to_owned(), bytes: row.bytes, classes: vec![("code", row.bytes)] };
        match groups.iter_mut().find(|group| group.name == folder) {
            Some(group) => group.parts.push(part),
            None => groups.push(AreaGroup { name: folder.to_owned(), parts: vec![part] }),
        }
    }
    let parts = rest(sources, file)
        .into_iter()
        .map(|(name, bytes)| AreaPart { name, bytes, classes: vec![("code", 0), ("other", bytes)] })
        .collect();
    groups.push(AreaGroup { name: "beside code with a source file".to_owned(), parts });
    groups
        .iter_mut()
        .flat_map(|group| &mut group.parts)
        .for_each(|part| part.classes.resize(2, ("other", 0)));
    groups.sort_rows_by_key(|group| std::cmp::Reverse(group.bytes()));
    Areas { title: "Bytes by source file".to_owned(), groups }
}
