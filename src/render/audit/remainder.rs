//! What was read of the files that nothing is reported of, and what was not.

use crate::render::block::{Align, Block, Column, ListLine, Table, TableCell};
use crate::render::style::{Style, Tone, plural, thousands};
use crate::report::v1::{Report, UnreportedReason};

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let s = &report.summary;
    let mut table = Table::new([
        Column { group: None, title: "files".into(), align: Align::Left },
        Column::right("number"),
        Column::right("bytes"),
    ]);
    let row = |name: &str, files: u64, bytes: u64| {
        [TableCell::new(name), TableCell::new(style.number(files)), TableCell::new(style.size(bytes))]
    };
    table.row(row("reported above", s.artifact_files, s.artifact_bytes));
    for rest in &report.remainder {
        let name = match rest.state {
            UnreportedReason::Source | UnreportedReason::Skipped | UnreportedReason::Unreadable => {
                rest.format.clone()
            }
            UnreportedReason::NotExamined => format!("{}, not examined", rest.format),
            UnreportedReason::Nothing => format!("{}, nothing to report", rest.format),
        };
        table.row(row(&name, rest.files, rest.bytes));
    }
    table.row(row("TOTAL", s.files, s.bytes));
    table.total = true;
    let mut blocks = vec![Block::Heading("What was read".into()), Block::Table(table)];
    let mut items = Vec::new();
    // A format from the table above is listed only if there is a reason to state.
    for seen in report.not_examined.iter().filter(|n| !n.in_remainder || n.what.contains(": ")) {
        let text =
            format!("{} in {}, such as {}", seen.what, plural(seen.files, "file", "files"), seen.example);
        items.push(ListLine { tone: Tone::Partial, label: "not examined".into(), text });
    }
    if s.unverified_bundles > 0 {
        let text = format!(
            "{} of {} compressed bundles were inflated only up to their kernel metadata{}",
            thousands(s.unverified_bundles),
            thousands(s.compressed_bundles),
            style.hint("; --verify reads them whole and checks their hashes")
        );
        items.push(ListLine { tone: Tone::Partial, label: "not verified".into(), text });
    }
    if let Some(names) = s.other_names {
        let text =
            format!("{} of files that count once: hard links", plural(names, "more name", "more names"));
        items.push(ListLine { tone: Tone::Plain, label: "linked".into(), text });
    }
    if s.links > 0 {
        let text = format!(
            "{}{}",
            plural(s.links, "symbolic link", "symbolic links"),
            style.hint(" (--follow-links)")
        );
        items.push(ListLine { tone: Tone::Plain, label: "not followed".into(), text });
    }
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    blocks
}
