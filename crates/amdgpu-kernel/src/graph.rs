//! Control flow: basic blocks, where each leads, loops, calls, and jumps through registers.
//!
//! A block begins at the entry, where a branch leads, and behind what goes elsewhere; a call ends none.
//! Symbols and labels end none either: assembly of Tensile has thousands of them in one kernel. What follows
//! from the entry along edges is reachable; behind the end of a kernel there can be blocks that are not.

use crate::block::{Block, Predecessors};
use crate::body::{Code, KernelBody};
use crate::constants;
use crate::full_masks::full_masks;
use crate::loops::{self, Loop};
use crate::mnemonics::{FlowKind, flag};
use crate::units::Layout;
use amdgpu_object::answer;
use std::collections::BTreeSet;
use std::sync::OnceLock;

answer! {
    /// A jump or call through a register, or a call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Through {
        /// Offset of the instruction from the begin of the kernel in bytes.
        copy offset: u32,
        /// Where it leads, from the begin of the kernel in bytes; nothing where that is not a constant.
        copy target: Option<i64>,
    }
}

answer! {
    /// The control flow of a kernel.
    #[derive(Debug)]
    pub struct Graph {
        /// Its blocks in the order of their offsets.
        list blocks: Block,
        /// Its natural loops in the order of their headers.
        list loops: Loop,
        /// Edges that go back to a block that does not dominate where they come from, as offsets of blocks:
        /// cycles that are no natural loop.
        list irreducible: (u32, u32),
        /// Jumps through registers.
        list indirect: Through,
        /// Calls.
        list calls: Through,
        /// Branches out of the kernel: their offsets, and where they lead.
        list external: (u32, i64),
        /// Targets of branches that lie inside of instructions or where none is.
        list misplaced: u32,
        /// Words that are no instruction.
        copy unknown_words: u32,
        /// Whether loops were not looked for, because that would take more steps than are believed of its
        /// size.
        copy loops_are_unknown: bool,
        hidden body: KernelBody,
        hidden predecessors: Predecessors,
        hidden order: Vec<u32>,
        hidden innermost: Vec<u32>,
        hidden named: OnceLock<Vec<u64>>,
        hidden full_masks: OnceLock<Vec<bool>>,
    }
}

/// Where an instruction leads that is not followed by the next.
enum Successor {
    To(u32),
    ToOrNext(u32),
    Nowhere,
    Anywhere,
}

/// What is found on the way.
#[derive(Default)]
struct FoundEdges {
    leaders: BTreeSet<u32>,
    /// By the number of the instruction.
    ways: Vec<(u32, Successor)>,
    indirect: Vec<Through>,
    calls: Vec<Through>,
    external: Vec<(u32, i64)>,
}

impl Graph {
    /// Of the code of a kernel. Whatever the bytes are, it is finished in time and memory that are in
    /// proportion to their number.
    pub fn from_code(code: &Code<'_>) -> Graph {
        let body = KernelBody::from_code(code);
        let found = FoundEdges::find(code, &body);
        let misplaced: Vec<u32> =
            found.leaders.iter().copied().filter(|at| *at < body.size && body.at(*at).is_none()).collect();
        let mut blocks = blocks(&body, &found);
        let order = order(&mut blocks);
        let predecessors = Predecessors::index(&blocks, |block| block.is_reachable);
        let loops = loops::find(&blocks, &predecessors, &order);
        Graph {
            blocks,
            loops: loops.all,
            irreducible: loops.irreducible,
            indirect: found.indirect,
            calls: found.calls,
            external: found.external,
            misplaced,
            unknown_words: body.unknown,
            loops_are_unknown: loops.is_unknown,
            body,
            predecessors,
            order,
            innermost: loops.innermost,
            named: OnceLock::new(),
            full_masks: OnceLock::new(),
        }
    }

    /// Number of its instructions.
    pub fn instructions(&self) -> usize {
        self.body.all.len()
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        self.body.size
    }

    /// Offset, length in bytes and number of the mnemonic of each instruction, in their order.
    pub fn each(&self) -> impl Iterator<Item = (u32, u32, u16)> + '_ {
        self.body.all.iter().map(|one| (one.offset, u32::from(one.length), one.mnemonic))
    }

    /// Offsets and mnemonic numbers of the instructions of a block.
    pub fn of_block(&self, block: &Block) -> impl Iterator<Item = (u32, u16)> + '_ {
        let all = self.body.all.get(block.numbers()).unwrap_or_default();
        all.iter().map(|one| (one.offset, one.mnemonic))
    }

    /// The number of the block that an offset lies in.
    pub fn block_at(&self, offset: u32) -> Option<usize> {
        let last = self.blocks.partition_point(|block| block.start <= offset).checked_sub(1)?;
        self.blocks.get(last).filter(|block| offset < block.end).map(|_| last)
    }

    /// The blocks of a loop by its index, those of inner loops among them.
    pub fn blocks_of_loop(&self, index: usize) -> impl Iterator<Item = &Block> + '_ {
        self.numbers_of_loop(index).filter_map(|number| self.blocks.get(number as usize))
    }

    /// The numbers of these blocks.
    pub(crate) fn numbers_of_loop(&self, index: usize) -> impl Iterator<Item = u32> + '_ {
        let inside = move |number: usize| {
            let mut own = self.innermost.get(number).copied().filter(|own| *own != loops::NONE);
            while let Some(at) = own.filter(|own| *own as usize != index) {
                own = self.loops.get(at as usize).and_then(|found| found.parent());
            }
            own.is_some()
        };
        (0..self.blocks.len() as u32).filter(move |number| inside(*number as usize))
    }

    /// How many loops a block lies in.
    pub fn depth(&self, block: usize) -> u32 {
        let innermost = self.innermost.get(block).and_then(|own| self.loops.get(*own as usize));
        innermost.map_or(0, |own| own.depth())
    }

    /// Whether registers are named by others: what is said of registers in use is a lower bound then.
    pub fn names_registers_by_index(&self) -> bool {
        self.body.all.iter().any(|one| one.has(flag::IS_INDEXED))
    }
}

