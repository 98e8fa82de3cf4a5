//! Decoders, one per family of processors.

use super::encoding::{self, ByTop, Encoding, Opcode, Verdict};
use super::form::{Form, Forms};
use super::generation::Generation;
use super::index::Index;
use super::instruction::{self, Instruction, NO_FORM, What};
use super::mode::Mode;
use super::once::{Asked, Once};
use super::processor::Isa;
use super::step::Step;
use super::table::{Rule, TABLES, When};
use super::tuples;
use super::word_cache::Seen;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::sync::OnceLock;

/// Decodes the instructions of a family of processors.
pub struct Decoder {
    family: usize,
    pub(super) seen: Seen,
    longest: usize,
    pub(super) encodings: Vec<Encoding>,
    by_top: ByTop,
    /// Made where it pays: an audit asks most families for a few hundred instructions of small kernels only.
    index: Once<Index>,
    /// Single instructions that were decoded without the index.
    asked: Asked,
    /// Registers in a row have to begin with an even one.
    wants_even: bool,
    generation: Generation,
    /// The forms of its instructions, made when operands are asked for.
    forms: Once<Forms>,
    /// Numbers of encodings with their mnemonics, sorted, made when they are asked for.
    by_mnemonic: Once<Vec<(u16, u16)>>,
}

impl core::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Decoder")
            .field("family", &self.family)
            .field("encodings", &self.encodings.len())
            .finish()
    }
}

/// So many single instructions are decoded without the index. Making it takes as long as decoding some
/// thousands exactly.
const ASKED_WITHOUT_INDEX: u32 = 4096;

/// Room for this many families.
#[cfg(feature = "std")]
const FAMILIES: usize = 32;

/// The number of a processor's family.
fn family_of(processor: &str) -> Option<usize> {
    TABLES.families.iter().position(|family| family.processors.contains(&processor))
}

