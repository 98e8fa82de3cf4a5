//! The packages that the libraries come from.

use super::block::{Block, Column, Table, TableCell};
use super::diff::first;
use super::style::Style;
use crate::finding::evidence::Evidence;
use crate::report::v1::Report;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// A table of packages that state their identity, with the libraries in them; empty if none does.
pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let mut packages: KeyMap<&str, (BTreeSet<&str>, u64, u64)> = KeyMap::new();
    for artifact in &report.artifacts {
        let Some(package) = &artifact.package else { continue };
        let (libraries, files, bytes) = packages.entry(package).or_default();
        if !artifact.library.is_empty() {
            libraries.insert(&artifact.library);
        }
        *files += 1;
        *bytes += artifact.bytes;
    }
    if packages.is_empty() {
        return Vec::new();
    }
    let packages: Vec<_> = packages.into_iter().collect();
    let (shown, more) = first(&packages, style);
    let mut table = Table::new([
        Column::left("package"),
        Column::left("libraries"),
        Column::right("files"),
        Column::right("bytes"),
    ]);
    for (package, (libraries, files, bytes)) in shown {
        table.row([
            TableCell::new(*package),
            TableCell::new(libraries.iter().copied().collect::<Vec<_>>().join(", ")),
            TableCell::new(style.number(*files)),
            TableCell::new(style.size(*bytes)),
        ]);
    }
    let mut blocks =
        vec![Block::known("Which packages the libraries are of", Evidence::Observed), Block::Table(table)];
    blocks.extend(more);
    blocks
}
