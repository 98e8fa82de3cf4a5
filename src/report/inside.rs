//! Makes the report on the inside of a kernel.

use super::v1::{
    CardBalance, InstructionMix, KernelBlock, KernelInside, KernelInstruction, KernelJump, KernelLoop,
    KernelOccupancy, LeastUnitCycles, NextOccupancy, Reduction, RegisterUse,
};
use crate::codeobject::listing::KeptCode;
use crate::isa::class::Class;
use crate::isa::processor::Isa;
use crate::isa::{Decoder, Mode};
use crate::kernel::cycles::LeastCycles;
use crate::kernel::occupancy::{Demand, Occupancy, lanes};
use crate::kernel::{BlockMix, Code, Graph, Liveness, Peak, Registers, Rule, Through, kind_of};
use crate::target::product::{Product, products};
use crate::target::rates::UnitRates;

/// Analyses a kernel whose code was kept; `None` if the processor's instructions are unknown.
///
/// A kernel that `only_traps` has no occupancy: its registers and LDS are those of no work, and the number
/// would be that of a fast one.
pub(super) fn analyse_kernel(processor: &str, kept: &KeptCode, only_traps: bool) -> Option<KernelInside> {
    let decoder = Decoder::for_processor(processor, Mode::Correct)?;
    let lanes = match kept.descriptor() {
        Some(descriptor) => lanes(processor, descriptor),
        None if processor.starts_with("gfx1") => 32,
        None => 64,
    };
    let code = Code::new(decoder, kept.bytes(), 0..kept.bytes().len(), lanes);
    let graph = Graph::from_code(&code);
    let strong = Liveness::from_graph(&graph, Rule::EveryWrite);
    let safe = Liveness::along_of(&graph, Rule::FullMask);
    let given = kept.descriptor().and_then(|own| Demand::of_descriptor(processor, own, kept.stated()));
    let jump = |one: &Through| KernelJump { offset: one.offset(), target: one.target() };
    Some(KernelInside {
        lanes,
        target_has: target_has(processor),
        balance: balance(processor),
        occupancy: given
            .as_ref()
            .filter(|_| !only_traps)
            .map(|(hardware, demand)| occupancy(&Occupancy::on_hardware(hardware, demand), demand)),
        registers: registers(given.map(|(_, demand)| demand), &strong, &safe),
        blocks: blocks(&graph, &safe),
        loops: loops(&graph, processor, lanes),
        instructions: instructions(&code, &graph, &safe),
        calls: graph.calls().iter().map(jump).collect(),
        indirect: graph.indirect().iter().map(jump).collect(),
        limits: limits(&graph, &safe),
    })
}

/// Products of the processor's instructions that a loop may use.
fn target_has(processor: &str) -> Vec<&'static str> {
    let has = Isa::by_name(processor).map_or(0, Isa::classes);
    let uses =
        |ids: &[&str]| ids.iter().filter_map(|id| Class::by_id(id)).any(|(bit, _)| has >> bit & 1 == 1);
    let rows = [("matrix", &["mfma", "wmma"][..]), ("dot", &["dot"])];
    rows.into_iter().filter(|(_, ids)| uses(ids)).map(|(name, _)| name).collect()
}

/// What cards with the processor compute while their memory brings a byte.
fn balance(processor: &str) -> Option<CardBalance> {
    let rates = UnitRates::of_processor(processor)?;
    let of_card = |card: &Product| {
        let clocks = f64::from(card.compute_units()?) * f64::from(card.clock_mhz()?) * 1e6;
        Some(clocks * f64::from(rates.f32_vector()) / card.bandwidth()? as f64)
    };
    let cards = products().iter().filter(|card| card.processor() == processor);
    let all: Vec<f64> = cards.filter_map(of_card).collect();
    let least = all.iter().copied().reduce(f64::min)?;
    Some(CardBalance { least, most: all.iter().copied().fold(least, f64::max) })
}

fn occupancy(own: &Occupancy, demand: &Demand) -> KernelOccupancy {
    let next = own.next_step().map(|next| NextOccupancy {
        waves: next.waves(),
        reductions: next
            .reductions()
            .iter()
            .map(|one| Reduction { what: one.limiter().name(), less: one.less() })
            .collect(),
    });
    KernelOccupancy {
        waves: own.waves(),
        most: own.most(),
        waves_with_lds_granule: own.waves_with_lds_granule(),
        limited_by: own.limiters().map(|limiter| limiter.name()).collect(),
        workgroup: demand.workgroup_sizes().1,
        lds: demand.lds_bytes(),
        next,
    }
}

fn registers(given: Option<Demand>, strong: &Liveness, safe: &Liveness) -> Vec<RegisterUse> {
    type Count = fn(&Registers) -> u16;
    let row =
        |file, given: Option<u32>, highest: Count, strong: Peak, safe: Peak, all: &Liveness| RegisterUse {
            file,
            given,
            highest: highest(&all.highest()),
            live: strong.count(),
            live_at: strong.offset(),
            live_with_exec: safe.count(),
            live_with_exec_at: safe.offset(),
        };
    let (low, high) = (strong.at(), safe.at());
    let mut rows = vec![
        row("vgpr", given.map(|d| d.vgpr_count()), Registers::vgprs, low.vgprs(), high.vgprs(), safe),
        row("agpr", given.map(|d| d.agpr_count()), Registers::agprs, low.agprs(), high.agprs(), safe),
        row("sgpr", given.map(|d| d.sgpr_count()), Registers::sgprs, low.sgprs(), high.sgprs(), safe),
    ];
    rows.retain(|row| row.file != "agpr" || row.highest > 0 || row.given.is_some_and(|given| given > 0));
    rows
}

