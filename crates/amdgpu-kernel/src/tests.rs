//! Real kernels with what independent programs find in them, kernels that are not what they should be, and
//! any bytes at all.
#![allow(clippy::indexing_slicing)] // A test may panic.

use crate::waits::Waits;
use crate::{BlockMix, Code, Graph, Liveness, Peaks, Rule};
use amdgpu_isa::{Decoder, Mode};
use proptest::prelude::*;

/// Bytes that are written in hexadecimal.
pub(crate) fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

pub(crate) const KERNELS: &str = include_str!("kernels.tsv");

fn graph(processor: &str, lanes: u32, bytes: &[u8]) -> Graph {
    let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
    Graph::from_code(&Code::new(decoder, bytes, 0..bytes.len(), lanes))
}

fn of_words(processor: &str, words: &[u32]) -> Graph {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    graph(processor, 64, &bytes)
}

fn blocks(graph: &Graph) -> String {
    let start = |to: &u32| graph.blocks()[*to as usize].start().to_string();
    let one = |block: &crate::Block| {
        let to: Vec<String> = block.successors().iter().map(start).collect();
        format!("{}-{}>{}", block.start(), block.end(), to.join(","))
    };
    graph.blocks().iter().map(one).collect::<Vec<_>>().join(";")
}

fn peaks(peaks: Peaks) -> String {
    let [v, a, s] =
        [peaks.vgprs(), peaks.agprs(), peaks.sgprs()].map(|one| format!("{}@{}", one.count(), one.offset()));
    format!("v{v};a{a};s{s}")
}

