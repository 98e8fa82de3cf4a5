//! What a kernel's body can do: run, or only trap.
//!
//! A name is no proof of a kernel: libraries that are built for many targets carry bodies that do nothing but
//! end the process where the source has no code for the target (ggml's `NO_DEVICE_CODE`, an assertion,
//! `__builtin_trap`).
#![deny(clippy::indexing_slicing)]

use super::decoder::Decoder;
use super::step::Step;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// What a kernel's body was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// It can reach its end, having done something.
    Real,
    /// It ends at once, having done nothing.
    Empty,
    /// It cannot reach an end: all that is left to it is a trap, or a call that is followed by nothing.
    TrapStub,
    /// It cannot be followed: no end was found, nor anything that would stop it.
    Unclear,
}

/// All of them, in the order of reports, with their names.
pub const BODIES: [(Body, &str); 4] =
    [(Body::Real, "real"), (Body::Empty, "empty"), (Body::TrapStub, "trap stub"), (Body::Unclear, "unclear")];

impl Body {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        BODIES.iter().find(|(body, _)| *body == self).map_or("", |(_, name)| name)
    }
}

/// Most instructions of a body that are followed one by one. The longest known stub has 22.
const FOLLOWED: usize = 4096;

/// What an instruction does to the flow of control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// The next instruction follows, and something was done.
    On,
    /// The next follows, and nothing was done.
    Idle,
    /// The wavefront ends.
    End,
    Trap,
    Call,
    /// To the target, and nowhere else.
    Jump,
    /// To the target or to the next.
    Branch,
    /// To where a register says.
    Away,
}

fn flow(mnemonic: &str) -> Flow {
    match super::class::base(mnemonic) {
        m if m.starts_with("s_endpgm") => Flow::End,
        m if m.starts_with("s_trap") => Flow::Trap,
        m if m.starts_with("s_swap") && m.contains("pc_") || m.starts_with("s_call") => Flow::Call,
        m if m.starts_with("s_setpc") || m.starts_with("s_set_pc") || m.starts_with("s_rfe") => Flow::Away,
        "s_branch" => Flow::Jump,
        m if m.starts_with("s_cbranch") && !m.contains("fork") && !m.contains("join") => Flow::Branch,
        m if m.starts_with("s_cbranch") => Flow::Away,
        "s_nop" | "s_clause" | "s_delay_alu" | "s_code_end" | "s_version" => Flow::Idle,
        m if m.starts_with("s_wait") || m.starts_with("s_setreg") || m.starts_with("s_set_inst") => {
            Flow::Idle
        }
        m if m.starts_with("s_sethalt") => Flow::Trap,
        _ => Flow::On,
    }
}

/// Judges the kernel whose body is `range` of `text`. `ends` is the number of instructions in it that end a
/// wavefront.
pub fn judge(decoder: &Decoder, text: &[u8], range: Range<usize>, ends: u64) -> Body {
    follow(decoder, text, range, FOLLOWED).unwrap_or(if ends > 0 { Body::Real } else { Body::Unclear })
}

/// Most instructions that are followed where only the kind of the body is asked for: several times the
/// longest stub.
const FOLLOWED_AT_FIRST: usize = 128;

/// Judges a kernel without decoding all of it. A body that does not show within its first instructions what
/// it is is taken to be real where it has the word of `s_endpgm`, looked for from its end; else it is
/// decoded.
pub fn judge_quickly(
    decoder: &Decoder,
    text: &[u8],
    range: Range<usize>,
    ends: impl FnOnce() -> u64,
) -> Body {
    if let Some(body) = follow(decoder, text, range.clone(), FOLLOWED_AT_FIRST) {
        return body;
    }
    let ends_a_wavefront = |word: &[u8]| {
        let end = decoder.decode(word).map(|found| super::mnemonic(found.mnemonic));
        end.is_some_and(|mnemonic| mnemonic.starts_with("s_endpgm"))
    };
    let body = text.get(range.clone()).unwrap_or_default();
    // The last of them is the last instruction of most bodies.
    if body.rchunks_exact(4).take(LAST_WORDS).any(ends_a_wavefront) {
        return Body::Real;
    }
    judge(decoder, text, range, ends())
}

/// Words from the end of a body in which `s_endpgm` is looked for.
const LAST_WORDS: usize = 64;

/// The offsets of a body that were visited: a bit for each dword, since instructions begin at dwords.
struct VisitedOffsets {
    start: usize,
    bits: Vec<u64>,
}

impl VisitedOffsets {
    fn for_range(range: &Range<usize>) -> Self {
        VisitedOffsets { start: range.start, bits: vec![0; range.len() / (4 * 64) + 1] }
    }

