//! The forms of instructions as `build.rs` packs them: which operands there are, where they lie, how they are
//! printed, and what an instruction reads and writes without naming it.
#![deny(clippy::indexing_slicing)]

mod by_mnemonic;

use super::compact_slot::{CompactSlot, part};
use super::text::buffer::Text;

#[allow(dead_code, reason = "the names of all operands")]
mod packed {
    use super::{
        CompactSlot, Corrected, Effects, Item, Kind, List, OperandLayout, Parts, Piece, Print, Reader, Slot,
        flag,
    };

    include!(concat!(env!("OUT_DIR"), "/forms.rs"));
}

pub(super) use by_mnemonic::Forms;
pub(super) use packed::name;

/// How the value of a field becomes an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// There is no field.
    None,
    /// The register of another operand, by its place.
    Tied(u8),
    /// Vector registers by a byte behind the encoding of an image instruction.
    Address {
        words: u8,
    },
    /// The number as it is.
    Number,
    /// A register or constant of some dwords. 256 set means a vector register, 512 an accumulation register.
    Source {
        words: u8,
        set: u16,
    },
    HalfSource,
    LowHalfSource,
    HalfRegister,
    LowHalfRegister,
    /// A scalar condition, as wide as the wave.
    Condition,
    Sdwa,
    SdwaComparison,
    /// The result of the second half of a pair: its lowest bit is the inverse of the first's.
    SecondResult,
    Constant,
    Constant64,
    ScalarOffset,
    Branch,
    Version,
}

/// What an operand is for the instruction: LLVM's type of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Long,
    Double,
    Short,
    Half,
    Brain,
    Shorts,
    Halves,
    Brains,
    /// Halves of an operand that takes no literals.
    HalvesInline,
    BrainsInline,
    HalvesTwice,
    HalvesPlain,
    Register,
    Immediate,
    Modifiers,
    Constant16,
    Constant,
    Constant64,
    Number,
}

/// An operand of a layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// One of [`name`].
    pub(super) number: u8,
    pub(super) kind: Kind,
    pub(super) reader: Reader,
    /// Bits of the value that are always set.
    set: u16,
    /// Its first piece: first bit, width, place in the value.
    first: (u8, u8, u8),
    /// Where its pieces begin, and how many there are.
    pieces: (u16, u8),
}

impl Slot {
    #[inline]
    pub(super) fn name(&self) -> &'static str {
        name_of(self.number)
    }

    /// Its pieces: first bit, width, place in the value.
    #[inline]
    pub(super) fn pieces(&self) -> &'static [(u8, u8, u8)] {
        let (start, count) = (usize::from(self.pieces.0), usize::from(self.pieces.1));
        packed::PIECES.get(start..start + count).unwrap_or_default()
    }

    /// Whether LLVM's decoder makes an operand of it, and not what comes after that.
    pub(super) fn is_decoded(&self) -> bool {
        self.has_field() || matches!(self.reader, Reader::Tied(_))
    }

    /// Whether it has a field at all.
    #[inline]
    pub(super) fn has_field(&self) -> bool {
        self.pieces.1 > 0
    }

    /// The value of its field in a word of two halves. No piece lies in both (`build.rs` cuts those that
    /// would).
    #[inline(always)]
    pub(super) fn value(&self, word: [u64; 2]) -> u64 {
        let value = u64::from(self.set) | part(word, self.first);
        if self.pieces.1 < 2 { value } else { self.value_of_several(value, word) }
    }

    #[inline(never)]
    fn value_of_several(&self, first: u64, word: [u64; 2]) -> u64 {
        self.pieces().iter().skip(1).fold(first, |value, piece| value | part(word, *piece))
    }
}

/// LLVM's name of an operand, by its number.
#[inline(always)]
pub(super) fn name_of(number: u8) -> &'static str {
    packed::NAMES.get(usize::from(number)).copied().unwrap_or_default()
}

/// By what the reads of a form, as LLVM says them, may have to be corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Corrected {
    #[default]
    No,
    /// By the values of its other operands.
    ByOperands,
    /// An instruction of LDS: `m0` may be a limit.
    OfLds,
}

/// The compact slot of a number.
#[inline(always)]
pub(super) fn compact_slot_of(number: u16) -> Option<CompactSlot> {
    packed::COMPACT_SLOTS.get(usize::from(number) & (packed::COMPACT_SLOTS.len() - 1)).copied()
}

