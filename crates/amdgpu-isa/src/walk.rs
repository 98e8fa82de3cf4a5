//! The walk over machine code: from symbol to symbol, over instructions, zeros and what is neither.
//!
//! It takes the same steps as `llvm-objdump -d`, so that both count the same: decoding begins anew at every
//! symbol, an instruction may reach beyond the next symbol, eight or more zero bytes are skipped, and a word
//! that is no instruction is four bytes long.

use super::decoder::Decoder;
use super::encoding::Opcode;
use super::index::Index;
use super::step::Step;
use super::word_cache::{Word, WordCache};
use alloc::boxed::Box;
use core::ops::Range;

/// How often each mnemonic occurs, and how many bytes and words are no instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// By number of the mnemonic.
    pub mnemonics: Box<[u32; MNEMONICS]>,
    /// Words that are no instruction.
    pub unknown: u64,
    /// Bytes in runs of zeros that were skipped.
    pub zero_bytes: u64,
    /// Number of such runs.
    pub zero_blocks: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Counts { mnemonics: Box::new([0; MNEMONICS]), unknown: 0, zero_bytes: 0, zero_blocks: 0 }
    }
}

/// A walk over a range of machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeWalk {
    /// The offset that is next.
    pub at: usize,
    /// Where it stops: no instruction that begins here or later is counted.
    pub stop: usize,
    /// Up to where a run of zeros may reach: where the symbol's part of the text ends.
    pub end: usize,
}

/// Room for this many mnemonics.
pub(super) const MNEMONICS: usize = 1 << 13;

/// Length of the longest instruction, in bytes. Nearer to the end of a section an instruction may be cut off,
/// and only the exact decoder is used.
const LONGEST: usize = 20;

impl Decoder {
    /// Counts the instructions that begin in `range` of `text`, the first at its start. Returns the offset
    /// after the last, which may lie beyond the range.
    pub fn count(&self, text: &[u8], range: Range<usize>, counts: &mut Counts) -> usize {
        self.count_until(text, range.start, range.end, range.end, counts)
    }

    /// Counts the instructions that begin from `at` up to `stop`. A run of zeros may reach beyond `stop`, up
    /// to `end`, where the symbol's part of the text ends.
    pub fn count_until(
        &self,
        text: &[u8],
        mut at: usize,
        stop: usize,
        end: usize,
        counts: &mut Counts,
    ) -> usize {
        let (stop, end) = (stop.min(text.len()), end.min(text.len()));
        let index = self.index();
        while at < stop {
            at = self.seen.with(|seen| match index.is_wide {
                true => index.run::<true>(text, at, stop, &mut counts.mnemonics, seen),
                false => index.run::<false>(text, at, stop, &mut counts.mnemonics, seen),
            });
            if at < stop {
                at = self.step(text, at, end, counts);
            }
        }
        at
    }

    /// Counts the instructions of two ranges, each into its own counts, until one of them is at its stop. Their
    /// walks take turns: while one waits for the length of its instruction, which it needs to find the next,
    /// the other goes on. Two take three quarters of the time of one after the other; with more there are not
    /// enough registers.
    pub fn count_two(&self, text: &[u8], walks: [&mut RangeWalk; 2], counts: [&mut Counts; 2]) {
        let index = self.index();
        let ([a, b], [first, second]) = (walks, counts);
        let (a_stop, b_stop) = (a.stop.min(text.len()), b.stop.min(text.len()));
        while a.at < a_stop && b.at < b_stop {
            let tallies = [&mut *first.mnemonics, &mut *second.mnemonics];
            let (at, stop) = ([a.at, b.at], [a_stop, b_stop]);
            [a.at, b.at] = self.seen.with(|seen| match index.is_wide {
                true => index.run_two::<true>(text, at, stop, tallies, seen),
                false => index.run_two::<false>(text, at, stop, tallies, seen),
            });
            // The index does not know an instruction of one of both. A step is right for either.
            if a.at < a_stop {
                a.at = self.step(text, a.at, a.end.min(text.len()), first);
            }
            if b.at < b_stop {
                b.at = self.step(text, b.at, b.end.min(text.len()), second);
            }
        }
    }

    /// Takes one step where the index does not know the bytes: zeros, an unusual instruction, or a word that
    /// is none. Returns the next offset.
    #[cold]
    #[inline(never)]
    fn step(&self, text: &[u8], at: usize, end: usize, counts: &mut Counts) -> usize {
        let step = self.next(text, at, end);
        counts.note(step);
        at + step.length()
    }

    /// Decodes what is at offset `at` of `text`. A run of zeros is counted up to `end`.
    pub fn next(&self, text: &[u8], at: usize, end: usize) -> Step {
        let words = dwords(text, at).filter(|(w, _)| *w != 0 && at + LONGEST <= text.len());
        let indexed = |(w, w2)| self.index_if_it_pays()?.instruction_of_any_length(w, w2);
        if let Some(found) = words.and_then(indexed) {
            return Step::Instruction(found);
        }
        let rest = text.get(at..).unwrap_or_default();
        let zeros = rest.iter().take(end.saturating_sub(at)).take_while(|byte| **byte == 0).count();
        if zeros >= 8 {
            return Step::Zeros(zeros & !3);
        }
        match self.decode(rest) {
            Some(instruction) => Step::Instruction(instruction),
            None => Step::Unknown(rest.len().clamp(1, 4)),
        }
    }
}

