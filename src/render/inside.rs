//! The inside of a kernel: occupancy, registers in use, loops and blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::style::{Style, Tone, iec, plural, thousands};
use super::{flow, inside_source, inside_summary};
use crate::report::v1::{
    Body, InstructionMix, KernelInside, KernelInstructions, KernelLoop, KernelOccupancy, LeastUnitCycles,
    Reduction,
};

/// Most blocks to show: those with the most registers in use, and those of the innermost loops. JSON has all.
const BLOCKS_SHOWN: usize = 32;
const LOOPS_SHOWN: usize = 24;

/// The part of `fatbin --isa KERNEL --inside`.
pub(super) fn inside_blocks(inside: &KernelInside, kernel: &KernelInstructions, style: &Style) -> Vec<Block> {
    let only_traps = kernel.body == Body::TrapStub;
    let source = kernel.source.as_ref();
    let item = |tone, label: &str, text: String| ListLine { tone, label: label.to_owned(), text };
    let mut items = Vec::new();
    match &inside.occupancy {
        // Its registers and LDS are those of no work: the numbers would look like those of a fast kernel.
        None if only_traps => {
            items.push(item(Tone::Dim, "occupancy", "none: the kernel does nothing but trap".to_owned()));
        }
        Some(own) => {
            items.push(item(inside_summary::tone(own), "occupancy", occupancy(own, style)));
            items.extend(next(own).map(|text| item(Tone::Plain, "more", text)));
            items.extend(in_the_way(own, inside).map(|text| item(Tone::Plain, "in the way", text)));
            items.push(item(Tone::Dim, "LDS", lds(own)));
        }
        None => {}
    }
    items.extend(scratch(inside).map(|text| item(Tone::Partial, "scratch", text)));
    let mut blocks = vec![Block::Space, Block::Items(items)];
    if !only_traps {
        blocks.extend(inside_summary::blocks(inside, kernel));
    }
    if !inside.instructions.is_empty() {
        blocks.push(Block::Flow(Box::new(flow::control_flow(inside, kernel))));
    }
    blocks.extend([Block::Space, registers(inside, style)]);
    if !inside.loops.is_empty() {
        blocks.extend([Block::Space, loops(kernel, &inside.loops, style)]);
        let what = "Each instruction counted once, for a wave with all of its lanes; an outer loop has those of inner ones. \
            loads, stores: bytes to and from memory; ops: additions and multiplications of floats, dot and matrix products.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, what.into())]);
        if inside.loops.iter().any(|own| own.least_cycles.is_some()) {
            let what = "cycles: for how long each time through keeps the busiest unit, at least: along the way that keeps it \
                least, with all data in the caches. Matrix, vector and transcendental units are a SIMD unit's, LDS and \
                memory a compute unit's, and serve all waves there. -f json has all units.";
            blocks.push(Block::Text(Tone::Dim, what.into()));
        }
    }
    if let Some(source) = source {
        blocks.extend(inside_source::blocks(inside, source, style));
    }
    blocks.extend([Block::Space, basic_blocks(inside, style)]);
    let shown = if style.verbose > 0 { usize::MAX } else { BLOCKS_SHOWN };
    if inside.blocks.len() > shown {
        let more = plural((inside.blocks.len() - shown) as u64, "more block", "more blocks");
        let what = format!("{more}: -v shows them, -f json has them.");
        blocks.extend([Block::Space, Block::Text(Tone::Dim, what)]);
    }
    let limits = inside.limits.iter().map(|what| Block::Text(Tone::Partial, format!("{what}.")));
    if !inside.limits.is_empty() {
        blocks.push(Block::Space);
    }
    blocks.extend(limits);
    blocks
}

fn occupancy(own: &KernelOccupancy, style: &Style) -> String {
    let mut parts = vec![format!("{} of {} waves on a SIMD unit", own.waves, own.most)];
    if !own.limited_by.is_empty() {
        let names: Vec<&str> = own.limited_by.iter().map(|name| in_words(name)).collect();
        parts.push(format!("limited by {}", names.join(" and ")));
    }
    if own.waves_with_lds_granule < own.waves {
        parts.push(format!("{} as the card gives out LDS", own.waves_with_lds_granule));
    }
    parts.push(format!("work-groups up to {}", own.workgroup));
    parts.join(style.dot())
}