/// How a piece of text comes about.
#[allow(dead_code, reason = "IndexKey8bit is in LLVM's list and in no instruction of this LLVM")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    Text,
    /// ` :: ` and the second mnemonic of a pair.
    SecondMnemonic,
    /// vcc, as wide as the wave.
    Condition,
    Operand,
    FloatModified,
    IntegerModified,
    Bit,
    Named,
    NamedHex,
    NamedAlways,
    NamedHexAlways,
    List,
    Cache,
    Format,
    Offset,
    BufferOffset,
    GlobalOffset,
    FlatOffset,
    OpSelByte,
    OpSelPermlane,
    Blgp,
    BlgpNeg,
    DppCtrl,
    AVLdSt32Align2RegOp,
    BitOp3,
    DPP8,
    DepCtr,
    Dim,
    DppBoundCtrl,
    DppFI,
    Endpgm,
    ExpSrc0,
    ExpSrc1,
    ExpSrc2,
    ExpSrc3,
    ExpTgt,
    FP64ImmOperand,
    GPRIdxMode,
    Hwreg,
    IndexKey8bit,
    IndexKey16bit,
    IndexKey32bit,
    InterpAttr,
    InterpAttrChan,
    InterpSlot,
    MatrixAFMT,
    MatrixAScale,
    MatrixAScaleFmt,
    MatrixBFMT,
    MatrixBScale,
    MatrixBScaleFmt,
    OModSI,
    R128A16,
    SDWADstSel,
    SDWADstUnused,
    SDWASrc0Sel,
    SDWASrc1Sel,
    SDelayALU,
    SMEMOffset,
    SMRDLiteralOffset,
    SMRDOffset8,
    SWaitCnt,
    SendMsg,
    Swizzle,
    U16ImmOperand,
    U32ImmOperand,
}

/// A piece of the text behind the mnemonic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) print: Print,
    /// The place of the operand.
    pub(super) slot: u8,
    /// The number of a string or a list, or what a cache policy means.
    pub(super) more: u16,
}

/// A piece of text that is always the same, and its first eight bytes.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: &'static str,
    short: [u8; 8],
}

impl Piece {
    #[inline]
    pub(super) fn write(&self, out: &mut Text) {
        match self.text.len() {
            count @ 0..=8 => out.push_short(self.short, count),
            _ => out.push(self.text),
        }
    }
}

impl Item {
    /// Its string.
    #[inline]
    pub(super) fn string(&self) -> &'static Piece {
        packed::STRINGS.get(usize::from(self.more)).unwrap_or(&Piece { text: "", short: [0; 8] })
    }

    /// Its list.
    pub(super) fn list(&self) -> Option<&'static List> {
        packed::LISTS.get(usize::from(self.more))
    }
}

/// One bit of each source's modifiers, printed as a list.
#[derive(Debug)]
pub(super) struct List {
    pub(super) name: &'static str,
    pub(super) bit: u8,
    /// The places of the modifiers; 255 for none.
    pub(super) places: [u8; 3],
    pub(super) count: u8,
    /// Of packed mathematics.
    pub(super) packed: bool,
    /// The result has a bit, too.
    pub(super) result: bool,
}

/// What an instruction does besides its operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effects {
    /// Registers that are read: bits of [`implied`].
    pub(super) reads: u16,
    pub(super) writes: u16,
    /// Bits of [`flag`].
    pub(super) flags: u64,
}

/// Registers that are not named.
#[allow(dead_code, reason = "all that the tables have, in their order")]
pub(super) mod implied {
    pub(crate) const EXEC: u16 = 1;
    pub(crate) const VCC: u16 = 2;
    pub(crate) const SCC: u16 = 4;
    pub(crate) const M0: u16 = 8;
    pub(crate) const MODE: u16 = 16;
    pub(crate) const FLAT_SCRATCH: u16 = 32;
}

