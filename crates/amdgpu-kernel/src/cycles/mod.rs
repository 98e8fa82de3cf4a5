//! Least cycles: for how long each time through a loop keeps each unit of a compute unit busy, at least.
//!
//! Instructions are counted along the way through the loop that keeps the unit least; caches are taken to hold
//! everything, and LDS to be without conflicts. So a loop can take longer, and never less.

mod rates;
#[cfg(test)]
mod tests;

use crate::graph::Graph;
use crate::hazards::{HazardFamily, matrix_passes};
use crate::mix::{Moved, moved_by};
use amdgpu_isa::class::{base, classes_of_number};
use amdgpu_isa::processor::Isa;
use amdgpu_object::answer;
use rates::Rates;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

answer! {
    /// Cycles for which a wave keeps each unit busy, at least.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct LeastCycles {
        /// The matrix unit of a SIMD unit.
        copy matrix: u64,
        /// Its vector unit.
        copy vector: u64,
        /// Its unit of transcendental functions; on processors without one, what they take of the vector unit.
        copy transcendental: u64,
        /// LDS of a compute unit.
        copy lds: u64,
        /// Its vector memory: what its cache gives and takes.
        copy memory: u64,
        /// The wave itself: each instruction but waits is issued on its own.
        copy issue: u64,
    }
}

/// Number of units.
const UNITS: usize = 6;

/// Blocks of a loop that are gone through, at most.
const BLOCKS: usize = 1 << 12;

impl LeastCycles {
    /// Of each time through a loop of a kernel, by its index; nothing where there are no rates of the processor.
    pub fn of_loop(graph: &Graph, number: usize, processor: &str, lanes: u32) -> Option<LeastCycles> {
        let costs = Costs::of_processor(processor, lanes)?;
        let own = graph.loops().get(number)?;
        let inside: Vec<u32> = graph.numbers_of_loop(number).collect();
        if inside.len() > BLOCKS {
            return None;
        }
        let cost = |block: u32| {
            let mut sum = [0; UNITS];
            for (_, mnemonic) in graph.of_block(&graph.blocks()[block as usize]) {
                costs.of(mnemonic).iter().zip(&mut sum).for_each(|(own, sum)| *sum += own);
            }
            (block, sum)
        };
        let blocks: BTreeMap<u32, [u64; UNITS]> = inside.into_iter().map(cost).collect();
        let least = |unit: usize| shortest(graph, own.header(), &blocks, unit);
        let [matrix, vector, transcendental, lds, memory, issue] = [0, 1, 2, 3, 4, 5].map(least);
        Some(LeastCycles { matrix, vector, transcendental, lds, memory, issue })
    }

    /// The unit that is kept longest, with its cycles.
    pub fn most(&self) -> (&'static str, u64) {
        let units = [
            ("matrix", self.matrix),
            ("vector", self.vector),
            ("transcendental", self.transcendental),
            ("LDS", self.lds),
            ("memory", self.memory),
            ("issue", self.issue),
        ];
        units.into_iter().rev().max_by_key(|(_, cycles)| *cycles).unwrap_or_default()
    }
}

/// The least sum over the blocks of a way from the header around to it.
fn shortest(graph: &Graph, header: u32, blocks: &BTreeMap<u32, [u64; UNITS]>, unit: usize) -> u64 {
    let cost = |block: u32| blocks.get(&block).map(|costs| costs[unit]);
    let mut open = BinaryHeap::from([Reverse((cost(header).unwrap_or(0), header))]);
    let mut done: BTreeMap<u32, u64> = BTreeMap::new();
    while let Some(Reverse((sum, block))) = open.pop() {
        if done.contains_key(&block) {
            continue;
        }
        done.insert(block, sum);
        for to in graph.blocks()[block as usize].successors() {
            if *to == header {
                return sum;
            }
            if let Some(more) = cost(*to) {
                open.push(Reverse((sum + more, *to)));
            }
        }
    }
    0
}

/// What instructions take of the units of a processor.
struct Costs {
    rates: Rates,
    family: HazardFamily,
    lanes: u32,
}

impl Costs {
    fn of_processor(processor: &str, lanes: u32) -> Option<Costs> {
        let isa = Isa::by_name(processor)?;
        let family = HazardFamily::from_isa(isa)?;
        let rates = rates::of_family(family, isa.has("full-rate-64-ops"), isa.has("half-rate-64-ops"))?;
        Some(Costs { rates, family, lanes })
    }

    fn of(&self, mnemonic: u16) -> [u64; UNITS] {
        let name = amdgpu_isa::mnemonic(mnemonic);
        let each = self.rates.vector[usize::from(self.lanes == 64)];
        let [mut matrix, mut vector, mut transcendental, mut lds, mut memory] = [0; 5];
        let is = |id: &str| {
            amdgpu_isa::class::Class::by_id(id)
                .is_some_and(|(bit, _)| classes_of_number(mnemonic) >> bit & 1 == 1)
        };
        let moved = moved_by(mnemonic, self.lanes);
        match moved {
            Moved::Lds(bytes) => lds = bytes.div_ceil(self.rates.lds).max(1),
            Moved::Memory(bytes) => memory = bytes.div_ceil(self.rates.cache).max(1),
            Moved::Nothing if name.starts_with("v_") => {
                let own = matrix_passes(mnemonic, self.family).map(|passes| passes * 4);
                if let Some(cycles) = own.or_else(|| rates::wave_product(name, self.family)) {
                    matrix = cycles;
                } else if is("transcendental") && !name.starts_with("v_s_") {
                    transcendental = each * self.rates.transcendental;
                    vector = if self.rates.has_own_transcendental { each } else { transcendental };
                } else {
                    vector = each * self.times(base(name));
                }
            }
            Moved::Nothing => {}
        }
        let waits = ["s_wait", "s_nop", "s_delay", "s_clause", "s_sleep", "s_barrier", "s_set_inst_prefetch"];
        let is_free = waits.iter().any(|wait| name.starts_with(wait));
        let issue = if is_free { 0 } else { self.rates.vector[0] };
        [matrix, vector, transcendental, lds, memory, issue].map(u64::from)
    }

    /// Times as many cycles as a vector instruction of 32 bits.
    fn times(&self, name: &str) -> u32 {
        match name {
            "v_add_f64" | "v_max_f64" | "v_min_f64" => self.rates.double[0],
            "v_fma_f64" | "v_fmac_f64" | "v_mul_f64" => self.rates.double[1],
            _ => 1,
        }
    }
}