/// What was counted, and what cannot be: a launch may ask for LDS beside it, which the code object does not
/// say.
fn lds(own: &KernelOccupancy) -> String {
    let counted = if own.lds == 0 { "none".to_owned() } else { iec(u64::from(own.lds)) };
    format!("{counted} of the kernel's own is counted; what a launch asks for beside it (dynamic LDS) is not")
}

fn in_words(limiter: &str) -> &'static str {
    match limiter {
        "vgpr" => "vector registers",
        "agpr" => "accumulation registers",
        "sgpr" => "scalar registers",
        "lds" => "LDS",
        "barriers" => "barriers",
        _ => "the size of work-groups",
    }
}

fn next(own: &KernelOccupancy) -> Option<String> {
    let next = own.next.as_ref()?;
    let less = |one: &Reduction| match one.what {
        "lds" => format!("{} of LDS less", iec(u64::from(one.less))),
        "workgroup-size" => format!("work-groups smaller by {}", one.less),
        what => format!("{} {} less", one.less, what.to_ascii_uppercase()),
    };
    let all: Vec<String> = next.reductions.iter().map(less).collect();
    Some(format!("{} waves with {}", next.waves, all.join(" and ")))
}

/// Where more vector registers are in use than the next step of occupancy allows.
fn in_the_way(own: &KernelOccupancy, inside: &KernelInside) -> Option<String> {
    let less = own.next.as_ref()?.reductions.iter().find(|one| one.what == "vgpr")?.less;
    let given = inside.registers.iter().find(|row| row.file == "vgpr")?.given?;
    let most = given.saturating_sub(less);
    let over: Vec<u32> = inside
        .instructions
        .iter()
        .filter(|one| u32::from(one.live_vgprs) > most)
        .map(|one| one.offset)
        .collect();
    Some(match (over.first(), over.last()) {
        (Some(first), Some(last)) => format!(
            "{} more than {most} VGPR in use, from {} to {}",
            plural(over.len() as u64, "instruction has", "instructions have"),
            place(*first),
            place(*last)
        ),
        _ => format!(
            "no instruction has more than {most} VGPR in use: the rest is lost to how registers are laid out"
        ),
    })
}

/// Scratch, which spilled registers and arrays go to, costs memory bandwidth.
fn scratch(inside: &KernelInside) -> Option<String> {
    let all: Vec<u32> =
        inside.instructions.iter().filter(|one| one.kind == "scratch").map(|one| one.offset).collect();
    let first = all.first()?;
    let in_loops = |offset: &&u32| {
        let last = inside.blocks.partition_point(|block| block.offset <= **offset).checked_sub(1);
        last.and_then(|last| inside.blocks.get(last)).is_some_and(|block| block.depth > 0)
    };
    let looped = all.iter().filter(in_loops).count();
    let what = plural(all.len() as u64, "instruction uses it", "instructions use it");
    Some(format!("{what}, {looped} of them in loops; the first at {}", place(*first)))
}

fn registers(inside: &KernelInside, style: &Style) -> Block {
    let mut table = Table::new([
        Column::left("registers"),
        Column::right("given"),
        Column::right("named"),
        Column::right("in use"),
        Column::left("first at"),
        Column::right("with EXEC"),
        Column::left("first at"),
    ]);
    for row in &inside.registers {
        let is_beyond = row.given.is_some_and(|given| u32::from(row.live_with_exec) > given);
        let tone = if is_beyond { Tone::Bad } else { Tone::Plain };
        table.row([
            TableCell::new(row.file.to_ascii_uppercase()),
            TableCell::new(row.given.map_or_else(String::new, |given| style.number(u64::from(given)))),
            TableCell::new(style.number(u64::from(row.highest))),
            TableCell::new(style.number(u64::from(row.live))),
            TableCell::new(place(row.live_at)),
            TableCell::toned(style.number(u64::from(row.live_with_exec)), tone),
            TableCell::new(place(row.live_with_exec_at)),
        ]);
    }
    Block::Table(table)
}

fn place(offset: u32) -> String {
    format!("+{offset:#x}")
}

/// Offset of a loop, indented by its depth.
fn indented(own: &KernelLoop) -> String {
    format!("{}{}", "  ".repeat(own.depth.saturating_sub(1).min(8) as usize), place(own.offset))
}

