//! The control flow of a kernel, prepared for a page.

use super::block::{Flow, FlowBlock, FlowLine};
use super::style::plural;
use crate::report::v1::{KernelBlock, KernelInside, KernelInstructions, KernelSource, SourceFrame};
use std::collections::{HashMap, HashSet};

/// The drawing of a kernel, the `number`th of the page.
pub(super) fn control_flow(inside: &KernelInside, kernel: &KernelInstructions) -> Flow {
    let numbers: HashMap<u32, usize> =
        inside.blocks.iter().enumerate().map(|(at, block)| (block.offset, at)).collect();
    let headers: HashSet<u32> = inside.loops.iter().map(|own| own.offset).collect();
    let most = inside.registers.iter().filter(|row| row.file == "vgpr").map(|row| {
        let named = row.highest.max(row.live_with_exec);
        row.given.map_or(u32::from(named), |given| given.max(u32::from(row.live_with_exec)))
    });
    let mut lines = inside.instructions.iter().peekable();
    let block = |block: &KernelBlock| {
        let end = block.offset.saturating_add(block.bytes);
        let mut own = Vec::new();
        while let Some(line) = lines.next_if(|line| line.offset < end) {
            own.push(FlowLine {
                offset: format!("+{:#x}", line.offset),
                text: line.text.clone(),
                kind: line.kind,
                live: line.live_vgprs,
                live_scalars: line.live_sgprs,
                line: innermost(kernel.source.as_ref(), line.offset),
            });
        }
        let is_header = headers.contains(&block.offset);
        FlowBlock {
            name: format!("+{:#x}", block.offset),
            depth: block.depth,
            is_header,
            is_reachable: block.reachable,
            live: block.live_vgprs,
            short: format!("{} instr., {} VGPR", block.instructions, block.live_vgprs),
            about: about(block, is_header),
            line: outermost(kernel.source.as_ref(), block.offset),
            successors: block.successors.iter().filter_map(|to| numbers.get(to).copied()).collect(),
            lines: own,
        }
    };
    let blocks = inside.blocks.iter().map(block).collect();
    let title =
        "Control flow: boxes are blocks, darker with more vector registers in use; orange edges close loops"
            .to_owned();
    Flow { title, number: 0, most: most.max().unwrap_or(0), blocks }
}

fn about(block: &KernelBlock, is_header: bool) -> String {
    let mut parts = vec![plural(u64::from(block.instructions), "instruction", "instructions")];
    match (is_header, block.depth) {
        (_, 0) => {}
        (true, depth) => parts.push(format!("begins a loop, depth {depth}")),
        (false, depth) => parts.push(format!("in {}", plural(u64::from(depth), "loop", "loops"))),
    }
    parts.push(format!("up to {} VGPR in use", block.live_vgprs));
    if block.goes_anywhere {
        parts.push("goes on where is not known".to_owned());
    }
    if !block.reachable {
        parts.push("not reached".to_owned());
    }
    parts.join(", ")
}

/// The line that the code at an offset was written in.
pub(super) fn innermost(source: Option<&KernelSource>, offset: u32) -> String {
    let frames = source.map_or(&[][..], |source| source.at(u64::from(offset)));
    frames.first().map_or_else(String::new, SourceFrame::short)
}

/// The line of the kernel itself that the code at an offset belongs to.
pub(super) fn outermost(source: Option<&KernelSource>, offset: u32) -> String {
    let frames = source.map_or(&[][..], |source| source.at(u64::from(offset)));
    frames.iter().rev().find(|frame| frame.line > 0).map_or_else(String::new, SourceFrame::short)
}
