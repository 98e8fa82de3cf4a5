//! Decoders, one per family of processors.

use super::encoding::{self, Encoding, Instruction, Verdict};
use super::index::Index;
use super::table::{Tables, When, tables};
use std::sync::OnceLock;

/// How to decode words on which LLVM 22's disassembler is known to be wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As the ISA manuals define them.
    #[default]
    Correct,
    /// As LLVM 22 does, for comparison with it.
    LikeLlvm,
}

/// Decodes the instructions of a family of processors.
pub struct Decoder {
    family: usize,
    id: usize,
    longest: usize,
    pub(super) encodings: Vec<Encoding>,
    pub(super) index: Index,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder")
            .field("family", &self.family)
            .field("encodings", &self.encodings.len())
            .finish()
    }
}

/// Room for this many families.
const FAMILIES: usize = 32;

impl Decoder {
    /// The decoder for a processor by its name (`gfx906`, `gfx9-4-generic`); `None` for one whose
    /// instructions the tables do not know. Made once per family, when it is first asked for.
    pub fn of(processor: &str, mode: Mode) -> Option<&'static Decoder> {
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

    fn new(tables: &Tables, family: usize, mode: Mode) -> Decoder {
        let unwanted = if mode == Mode::Correct { When::LikeLlvm } else { When::Correct };
        let longest = tables.families.get(family).map_or(8, |family| family.max_length);
        let encodings = encoding::of_family(tables, family, |rule| rule.when != unwanted);
        let index = Index::new(&encodings, longest);
        let id = family + if mode == Mode::Correct { 0 } else { FAMILIES };
        Decoder { family, id, longest, encodings, index }
    }

    /// The first instruction of `bytes`; `None` where they begin with none.
    pub fn decode(&self, bytes: &[u8]) -> Option<Instruction> {
        let mut word = [0; 16];
        let available = bytes.len().min(16);
        word.get_mut(..available)?.copy_from_slice(bytes.get(..available)?);
        self.decode_word(u128::from_le_bytes(word), bytes.len())
    }

    /// Decodes the lowest `available` bytes of a little-endian word.
    pub(super) fn decode_word(&self, word: u128, available: usize) -> Option<Instruction> {
        for number in self.index.candidates(word as u64) {
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