impl Decoder {
    /// The decoder for a processor by its name (`gfx906`, `gfx9-4-generic`); `None` for one whose
    /// instructions the tables do not know. Made once per family, when it is first asked for.
    #[cfg(feature = "std")]
    pub fn for_processor(processor: &str, mode: Mode) -> Option<&'static Decoder> {
        static CORRECT: [OnceLock<Decoder>; FAMILIES] = [const { OnceLock::new() }; FAMILIES];
        static LIKE_LLVM: [OnceLock<Decoder>; FAMILIES] = [const { OnceLock::new() }; FAMILIES];
        let family = family_of(processor)?;
        let made = match mode {
            Mode::Correct => &CORRECT,
            Mode::LikeLlvm => &LIKE_LLVM,
        };
        Some(made.get(family)?.get_or_init(|| Decoder::of_family(family, mode)))
    }

    /// The same as a decoder of its own, which takes up to 3 MiB of memory as it is used: for what has one
    /// processor only, and for programs without the standard library, which have no place for one that is
    /// shared.
    pub fn new(processor: &str, mode: Mode) -> Option<Decoder> {
        Some(Decoder::of_family(family_of(processor)?, mode))
    }

    pub(super) fn of_family(family: usize, mode: Mode) -> Decoder {
        let unwanted = if mode == Mode::Correct { When::LikeLlvm } else { When::Correct };
        let longest = TABLES.families.get(family).map_or(8, |family| family.max_length);
        let encodings = encoding::of_family(&TABLES, family, |rule| rule.flags.when != unwanted);
        let by_top = ByTop::index(&encodings);
        let processors = TABLES.families.get(family).map_or(&[][..], |family| family.processors);
        let isa = processors.iter().find_map(|name| Isa::by_name(name));
        let generation = Generation::of_processor(isa);
        Decoder {
            family,
            seen: Seen::of_decoder(family, mode),
            longest,
            encodings,
            by_top,
            index: Once::new(),
            asked: Asked::default(),
            wants_even: isa.is_some_and(Isa::wants_even_tuples),
            generation: if mode == Mode::LikeLlvm { generation.like_llvm() } else { generation },
            forms: Once::new(),
            by_mnemonic: Once::new(),
        }
    }

    /// The major version of its processors: 9 of gfx90a, 12 of gfx1250.
    pub fn major(&self) -> u8 {
        self.generation.major()
    }

    /// A processor of its family; all of them decode alike.
    pub fn isa(&self) -> Option<&'static Isa> {
        let family = TABLES.families.get(self.family)?;
        family.processors.iter().find_map(|name| Isa::by_name(name))
    }

    /// Whether registers in a row have to begin with an even one.
    pub(super) fn wants_even(&self) -> bool {
        self.wants_even
    }

    /// Whether an instruction of this family, at the start of `bytes`, names registers in a row that begin
    /// with an odd one.
    pub(super) fn names_odd_tuple(&self, found: Opcode, bytes: &[u8]) -> bool {
        let mut word = [0; 16];
        let length = usize::from(found.length).min(bytes.len()).min(16);
        if let (Some(own), Some(bytes)) = (word.get_mut(..length), bytes.get(..length)) {
            own.copy_from_slice(bytes);
        }
        tuples::is_odd(self.family, found.mnemonic, u128::from_le_bytes(word))
    }

    /// The encodings of a mnemonic.
    pub(super) fn rules_of(&self, mnemonic: u16) -> impl Iterator<Item = &Rule> {
        let sorted = self.by_mnemonic.get_or_init(|| {
            let mut all: Vec<(u16, u16)> =
                self.encodings.iter().map(|one| one.rule.mnemonic).zip(0..).collect();
            all.sort_unstable();
            all
        });
        let start = sorted.partition_point(|(one, _)| *one < mnemonic);
        let own = sorted.iter().skip(start).take_while(move |(one, _)| *one == mnemonic);
        own.filter_map(|(_, number)| self.encodings.get(usize::from(*number))).map(|one| &one.rule)
    }

    pub(super) fn forms(&self) -> &Forms {
        self.forms.get_or_init(|| Forms::for_families(1 << self.family))
    }

    /// The index, made if it is not there yet.
    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.encodings, &self.by_top, self.longest, self.forms()))
    }

    #[cfg(test)]
    pub(super) fn has_index(&self) -> bool {
        self.index.get().is_some()
    }

    /// The index for one more single instruction: `None` as long as so few were asked for that it would not
    /// pay.
    pub(super) fn index_if_it_pays(&self) -> Option<&Index> {
        self.index.get().or_else(|| (self.asked.count() >= ASKED_WITHOUT_INDEX).then(|| self.index()))
    }

    /// The first instruction of `bytes`; `None` where they begin with none.
    pub fn decode(&self, bytes: &[u8]) -> Option<Opcode> {
        let mut word = [0; 16];
        let available = bytes.len().min(16);
        word.get_mut(..available)?.copy_from_slice(bytes.get(..available)?);
        self.decode_word(u128::from_le_bytes(word), bytes.len())
    }

    /// The first instruction of `bytes` with its operands; `None` where they begin with none.
    pub fn instruction(&self, bytes: &[u8]) -> Option<Instruction> {
        let opcode = match self.index_if_it_pays().zip(bytes.first_chunk::<20>()) {
            Some((index, whole)) => {
                let (low, rest) = whole.split_first_chunk::<8>()?;
                let third = u32::from_le_bytes(*rest.first_chunk::<4>()?);
                index
                    .instruction_of_any_length(u64::from_le_bytes(*low), third)
                    .or_else(|| self.decode(bytes))?
            }
            None => self.decode(bytes)?,
        };
        self.with_operands(opcode, bytes)
    }

    /// The operands of an instruction. [`Decoder::next`] or [`Decoder::decode`] gave its mnemonic and length,
    /// and `bytes` begin with it.
    pub fn with_operands(&self, opcode: Opcode, bytes: &[u8]) -> Option<Instruction> {
        let what = What::new(opcode, self.form_of(opcode, bytes)?);
        Some(Instruction::of_words(instruction::words(bytes, what), what, self.generation))
    }

    /// The form of an instruction that begins `bytes`, and its width.
    fn form_of(&self, opcode: Opcode, bytes: &[u8]) -> Option<(Form, u8)> {
        let mut word = [0; 16];
        let available = bytes.len().min(16);
        word.get_mut(..available)?.copy_from_slice(bytes.get(..available)?);
        self.forms().find(opcode.mnemonic, u128::from_le_bytes(word), opcode.length)
    }

    /// The instructions of `code` in their order, each with its offset. Words that are none are left out.
    pub fn instructions<'c>(&'c self, code: &'c [u8]) -> Instructions<'c> {
        let index = self.index.get();
        Instructions { decoder: self, code, at: 0, index, ahead: [What(0); AHEAD], taken: 0, known: 0 }
    }

    /// Decodes the lowest `available` bytes of a little-endian word.
    pub(super) fn decode_word(&self, word: u128, available: usize) -> Option<Opcode> {
        let candidates = match self.index.get() {
            Some(index) => index.candidates(word as u64),
            None => self.by_top.candidates(word as u32),
        };
        for number in candidates {
            let encoding = self.encodings.get(usize::from(*number))?;
            match encoding.read(word, available, self.longest) {
                Verdict::Is(instruction) => return Some(instruction),
                Verdict::Other => {}
                Verdict::Invalid => return None,
            }
        }
        None
    }
}

