//! The instructions of one kernel, decoded once: where each is, what it does to the flow of control, which
//! registers it touches.

use crate::mask::MaskStep;
use crate::mnemonics::{FlowKind, MnemonicTraits, flag, trait_of, traits};
use crate::units::{Highest, Span, Unit};
use amdgpu_isa::processor::Isa;
use amdgpu_isa::{Decoder, Instruction, Step};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The machine code of one kernel, or of a function.
#[derive(Clone)]
pub struct Code<'d> {
    decoder: &'d Decoder,
    text: &'d [u8],
    range: Range<usize>,
    lanes: u32,
}

impl std::fmt::Debug for Code<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Code").field("range", &self.range).field("lanes", &self.lanes).finish()
    }
}

/// Codes are equal where everything that is said of one is said of the other: the same bytes, decoded alike,
/// in waves of the same size. Of the kernels of a library many are, so that most need not be looked into
/// twice. (Constants that are loaded by their distance from the code are the same bytes only at the same
/// distance.)
impl PartialEq for Code<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.decoder, other.decoder)
            && self.lanes == other.lanes
            && self.whole() == other.whole()
    }
}

impl Eq for Code<'_> {}

impl Hash for Code<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Kernels are long, and the hasher of the standard library is made for short keys.
        self.digest().hash(state);
    }
}

/// A random number, so that no file can hold kernels that were made to collide.
fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| RandomState::new().build_hasher().finish())
}

/// Bytes of a kernel that are looked at. The longest known kernel has some hundred thousand.
pub const MOST_BYTES: usize = 16 << 20;

/// Registers that one instruction writes at most, each with those behind it: two results, and what it writes
/// without naming it.
const MOST_WRITES: usize = 8;

/// Length of the longest instruction in bytes.
const LONGEST: usize = 20;

impl<'d> Code<'d> {
    /// What is in `range` of the bytes of a section, in waves of `lanes` lanes. What of the range lies behind
    /// the end of the section, or behind [`MOST_BYTES`], is left out.
    pub fn new(decoder: &'d Decoder, text: &'d [u8], range: Range<usize>, lanes: u32) -> Self {
        let start = range.start.min(text.len());
        let end = range.end.clamp(start, text.len()).min(start.saturating_add(MOST_BYTES));
        Code { decoder, text, range: start..end, lanes }
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.range.len()
    }

    /// All of its bytes.
    fn whole(&self) -> &'d [u8] {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    /// A hash of its bytes, its decoder and its lanes, which is another one in each run.
    pub fn digest(&self) -> u128 {
        let decoder =
            (std::ptr::from_ref(self.decoder).addr() as u64).rotate_left(32) ^ u64::from(self.lanes);
        xxh3_128_with_seed(self.whole(), seed() ^ decoder)
    }

    /// Lanes of its waves.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The major version of its processor: 9 of gfx90a.
    pub fn major(&self) -> u8 {
        self.decoder.major()
    }

    /// A processor of the family that it is decoded for.
    pub(crate) fn isa(&self) -> Option<&'static Isa> {
        self.decoder.isa()
    }

    /// The instruction at an offset from its begin.
    pub fn instruction(&self, offset: u32) -> Option<Instruction> {
        let at = self.range.start.checked_add(offset as usize)?;
        let Step::Instruction(opcode) = self.decoder.next(self.text, at, self.range.end) else { return None };
        let found = self.decoder.with_operands(opcode, self.text.get(at..)?)?;
        Some(self.in_wave(found))
    }

    /// Everything in it in order: offset, length in bytes, and the instruction; `None` for bytes that are
    /// none.
    pub fn steps(&self) -> impl Iterator<Item = (u32, usize, Option<Instruction>)> + '_ {
        let mut at = self.range.start;
        std::iter::from_fn(move || {
            let begin = Some(at).filter(|at| *at < self.range.end)?;
            let step = self.decoder.next(self.text, begin, self.range.end);
            let length = step.length().max(1);
            at += length;
            let found = match step {
                Step::Instruction(opcode) => self.decoder.with_operands(opcode, self.text.get(begin..)?),
                _ => None,
            };
            Some(((begin - self.range.start) as u32, length, found.map(|found| self.in_wave(found))))
        })
    }

    /// The bytes from an offset on, at most so many.
    pub fn bytes(&self, offset: u32, most: usize) -> &'d [u8] {
        let begin = self.range.start.saturating_add(offset as usize).min(self.range.end);
        self.text.get(begin..self.range.end.min(begin.saturating_add(most))).unwrap_or_default()
    }

    #[inline]
    fn in_wave(&self, found: Instruction) -> Instruction {
        found.in_wave(self.lanes)
    }
}

/// An instruction as it is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct One {
    pub(crate) offset: u32,
    /// Its first span in [`KernelBody::spans`].
    pub(crate) spans: u32,
    pub(crate) mnemonic: u16,
    pub(crate) length: u8,
    pub(crate) reads: u8,
    pub(crate) writes: u8,
    pub(crate) kind: FlowKind,
    /// Of `flag`.
    pub(crate) flags: u8,
}

impl One {
    pub(crate) fn end(&self) -> u32 {
        self.offset.saturating_add(u32::from(self.length))
    }

    /// Whether it goes elsewhere and comes back behind it.
    #[inline]
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.kind, FlowKind::Call | FlowKind::CallTo)
    }

    pub(crate) fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }
}

