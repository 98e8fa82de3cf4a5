//! The text of an instruction, as LLVM's `AMDGPUInstPrinter` writes it.
#![deny(clippy::indexing_slicing)]

pub(crate) mod buffer;
mod image;
mod immediate;
mod memory;
mod messages;
mod modifiers;
pub(crate) mod names;
pub(crate) mod recent;
pub(crate) mod registers;
mod vector;

use super::form::{Item, Kind, Print};
use super::operand::{Operand, Source};
use buffer::Text;
use core::fmt::{Result, Write};

/// Writes one instruction.
pub(super) struct Printer<'w> {
    pub(super) out: &'w mut Text,
    pub(super) source: Source,
    /// The mnemonic, both of a pair.
    pub(super) mnemonic: &'static str,
}

impl Printer<'_> {
    /// The whole text.
    pub(super) fn instruction(&mut self) -> Result {
        let pair = if self.mnemonic.as_bytes().first_chunk() == Some(b"v_dual_") {
            self.mnemonic.split_once(" :: ")
        } else {
            None
        };
        self.out.push(pair.map_or(self.mnemonic, |(first, _)| first));
        if self.source.is_image() {
            return self.image_instruction();
        }
        self.source.form.items().iter().try_for_each(|item| self.item(item))
    }

    /// One piece of the text. Most are operands and fixed texts: they are written in place.
    #[inline(always)]
    fn item(&mut self, item: &Item) -> Result {
        match item.print {
            Print::Text => {
                item.string().write(self.out);
                Ok(())
            }
            Print::Operand => self.operand(usize::from(item.slot)),
            _ => self.rare_item(item),
        }
    }

    #[inline(never)]
    fn rare_item(&mut self, item: &Item) -> Result {
        let place = usize::from(item.slot);
        match item.print {
            Print::Text => {
                item.string().write(self.out);
                Ok(())
            }
            Print::SecondMnemonic => self.second_mnemonic(),
            Print::Condition => self.condition(),
            Print::Operand => self.operand(place),
            Print::FloatModified => self.float_modified(place),
            Print::IntegerModified => self.integer_modified(place),
            Print::Bit if self.number(place) != 0 && !self.is_without_meaning(place) => {
                item.string().write(self.out);
                Ok(())
            }
            Print::Bit => Ok(()),
            Print::Named | Print::NamedHex | Print::NamedAlways | Print::NamedHexAlways => self.named(item),
            Print::List => item.list().map_or(Ok(()), |list| self.list(list)),
            Print::OpSelByte => self.select_byte(),
            Print::OpSelPermlane => self.select_permlane(),
            Print::Cache => self.cache(item),
            Print::Format => self.format(place),
            Print::Offset | Print::BufferOffset | Print::GlobalOffset | Print::FlatOffset => {
                self.offset(item.print, place)
            }
            Print::Blgp => self.if_set(place, " blgp:"),
            Print::BlgpNeg => self.blgp_neg(place),
            Print::DppCtrl => self.dpp_control(place),
            Print::DPP8 => self.dpp8(place),
            Print::DppBoundCtrl => self.flag(place, " bound_ctrl:1"),
            Print::DppFI if matches!(self.number(place), 1 | 0xea) => self.out.write_str(" fi:1"),
            Print::DppFI => Ok(()),
            Print::SDWADstSel => self.selection("dst_sel:", place),
            Print::SDWASrc0Sel => self.selection("src0_sel:", place),
            Print::SDWASrc1Sel => self.selection("src1_sel:", place),
            Print::SDWADstUnused => self.unused(place),
            Print::OModSI => self.output_multiplier(place),
            Print::BitOp3 => self.bit_operation(place),
            Print::AVLdSt32Align2RegOp => self.first_register(place),
            Print::SMEMOffset => self.scalar_offset(place),
            Print::SMRDLiteralOffset | Print::SMRDOffset8 | Print::U32ImmOperand => self.constant(place),
            Print::U16ImmOperand if self.is_version(place) => self.version(self.number(place) as i64),
            // Of the constants of `v_fmaak_f16` and its like LLVM prints all 32 bits, though only the lower
            // half counts.
            Print::U16ImmOperand => self.constant(place),
            Print::FP64ImmOperand => self.constant64(place),
            Print::Dim | Print::R128A16 => self.image(item.print, place),
            Print::ExpTgt => self.export_target(place),
            Print::ExpSrc0 => self.exported(place, 0),
            Print::ExpSrc1 => self.exported(place, 1),
            Print::ExpSrc2 => self.exported(place, 2),
            Print::ExpSrc3 => self.exported(place, 3),
            Print::InterpAttr => write!(self.out, "attr{}", self.number(place)),
            Print::InterpAttrChan => self.attribute_channel(place),
            Print::InterpSlot => self.interpolation_parameter(place),
            Print::IndexKey8bit | Print::IndexKey16bit | Print::IndexKey32bit => {
                self.if_set(place, " index_key:")
            }
            Print::MatrixAFMT
            | Print::MatrixBFMT
            | Print::MatrixAScale
            | Print::MatrixBScale
            | Print::MatrixAScaleFmt
            | Print::MatrixBScaleFmt => self.matrix(item.print, place),
            Print::Endpgm if self.number(place) != 0 => write!(self.out, " {}", self.number(place)),
            Print::Endpgm => Ok(()),
            Print::GPRIdxMode => self.index_mode(place),
            Print::SWaitCnt => self.wait_counts(place),
            Print::DepCtr => self.dependencies(place),
            Print::SDelayALU => self.delay(place),
            Print::Hwreg => self.hardware_register(place),
            Print::SendMsg => self.message(place),
            Print::Swizzle => self.swizzle(place),
        }
    }

    /// The mnemonic of the other instruction of a pair.
    fn second_mnemonic(&mut self) -> Result {
        let second = self.mnemonic.split_once(" :: ").map_or("", |(_, second)| second);
        self.out.write_str(" :: ")?;
        self.out.write_str(second)
    }

    /// The register of conditions, unless a modifier of the second source stands for it.
    fn condition(&mut self) -> Result {
        let second = self.source.form.place(super::form::name::SRC1_MODIFIERS);
        if second.is_some_and(|place| self.has_condition_inside(place)) {
            self.out.take_back(", ".len());
            return Ok(());
        }
        self.out.write_str(if self.source.generation.wave32() { "vcc_lo" } else { "vcc" })
    }

    fn output_multiplier(&mut self, place: usize) -> Result {
        let text = ["", " mul:2", " mul:4", " div:2"].get(self.number(place) as usize).copied();
        self.out.write_str(text.unwrap_or_default())
    }

    fn attribute_channel(&mut self, place: usize) -> Result {
        let channel = ["x", "y", "z", "w"].get(self.number(place) as usize & 3).copied();
        write!(self.out, ".{}", channel.unwrap_or_default())
    }

    fn interpolation_parameter(&mut self, place: usize) -> Result {
        match self.number(place) {
            0 => self.out.write_str("p10"),
            1 => self.out.write_str("p20"),
            2 => self.out.write_str("p0"),
            other => write!(self.out, "invalid_param_{other}"),
        }
    }

    /// The constant of an instruction that always has one.
    fn constant(&mut self, place: usize) -> Result {
        let bits = match self.source.operand(place) {
            Operand::Literal(bits) => bits,
            _ => self.number(place),
        };
        let has_field = self.source.slot(place).is_some_and(super::form::Slot::has_field);
        let bits = if has_field { self.mistaken(bits, place) } else { bits };
        let is_short = self.source.slot(place).is_some_and(|slot| slot.kind == Kind::Constant16);
        // A negative number of 16 bits is printed in as many.
        let most = if is_short && i16::try_from(bits as i64).is_ok() { 0xffff } else { 0xffff_ffff };
        self.hex(bits & most)
    }

    pub(super) fn number(&self, place: usize) -> u64 {
        self.source.number(place)
    }

    /// Whether the bit at a place is left over from older processors.
    fn is_without_meaning(&self, place: usize) -> bool {
        !self.source.generation.has_gds()
            && self.source.slot(place).is_some_and(|slot| slot.number == super::form::name::GDS)
    }

    fn is_version(&self, place: usize) -> bool {
        self.source.slot(place).is_some_and(|slot| slot.reader == super::form::Reader::Version)
    }

    pub(super) fn signed(&mut self, number: i64) -> Result {
        self.out.signed(number);
        Ok(())
    }

    pub(super) fn hex(&mut self, number: u64) -> Result {
        self.out.hex(number);
        Ok(())
    }

    /// A text where a number is not zero.
    fn flag(&mut self, place: usize, text: &str) -> Result {
        if self.number(place) != 0 { self.out.write_str(text) } else { Ok(()) }
    }

    /// A text and the number where it is not zero.
    fn if_set(&mut self, place: usize, text: &str) -> Result {
        match self.number(place) {
            0 => Ok(()),
            number => write!(self.out, "{text}{number}"),
        }
    }

    fn named(&mut self, item: &Item) -> Result {
        let place = usize::from(item.slot);
        let number = match self.source.operand(place) {
            Operand::Number(number) => number,
            _ => self.number(place) as i64,
        };
        let always = matches!(item.print, Print::NamedAlways | Print::NamedHexAlways);
        if number == 0 && !always {
            return Ok(());
        }
        item.string().write(self.out);
        match item.print {
            Print::NamedHex | Print::NamedHexAlways if number < 0 => {
                self.out.byte(b'-');
                self.hex(number.unsigned_abs())
            }
            Print::NamedHex | Print::NamedHexAlways => self.hex(number as u64),
            _ => self.signed(number),
        }
    }

    /// An operand as LLVM's `printRegularOperand` has it.
    pub(super) fn operand(&mut self, place: usize) -> Result {
        let Some(slot) = self.source.slot(place) else { return Ok(()) };
        match self.source.operand(place) {
            Operand::Register(register) => {
                let register = self.source.adjusted(slot, register);
                self.register(register)
            }
            // LLVM narrows such a source as if it were a register, and finds none.
            Operand::Inline(_) | Operand::Literal(_)
                if slot.kind == Kind::Register && self.source.is_narrowed(slot) =>
            {
                self.number_of_kind(0, slot.kind)
            }
            Operand::Literal64(_) if slot.value(self.source.word) & 0xff == 255 && self.is_raw(place) => {
                self.number_of_kind(255, slot.kind)
            }
            Operand::Inline(_) | Operand::Literal(_) if self.is_raw(place) => {
                self.number_of_kind(slot.value(self.source.word) as u32 & 0xff, slot.kind)
            }
            Operand::Inline(code) => self.inline(code, slot.kind),
            Operand::Literal(bits) => self.literal(bits, slot.kind, place),
            // Beside a source that asks for 64 bits, one that asks for 32 has the same literal.
            Operand::Literal64(bits) if slot.value(self.source.word) & 0xff == 255 => {
                self.literal(bits, slot.kind, place)
            }
            Operand::Literal64(bits) => self.literal64(bits, slot.kind),
            Operand::Number(number) => match slot.kind {
                Kind::Number => self.signed(number),
                _ => self.word(number as u32),
            },
        }
    }
}
