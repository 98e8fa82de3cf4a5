//! What a capability report says of shipped files beside code: library folders, databases, firmware.

use super::block::{Block, Cell, Column, Table};
use super::style::{Style, Tone};
use crate::report::v1::{self, Report};

pub(super) fn tensile(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut libraries: Vec<&String> = report.tensile.iter().map(|row| &row.library).collect();
    libraries.sort();
    libraries.dedup();
    for library in libraries {
        let mut table = Table::new([
            Column::left("target"),
            Column::right("files"),
            Column::right("code"),
            Column::right("catalogs"),
            Column::right("fallback"),
            Column::right("solutions"),
            Column::left("files by type"),
        ]);
        for row in report.tensile.iter().filter(|row| row.library == *library) {
            let mut types: Vec<_> = row.types.iter().collect();
            types.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            let types: Vec<_> = types.iter().map(|(code, count)| format!("{code} {count}")).collect();
            let name = row.processor.as_deref().unwrap_or("none named");
            table.row([
                Cell::new(name),
                Cell::new(style.number(row.files)),
                Cell::new(style.number(row.code_files)),
                Cell::new(style.number(row.catalogs)),
                Cell::new(style.number(row.fallback_files)),
                Cell::new(style.number(row.solutions)),
                Cell::toned(types.join(", "), Tone::Dim),
            ]);
        }
        blocks.push(Block::Heading(format!("{library} library folder: files that name each target")));
        blocks.push(Block::Table(table));
    }
    blocks
}

/// Which matrix products are tuned, per library folder.
pub(super) fn gemm(report: &Report, style: &Style) -> Vec<Block> {
    let mut folders: Vec<(&String, &String)> = report.gemm.iter().map(|r| (&r.library, &r.folder)).collect();
    folders.dedup();
    let of_folder = |(library, folder): &(&String, &String)| {
        let rows: Vec<_> = report.gemm.iter().filter(|r| r.folder == **folder).collect();
        let rows: Vec<_> = rows.iter().map(|r| (r.processor.as_str(), &r.types[..])).collect();
        let heading = match rows[..] {
            [(processor, _)] => format!("{library}: tuned matrix products of {processor}"),
            _ => format!("{library}: tuned matrix products"),
        };
        super::tensile::coverage(&heading, &rows, style)
    };
    folders.iter().flat_map(of_folder).collect()
}

pub(super) fn miopen(report: &Report, style: &Style) -> Vec<Block> {
    if report.miopen.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("target"),
        Column::right("CUs"),
        Column::left("database"),
        Column::right("lines"),
        Column::left("form"),
    ]);
    let mut processors: Vec<&String> = report.miopen.iter().map(|row| &row.processor).collect();
    processors.dedup();
    let mut all = 0;
    for processor in processors {
        let rows: Vec<_> = report.miopen.iter().filter(|row| row.processor == *processor).collect();
        for row in &rows {
            let kind = row.backend.as_ref().map_or(row.kind.clone(), |b| format!("{} {b}", row.kind));
            table.row([
                Cell::new(&row.processor),
                Cell::new(row.compute_units.map(|n| n.to_string()).unwrap_or_default()),
                Cell::new(kind),
                Cell::new(row.records.map(|n| style.number(n)).unwrap_or_default()),
                Cell::toned(&row.form, Tone::Dim),
            ]);
        }
        // Kernels of a kernel database are no lines of a find-db or perf-db.
        let counted = rows.iter().filter(|r| r.kind == "find-db" || r.kind == "perf-db");
        let sum: u64 = counted.clone().filter_map(|row| row.records).sum();
        all += sum;
        if counted.count() > 1 {
            let name = Cell::new(format!("{processor} sum"));
            let number = Cell::toned(style.number(sum), Tone::Strong);
            table.row([name, Cell::default(), Cell::new("find-db and perf-db"), number, Cell::default()]);
        }
    }
    let total = Cell::new(style.number(all));
    table.row([
        Cell::new("TOTAL"),
        Cell::default(),
        Cell::new("find-db and perf-db"),
        total,
        Cell::default(),
    ]);
    table.total = true;
    vec![Block::Heading("MIOpen databases".into()), Block::Table(table)]
}

pub(super) fn firmware(report: &Report, style: &Style) -> Vec<Block> {
    if report.firmware.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("target"),
        Column::left("codename"),
        Column::right("files"),
        Column::right("links"),
        Column::right("bytes"),
    ]);
    let mut shared = v1::FirmwareRow {
        codename: String::new(),
        processor: None,
        files: 0,
        links: 0,
        bytes: 0,
        first: String::new(),
    };
    let mut total = shared.clone();
    for row in &report.firmware {
        for sum in [Some(&mut total), row.processor.is_none().then_some(&mut shared)].into_iter().flatten() {
            sum.files += row.files;
            sum.links += row.links;
            sum.bytes += row.bytes;
        }
        if row.processor.is_some() || style.verbose > 0 {
            table.row(firmware_row(row.processor.as_deref().unwrap_or(""), &row.codename, row, style));
        }
    }
    if style.verbose == 0 && shared.files > 0 {
        table.row(firmware_row("", "other blocks", &shared, style));
    }
    table.row(firmware_row("TOTAL", "", &total, style));
    table.total = true;
    vec![Block::Heading("amdgpu firmware".into()), Block::Table(table)]
}

fn firmware_row(target: &str, codename: &str, row: &v1::FirmwareRow, style: &Style) -> [Cell; 5] {
    [
        Cell::new(target),
        Cell::new(codename),
        Cell::new(style.number(row.files)),
        Cell::new(style.number(row.links)),
        Cell::new(style.size(row.bytes)),
    ]
}