/// So many instructions are looked at before the first of them is handed out. Operands are gone through by
/// branches; after one that a processor predicts wrong, it begins anew with what it knows, and the form of
/// the next instruction should not be found only then.
const AHEAD: usize = 8;

/// The instructions of some code: see [`Decoder::instructions`].
#[derive(Clone)]
pub struct Instructions<'c> {
    decoder: &'c Decoder,
    code: &'c [u8],
    at: usize,
    index: Option<&'c Index>,
    /// What the next instructions are.
    ahead: [What; AHEAD],
    /// How many of them were handed out, and how many there are.
    taken: usize,
    known: usize,
}

impl core::fmt::Debug for Instructions<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Instructions").field("decoder", &self.decoder).field("at", &self.at).finish()
    }
}

/// The length where the guess was wrong. Not inlined: as a call it stays a branch, which the processor
/// predicts.
#[cold]
#[inline(never)]
fn misguessed(length: usize) -> usize {
    length
}

/// The bits of so many dwords in the first sixteen bytes.
const LENGTH_MASKS: [[u64; 2]; 5] =
    [[0, 0], [0xffff_ffff, 0], [u64::MAX, 0], [u64::MAX, 0xffff_ffff], [u64::MAX, u64::MAX]];

/// The twenty bytes at an offset.
#[inline(always)]
fn whole_at(code: &[u8], at: usize) -> Option<&[u8; 20]> {
    code.get(at..)?.first_chunk::<20>()
}

