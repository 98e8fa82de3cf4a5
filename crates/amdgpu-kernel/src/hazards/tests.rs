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
        let text = |hex: &str| decoder.instruction(&bytes_of(hex)).map_or(String::new(), |one| one.to_string());
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
    let families: BTreeSet<HazardFamily> = pairs()
        .filter_map(|pair| HazardFamily::from_isa(Isa::by_name(pair.processor)?))
        .collect();
    let missing: Vec<(&str, HazardFamily)> = HAZARDS
        .iter()
        .flat_map(|row| row.families().each().map(|family| (row.id, family)))
        .filter(|(id, family)| families.contains(family) && !fired.contains(&(*id, *family)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