/// Properties of instructions, by LLVM's names.
#[allow(dead_code, reason = "all that the tables have, in their order")]
pub(super) mod flag {
    pub(crate) const DS: u64 = 1;
    pub(crate) const EXP: u64 = 1 << 1;
    pub(crate) const EXP_CNT: u64 = 1 << 2;
    pub(crate) const FLAT: u64 = 1 << 3;
    pub(crate) const FLAT_GLOBAL: u64 = 1 << 4;
    pub(crate) const FLAT_SCRATCH: u64 = 1 << 5;
    pub(crate) const IS_ATOMIC_NO_RET: u64 = 1 << 6;
    pub(crate) const IS_ATOMIC_RET: u64 = 1 << 7;
    pub(crate) const IS_DOT: u64 = 1 << 8;
    pub(crate) const IS_MAI: u64 = 1 << 9;
    pub(crate) const IS_PACKED: u64 = 1 << 10;
    pub(crate) const IS_SWMMAC: u64 = 1 << 11;
    pub(crate) const IS_WMMA: u64 = 1 << 12;
    pub(crate) const LDSDIR: u64 = 1 << 13;
    pub(crate) const LGKM_CNT: u64 = 1 << 14;
    pub(crate) const MIMG: u64 = 1 << 15;
    pub(crate) const MTBUF: u64 = 1 << 16;
    pub(crate) const MUBUF: u64 = 1 << 17;
    pub(crate) const SALU: u64 = 1 << 18;
    pub(crate) const SMRD: u64 = 1 << 19;
    pub(crate) const TRANS: u64 = 1 << 20;
    pub(crate) const TIED_SOURCE_NOT_READ: u64 = 1 << 21;
    pub(crate) const VALU: u64 = 1 << 22;
    pub(crate) const VIMAGE: u64 = 1 << 23;
    pub(crate) const VM_CNT: u64 = 1 << 24;
    pub(crate) const VSAMPLE: u64 = 1 << 25;
    pub(crate) const IS_BARRIER: u64 = 1 << 26;
    pub(crate) const IS_BRANCH: u64 = 1 << 27;
    pub(crate) const IS_CALL: u64 = 1 << 28;
    pub(crate) const IS_INDIRECT_BRANCH: u64 = 1 << 29;
    pub(crate) const IS_RETURN: u64 = 1 << 30;
    pub(crate) const IS_TERMINATOR: u64 = 1 << 31;
    pub(crate) const MAY_LOAD: u64 = 1 << 32;
    pub(crate) const MAY_STORE: u64 = 1 << 33;
}

/// The slot of a number.
#[inline(always)]
pub(super) fn slot_of(number: u16) -> Option<&'static Slot> {
    packed::SLOTS.get(usize::from(number))
}

/// What a form is made of besides its operands: its text, what it does.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    first_item: u16,
    items: u8,
    effects: u8,
    corrected: Corrected,
}

/// The operands of a form in one number. From the lowest bit on: where its slots begin in `LAYOUT_SLOTS` (16
/// bits), how many there are (8), how many of these are results (6), and what their sizes follow from (2):
/// [`FIXED`], [`ON_WAVE`], or other operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct OperandLayout(u32);

/// Sizes that follow from the encoding.
const FIXED: u32 = 0;
/// Sizes that follow from the encoding in waves of 32 lanes.
const ON_WAVE: u32 = 1;

impl OperandLayout {
    /// The numbers of its slots.
    #[inline(always)]
    pub(super) fn slots(self) -> &'static [u16] {
        let (start, count) = (self.0 as usize & 0xffff, (self.0 >> 16) as usize & 0xff);
        packed::LAYOUT_SLOTS.get(start..start + count).unwrap_or_default()
    }

    /// How many of its operands are results.
    #[inline(always)]
    pub(super) fn results(self) -> usize {
        (self.0 >> 24) as usize & 63
    }

    /// Whether its operands are as large as their encoding says.
    #[inline(always)]
    pub(super) fn is_fixed(self, wave32: bool) -> bool {
        let sizes = self.0 >> 30;
        sizes == FIXED || sizes == ON_WAVE && wave32
    }
}

/// A form by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form(pub(super) u16);

impl Form {
    #[inline]
    fn parts(self) -> Parts {
        packed::FORMS.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// The pieces of its text.
    #[inline]
    pub(super) fn items(self) -> &'static [Item] {
        let Parts { first_item: start, items: count, .. } = self.parts();
        packed::ITEMS.get(usize::from(start)..usize::from(start) + usize::from(count)).unwrap_or_default()
    }

    /// How many of its operands are results, and the numbers of its slots.
    #[inline]
    pub(super) fn layout(self) -> (usize, &'static [u16]) {
        let layout = self.operand_layout();
        (layout.results(), layout.slots())
    }

    /// Its operands.
    #[inline(always)]
    pub(super) fn operand_layout(self) -> OperandLayout {
        packed::FORM_LAYOUTS.get(usize::from(self.0)).copied().unwrap_or(OperandLayout(0))
    }

    /// What it does besides its operands.
    #[inline]
    pub(super) fn effects(self) -> Effects {
        let none = Effects { reads: 0, writes: 0, flags: 0 };
        packed::EFFECTS.get(usize::from(self.parts().effects)).copied().unwrap_or(none)
    }

    /// By what its reads may have to be corrected.
    #[inline(always)]
    pub(super) fn corrected(self) -> Corrected {
        self.parts().corrected
    }

    /// The slot at a place.
    #[inline]
    pub(super) fn slot(self, place: usize) -> Option<&'static Slot> {
        let (_, slots) = self.layout();
        slot_of(*slots.get(place)?)
    }

    /// The place of the operand of a [`name`].
    #[inline]
    pub(super) fn place(self, name: u8) -> Option<usize> {
        let (_, slots) = self.layout();
        slots
            .iter()
            .position(|slot| packed::SLOTS.get(usize::from(*slot)).is_some_and(|slot| slot.number == name))
    }
}
