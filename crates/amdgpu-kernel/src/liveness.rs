//! Registers in use: at each instruction, which registers hold a value that may still be read.
//!
//! A value is in use from where it is written to where it is last read. [`Rule::EveryWrite`] is the published
//! rule of AMD's Radeon GPU Analyzer ("Live VGPR Analysis", gpuopen.com): a read is carried up the graph
//! until a write is met. [`Rule::FullMask`] knows EXEC: a vector write that only some lanes may take part in
//! leaves the others as they were, so that the old value is in use before it. The first is a lower bound of
//! what has to be given, the second is safe.

use crate::block::Predecessors;
use crate::body::{KernelBody, One};
use crate::graph::Graph;
use crate::mnemonics::flag;
use crate::units::{Layout, Unit, registers_of_halves};
use amdgpu_object::answer;
use std::collections::VecDeque;

/// What ends the use of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Every write to its register.
    EveryWrite,
    /// A write that reaches every lane; all scalar writes do.
    FullMask,
}

/// Numbers of registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Registers {
    counts: [u16; 3],
}

impl Registers {
    /// Vector registers. A register counts whole where only its half is in use.
    pub fn vgprs(&self) -> u16 {
        self.counts[0]
    }

    /// Accumulation registers.
    pub fn agprs(&self) -> u16 {
        self.counts[1]
    }

    /// Scalar registers.
    pub fn sgprs(&self) -> u16 {
        self.counts[2]
    }
}

answer! {
    /// The most registers of a file that are in use at once, and the offset of the first instruction where
    /// that is so.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Peak {
        /// Registers.
        copy count: u16,
        /// Offset from the begin of the kernel in bytes.
        copy offset: u32,
    }
}

answer! {
    /// Peaks of each file.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Peaks {
        /// Of vector registers.
        copy vgprs: Peak,
        /// Of accumulation registers.
        copy agprs: Peak,
        /// Of scalar registers.
        copy sgprs: Peak,
    }
}

answer! {
    /// Registers in use along a kernel.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Liveness {
        /// The most before an instruction.
        copy before: Peaks,
        /// The most at an instruction: in use behind it, or written by it. A result without a reader counts
        /// here only.
        copy at: Peaks,
        /// In use at the entry. More vector registers than work-item ids, or more scalar registers than the
        /// dispatch sets, may be read without having been written, or are written and read under conditions
        /// that are the same.
        copy entry: Registers,
        /// The number of the register behind the highest that is named.
        copy highest: Registers,
        /// Registers that are named at all.
        copy named: Registers,
        /// In use at each instruction, in the order of the code; nothing where that was not asked for.
        list along: Registers,
        /// Whether the analysis was stopped, because it would take more steps than are believed of the size:
        /// the numbers are too small then.
        copy is_cut_off: bool,
    }
}

/// Registers that a called function is taken to read: arguments, and what the calling convention gives it
/// (LLVM's AMDGPUUsage, "Non-Kernel Functions").
const CALL_VGPRS: u16 = 32;
const CALL_SGPRS: u16 = 34;

/// How often each block may be looked at, before the analysis is stopped. Compiled kernels need fewer than
/// ten.
const VISITS: usize = 512;

/// Words of sets that are looked at in all, before the analysis is stopped: a second or so. The longest known
/// kernels need some million.
const STEPS: usize = 1 << 28;

/// Words of a set for each block: 64 MiB in each of three sets. The longest known kernels have a hundredth.
const MOST_WORDS: usize = 8 << 20;

impl Liveness {
    /// Of a kernel, by a rule.
    pub fn from_graph(graph: &Graph, rule: Rule) -> Liveness {
        Analysis::new(graph, rule).run(false)
    }

    /// Of a kernel by both rules. The second costs nothing where EXEC is never less than it was at the entry.
    pub fn by_both(graph: &Graph) -> [Liveness; 2] {
        let strong = Liveness::from_graph(graph, Rule::EveryWrite);
        let is_same = graph.body.all.iter().zip(graph.full_masks()).all(|(one, full)| {
            *full || graph.body.writes(one).iter().all(|span| span.file() == Unit::Scalar)
        });
        let weak = if is_same { strong.clone() } else { Liveness::from_graph(graph, Rule::FullMask) };
        [strong, weak]
    }

    /// The same with what is in use at each instruction.
    pub fn along_of(graph: &Graph, rule: Rule) -> Liveness {
        Analysis::new(graph, rule).run(true)
    }
}

struct Analysis<'g> {
    graph: &'g Graph,
    body: &'g KernelBody,
    layout: Layout,
    /// For each instruction whether its vector writes reach every lane; empty where all do.
    is_full: &'g [bool],
    /// What every call reads.
    calls: Vec<u64>,
    highest: Registers,
    named: Registers,
}

