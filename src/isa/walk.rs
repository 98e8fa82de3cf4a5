//! The walk over machine code: from symbol to symbol, over instructions, zeros and what is neither.
//!
//! It takes the same steps as `llvm-objdump -d`, so that both count the same: decoding begins anew at every symbol, an
//! instruction may reach beyond the next symbol, eight or more zero bytes are skipped, and a word that is no instruction
//! is four bytes long.

use super::decoder::Decoder;
use super::encoding::Instruction;
use super::word_cache;
use super::word_cache::{Word, WordCache};
use std::ops::Range;

/// How often each mnemonic occurs, and what else was met.
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

/// Room for this many mnemonics.
pub(super) const MNEMONICS: usize = 1 << 13;

/// Longest instruction in bytes; nearer to the end of a section one may be cut off, which the exact decoder judges.
const LONGEST: usize = 20;

impl Decoder {
    /// Counts the instructions that begin in `range` of `text`, at whose start one begins. Gives the offset behind the
    /// last, which may lie beyond the range.
    pub fn count(&self, text: &[u8], range: Range<usize>, counts: &mut Counts) -> usize {
        self.count_until(text, range.start, range.end, range.end, counts)
    }

    /// The same from `at` to `stop`, where the part of the text that they lie in ends at `end`: a run of zeros is taken to
    /// there.
    pub fn count_until(
        &self,
        text: &[u8],
        mut at: usize,
        stop: usize,
        end: usize,
        counts: &mut Counts,
    ) -> usize {
        let (stop, end) = (stop.min(text.len()), end.min(text.len()));
        while at < stop {
            at = word_cache::with(self.id(), |seen| match self.index.is_wide {
                true => self.run::<true>(text, at, stop, &mut counts.mnemonics, seen),
                false => self.run::<false>(text, at, stop, &mut counts.mnemonics, seen),
            });
            if at < stop {
                at = self.step(text, at, end, counts);
            }
        }
        at
    }

    /// Counts instructions as long as the index knows them. Gives the offset behind them.
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
            let Some((w, w2)) = dwords(text, at) else { break };
            let length = self.index.length(w);
            let word = Word::of::<WIDE>(w, w2, length);
            if let Some(mnemonic) = seen.number::<WIDE>(&word) {
                tallies[usize::from(mnemonic) & (MNEMONICS - 1)] += 1;
                at += length;
                continue;
            }
            match self.look::<WIDE>(w, w2, length, seen) {
                Some(found) => {
                    tallies[usize::from(found.mnemonic) & (MNEMONICS - 1)] += 1;
                    at += usize::from(found.length);
                }
                None => break,
            }
        }
        at
    }

    /// Looks up what was not seen before, and remembers it.
    #[inline(never)]
    fn look<const WIDE: bool>(
        &self,
        w: u64,
        w2: u32,
        length: usize,
        seen: &mut WordCache,
    ) -> Option<Instruction> {
        if w == 0 {
            return None;
        }
        let Some(mnemonic) = self.index.look(w, w2) else { return self.index.look_again(w, w2) };
        seen.keep(&Word::of::<WIDE>(w, w2, length), mnemonic);
        Some(Instruction { mnemonic, length: length as u8 })
    }

    /// One step where the fast way ends: zeros, an unusual instruction, or a word that is none. Gives the next offset.
    #[cold]
    #[inline(never)]
    fn step(&self, text: &[u8], at: usize, end: usize, counts: &mut Counts) -> usize {
        let step = self.next(text, at, end);
        counts.note(step);
        at + step.length()
    }

    /// What stands at an offset of `text` below `end`, where a part of it ends.
    pub fn next(&self, text: &[u8], at: usize, end: usize) -> Step {
        let words = dwords(text, at).filter(|(w, _)| *w != 0 && at + LONGEST <= text.len());
        if let Some(found) = words.and_then(|(w, w2)| self.index.look_again(w, w2)) {
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

/// What stands in machine code at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An instruction.
    Instruction(Instruction),
    /// Zero bytes, eight or more, a multiple of four.
    Zeros(usize),
    /// This many bytes, at most four, that are no instruction.
    Unknown(usize),
}

/// The first two dwords at an offset, and the third.
#[inline(always)]
fn dwords(text: &[u8], at: usize) -> Option<(u64, u32)> {
    let (w, w2) = text.get(at..)?.first_chunk::<12>()?.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*w), u32::from_le_bytes(*w2.first_chunk()?)))
}

impl Step {
    /// Its length in bytes.
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

    /// All instructions.
    pub fn instructions(&self) -> u64 {
        self.mnemonics.iter().map(|count| u64::from(*count)).sum()
    }
}