impl Index {
    /// Counts instructions as long as it knows them. Returns the offset after them.
    #[inline(never)]
    fn run<const WIDE: bool>(
        &self,
        text: &[u8],
        mut at: usize,
        end: usize,
        tallies: &mut [u32; MNEMONICS],
        seen: &mut WordCache,
    ) -> usize {
        let end = end.min(text.len().saturating_sub(LONGEST - 1));
        while at < end {
            let Some(length) = self.count_one::<WIDE>(text, at, tallies, seen) else { break };
            at += length;
        }
        at
    }

    /// Counts instructions of two places in turns, as long as it knows both and none is at its end. Returns the
    /// offsets after them.
    #[inline(never)]
    fn run_two<const WIDE: bool>(
        &self,
        text: &[u8],
        at: [usize; 2],
        end: [usize; 2],
        tallies: [&mut [u32; MNEMONICS]; 2],
        seen: &mut WordCache,
    ) -> [usize; 2] {
        let last = text.len().saturating_sub(LONGEST - 1);
        let ([mut a, mut b], [first, second]) = (at, tallies);
        let (a_end, b_end) = (end[0].min(last), end[1].min(last));
        while a < a_end && b < b_end {
            let Some(length) = self.count_one::<WIDE>(text, a, first, seen) else { break };
            a += length;
            let Some(length) = self.count_one::<WIDE>(text, b, second, seen) else { break };
            b += length;
        }
        [a, b]
    }

    /// Counts the instruction at an offset and returns its length; `None` where the index does not know it.
    #[inline(always)]
    fn count_one<const WIDE: bool>(
        &self,
        text: &[u8],
        at: usize,
        tallies: &mut [u32; MNEMONICS],
        seen: &mut WordCache,
    ) -> Option<usize> {
        let (w, w2) = dwords(text, at)?;
        let length = self.length(w);
        let word = Word::from_w::<WIDE>(w, w2, length);
        let (mnemonic, length) = match seen.number::<WIDE>(&word) {
            Some(mnemonic) => (mnemonic, length),
            None => {
                let found = self.decode_new::<WIDE>(w, w2, length, seen)?;
                (found.mnemonic, usize::from(found.length))
            }
        };
        tallies[usize::from(mnemonic) & (MNEMONICS - 1)] += 1;
        Some(length)
    }

    /// Decodes an instruction that the cache does not hold, and puts it there. `None` where it does not know
    /// the instruction.
    #[inline(never)]
    fn decode_new<const WIDE: bool>(
        &self,
        w: u64,
        w2: u32,
        length: usize,
        seen: &mut WordCache,
    ) -> Option<Opcode> {
        if w == 0 {
            return None;
        }
        let Some(mnemonic) = self.mnemonic_if_guess_is_right(w, w2) else {
            return self.instruction_of_any_length(w, w2);
        };
        seen.keep(&Word::from_w::<WIDE>(w, w2, length), mnemonic);
        Some(Opcode { mnemonic, length: length as u8 })
    }
}

/// The first two dwords at an offset as one number, and the third; `None` within 12 bytes of the end.
#[inline(always)]
fn dwords(text: &[u8], at: usize) -> Option<(u64, u32)> {
    let (w, w2) = text.get(at..)?.first_chunk::<12>()?.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*w), u32::from_le_bytes(*w2.first_chunk()?)))
}

impl Step {
    /// Length in bytes.
    pub fn length(self) -> usize {
        match self {
            Step::Instruction(instruction) => usize::from(instruction.length),
            Step::Zeros(bytes) | Step::Unknown(bytes) => bytes,
        }
    }
}

impl Counts {
    /// Counts one step.
    pub fn note(&mut self, step: Step) {
        match step {
            Step::Instruction(one) => self.mnemonics[usize::from(one.mnemonic) & (MNEMONICS - 1)] += 1,
            Step::Zeros(bytes) => {
                self.zero_bytes += bytes as u64;
                self.zero_blocks += 1;
            }
            Step::Unknown(_) => self.unknown += 1,
        }
    }

    /// Adds the counts of a part.
    pub fn add(&mut self, other: &Counts) {
        for (mine, theirs) in self.mnemonics.iter_mut().zip(other.mnemonics.iter()) {
            *mine += theirs;
        }
        self.unknown += other.unknown;
        self.zero_bytes += other.zero_bytes;
        self.zero_blocks += other.zero_blocks;
    }

    /// Number of all instructions.
    pub fn instructions(&self) -> u64 {
        self.mnemonics.iter().map(|count| u64::from(*count)).sum()
    }
}