fn blocks(graph: &Graph, safe: &Liveness) -> Vec<KernelBlock> {
    let start = |block: &u32| graph.blocks().get(*block as usize).map_or(0, |block| block.start());
    let mut along = safe.along().iter();
    let block = |(number, block): (usize, &crate::kernel::Block)| {
        let own = along.by_ref().take(block.instructions() as usize);
        KernelBlock {
            offset: block.start(),
            bytes: block.end() - block.start(),
            instructions: block.instructions(),
            successors: block.successors().iter().map(start).collect(),
            goes_anywhere: block.goes_anywhere(),
            reachable: block.is_reachable(),
            depth: graph.depth(number),
            live_vgprs: own.map(Registers::vgprs).max().unwrap_or(0),
        }
    };
    graph.blocks().iter().enumerate().map(block).collect()
}

/// Instructions that a report lists at most: more than any kernel of the libraries that were looked into has.
const INSTRUCTIONS: usize = 1 << 17;

fn instructions(code: &Code<'_>, graph: &Graph, safe: &Liveness) -> Vec<KernelInstruction> {
    let one = |((offset, _, mnemonic), live): ((u32, u32, u16), &Registers)| KernelInstruction {
        offset,
        text: code.instruction(offset).map_or_else(String::new, |found| found.to_string()),
        kind: kind_of(mnemonic),
        live_vgprs: live.vgprs(),
        live_agprs: live.agprs(),
        live_sgprs: live.sgprs(),
    };
    graph.each().zip(safe.along()).take(INSTRUCTIONS).map(one).collect()
}

fn loops(graph: &Graph, processor: &str, lanes: u32) -> Vec<KernelLoop> {
    let one = |(number, own): (usize, &crate::kernel::Loop)| KernelLoop {
        offset: own.offset(),
        back: own.back().to_vec(),
        depth: own.depth(),
        parent: own.parent().and_then(|at| graph.loops().get(at as usize)).map(|parent| parent.offset()),
        blocks: own.blocks(),
        mix: mix(&BlockMix::count(graph, lanes, graph.blocks_of_loop(number))),
        least_cycles: LeastCycles::of_loop(graph, number, processor, lanes).map(|own| least(&own)),
    };
    graph.loops().iter().enumerate().map(one).collect()
}

fn least(own: &LeastCycles) -> LeastUnitCycles {
    let (unit, least) = own.most();
    LeastUnitCycles {
        matrix: own.matrix(),
        vector: own.vector(),
        transcendental: own.transcendental(),
        lds: own.lds(),
        memory: own.memory(),
        issue: own.issue(),
        least,
        unit,
    }
}

fn mix(own: &BlockMix) -> InstructionMix {
    InstructionMix {
        instructions: own.instructions(),
        matrix: own.matrix(),
        dot: own.dot(),
        vector: own.vector(),
        scalar: own.scalar(),
        vector_memory: own.vector_memory(),
        scalar_memory: own.scalar_memory(),
        lds: own.lds(),
        scratch: own.scratch(),
        waits: own.waits(),
        barriers: own.barriers(),
        branches: own.branches(),
        bytes_loaded: own.bytes_loaded(),
        bytes_stored: own.bytes_stored(),
        lds_bytes: own.lds_bytes(),
        operations: own.operations(),
    }
}

/// What the analysis could not follow, in sentences.
fn limits(graph: &Graph, safe: &Liveness) -> Vec<String> {
    let unknown = graph.blocks().iter().filter(|block| block.goes_anywhere()).count();
    let unfollowed = graph.calls().iter().filter(|call| call.target().is_none()).count();
    let said = [
        (unknown, "jumps through registers lead to where is not known: what follows them is missing"),
        (unfollowed, "calls go to where is not known"),
        (graph.external().len(), "branches lead out of the kernel"),
        (graph.misplaced().len(), "branches lead to where no instruction begins"),
        (graph.unknown_words() as usize, "words are no instruction of the target"),
        (graph.irreducible().len(), "edges close cycles that are no natural loops"),
        (usize::from(graph.loops_are_unknown()), "kernel is too entangled for its loops to be looked for"),
        (
            usize::from(safe.is_cut_off()),
            "kernel is too entangled: fewer registers are counted than are in use",
        ),
    ];
    let mut limits: Vec<String> = said
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if graph.instructions() > INSTRUCTIONS {
        limits.push(format!("{} instructions are not listed", graph.instructions() - INSTRUCTIONS));
    }
    if graph.names_registers_by_index() {
        limits.push("Some registers are named by an index: more can be in use than is counted".to_owned());
    }
    if !graph.calls().is_empty() {
        limits.push("What called functions use beside their arguments is not counted".to_owned());
    }
    limits
}
