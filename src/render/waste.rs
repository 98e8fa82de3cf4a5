//! Bytes that could be saved, as a table.

use super::block::{Block, Column, Table, TableCell};
use super::style::{Style, Tone, plural};
use crate::finding::evidence::Evidence;
use crate::report::v1::{Copies, Waste};

pub(super) fn blocks(waste: &Waste, style: &Style) -> Vec<Block> {
    let mut table = Table::new([Column::left("what"), Column::right("number"), Column::right("bytes")]);
    let mut row = |what: &str, count: Option<u64>, bytes: u64| {
        if bytes > 0 {
            let count = count.map_or_else(String::new, |count| style.number(count));
            table.row([TableCell::new(what), TableCell::new(count), TableCell::new(style.size(bytes))]);
        }
    };
    let objects = &waste.identical_code_objects;
    row("code objects that are copies of another", Some(objects.extra), objects.bytes);
    let code = &waste.shared_machine_code;
    row("machine code that is the same for another target", Some(code.extra), code.bytes);
    row("padding", None, waste.padding_bytes);
    row("device debug information", None, waste.debug_bytes);
    let plain = &waste.uncompressed_bundles;
    row("bundles that are not compressed", Some(plain.count), plain.bytes);
    if table.rows.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::known("Savings", Evidence::Observed), Block::Table(table)];
    if let Some(packed) = plain.estimated_packed_bytes {
        let saved = plain.bytes.saturating_sub(packed);
        let text = format!(
            "Compressing these bundles (clang --offload-compress) would save about {} of {} [estimated from pieces of them]; \
             stripping debug information saves its bytes where bundles are not compressed.",
            style.size(saved),
            style.size(plain.bytes)
        );
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    if waste.not_compared > 0 {
        let objects = plural(waste.not_compared, "code object", "code objects");
        let text = format!(
            "Copies among {objects} in compressed bundles were found by the hashes of their bundles alone{}.",
            style.hint("; --verify compares their bytes")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    if style.verbose > 0 {
        blocks.extend(examples("Copies with most bytes", objects, style));
        blocks.extend(examples("Machine code shared by targets, with most bytes", code, style));
    }
    blocks
}

fn examples(heading: &str, copies: &Copies, style: &Style) -> Vec<Block> {
    if copies.largest.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for group in &copies.largest {
        let targets = group.target_ids.join(", ");
        lines.push(format!("{} times {}, {targets}", style.number(group.count), style.size(group.bytes)));
        lines.push(format!("  {}", group.first));
        lines.push(format!("  {}", group.second));
    }
    vec![Block::Heading(heading.to_owned()), Block::Lines(lines)]
}
