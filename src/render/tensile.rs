//! Library folders in blocks: what each target has, what is tuned, and what is wrong.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::findings::{self, severities};
use super::style::{Style, Tone, plural};
use crate::report::v1::{GemmType, LibraryFolder, Served};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// One folder.
pub(super) fn of_folder(folder: &LibraryFolder, style: &Style) -> Vec<Block> {
    let parts = [
        plural(folder.catalogs, "catalog", "catalogs"),
        plural(folder.code_objects, "file with code", "files with code"),
        plural(folder.solutions, "solution", "solutions"),
        plural(folder.tuned_sizes, "tuned size", "tuned sizes"),
    ];
    let mut blocks = vec![Block::Title(folder.path.clone(), parts.join(style.dot()))];
    blocks.push(verdict(folder));
    let mut table = Table::new([
        Column::left("target"),
        Column::right("catalogs"),
        Column::right("solutions"),
        Column::right("source"),
        Column::right("kernels"),
        Column::right("files"),
        Column::right("in catalogs"),
        Column::right("in code"),
    ]);
    for target in &folder.targets {
        let tone = if target.native_catalogs == 0 { Tone::Partial } else { Tone::Plain };
        table.row([
            TableCell::new(&target.target),
            TableCell::toned(
                format!("{}/{}", style.number(target.native_catalogs), style.number(target.catalogs)),
                tone,
            ),
            TableCell::new(style.number(target.solutions)),
            TableCell::new(style.number(target.source_solutions)),
            TableCell::new(style.number(target.kernels)),
            TableCell::new(style.number(target.code_objects)),
            TableCell::new(style.size(target.catalog_bytes)),
            TableCell::new(style.size(target.code_bytes)),
        ]);
    }
    if !folder.targets.is_empty() {
        let note = "catalogs: its own, of all that it is led to; source: solutions whose kernel is compiled from HIP source.";
        blocks.extend([
            Block::Heading("What each target has".into()),
            Block::Table(table),
            Block::Text(Tone::Dim, note.into()),
        ]);
    }
    let rows: Vec<(&str, &[GemmType])> =
        folder.targets.iter().map(|t| (t.target.as_str(), &t.types[..])).collect();
    blocks.extend(coverage(&format!("{}: tuned matrix products", folder.library), &rows, style));
    blocks.extend(variants(folder));
    blocks.extend(findings::section(&folder.findings, &folder.path, style));
    blocks
}

fn verdict(folder: &LibraryFolder) -> Block {
    let (tone, word) = if folder.consistent {
        (Tone::Good, "consistent: every catalog, file with code and kernel that is named is there")
    } else {
        (Tone::Bad, "inconsistent")
    };
    Block::Items(vec![ListLine {
        tone,
        label: folder.library.clone(),
        text: format!("{word}; {}", severities(&folder.counts)),
    }])
}

/// What is tuned: of several targets how many operations of each type, of one target each operation.
pub(super) fn coverage(heading: &str, rows: &[(&str, &[GemmType])], style: &Style) -> Vec<Block> {
    let table = match rows {
        [] => return Vec::new(),
        [(_, types)] => by_operation(types, style),
        rows => by_target(rows, style),
    };
    if table.rows.is_empty() || table.columns.len() < 2 {
        return Vec::new();
    }
    let all = || rows.iter().flat_map(|(_, types)| types.iter()).flat_map(|t| t.served.values());
    let occurs = |by: &Served| all().any(|served| served == by) && (*by != Served::None || rows.len() == 1);
    let mut legend: Vec<String> = SERVED
        .into_iter()
        .filter(occurs)
        .map(|by| format!("{} {}", sign(by, style).text, word(by)))
        .collect();
    let is_counted = |of_type: &GemmType| of_type.all.is_none();
    if rows.len() > 1 && rows.iter().flat_map(|(_, types)| types.iter()).any(is_counted) {
        let more = style.pick("…", "...");
        legend.push(format!("3 of 4: tuned for 3 of the 4 ways to transpose (NN, NT, {more})"));
    }
    let mut text = legend.join(style.dot());
    if all().any(|served| matches!(served, Served::Fallback | Served::TunedForArrays)) {
        text += "; fallback kernels are compiled from HIP source, for every target";
    }
    text.push('.');
    vec![Block::Heading(heading.to_owned()), Block::Table(table), Block::Space, Block::Text(Tone::Dim, text)]
}

