//! Pairs of instructions as far apart as LLVM puts them, and nearer; ways, loops, calls; any bytes.
#![allow(clippy::indexing_slicing)] // A test may panic.

use super::{HAZARDS, HazardFamily, NOT_JUDGED, TooClose, WaitStates};
use crate::tests::{KERNELS, bytes_of};
use crate::waits::Undecided;
use crate::{Code, Graph};
use amdgpu_isa::processor::Isa;
use amdgpu_isa::{Decoder, Mode};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What LLVM 22.1.8 puts between two instructions: see oracles/hazard_pairs.py.
const PAIRS: &str = include_str!("pairs.tsv");

fn wait_states(processor: &str, bytes: &[u8]) -> WaitStates {
    let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
    let code = Code::new(decoder, bytes, 0..bytes.len(), 64);
    WaitStates::from_graph(&code, &Graph::from_code(&code))
}

fn too_close(processor: &str, parts: &[&[u8]]) -> Vec<TooClose> {
    let bytes: Vec<u8> = parts.concat();
    let found = wait_states(processor, &bytes);
    assert_eq!(found.undecided(), None);
    found.too_close().to_vec()
}

/// `s_nop`s with so many wait states.
fn nops(states: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut left = states;
    while left > 0 {
        let own = left.min(8);
        bytes.extend((0xbf80_0000 | (own - 1)).to_le_bytes());
        left -= own;
    }
    bytes
}

fn end(processor: &str) -> Vec<u8> {
    let is_new = processor.starts_with("gfx11") || processor.starts_with("gfx12");
    (if is_new { 0xbfb0_0000u32 } else { 0xbf81_0000 }).to_le_bytes().to_vec()
}

struct Pair {
    processor: &'static str,
    states: u32,
    others: Vec<u8>,
    first: Vec<u8>,
    second: Vec<u8>,
    text: String,
}

fn pairs() -> impl Iterator<Item = Pair> {
    PAIRS.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let decoder = Decoder::for_processor(columns[0], Mode::Correct).unwrap();
        let text =
            |hex: &str| decoder.instruction(&bytes_of(hex)).map_or(String::new(), |one| one.to_string());
        Pair {
            processor: columns[0],
            states: columns[1].parse().unwrap(),
            others: bytes_of(columns[2]),
            first: bytes_of(columns[3]),
            second: bytes_of(columns[4]),
            text: format!("{}; {}", text(columns[3]), text(columns[4])),
        }
    })
}

/// Each pair is judged as LLVM judges it: one wait state less is too little, and as many are enough. Each row
/// of the table is among them for each of its families that the list has.
#[test]
fn pairs_are_kept_apart_as_llvm_does() {
    let mut fired = BTreeSet::new();
    let mut wrong = Vec::new();
    for Pair { processor, states, others, first, second, text } in pairs() {
        let end = end(processor);
        let family = HazardFamily::from_isa(Isa::by_name(processor).unwrap()).unwrap();
        let enough = too_close(processor, &[&first, &nops(states), &others, &second, &end]);
        if !enough.is_empty() {
            wrong.push(format!("{processor} {text}: {states} are not enough: {enough:?}"));
        }
        if states == 0 && others.is_empty() {
            continue;
        }
        let too_few = too_close(processor, &[&first, &nops(states.saturating_sub(1)), &second, &end]);
        match &too_few[..] {
            [one] => {
                let needed = one.needed().map_or(0, |needed| needed);
                let is_right = needed == states && one.source() == 0 && one.is_each_time();
                if !is_right || one.states() + 1 != states.max(1) {
                    wrong.push(format!("{processor} {text}: {states}, but {one:?}"));
                }
                fired.insert((one.hazard(), family));
            }
            _ => wrong.push(format!("{processor} {text}: {states}, but {too_few:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let families: BTreeSet<HazardFamily> =
        pairs().filter_map(|pair| HazardFamily::from_isa(Isa::by_name(pair.processor)?)).collect();
    let missing: Vec<(&str, HazardFamily)> = HAZARDS
        .iter()
        .flat_map(|row| row.families().each().map(|family| (row.id, family)))
        .filter(|(id, family)| families.contains(family) && !fired.contains(&(*id, *family)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The words that ways are made of; encodings of llvm-mc 22 for gfx90a.
const MOVE: &str = "0903007e"; // v_mov_b32_e32 v0, v9
const DPP: &str = "fa02027e000000ff"; // v_mov_b32_dpp v1, v0 quad_perm:[0,0,0,0]
const SKIP: &str = "010084bf"; // s_cbranch_scc0 over four bytes
const AGAIN: &str = "fcff84bf"; // s_cbranch_scc0 sixteen bytes back from its end
const CALL: &str = "021e9ebe"; // s_swappc_b64 s[30:31], s[2:3]
const INDEX: &str = "000011bf"; // s_set_gpr_idx_on s0, gpr_idx()
const NOP: &str = "010080bf"; // s_nop 1
const END: &str = "000081bf";

fn of_words(words: &[&str]) -> WaitStates {
    wait_states("gfx90a", &bytes_of(&words.concat()))
}

fn pair_of(words: &[&str]) -> Vec<(u32, u32, u32, bool)> {
    let row = |one: &TooClose| (one.source(), one.user(), one.states(), one.is_each_time());
    of_words(words).too_close().iter().map(row).collect()
}

#[test]
fn states_are_counted_along_all_ways() {
    assert_eq!(pair_of(&[MOVE, DPP, END]), [(0, 4, 0, true)]);
    assert_eq!(pair_of(&[MOVE, NOP, DPP, END]), []);
    // The way around the s_nop has one state, that of the branch.
    assert_eq!(pair_of(&[MOVE, SKIP, NOP, DPP, END]), [(0, 12, 1, false)]);
    assert_eq!(pair_of(&[MOVE, NOP, SKIP, NOP, DPP, END]), []);
    // From the end of a loop to its begin.
    assert_eq!(pair_of(&[NOP, DPP, MOVE, AGAIN, END]), [(12, 4, 1, false)]);
    // What a function does in between is not known.
    assert_eq!(pair_of(&[MOVE, CALL, DPP, END]), []);
}

#[test]
fn registers_that_others_name_are_not_judged() {
    let found = of_words(&[INDEX, MOVE, DPP, END]);
    assert_eq!((found.undecided(), found.too_close()), (Some(Undecided::IndexedRegisters), &[][..]));
}

/// Kernels that compilers made keep everything apart: LLVM's own, of all families.
#[test]
fn kernels_of_a_compiler_have_no_alarm() {
    let mut judged = 0;
    for line in KERNELS.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let found = wait_states(columns[0], &bytes_of(columns[8]));
        assert_eq!(found.too_close(), [], "{line:.60}");
        judged += found.judged();
    }
    assert!(judged > 100, "{judged}");
}

#[test]
fn what_is_not_judged_is_said_with_its_families() {
    assert!(NOT_JUDGED.iter().all(|one| one.families.each().count() > 0 && !one.why.is_empty()));
    let named: BTreeSet<HazardFamily> = NOT_JUDGED.iter().flat_map(|one| one.families.each()).collect();
    assert!(named.contains(&HazardFamily::Gfx125) && named.contains(&HazardFamily::Gfx6));
}

proptest! {
    #[test]
    fn any_words_have_an_answer(words in prop::collection::vec(any::<u32>(), 0..200), which in 0usize..6) {
        let processor = ["gfx600", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1100"][which];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let found = wait_states(processor, &bytes);
        prop_assert!(found.too_close().len() <= found.judged() as usize);
    }
}