impl Instructions<'_> {
    /// Looks at the next instructions, as most are read; at none where it does not know the first.
    #[inline(never)]
    fn look_ahead(&mut self) {
        self.look_at(AHEAD);
    }

    /// The same with at most so many.
    #[inline(always)]
    fn look_at(&mut self, count: usize) {
        (self.taken, self.known) = (0, 0);
        let Some(index) = self.index else { return };
        let (code, mut at, mut known) = (self.code, self.at, 0);
        for place in self.ahead.iter_mut().take(count) {
            let Some(bytes) = whole_at(code, at) else { break };
            let Some((what, guess)) = usual(index, bytes) else { break };
            *place = what;
            if what.form() == NO_FORM {
                let Some(what) = with_form(self.decoder, what, bytes) else { break };
                *place = what;
            }
            known += 1;
            let length = usize::from(what.length());
            at += if length == guess { guess } else { misguessed(length) };
        }
        self.known = known;
    }

    /// The bytes of the next instruction with zeros behind them, as [`Instruction::bits`] has them, and its
    /// length, as most instructions have it. The decoder reads the same instruction from the same bytes of this
    /// length each time. Nothing where fewer than twenty bytes are left, and before the decoder has its index.
    #[inline(always)]
    #[doc(hidden)]
    pub fn likely_bits(&self) -> Option<([u64; 2], usize)> {
        let [low, high, _] = instruction::words_of_whole(whole_at(self.code, self.at)?);
        let length = self.index?.length(low);
        let [of_low, of_high] = LENGTH_MASKS.get(length / 4).copied()?;
        Some(([low & of_low, high & of_high], length))
    }

    /// Goes past the next instruction, which the caller knows by its [`Instructions::likely_bits`]. Returns its
    /// offset.
    #[inline(always)]
    #[doc(hidden)]
    pub fn pass(&mut self, length: usize) -> usize {
        let start = self.at;
        self.at += length;
        (self.taken, self.known) = (0, 0);
        start
    }

    /// The next instruction, where the ones behind it are not asked for.
    #[inline(always)]
    #[doc(hidden)]
    pub fn next_alone(&mut self) -> Option<(usize, Instruction)> {
        if self.taken == self.known {
            self.look_at(1);
        }
        self.next()
    }

    /// Where the next instruction begins that [`Instructions::look_ahead`] does not know, and what it is;
    /// steps behind it. It is given in few numbers: a whole instruction would come back in memory, and the
    /// usual ones would then be written there, too.
    #[cold]
    #[inline(never)]
    fn unusual(&mut self) -> Option<(usize, What)> {
        while self.at < self.code.len() {
            let start = self.at;
            let step = self.decoder.next(self.code, start, self.code.len());
            self.index = self.decoder.index.get();
            self.at += step.length().max(1);
            if let Step::Instruction(opcode) = step {
                let bytes = self.code.get(start..).unwrap_or_default();
                if let Some(form) = self.decoder.form_of(opcode, bytes) {
                    return Some((start, What::new(opcode, form)));
                }
            }
        }
        None
    }
}

/// What most instructions are, and what their length was thought to be; nothing where it does not know the
/// bytes.
#[inline(always)]
fn usual(index: &Index, bytes: &[u8; 20]) -> Option<(What, usize)> {
    let (low, rest) = bytes.split_first_chunk::<8>()?;
    let low = u64::from_le_bytes(*low);
    // The next instruction is looked for where this one most likely ends, before it is known what this one
    // is.
    let guess = index.length(low);
    match index.what(low, u32::from_le_bytes(*rest.first_chunk()?)) {
        Some(what) if low != 0 => Some((what, guess)),
        _ => None,
    }
}

/// The same with a form that further bits tell.
#[cold]
#[inline(never)]
fn with_form(decoder: &Decoder, what: What, bytes: &[u8; 20]) -> Option<What> {
    Some(What::new(what.opcode(), decoder.form_of(what.opcode(), bytes)?))
}

impl Iterator for Instructions<'_> {
    type Item = (usize, Instruction);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Instruction)> {
        if self.taken == self.known {
            self.look_ahead();
        }
        if self.taken < self.known
            && let (Some(&what), Some(bytes)) = (self.ahead.get(self.taken), whole_at(self.code, self.at))
        {
            let start = self.at;
            self.taken += 1;
            self.at += usize::from(what.length());
            let words = instruction::words_of_whole(bytes);
            return Some((start, Instruction::of_words(words, what, self.decoder.generation)));
        }
        let (start, what) = self.unusual()?;
        let words = instruction::words(self.code.get(start..).unwrap_or_default(), what);
        Some((start, Instruction::of_words(words, what, self.decoder.generation)))
    }
}
