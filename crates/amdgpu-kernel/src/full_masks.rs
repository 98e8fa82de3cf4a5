//! Where EXEC is provably the mask that the kernel was entered with.

use crate::block::Block;
use crate::body::KernelBody;
use crate::mask::MaskState;
use crate::mnemonics::flag;
use std::collections::VecDeque;

/// How often each block may be looked at, before nothing more is said of EXEC.
const VISITS: usize = 512;

/// Instructions that may be passed in all, before the same: a second or so. The longest known kernels need
/// some million.
const STEPS: usize = 1 << 26;

/// Where EXEC is the mask of the entry, for each instruction that writes vector registers.
pub(crate) fn full_masks(body: &KernelBody, blocks: &[Block], order: &[u32]) -> Vec<bool> {
    let mut is_full = vec![false; body.all.len()];
    let mut states: Vec<Option<MaskState>> = vec![None; blocks.len()];
    let mut open = VecDeque::new();
    if let Some(first) = order.first() {
        states[*first as usize] = Some(MaskState::at_entry());
        open.push_back(*first);
    }
    let mut is_open = vec![false; blocks.len()];
    let mut visits = blocks.len().saturating_mul(VISITS);
    let mut steps = STEPS;
    while let Some(number) = open.pop_front() {
        is_open[number as usize] = false;
        let passed = blocks[number as usize].numbers().len();
        let left = visits.checked_sub(1).zip(steps.checked_sub(passed));
        let Some(left) = left else { return vec![false; body.all.len()] };
        (visits, steps) = left;
        let Some(mut state) = states[number as usize].clone() else { continue };
        let block = &blocks[number as usize];
        for at in block.numbers() {
            pass(body, at, &mut state);
        }
        for to in &block.successors {
            let changed = match &mut states[*to as usize] {
                Some(old) => old.meet(&state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if changed && !std::mem::replace(&mut is_open[*to as usize], true) {
                open.push_back(*to);
            }
        }
    }
    for (block, state) in blocks.iter().zip(states) {
        let mut state = state.unwrap_or_else(MaskState::unknown);
        for at in block.numbers() {
            is_full[at] = state.is_full;
            pass(body, at, &mut state);
        }
    }
    is_full
}

#[inline]
fn pass(body: &KernelBody, at: usize, state: &mut MaskState) {
    let one = &body.all[at];
    if one.has(flag::WRITES_SCALAR) {
        let step = if one.has(flag::IS_MASK_STEP) { body.mask(at) } else { None };
        state.pass(step, one.has(flag::WRITES_EXEC), body.writes(one));
    }
}
