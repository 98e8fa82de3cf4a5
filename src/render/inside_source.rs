//! The source lines of a kernel that have most of its code, those in loops first.

use super::block::{Block, Column, Table, TableCell};
use super::style::{Style, Tone, cut};
use crate::report::v1::{KernelInside, KernelSource, SourceFrame};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::HashMap;

/// Lines that are shown without `-v`.
const LINES_SHOWN: usize = 12;

/// Instructions of a line.
#[derive(Default)]
struct Line {
    instructions: u64,
    /// Those of the innermost loops that it is in.
    depth: u32,
    memory: u64,
}

/// The table; nothing without debug information.
pub(super) fn blocks(inside: &KernelInside, source: &KernelSource, style: &Style) -> Vec<Block> {
    let mut lines: HashMap<(&str, u32), (Line, &SourceFrame)> = HashMap::new();
    let mut with_line = 0u64;
    let mut block = 0;
    for one in &inside.instructions {
        while inside.blocks.get(block + 1).is_some_and(|next| next.offset <= one.offset) {
            block += 1;
        }
        let depth = inside.blocks.get(block).map_or(0, |block| block.depth);
        let Some(frame) = source.at(u64::from(one.offset)).first() else { continue };
        let Some(file) = frame.file.as_deref().filter(|_| frame.line > 0) else { continue };
        with_line += 1;
        let (line, _) = lines.entry((file, frame.line)).or_insert_with(|| (Line::default(), frame));
        line.instructions += 1;
        line.depth = line.depth.max(depth);
        line.memory += u64::from(matches!(one.kind, "memory" | "lds" | "scratch"));
    }
    if lines.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<(Line, &SourceFrame)> = lines.into_values().collect();
    rows.sort_rows_by(|(a, x), (b, y)| {
        (b.depth, b.instructions)
            .cmp(&(a.depth, a.instructions))
            .then_with(|| (&x.file, x.line).cmp(&(&y.file, y.line)))
    });
    let mut table = Table::new([
        Column::left("source line"),
        Column::right("in loops"),
        Column::right("instr."),
        Column::right("memory"),
        Column::left("function"),
    ]);
    let shown = if style.verbose > 0 { usize::MAX } else { LINES_SHOWN };
    for (line, frame) in rows.iter().take(shown) {
        table.row([
            TableCell::new(frame.short()),
            TableCell::new(style.number(u64::from(line.depth))),
            TableCell::new(style.number(line.instructions)),
            TableCell::new(style.number(line.memory)),
            TableCell::toned(function(frame), Tone::Dim),
        ]);
    }
    let all = inside.instructions.len().max(1) as u64;
    let about = format!(
        "{} lines; {} % of the instructions have one, the others are the compiler's own. An inlined function's lines are its own.",
        rows.len(),
        with_line * 100 / all,
    );
    let mut blocks = vec![Block::Space, Block::Table(table), Block::Space, Block::Text(Tone::Dim, about)];
    blocks.extend(source.problems.iter().map(|what| Block::Text(Tone::Partial, what.clone())));
    blocks
}

/// Longest name of a function in the table, in characters.
const NAME_SHOWN: usize = 32;

fn function(frame: &SourceFrame) -> String {
    let Some(name) = frame.readable() else { return String::new() };
    let name = name.replace("(anonymous namespace)::", "");
    let name = name.strip_prefix("void ").unwrap_or(&name);
    // Arguments of the function and of its template are those of the kernel, mostly.
    let end = name.find(['(', '<']).filter(|at| *at > 0).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or(name);
    cut(name, NAME_SHOWN)
}