impl<'g> Analysis<'g> {
    fn new(graph: &'g Graph, rule: Rule) -> Self {
        let body = &graph.body;
        let highest = body.highest.0;
        let layout = Layout::for_registers(highest[0], highest[1]);
        let named = graph.named(&layout);
        let calls = if graph.calls.is_empty() { Vec::new() } else { call_reads(&layout, named) };
        let is_full = match rule {
            Rule::EveryWrite => &[],
            Rule::FullMask => graph.full_masks(),
        };
        let named = Registers { counts: counted(&layout, named) };
        Analysis { graph, body, layout, is_full, calls, highest: Registers { counts: highest }, named }
    }

    /// Whether a write of the instruction ends what was in a register of this file.
    #[inline]
    fn ends(&self, at: usize, one: &One, file: Unit) -> bool {
        if file == Unit::Scalar {
            return true;
        }
        let reaches_all = self.is_full.get(at).is_none_or(|full| *full) || one.has(flag::IGNORES_EXEC);
        reaches_all && !one.has(flag::IS_PARTIAL)
    }

    fn run(&self, wants_all: bool) -> Liveness {
        let mut walk = Walk::over_layout(&self.layout);
        let mut along = if wants_all { vec![Registers::default(); self.body.all.len()] } else { Vec::new() };
        if self.graph.blocks.len().saturating_mul(self.layout.words()) > MOST_WORDS {
            return self.result(&walk, along, true);
        }
        let (outs, is_cut_off) = self.solve();
        for (number, block) in self.graph.blocks.iter().enumerate() {
            if !block.is_reachable {
                continue;
            }
            let words = self.layout.words();
            walk.start(&self.layout, &outs[number * words..(number + 1) * words]);
            for at in block.numbers().rev() {
                let one = &self.body.all[at];
                let behind = walk.back(self, at, one);
                if let Some(place) = along.get_mut(at) {
                    *place = Registers { counts: behind };
                }
            }
            if number == 0 {
                walk.entry = walk.counts;
            }
        }
        self.result(&walk, along, is_cut_off)
    }

    fn result(&self, walk: &Walk, along: Vec<Registers>, is_cut_off: bool) -> Liveness {
        Liveness {
            before: walk.before.peaks(),
            at: walk.at.peaks(),
            entry: Registers { counts: walk.entry.map(|count| count as u16) },
            highest: self.highest,
            named: self.named,
            along,
            is_cut_off,
        }
    }

    /// What is in use behind each block, in words for each.
    fn solve(&self) -> (Vec<u64>, bool) {
        let words = self.layout.words();
        let blocks = &self.graph.blocks;
        let (mut reads, mut kills) = (vec![0u64; blocks.len() * words], vec![0u64; blocks.len() * words]);
        for (number, block) in blocks.iter().enumerate() {
            let own = number * words..(number + 1) * words;
            self.effects(block.numbers(), &mut reads[own.clone()], &mut kills[own]);
        }
        let mut outs = vec![0u64; blocks.len() * words];
        // What is in use before each block; the reads are not asked for again.
        let mut ins = reads;
        let all = Predecessors::index(blocks, |_| true);
        let mut open: VecDeque<u32> = self.graph.order.iter().rev().copied().collect();
        let mut is_open: Vec<bool> = blocks.iter().map(|block| block.is_reachable).collect();
        let mut visits = blocks.len().saturating_mul(VISITS).min(STEPS / words.max(1));
        while let Some(number) = open.pop_front() {
            let number = number as usize;
            is_open[number] = false;
            let Some(left) = visits.checked_sub(1) else { return (outs, true) };
            visits = left;
            let own = number * words;
            let mut changed = false;
            for word in 0..words {
                let next = blocks[number].successors.iter();
                let out = next.fold(0, |all, to| all | ins[*to as usize * words + word]);
                outs[own + word] = out;
                let before = ins[own + word];
                let now = before | (out & !kills[own + word]);
                changed |= now != before;
                ins[own + word] = now;
            }
            if changed {
                for from in all.to(number) {
                    if blocks[*from as usize].is_reachable
                        && !std::mem::replace(&mut is_open[*from as usize], true)
                    {
                        open.push_back(*from);
                    }
                }
            }
        }
        (outs, false)
    }