impl Graph {
    /// All registers that are named, as a set.
    pub(crate) fn named(&self, layout: &Layout) -> &[u64] {
        self.named.get_or_init(|| {
            let mut named = vec![0; layout.words()];
            for span in &self.body.spans {
                layout.each(*span, |word, bits| named[word] |= bits);
            }
            named
        })
    }

    /// For each instruction whether EXEC is the mask of the entry there.
    pub(crate) fn full_masks(&self) -> &[bool] {
        self.full_masks.get_or_init(|| full_masks(&self.body, &self.blocks, &self.order))
    }
}

impl FoundEdges {
    fn find(code: &Code<'_>, body: &KernelBody) -> FoundEdges {
        let mut found = FoundEdges::default();
        found.leaders.insert(0);
        for (number, one) in body.all.iter().enumerate() {
            if one.kind == FlowKind::Next {
                continue;
            }
            let through = |target| Through { offset: one.offset, target };
            let way = match one.kind {
                FlowKind::Next => continue,
                FlowKind::Call => {
                    found.calls.push(through(constants::target(code, body, number)));
                    continue;
                }
                FlowKind::CallTo => {
                    found.calls.push(through(body.target(number)));
                    continue;
                }
                FlowKind::Jump | FlowKind::Branch => found.branch(body, number),
                FlowKind::Away | FlowKind::Leave => {
                    let target = match one.kind {
                        FlowKind::Away => constants::target(code, body, number),
                        _ => None,
                    };
                    found.indirect.push(through(target));
                    match target.and_then(|to| u32::try_from(to).ok()).filter(|to| body.at(*to).is_some()) {
                        Some(to) => Successor::To(to),
                        None => Successor::Anywhere,
                    }
                }
                FlowKind::End => Successor::Nowhere,
            };
            if let Successor::To(to) | Successor::ToOrNext(to) = way {
                found.leaders.insert(to);
            }
            found.leaders.insert(one.end());
            found.ways.push((number as u32, way));
        }
        found.leaders.extend(body.behind_zeros.iter().copied());
        found
    }

    fn branch(&mut self, body: &KernelBody, number: usize) -> Successor {
        let is_jump = body.all.get(number).is_some_and(|one| one.kind == FlowKind::Jump);
        let at = body.all.get(number).map_or(0, |one| one.offset);
        let target = body.target(number).unwrap_or(-1);
        let inside = u32::try_from(target).ok().filter(|to| *to < body.size);
        if inside.is_none() {
            self.external.push((at, target));
        }
        // What lies outside is no block: the edge is left out where blocks are made.
        let to = inside.unwrap_or(u32::MAX);
        if is_jump { Successor::To(to) } else { Successor::ToOrNext(to) }
    }
}

fn blocks(body: &KernelBody, found: &FoundEdges) -> Vec<Block> {
    let mut ways = found.ways.iter().peekable();
    let starts: Vec<(u32, usize)> =
        found.leaders.iter().filter_map(|at| Some((*at, body.at(*at)?))).collect();
    let block_at = |at: u32| starts.binary_search_by_key(&at, |(start, _)| *start).ok().map(|b| b as u32);
    let mut blocks = Vec::with_capacity(starts.len());
    for (number, (start, first)) in starts.iter().enumerate() {
        let last = starts.get(number + 1).map_or(body.all.len(), |(_, first)| *first);
        let Some(closing) = last.checked_sub(1).and_then(|closing| body.all.get(closing)) else { continue };
        let end = closing.end();
        while ways.next_if(|(at, _)| (*at as usize) + 1 < last).is_some() {}
        let way = ways.next_if(|(at, _)| (*at as usize) + 1 == last).map(|(_, way)| way);
        let next = [Some(end), None];
        let (to, goes_anywhere) = match way {
            None => (next, false),
            Some(Successor::To(to)) => ([Some(*to), None], false),
            Some(Successor::ToOrNext(to)) => ([Some(*to), Some(end)], false),
            Some(Successor::Nowhere) => ([None, None], false),
            Some(Successor::Anywhere) => ([None, None], true),
        };
        let successors = to.into_iter().flatten().filter_map(block_at).collect();
        let (first, last) = (*first as u32, last as u32);
        blocks.push(Block {
            start: *start,
            end,
            successors,
            goes_anywhere,
            is_reachable: false,
            first,
            last,
        });
    }
    blocks
}

/// The blocks that the entry leads to, each before those that follow it unless a cycle is closed. Marks them.
fn order(blocks: &mut [Block]) -> Vec<u32> {
    let mut order = Vec::with_capacity(blocks.len());
    if blocks.first().is_none_or(|block| block.start != 0) {
        return order;
    }
    let mut open: Vec<(u32, usize)> = vec![(0, 0)];
    blocks[0].is_reachable = true;
    while let Some((block, next)) = open.last_mut() {
        match blocks[*block as usize].successors.get(*next).copied() {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut blocks[to as usize].is_reachable, true) {
                    open.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