    /// Whether a place is new.
    fn insert(&mut self, at: usize) -> bool {
        let dword = at.saturating_sub(self.start) / 4;
        let Some(bits) = self.bits.get_mut(dword / 64) else { return false };
        let bit = 1 << (dword % 64);
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }
}

/// Follows a body's flow of control; `None` where it is longer than `most` instructions.
fn follow(decoder: &Decoder, text: &[u8], range: Range<usize>, most: usize) -> Option<Body> {
    let mut seen = VisitedOffsets::for_range(&range);
    let mut count = 0;
    let mut open = vec![range.start];
    let (mut works, mut stops, mut ended) = (false, false, false);
    while let Some(mut at) = open.pop() {
        while range.contains(&at) && seen.insert(at) {
            count += 1;
            if count > most {
                return None;
            }
            // Zeros that are reached are run: no run of them is skipped.
            let Step::Instruction(instruction) = decoder.next(text, at, at) else { break };
            let next = at + usize::from(instruction.length);
            match flow(super::mnemonic(instruction.mnemonic)) {
                Flow::On => works = true,
                Flow::Idle => {}
                Flow::End if works || stops => return Some(Body::Real),
                Flow::End => {
                    ended = true;
                    break;
                }
                // Where the register leads is not followed; it is not said that it ends.
                Flow::Away => return Some(Body::Real),
                Flow::Trap | Flow::Call => stops = true,
                Flow::Branch => {
                    works = true;
                    open.extend(target(text, at, next));
                }
                Flow::Jump => {
                    match target(text, at, next) {
                        Some(target) => at = target,
                        None => break,
                    }
                    continue;
                }
            }
            at = next;
        }
    }
    Some(match (ended, stops) {
        (true, _) if works || stops => Body::Real,
        (true, _) => Body::Empty,
        (false, true) => Body::TrapStub,
        (false, false) => Body::Unclear,
    })
}

/// Where a branch leads: its 16-bit offset counts dwords from the next instruction.
fn target(text: &[u8], at: usize, next: usize) -> Option<usize> {
    let offset = i16::from_le_bytes(*text.get(at..)?.first_chunk()?);
    next.checked_add_signed(isize::from(offset) * 4)
}

/// Whether machine code has a word that can be the beginning of a trap, a halt or a call on any processor;
/// without one it is no trap stub. It costs no decoder.
pub fn may_trap(code: &[u8]) -> bool {
    code.chunks_exact(4)
        .any(|word| word.try_into().is_ok_and(|word| stops_somewhere(u32::from_le_bytes(word))))
}

/// Whether a word traps, halts or calls on some processor. The numbers are those of all generations together;
/// a test compares them with the tables.
fn stops_somewhere(word: u32) -> bool {
    match word >> 23 {
        // SOPP: s_trap, s_sethalt.
        0b1_0111_1111 => matches!(word >> 16 & 0x7f, 0x02 | 0x0d | 0x10 | 0x12),
        // SOP1: s_swappc_b64, s_swap_pc_i64.
        0b1_0111_1101 => matches!(word >> 8 & 0xff, 0x1e | 0x21 | 0x49),
        // SOPK: s_call_b64, s_call_i64.
        _ => word >> 28 == 0b1011 && matches!(word >> 23 & 0x1f, 0x14..=0x16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Mode;

    #[test]
    fn every_word_that_traps_or_calls_on_a_processor_is_suspected() {
        let mut seen = 0;
        for isa in crate::processor::all() {
            let decoder = Decoder::for_processor(isa.name, Mode::Correct).unwrap();
            // All operation numbers of the scalar encodings, with operands that every processor has.
            for top in 0..=u32::from(u16::MAX) {
                for low in [0u32, 2, 0x1e02, 0x2102, 0x4902] {
                    let word = top << 16 | low;
                    if word >> 30 != 0b10 {
                        continue;
                    }
                    let Some(found) = decoder.decode(&word.to_le_bytes()) else { continue };
                    if matches!(flow(crate::mnemonic(found.mnemonic)), Flow::Trap | Flow::Call) {
                        assert!(stops_somewhere(word), "{}: {word:#x}", isa.name);
                        seen += 1;
                    }
                }
            }
            // Of SOP1 the operation stands in the lower half.
            for low in 0..=u32::from(u16::MAX) {
                let word = 0xbe82_0000 | low;
                let Some(found) = decoder.decode(&word.to_le_bytes()) else { continue };
                if matches!(flow(crate::mnemonic(found.mnemonic)), Flow::Trap | Flow::Call) {
                    assert!(stops_somewhere(word), "{}: {word:#x}", isa.name);
                    seen += 1;
                }
            }
        }
        assert!(seen > 1000, "{seen}");
        assert!(!stops_somewhere(0xbf81_0000) && !stops_somewhere(0xbfb0_0000), "s_endpgm");
    }
}