#[test]
fn real_kernels_are_what_independent_programs_find() {
    let mut seen = 0;
    for line in KERNELS.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let bytes = bytes_of(columns[8]);
        let graph = graph(columns[0], columns[1].parse().unwrap(), &bytes);
        let loops: Vec<String> = graph
            .loops()
            .iter()
            .map(|own| format!("{}:{}:{}", own.offset(), own.depth(), own.blocks()))
            .collect();
        let target = |target: Option<i64>| target.map_or_else(|| "None".to_owned(), |to| to.to_string());
        let calls: Vec<String> =
            graph.calls().iter().map(|call| format!("{}>{}", call.offset(), target(call.target()))).collect();
        let found = [
            blocks(&graph),
            loops.join(";"),
            calls.join(";"),
            peaks(Liveness::from_graph(&graph, Rule::EveryWrite).at()),
            peaks(Liveness::from_graph(&graph, Rule::FullMask).at()),
        ];
        assert_eq!(found, columns[3..8], "{} {}", columns[0], columns[2]);
        for (number, own) in graph.loops().iter().enumerate() {
            assert_eq!(graph.blocks_of_loop(number).count(), own.blocks() as usize);
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// Words of gfx906 by llvm-mc 22: s_branch N is 0xbf82 with N, s_cbranch_scc0 0xbf84, s_endpgm 0xbf810000,
/// s_nop 0xbf800000.
#[test]
fn branches_that_lead_nowhere_are_said() {
    // Out of the kernel behind and before it, and into the literal of s_mov_b32 s0, 0x12345678.
    let outside = of_words("gfx906", &[0xbf84_0010, 0xbf84_fff0, 0xbf81_0000]);
    assert_eq!(outside.external(), [(0, 68), (4, -56)]);
    assert_eq!(blocks(&outside), "0-4>4;4-8>8;8-12>");
    let inside = of_words("gfx906", &[0xbf84_0001, 0xbe80_00ff, 0x1234_5678, 0xbf81_0000]);
    assert_eq!(inside.misplaced(), [8]);
    assert_eq!(blocks(&inside), "0-4>4;4-16>");
    // A jump to itself is a loop without an end; what follows it is not reached.
    let endless = of_words("gfx906", &[0xbf82_ffff, 0xbf81_0000]);
    assert_eq!((endless.loops().len(), endless.blocks()[1].is_reachable()), (1, false));
}

/// A cycle with two entries: the entry leads to both of its blocks.
#[test]
fn a_cycle_that_is_entered_twice_is_no_loop() {
    let graph = of_words("gfx906", &[0xbf84_0001, 0xbf80_0000, 0xbf84_fffe, 0xbf81_0000]);
    assert_eq!(blocks(&graph), "0-4>8,4;4-8>8;8-12>4,12;12-16>");
    assert_eq!((graph.loops().len(), graph.irreducible().len()), (0, 1));
    assert!(Liveness::from_graph(&graph, Rule::FullMask).at().vgprs().count() == 0);
}

/// Each instruction branches far back or on: dominators and registers in use take the most steps, and are
/// bounded.
#[test]
fn a_tangle_of_branches_ends() {
    let count = 4_000u32;
    let words: Vec<u32> = (0..count)
        .flat_map(|at| {
            let back = (at.wrapping_mul(7919) % 6_000) as u16;
            // v_mov_b32 of one register to another keeps all of them in use.
            [
                0x7e00_0300 | ((at % 200) << 17) | (at * 31 % 200),
                0xbf84_0000 | u32::from(back.wrapping_sub(3_000)),
            ]
        })
        .collect();
    let graph = of_words("gfx906", &words);
    let found = Liveness::from_graph(&graph, Rule::FullMask);
    assert!(graph.blocks().len() > 2_000 && found.at().vgprs().count() <= 256);
}

/// Ten megabytes in one kernel: without a branch, and with one at every second word, to the next, far back,
/// out, or into the middle of an instruction. It ends, and what could not be said is said.
#[test]
fn kernels_of_ten_megabytes_end() {
    const WORDS: usize = 10 << 18;
    let straight: Vec<u32> =
        (0..WORDS as u32).map(|at| 0x7e00_0300 | (at % 200) << 17 | (at * 31 % 200)).collect();
    let plain = of_words("gfx90a", &straight);
    let found = Liveness::from_graph(&plain, Rule::FullMask);
    assert_eq!((plain.blocks().len(), plain.instructions(), found.is_cut_off()), (1, WORDS, false));
    // Unoptimized, a tenth of it takes as long.
    let tangle = if cfg!(debug_assertions) { WORDS / 10 } else { WORDS };
    let tangled: Vec<u32> = (0..tangle as u32)
        .map(|at| match at % 4 {
            0 => 0x7e00_0300 | (at % 200) << 17 | (at * 31 % 200),
            1 => 0xbf84_0000 | at.wrapping_mul(7919) >> 3 & 0xffff,
            2 => 0xbe80_00ff,
            _ => 0xbf84_0000 | at & 0xffff,
        })
        .collect();
    let graph = of_words("gfx90a", &tangled);
    let [strong, safe] = Liveness::by_both(&graph);
    assert!(
        graph.blocks().len() > tangle / 5 && !graph.misplaced().is_empty() && !graph.external().is_empty()
    );
    assert!(graph.loops_are_unknown() || !graph.irreducible().is_empty());
    assert!(safe.is_cut_off() || strong.at().vgprs().count() <= safe.at().vgprs().count());
}

proptest! {
    /// Any bytes of any processor: blocks lie in order and in the kernel, loops in each other, and no more is
    /// in use than is named.
    #[test]
    fn any_bytes_have_a_graph(
        which in 0usize..60, wide: bool, mut bytes in proptest::collection::vec(any::<u8>(), 0..600), branches: u64,
    ) {
        let all = amdgpu_isa::processor::all();
        let processor = all[which % all.len()].name;
        // Scalar operations with branches among them, which random words seldom are.
        for (at, word) in bytes.chunks_exact_mut(4).enumerate() {
            if branches >> (at % 64) & 1 == 1 {
                word[3] = 0xbf;
                word[2] = 0x80 | word[2] & 0x3f;
                word[1] = if word[1] & 1 == 0 { 0 } else { 0xff };
            }
        }
        let lanes = if wide { 64 } else { 32 };
        let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
        let code = Code::new(decoder, &bytes, 0..bytes.len(), lanes);
        let graph = Graph::from_code(&code);
        let waits = Waits::from_graph(&code, &graph);
        prop_assert!(waits.missing().iter().all(|one| graph.block_at(one.user()).is_some()));
        let mut end = 0;
        for block in graph.blocks() {
            prop_assert!(block.start() >= end && block.end() > block.start());
            end = block.end();
            for to in block.successors() {
                prop_assert!((*to as usize) < graph.blocks().len());
            }
            prop_assert_eq!(graph.block_at(block.start()).map(|at| graph.blocks()[at].start()), Some(block.start()));
        }
        for own in graph.loops() {
            prop_assert!(own.depth() >= 1 && own.blocks() >= 1);
            let parent = own.parent().map(|at| graph.loops()[at as usize].depth());
            prop_assert_eq!(parent.unwrap_or(0) + 1, own.depth());
        }
        let strong = Liveness::from_graph(&graph, Rule::EveryWrite);
        let safe = Liveness::along_of(&graph, Rule::FullMask);
        prop_assert_eq!(safe.along().len(), graph.instructions());
        let named = strong.named();
        for (low, high) in [(strong.at(), safe.at()), (strong.before(), safe.before())] {
            prop_assert!(low.vgprs().count() <= high.vgprs().count() && high.vgprs().count() <= named.vgprs());
            prop_assert!(low.agprs().count() <= high.agprs().count() && high.agprs().count() <= named.agprs());
            prop_assert!(low.sgprs().count() <= high.sgprs().count() && high.sgprs().count() <= named.sgprs());
        }
        // What lies before the first block, where the entry is no instruction, is in none.
        let inside: u32 = graph.blocks().iter().map(crate::Block::instructions).sum();
        prop_assert_eq!(BlockMix::count(&graph, lanes, graph.blocks()).instructions(), u64::from(inside));
    }
}