    /// What a row of instructions reads of what was there before, and what it ends.
    fn effects(&self, numbers: std::ops::Range<usize>, reads: &mut [u64], kills: &mut [u64]) {
        for at in numbers.rev() {
            let one = &self.body.all[at];
            for span in self.body.writes(one) {
                if self.ends(at, one, span.file()) {
                    self.layout.each(*span, |word, bits| {
                        kills[word] |= bits;
                        reads[word] &= !bits;
                    });
                }
            }
            for span in self.body.reads(one) {
                self.layout.each(*span, |word, bits| reads[word] |= bits);
            }
            if one.is_call() {
                reads.iter_mut().zip(&self.calls).for_each(|(own, call)| *own |= call);
            }
        }
    }
}

/// What of the named registers a call reads.
fn call_reads(layout: &Layout, named: &[u64]) -> Vec<u64> {
    let vectors = layout.of_file(Unit::Vector);
    let scalars = layout.of_file(Unit::Scalar);
    let mut clean = vec![0; named.len()];
    for word in vectors.take(usize::from(CALL_VGPRS) * 2 / 64) {
        clean[word] = named[word];
    }
    let first = scalars.start;
    clean[first] = named[first] & ((1 << CALL_SGPRS) - 1);
    clean
}

/// How many registers a word has more where some units are added. Counting bits is slow on processors that
/// are not asked whether they can do it, and mostly all units of whole registers are new, or none is.
#[inline]
fn gained(file: Unit, is_whole: bool, old: u64, bits: u64) -> u32 {
    let new = bits & !old;
    if new == 0 {
        return 0;
    }
    if is_whole && new == bits {
        // Units of a span follow each other.
        let units = 64 - new.leading_zeros() - new.trailing_zeros();
        return if file == Unit::Scalar { units } else { units / 2 };
    }
    match file {
        Unit::Scalar => new.count_ones(),
        Unit::Vector | Unit::Accumulation => registers_of_halves(old | bits) - registers_of_halves(old),
    }
}

fn counted(layout: &Layout, set: &[u64]) -> [u16; 3] {
    let halves = |file: Unit| layout.of_file(file).map(|word| registers_of_halves(set[word])).sum::<u32>();
    let scalars: u32 = layout.of_file(Unit::Scalar).map(|word| set[word].count_ones()).sum();
    [halves(Unit::Vector) as u16, halves(Unit::Accumulation) as u16, scalars as u16]
}

/// The most of each file so far, with offsets.
#[derive(Default)]
struct Most([(u32, u32); 3]);

impl Most {
    #[inline]
    fn note(&mut self, counts: [u32; 3], offset: u32) {
        for (most, count) in self.0.iter_mut().zip(counts) {
            if count > most.0 || count == most.0 && offset < most.1 {
                *most = (count, offset);
            }
        }
    }

    fn peaks(&self) -> Peaks {
        let [vgprs, agprs, sgprs] = self.0.map(|(count, offset)| Peak { count: count as u16, offset });
        Peaks { vgprs, agprs, sgprs }
    }
}

/// The walk over a block from its end.
struct Walk {
    set: Vec<u64>,
    counts: [u32; 3],
    before: Most,
    at: Most,
    entry: [u32; 3],
}

impl Walk {
    fn over_layout(layout: &Layout) -> Walk {
        let set = vec![0; layout.words()];
        Walk { set, counts: [0; 3], before: Most::default(), at: Most::default(), entry: [0; 3] }
    }

    fn start(&mut self, layout: &Layout, out: &[u64]) {
        self.set.copy_from_slice(out);
        self.counts = counted(layout, &self.set).map(u32::from);
    }

    /// Goes over one instruction backwards. Gives what is in use at it.
    #[inline]
    fn back(&mut self, analysis: &Analysis<'_>, at: usize, one: &One) -> [u16; 3] {
        let Walk { set, counts, .. } = self;
        let mut written = *counts;
        for span in analysis.body.writes(one) {
            let file = span.file();
            let (is_whole, ends) = (span.is_whole(), analysis.ends(at, one, file));
            analysis.layout.each(*span, |word, bits| {
                let old = set[word];
                written[file as usize] += gained(file, is_whole, old, bits);
                if ends {
                    let left = old & !bits;
                    counts[file as usize] -= gained(file, is_whole && old & bits == bits, left, old & bits);
                    set[word] = left;
                }
            });
        }
        self.at.note(written, one.offset);
        for span in analysis.body.reads(one) {
            let (file, is_whole) = (span.file(), span.is_whole());
            analysis.layout.each(*span, |word, bits| {
                let old = set[word];
                counts[file as usize] += gained(file, is_whole, old, bits);
                set[word] = old | bits;
            });
        }
        if one.is_call() {
            set.iter_mut().zip(&analysis.calls).for_each(|(own, call)| *own |= call);
            *counts = counted(&analysis.layout, set).map(u32::from);
        }
        self.before.note(*counts, one.offset);
        [written[0] as u16, written[1] as u16, written[2] as u16]
    }
}
