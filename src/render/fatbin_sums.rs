//! Many files at once, as those of a folder: what they have for each target together, and which are the
//! largest.

use super::block::{Block, Column, Table, TableCell};
use super::style::{Style, Tone, iec, plural, thousands};
use crate::finding::evidence::Evidence;
use crate::report::v1::{Fatbin, FatbinReport};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cmp::Reverse;

/// Most files that are shown one by one without `--full`.
const EACH: usize = 6;
/// Most files to name.
const LARGEST: usize = 10;

/// Whether the files are summed up instead of shown one by one.
pub(super) fn is_meant(report: &FatbinReport, style: &Style) -> bool {
    report.files.len() > EACH && !style.full && style.verbose == 0
}

pub(super) fn blocks(report: &FatbinReport, style: &Style) -> Vec<Block> {
    let with_code: Vec<&Fatbin> = report.files.iter().filter(|file| file.total.code_objects > 0).collect();
    let sum = |of: &dyn Fn(&Fatbin) -> u64| report.files.iter().map(of).sum::<u64>();
    let parts = [
        format!("{} with code objects", thousands(with_code.len() as u64)),
        iec(sum(&|file| file.bytes)),
        plural(sum(&|file| file.total.code_objects), "code object", "code objects"),
        plural(sum(&|file| file.total.kernels), "kernel", "kernels"),
    ];
    let title = plural(report.files.len() as u64, "file", "files");
    let mut blocks = vec![Block::Title(title, parts.join(style.dot()))];
    if !report.targets.is_empty() {
        let mut table = Table::new([
            Column::left("target"),
            Column::right("files"),
            Column::right("objects"),
            Column::right("kernels"),
            Column::right("bytes"),
            Column::right("code"),
            Column::right("spill"),
        ]);
        for row in &report.targets {
            table.row([
                TableCell::new(&row.target_id),
                TableCell::new(style.number(row.files)),
                TableCell::new(style.number(row.code_objects)),
                TableCell::new(style.number(row.kernels)),
                TableCell::new(iec(row.bytes)),
                TableCell::new(iec(row.code_bytes)),
                TableCell::new(style.number(row.spilling_kernels)),
            ]);
        }
        blocks.extend([Block::known("Code objects by target", Evidence::Observed), Block::Table(table)]);
    }
    let mut largest = with_code;
    largest.sort_rows_by_key(|file| (Reverse(file.bytes), &file.path));
    let mut table = Table::new([
        Column::right("bytes"),
        Column::right("targets"),
        Column::right("kernels"),
        Column::left("file"),
    ]);
    for file in largest.iter().take(LARGEST) {
        table.row([
            TableCell::new(iec(file.bytes)),
            TableCell::new(style.number(file.targets.len() as u64)),
            TableCell::new(style.number(file.total.kernels)),
            TableCell::new(file.path.rsplit('/').next().unwrap_or(&file.path)),
        ]);
    }
    if !largest.is_empty() {
        blocks.extend([Block::known("The largest", Evidence::Observed), Block::Table(table)]);
    }
    let text = "Next: --full for each file by itself, --kernels [REGEX] for the kernels of all, a single FILE for its bundles and bytes.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, text.into())]);
    blocks
}