/// All instructions of a kernel.
#[derive(Debug, Default)]
pub(crate) struct KernelBody {
    pub(crate) size: u32,
    pub(crate) all: Vec<One>,
    pub(crate) spans: Vec<Span>,
    pub(crate) masks: Vec<(u32, MaskStep)>,
    /// Distances of branches and direct calls, by the number of the instruction.
    pub(crate) targets: Vec<(u32, i64)>,
    /// Offsets behind runs of zeros.
    pub(crate) behind_zeros: Vec<u32>,
    /// Words that are no instruction.
    pub(crate) unknown: u32,
    /// The registers behind the highest that are named.
    pub(crate) highest: Highest,
    traits: &'static [MnemonicTraits],
}

impl KernelBody {
    pub(crate) fn from_code(code: &Code<'_>) -> KernelBody {
        let (start, end) = (code.range.start, code.range.end);
        let mut body = KernelBody { size: code.size() as u32, traits: traits(), ..KernelBody::default() };
        body.all.reserve(code.size() / 6);
        body.spans.reserve(code.size() / 2);
        // Near the end an instruction may reach beyond it, and zeros do not.
        let near_end = end.saturating_sub(LONGEST + 8);
        let fast = code.text.get(start..near_end.max(start)).unwrap_or_default();
        let mut at = start;
        if !fast.is_empty() {
            let wide = code.text.get(start..end).unwrap_or_default();
            for (offset, found) in code.decoder.instructions(wide) {
                if start + offset != at {
                    body.pass(code, at, start + offset);
                }
                if start + offset >= near_end {
                    at = at.max(near_end).min(start + offset);
                    break;
                }
                body.add(offset as u32, &code.in_wave(found));
                at = start + offset + found.length();
            }
        }
        while at < end {
            at = body.step(code, at, end);
        }
        body
    }

    /// Goes over what is no instruction, up to `end`.
    fn pass(&mut self, code: &Code<'_>, mut at: usize, end: usize) {
        while at < end {
            at = self.step(code, at, code.range.end);
        }
    }

    fn step(&mut self, code: &Code<'_>, at: usize, end: usize) -> usize {
        let step = code.decoder.next(code.text, at, end);
        let offset = (at - code.range.start) as u32;
        match step {
            Step::Instruction(opcode) => {
                let bytes = code.text.get(at..).unwrap_or_default();
                if let Some(found) = code.decoder.with_operands(opcode, bytes) {
                    self.add(offset, &code.in_wave(found));
                } else {
                    self.unknown += 1;
                }
            }
            Step::Zeros(bytes) => self.behind_zeros.push(offset.saturating_add(bytes as u32)),
            Step::Unknown(_) => self.unknown += 1,
        }
        at + step.length().max(1)
    }

    fn add(&mut self, offset: u32, found: &Instruction) {
        let known = trait_of(self.traits, found.mnemonic_number());
        let number = self.all.len() as u32;
        let first = self.spans.len();
        let (mut flags, mut written) = (known.flags, [Span::NONE; MOST_WRITES]);
        let mut writes = 0;
        found.each_register(|register, is_write| {
            let Some(span) = Span::from_register(register) else { return };
            if !span.is_mask() {
                self.highest.note(span);
            }
            if !is_write {
                if !span.is_mask() {
                    self.spans.push(span);
                }
                return;
            }
            if span.file() == Unit::Scalar {
                flags |= flag::WRITES_SCALAR;
                flags |= if span.is_exec() { flag::WRITES_EXEC } else { 0 };
            }
            if let Some(place) = written.get_mut(writes) {
                *place = span;
                writes += 1;
            }
        });
        let reads = self.spans.len() - first;
        self.spans.extend_from_slice(written.get(..writes).unwrap_or_default());
        if known.mask.is_some() || flags & flag::WRITES_EXEC != 0 {
            flags |= flag::IS_MASK_STEP;
            self.masks.push((number, MaskStep::from_instruction(known.mask, found)));
        }
        if matches!(known.kind, FlowKind::Jump | FlowKind::Branch | FlowKind::CallTo)
            && let Some(distance) = found.target()
        {
            self.targets.push((number, distance));
        }
        self.all.push(One {
            offset,
            spans: first as u32,
            mnemonic: found.mnemonic_number(),
            length: found.length() as u8,
            reads: reads as u8,
            writes: writes as u8,
            kind: known.kind,
            flags,
        });
    }

    pub(crate) fn reads(&self, one: &One) -> &[Span] {
        let first = one.spans as usize;
        self.spans.get(first..first + usize::from(one.reads)).unwrap_or_default()
    }

    pub(crate) fn writes(&self, one: &One) -> &[Span] {
        let first = one.spans as usize + usize::from(one.reads);
        self.spans.get(first..first + usize::from(one.writes)).unwrap_or_default()
    }

    /// The number of the instruction that begins at an offset.
    pub(crate) fn at(&self, offset: u32) -> Option<usize> {
        self.all.binary_search_by_key(&offset, |one| one.offset).ok()
    }

    pub(crate) fn target(&self, number: usize) -> Option<i64> {
        let found = self.targets.binary_search_by_key(&(number as u32), |(own, _)| *own).ok()?;
        let (_, distance) = self.targets.get(found)?;
        Some(i64::from(self.all.get(number)?.offset) + distance)
    }

    pub(crate) fn mask(&self, number: usize) -> Option<&MaskStep> {
        let found = self.masks.binary_search_by_key(&(number as u32), |(own, _)| *own).ok()?;
        self.masks.get(found).map(|(_, step)| step)
    }
}
