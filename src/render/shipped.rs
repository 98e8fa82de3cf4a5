//! The part of a capability report on shipped files other than code: library folders, databases, firmware.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::style::{Style, Tone};
use crate::finding::evidence::Evidence;
use crate::report::v1::{self, ArtifactKind, DatabaseForm, DatabaseKind, Report};
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The tables of all that is shipped besides code, kind by kind.
pub(super) fn tables(report: &Report, style: &Style) -> Vec<Block> {
    [tensile, gemm, miopen, firmware].into_iter().flat_map(|table| table(report, style)).collect()
}

fn tensile(report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut libraries: Vec<&String> = report.tensile.iter().map(|row| &row.library).collect();
    libraries.sort_rows();
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
            types.sort_rows_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            let types: Vec<_> = types.iter().map(|(code, count)| format!("{code} {count}")).collect();
            let name = row.processor.as_deref().unwrap_or("none named");
            table.row([
                TableCell::new(name),
                TableCell::new(style.number(row.files)),
                TableCell::new(style.number(row.code_files)),
                TableCell::new(style.number(row.catalogs)),
                TableCell::new(style.number(row.fallback_files)),
                TableCell::new(style.number(row.solutions)),
                TableCell::toned(types.join(", "), Tone::Dim),
            ]);
        }
        blocks.push(Block::known(
            &format!("{library} library folder: files that name each target"),
            Evidence::Observed,
        ));
        blocks.push(Block::Table(table));
    }
    blocks
}

/// The tuned matrix products of each library folder.
fn gemm(report: &Report, style: &Style) -> Vec<Block> {
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

fn miopen(report: &Report, style: &Style) -> Vec<Block> {
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
    for rows in report.miopen.chunk_by(|a, b| a.processor == b.processor) {
        for row in rows {
            let name = kind(row.kind);
            let name = row.backend.as_ref().map_or(name.to_owned(), |backend| format!("{name} {backend}"));
            table.row([
                TableCell::new(&row.processor),
                TableCell::new(row.compute_units.map(|n| n.to_string()).unwrap_or_default()),
                TableCell::new(name),
                TableCell::new(row.records.map(|n| style.number(n)).unwrap_or_default()),
                TableCell::toned(form(row.form), Tone::Dim),
            ]);
        }
        // Kernels in a kernel database are not lines of a find-db or perf-db.
        let own = |sum: &&v1::DatabaseLines| rows.first().is_some_and(|row| row.processor == sum.processor);
        let sum = report.totals.database_lines_by_processor.iter().find(own);
        if let Some(sum) = sum.filter(|sum| sum.databases > 1) {
            let name = TableCell::new(format!("{} sum", sum.processor));
            let number = TableCell::toned(style.number(sum.lines), Tone::Strong);
            table.row([
                name,
                TableCell::default(),
                TableCell::new("find-db and perf-db"),
                number,
                TableCell::default(),
            ]);
        }
    }
    let total = TableCell::new(style.number(report.totals.database_lines));
    table.row([
        TableCell::new("TOTAL"),
        TableCell::default(),
        TableCell::new("find-db and perf-db"),
        total,
        TableCell::default(),
    ]);
    table.total = true;
    vec![Block::known("MIOpen databases", Evidence::Observed), Block::Table(table)]
}

/// Purpose of a database in words.
pub(super) fn kind(kind: DatabaseKind) -> &'static str {
    match kind {
        DatabaseKind::FindDb => "find-db",
        DatabaseKind::PerfDb => "perf-db",
        DatabaseKind::KernelDb => "kernel-db",
        DatabaseKind::Model => "model",
    }
}

pub(super) fn form(form: DatabaseForm) -> &'static str {
    match form {
        DatabaseForm::Text => "text",
        DatabaseForm::Sqlite => "sqlite",
        DatabaseForm::GitLfsPointer => "Git LFS pointer",
        DatabaseForm::SolverModel => "solvers",
        DatabaseForm::ParameterModel => "kernel parameters",
    }
}

/// Kind of a file in words.
pub(super) fn artifact(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::DeviceCode => "device code",
        ArtifactKind::LazyCatalog => "lazy catalog",
        ArtifactKind::Catalog => "catalog",
        ArtifactKind::FallbackCatalog => "fallback catalog",
        ArtifactKind::MergedCatalog => "merged catalog",
        ArtifactKind::CodeObject => "code object",
        ArtifactKind::FallbackCodeObject => "fallback code object",
        ArtifactKind::HelperKernels => "helper kernels",
        ArtifactKind::Extension => "extension",
        ArtifactKind::FindDb => "MIOpen find-db",
        ArtifactKind::PerfDb => "MIOpen perf-db",
        ArtifactKind::KernelDb => "MIOpen kernel database",
        ArtifactKind::Model => "MIOpen model",
        ArtifactKind::Firmware => "firmware",
        ArtifactKind::FirmwareLink => "link to firmware",
        ArtifactKind::Version => "version",
    }
}

fn firmware(report: &Report, style: &Style) -> Vec<Block> {
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
    for row in report.firmware.iter().filter(|row| row.processor.is_some() || style.verbose > 0) {
        let count = v1::FirmwareCount { files: row.files, links: row.links, bytes: row.bytes };
        table.row(firmware_row(row.processor.as_deref().unwrap_or(""), &row.codename, &count, style));
    }
    let shared = &report.totals.firmware_of_no_processor;
    if style.verbose == 0 && shared.files > 0 {
        table.row(firmware_row("", "other blocks", shared, style));
    }
    table.row(firmware_row("TOTAL", "", &report.totals.firmware, style));
    table.total = true;
    let mut blocks = vec![Block::known("amdgpu firmware", Evidence::Observed), Block::Table(table)];
    let releases = |row: &v1::FirmwareRow| {
        let file = |mes: &v1::MesFirmware| format!("{:#x} ({})", mes.release, mes.file);
        let text = row.mes.iter().map(file).collect::<Vec<_>>().join(", ");
        ListLine { tone: Tone::Plain, label: format!("MES {}", row.processor.as_deref().unwrap_or("")), text }
    };
    let mes: Vec<ListLine> = report.firmware.iter().filter(|row| !row.mes.is_empty()).map(releases).collect();
    if !mes.is_empty() && (style.verbose > 0 || !report.asked.is_empty()) {
        blocks.extend([Block::Space, Block::Items(mes)]);
    }
    blocks
}

fn firmware_row(target: &str, codename: &str, count: &v1::FirmwareCount, style: &Style) -> [TableCell; 5] {
    [
        TableCell::new(target),
        TableCell::new(codename),
        TableCell::new(style.number(count.files)),
        TableCell::new(style.number(count.links)),
        TableCell::new(style.size(count.bytes)),
    ]
}
