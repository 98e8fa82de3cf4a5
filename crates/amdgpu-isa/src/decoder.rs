//! Decoders, one per family of processors.

use super::encoding::{self, ByTop, Encoding, Opcode, Verdict};
use super::form::{Form, Forms};
use super::generation::Generation;
use super::index::Index;
use super::instruction::{self, Instruction};
use super::processor::Isa;
use super::step::Step;
use super::table::{Rule, Tables, When, tables};
use super::tuples::{self, Tuples};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How to decode words on which LLVM 22's disassembler is known to be wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As the ISA manuals define them.
    #[default]
    Correct,
    /// As LLVM 22 does, for comparison with it: where instructions end, and in texts where its list of
    /// operands is out of step (lanes of `dpp8`, `dpp_ctrl`, constants of `v_fmaak*` and of
    /// `v_fmac_*_e64_dpp`), where it writes a condition between bars (`v_cndmask_b32_dpp` of gfx12), and
    /// where it has no scalar registers of a width.
    LikeLlvm,
}

/// Decodes the instructions of a family of processors.
pub struct Decoder {
    family: usize,
    id: usize,
    longest: usize,
    pub(super) encodings: Vec<Encoding>,
    by_top: ByTop,
    /// Made where it pays: an audit asks most families for a few hundred instructions of small kernels only.
    index: OnceLock<Index>,
    /// Single instructions that were decoded without the index.
    asked: AtomicU32,
    /// Registers in a row have to begin with an even one.
    wants_even: bool,
    generation: Generation,
    /// The forms of its instructions, made when operands are asked for.
    forms: OnceLock<Forms>,
    /// The instructions that name registers in a row, made when they are asked for.
    tuples: OnceLock<Tuples>,
    /// Numbers of encodings with their mnemonics, sorted, made when they are asked for.
    by_mnemonic: OnceLock<Vec<(u16, u16)>>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
const FAMILIES: usize = 32;

impl Decoder {
    /// The decoder for a processor by its name (`gfx906`, `gfx9-4-generic`); `None` for one whose
    /// instructions the tables do not know. Made once per family, when it is first asked for.
    pub fn for_processor(processor: &str, mode: Mode) -> Option<&'static Decoder> {
        static CORRECT: [OnceLock<Decoder>; FAMILIES] = [const { OnceLock::new() }; FAMILIES];
        static LIKE_LLVM: [OnceLock<Decoder>; FAMILIES] = [const { OnceLock::new() }; FAMILIES];
        let tables = tables();
        let family = tables.families.iter().position(|family| family.processors.contains(&processor))?;
        let made = match mode {
            Mode::Correct => &CORRECT,
            Mode::LikeLlvm => &LIKE_LLVM,
        };
        Some(made.get(family)?.get_or_init(|| Decoder::new(tables, family, mode)))
    }

    /// A number that no other decoder has, below 64.
    pub(super) fn id(&self) -> usize {
        self.id
    }

    pub(super) fn new(tables: &Tables, family: usize, mode: Mode) -> Decoder {
        let unwanted = if mode == Mode::Correct { When::LikeLlvm } else { When::Correct };
        let longest = tables.families.get(family).map_or(8, |family| family.max_length);
        let encodings = encoding::of_family(tables, family, |rule| rule.flags.when != unwanted);
        let by_top = ByTop::index(&encodings);
        let id = family + if mode == Mode::Correct { 0 } else { FAMILIES };
        let (index, asked) = (OnceLock::new(), AtomicU32::new(0));
        let processors = tables.families.get(family).map_or(&[][..], |family| family.processors.as_slice());
        let isa = processors.iter().find_map(|name| Isa::by_name(name));
        let wants_even = isa.is_some_and(Isa::wants_even_tuples);
        let (name, features) = isa.map_or(("", &[][..]), |isa| (isa.name, isa.features.as_slice()));
        let generation = Generation::from_processor(name, features);
        let generation = if mode == Mode::LikeLlvm { generation.like_llvm() } else { generation };
        let (forms, tuples) = (OnceLock::new(), OnceLock::new());
        Decoder {
            family,
            id,
            longest,
            encodings,
            by_top,
            index,
            asked,
            wants_even,
            generation,
            forms,
            tuples,
            by_mnemonic: OnceLock::new(),
        }
    }

    /// The major version of its processors: 9 of gfx90a, 12 of gfx1250.
    pub fn major(&self) -> u8 {
        self.generation.major()
    }

    /// A processor of its family; all of them decode alike.
    pub fn isa(&self) -> Option<&'static Isa> {
        let family = tables().families.get(self.family)?;
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
        let all = self.tuples.get_or_init(|| tuples::of_family(self.family));
        tuples::is_odd(all, found.mnemonic, u128::from_le_bytes(word))
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
        self.index.get().or_else(|| {
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            (asked >= ASKED_WITHOUT_INDEX).then(|| self.index())
        })
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
        let what = Instruction::what(opcode, self.form_of(opcode, bytes)?);
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
        Instructions { decoder: self, code, at: 0, index: self.index.get() }
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

/// The instructions of some code: see [`Decoder::instructions`].
#[derive(Clone)]
pub struct Instructions<'c> {
    decoder: &'c Decoder,
    code: &'c [u8],
    at: usize,
    index: Option<&'c Index>,
}

impl std::fmt::Debug for Instructions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

impl Instructions<'_> {
    /// The next instruction, as most are read, and steps behind it; nothing where it does not know the bytes.
    #[inline(always)]
    fn usual(&mut self) -> Option<Instruction> {
        let bytes = self.code.get(self.at..)?.first_chunk::<20>()?;
        let (low, rest) = bytes.split_first_chunk::<8>()?;
        let low = u64::from_le_bytes(*low);
        let index = self.index?;
        // The next instruction is looked for where this one most likely ends, before it is known what this
        // one is.
        let guess = index.length(low);
        let (opcode, form) = index.whole(low, u32::from_le_bytes(*rest.first_chunk()?))?;
        if low == 0 {
            return None;
        }
        let instruction = match form {
            Some(form) => {
                let what = Instruction::what(opcode, form);
                Instruction::of_words(instruction::words_of_whole(bytes), what, self.decoder.generation)
            }
            None => self.decoder.with_operands(opcode, bytes)?,
        };
        self.at += if instruction.length() == guess { guess } else { misguessed(instruction.length()) };
        Some(instruction)
    }

    /// Where the next instruction begins that [`Instructions::usual`] does not know, and what it is; steps
    /// behind it. It is given in few numbers: a whole instruction would come back in memory, and the usual
    /// ones would then be written there, too.
    #[cold]
    #[inline(never)]
    fn unusual(&mut self) -> Option<(usize, u64)> {
        while self.at < self.code.len() {
            let start = self.at;
            let step = self.decoder.next(self.code, start, self.code.len());
            self.index = self.decoder.index.get();
            self.at += step.length().max(1);
            if let Step::Instruction(opcode) = step {
                let bytes = self.code.get(start..).unwrap_or_default();
                if let Some(form) = self.decoder.form_of(opcode, bytes) {
                    return Some((start, Instruction::what(opcode, form)));
                }
            }
        }
        None
    }
}

impl Iterator for Instructions<'_> {
    type Item = (usize, Instruction);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Instruction)> {
        let start = self.at;
        match self.usual() {
            Some(instruction) => Some((start, instruction)),
            None => {
                let (start, what) = self.unusual()?;
                let words = instruction::words(self.code.get(start..).unwrap_or_default(), what);
                Some((start, Instruction::of_words(words, what, self.decoder.generation)))
            }
        }
    }
}