fn loops(kernel: &KernelInstructions, loops: &[KernelLoop], style: &Style) -> Block {
    let mut columns = vec![
        Column::left("loop"),
        Column::right("blocks"),
        Column::right("instr."),
        Column::left("kinds"),
        Column::right("loads"),
        Column::right("stores"),
        Column::right("LDS"),
        Column::right("ops"),
    ];
    // Where rates are not known, there is no column of them.
    let has_cycles = loops.iter().any(|own| own.least_cycles.is_some());
    if has_cycles {
        columns.push(Column::left("cycles"));
    }
    if kernel.source.is_some() {
        columns.push(Column::left("line"));
    }
    let mut table = Table::new(columns);
    let shown = if style.verbose > 0 { usize::MAX } else { LOOPS_SHOWN };
    for own in loops.iter().take(shown) {
        let mix = &own.mix;
        let bytes =
            |bytes: u64| TableCell::new(if bytes == 0 { style.none().to_owned() } else { iec(bytes) });
        let mut row = vec![
            TableCell::new(indented(own)),
            TableCell::new(style.number(u64::from(own.blocks))),
            TableCell::new(style.number(mix.instructions)),
            TableCell::new(kinds(mix)),
            bytes(mix.bytes_loaded),
            bytes(mix.bytes_stored),
            bytes(mix.lds_bytes),
            TableCell::new(style.number(mix.operations)),
        ];
        if has_cycles {
            row.push(TableCell::new(own.least_cycles.as_ref().map_or_else(String::new, cycles)));
        }
        if kernel.source.is_some() {
            row.push(TableCell::new(line_of(kernel, own)));
        }
        table.row(row);
    }
    Block::Table(table)
}

/// The unit that a time through a loop keeps busy for longest.
fn cycles(own: &LeastUnitCycles) -> String {
    format!("{} {}", thousands(own.least), own.unit)
}

/// The line that a loop is on: that of the first instruction of its header that has one, in the function that
/// it was written in, as `--at` and llvm-symbolizer say it.
fn line_of(kernel: &KernelInstructions, own: &KernelLoop) -> String {
    let instructions = kernel.inside.iter().flat_map(|inside| &inside.instructions);
    let from_header = instructions.filter(|one| one.offset >= own.offset).take(HEADER_INSTRUCTIONS);
    let mut lines = from_header.map(|one| flow::innermost(kernel.source.as_ref(), one.offset));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// Instructions of a loop's header that are asked for a line.
const HEADER_INSTRUCTIONS: usize = 16;

/// The most telling kinds of instructions, if they occur.
fn kinds(mix: &InstructionMix) -> String {
    let all = [
        (mix.matrix, "matrix"),
        (mix.dot, "dot"),
        (mix.vector - mix.matrix - mix.dot, "vector"),
        (mix.vector_memory, "memory"),
        (mix.lds, "LDS"),
        (mix.scratch, "scratch"),
        (mix.waits, "waits"),
        (mix.barriers, "barriers"),
    ];
    let words = all.into_iter().filter(|(count, _)| *count > 0);
    words.map(|(count, what)| format!("{} {what}", thousands(count))).collect::<Vec<_>>().join(", ")
}

fn basic_blocks(inside: &KernelInside, style: &Style) -> Block {
    let mut table = Table::new([
        Column::left("block"),
        Column::right("instr."),
        Column::right("bytes"),
        Column::right("in loops"),
        Column::right("VGPR"),
        Column::left("then"),
    ]);
    let shown = if style.verbose > 0 { usize::MAX } else { BLOCKS_SHOWN };
    for block in inside.blocks.iter().take(shown) {
        let mut then: Vec<String> = block.successors.iter().map(|to| place(*to)).collect();
        if block.goes_anywhere {
            then.push("not known".to_owned());
        }
        let tone = if block.reachable { Tone::Plain } else { Tone::Dim };
        let then = if then.is_empty() { "end".to_owned() } else { then.join(", ") };
        table.row([
            TableCell::toned(place(block.offset), tone),
            TableCell::new(style.number(u64::from(block.instructions))),
            TableCell::new(style.number(u64::from(block.bytes))),
            TableCell::new(style.number(u64::from(block.depth))),
            TableCell::new(style.number(u64::from(block.live_vgprs))),
            TableCell::toned(if block.reachable { then } else { format!("{then} (not reached)") }, tone),
        ]);
    }
    Block::Table(table)
}