/// All, in the order of the legend.
const SERVED: [Served; 7] = [
    Served::Tuned,
    Served::TunedForArrays,
    Served::Fallback,
    Served::None,
    Served::SomeFail,
    Served::Fails,
    Served::CatalogMissing,
];

fn sign(served: Served, style: &Style) -> TableCell {
    match served {
        Served::Tuned => TableCell::toned(style.pick("●", "+"), Tone::Good),
        Served::Fallback => TableCell::toned(style.pick("◔", "f"), Tone::Partial),
        Served::TunedForArrays => TableCell::toned(style.pick("◑", "p"), Tone::Partial),
        Served::SomeFail => TableCell::toned("!", Tone::Bad),
        Served::Fails => TableCell::toned(style.pick("✗", "x"), Tone::Bad),
        Served::CatalogMissing => TableCell::toned(style.pick("⊘", "X"), Tone::Bad),
        Served::None => TableCell::toned(style.none(), Tone::Dim),
    }
}

fn word(served: Served) -> &'static str {
    match served {
        Served::Tuned => "tuned",
        Served::Fallback => "fallback",
        Served::TunedForArrays => "fallback, tuned for arrays of pointers only",
        Served::SomeFail => "some sizes fail: kernels are missing",
        Served::Fails => "calls fail: kernels are missing",
        Served::CatalogMissing => "catalog missing: calls end the process",
        Served::None => "none",
    }
}

fn by_operation(types: &[GemmType], style: &Style) -> Table {
    let ways: BTreeSet<&String> = types.iter().flat_map(|t| t.served.keys()).collect();
    // Without conjugation first.
    let mut ways: Vec<&String> = ways.into_iter().collect();
    ways.sort_rows_by_key(|way| (way.contains('C'), *way));
    let columns = ways.iter().map(|way| Column::right(way.as_str()));
    let mut table = Table::new(std::iter::once(Column::left("type")).chain(columns));
    for of_type in types {
        let cell = |way: &&String| of_type.served.get(*way).map_or(TableCell::default(), |s| sign(*s, style));
        table.row(std::iter::once(TableCell::new(&of_type.name)).chain(ways.iter().map(cell)));
    }
    table
}

fn by_target(rows: &[(&str, &[GemmType])], style: &Style) -> Table {
    let types: BTreeSet<&str> = rows.iter().flat_map(|(_, of)| of.iter()).map(|t| t.name.as_str()).collect();
    let columns = types.iter().map(|name| Column::right(*name));
    let mut table = Table::new(std::iter::once(Column::left("target")).chain(columns));
    for (target, own) in rows {
        let cell = |name: &&str| {
            let Some(of_type) = own.iter().find(|t| t.name == **name) else {
                return sign(Served::None, style);
            };
            match of_type.all {
                Some(served) => sign(served, style),
                None => {
                    let text = format!("{} of {}", of_type.tuned, of_type.served.len());
                    TableCell::toned(text, Tone::Partial)
                }
            }
        };
        table.row(std::iter::once(TableCell::new(*target)).chain(types.iter().map(cell)));
    }
    table
}

fn variants(folder: &LibraryFolder) -> Vec<Block> {
    let of = |target: &crate::report::v1::LibraryTarget| {
        let list: Vec<_> = target.variants.iter().map(|(name, count)| format!("{name} {count}")).collect();
        (!list.is_empty()).then(|| format!("{}: {}", target.target, list.join(", ")))
    };
    let all: Vec<String> = folder.targets.iter().filter_map(of).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "Catalogs beside these that are only asked with a flag or in an experiment: {}.",
        all.join("; ")
    );
    vec![Block::Text(Tone::Dim, text)]
}
