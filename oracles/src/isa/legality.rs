//! Which values of a field LLVM takes as an operand, and which are followed by a literal.
//!
//! A reading of the operand decoders of `AMDGPUDisassembler.cpp` (LLVM 22): `decodeSrcOp`,
//! `decodeNonVGPRSrcOp`, `decodeSpecialReg32`, `decodeSpecialReg64`, `decodeSDWASrc`, `decodeSDWAVopcDst`.
//! Neither the alignment of SGPR tuples nor the end of the VGPRs is checked there, so not here.

use anyhow::{Result, bail};

use super::processor::Processor;

/// What a value of a field means for decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// An operand in itself.
    Plain,
    /// A 32-bit literal follows.
    Literal,
    /// A 64-bit literal follows.
    Literal64,
    /// Not an operand.
    Refused,
}

use Meaning::{Literal, Literal64, Plain, Refused};

/// The SGPRs, TTMPs and AGPRs that LLVM models: the sizes of `SGPR_32`, `TTMP_32`, `AGPR_32`.
const SGPRS: u32 = 106;
const TTMPS: u32 = 16;
const AGPRS: u32 = 256;

/// How a decoder function looks at its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// A source of some bits; the constant is set in the value before (256 = VGPR, 512 = AGPR).
    Source { bits: u32, set: u32 },
    /// The same, of a field that holds scalar registers only.
    Scalar { bits: u32 },
    /// A scalar condition, as wide as the wave.
    Condition,
    /// A source of SDWA.
    Sdwa,
    /// The scalar destination of a comparison in SDWA.
    SdwaComparison,
    /// A tuple of accumulation registers.
    Accumulator { words: u32 },
    /// A VGPR below 128.
    LowVgpr,
    /// LLVM's misreading of `dpp_ctrl` as a source.
    Misread,
}

impl Reader {
    /// The reader that LLVM's `function` is; `None` where it takes every value.
    pub fn from_function(function: &str) -> Result<Option<Self>> {
        let (name, bits) = match function.split_once('<') {
            // A register of 16 bits is half of one of 32, and found in the same way.
            Some((name, bits)) => (name, bits.trim_end_matches('>').parse::<u32>()?.max(32)),
            None => (function, 0),
        };
        Ok(Some(match name {
            "decodeSrcRegOrImm9" | "decodeSrcReg9" | "decodeSrcAV10" => Reader::Source { bits, set: 0 },
            "decodeSrcRegOrImmA9" | "decodeSrcA9" => Reader::Source { bits, set: 512 },
            "decodeAV10" | "decodeAVLdSt" => Reader::Source { bits, set: 256 },
            "decodeOperand_VSrcT16_Lo128" | "decodeOperand_VSrcT16" => Reader::Source { bits, set: 0 },
            "decodeOperand_VSrc_f64" => Reader::Source { bits: 64, set: 0 },
            "decodeSplitBarrier" => Reader::Source { bits: 32, set: 0 },
            "decodeBoolReg" => Reader::Condition,
            "decodeSDWASrc16" | "decodeSDWASrc32" => Reader::Sdwa,
            "decodeSDWAVopcDst" => Reader::SdwaComparison,
            "DecodeVGPR_32_Lo128RegisterClass" => Reader::LowVgpr,
            "decodeSMEMOffset"
            | "decodeSOPPBrTarget"
            | "decodeVersionImm"
            | "decodeOperandVOPDDstY"
            | "decodeOperand_VGPR_16"
            | "decodeOperand_KImmFP"
            | "decodeOperand_KImmFP64"
            | "decodeDpp8FI"
            | "imm" => return Ok(None),
            _ if name.starts_with("DecodeVGPR_") || name.starts_with("DecodeVReg_") => return Ok(None),
            _ => match name.strip_prefix("Decode").and_then(|rest| rest.strip_suffix("RegisterClass")) {
                Some(class) => Reader::of_class(class)?,
                None => bail!("an operand decoder that is not known: {function}"),
            },
        }))
    }

    fn of_class(class: &str) -> Result<Self> {
        let mut parts = class.split('_');
        let (kind, bits) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().parse()?);
        Ok(match kind {
            "SReg" => Reader::Scalar { bits },
            "AGPR" | "AReg" => Reader::Accumulator { words: bits / 32 },
            _ => bail!("a register class that is not known: {class}"),
        })
    }

    /// A name for the tables.
    pub fn name(self) -> String {
        match self {
            Reader::Source { bits, set: 0 } => format!("src{bits}"),
            Reader::Source { bits, set: 256 } => format!("av{bits}"),
            Reader::Source { bits, set } => format!("src{bits}_or{set}"),
            Reader::Scalar { bits } => format!("sreg{bits}"),
            Reader::Condition => "condition".to_owned(),
            Reader::Sdwa => "sdwa".to_owned(),
            Reader::SdwaComparison => "sdwa_vopc_dst".to_owned(),
            Reader::Accumulator { words } => format!("agpr{}", words * 32),
            Reader::LowVgpr => "vgpr_lo128".to_owned(),
            Reader::Misread => "dpp_ctrl_as_source".to_owned(),
        }
    }
}

/// The operands of one processor.
#[derive(Clone, Copy, Debug)]
pub struct Legality {
    gfx9_or_10: bool,
    gfx9_plus: bool,
    gfx10_plus: bool,
    gfx11_plus: bool,
    wave: u32,
    literals64: bool,
}

impl Legality {
    /// The operands of `processor`.
    pub fn new(processor: &Processor) -> Self {
        let gfx10_plus = processor.has("GFX10Insts");
        Legality {
            gfx9_or_10: processor.has("GFX9") || processor.has("GFX10"),
            gfx9_plus: processor.has("GFX9Insts") || gfx10_plus,
            gfx10_plus,
            gfx11_plus: processor.has("GFX11Insts"),
            wave: if processor.has("WavefrontSize32") { 32 } else { 64 },
            literals64: processor.has("64BitLiterals"),
        }
    }

    /// The same, with literals of 64 bits.
    pub fn with_literals64(self) -> Self {
        Legality { literals64: true, ..self }
    }

    /// Whether literals of 64 bits exist.
    pub fn literals64(&self) -> bool {
        self.literals64
    }

    /// What `value` means to `reader`.
    pub fn meaning(&self, reader: Reader, value: u32) -> Meaning {
        match reader {
            Reader::Source { bits, set } => self.source(bits, value | set),
            Reader::Scalar { bits } => self.source(bits, value),
            Reader::Condition => self.source(self.wave, value),
            Reader::Sdwa => self.sdwa(value),
            Reader::SdwaComparison if value & 128 == 0 => Plain,
            Reader::SdwaComparison => self.sdwa_comparison(value & 127),
            Reader::Accumulator { words } => accumulator(words, value),
            Reader::LowVgpr => plain_if(value < 128),
            Reader::Misread if value == 255 => Literal,
            Reader::Misread => Plain,
        }
    }

    fn source(&self, bits: u32, value: u32) -> Meaning {
        let (accumulation, value) = (value & 512 != 0, value & 511);
        if value < 256 {
            self.scalar(bits, value)
        } else if accumulation {
            accumulator(bits / 32, value - 256)
        } else {
            Plain
        }
    }

    fn scalar(&self, bits: u32, value: u32) -> Meaning {
        match value {
            _ if value <= self.last_sgpr() => tuple(SGPRS, bits, value),
            _ if (self.first_ttmp()..=123).contains(&value) => {
                // TTMP tuples of 96, 160 and 192 bits are looked up in the class of 256.
                let looked_up = if matches!(bits, 96 | 160 | 192) { 256 } else { bits };
                tuple(TTMPS, looked_up, value - self.first_ttmp())
            }
            128..=208 | 240..=248 => Plain,
            255 => Literal,
            254 if self.literals64 => Literal64,
            _ => self.special(bits, value),
        }
    }

    fn last_sgpr(&self) -> u32 {
        if self.gfx10_plus { 105 } else { 101 }
    }

    fn first_ttmp(&self) -> u32 {
        if self.gfx9_plus { 108 } else { 112 }
    }

    /// Special registers; only `null` can stand for more than 64 bits.
    fn special(&self, bits: u32, value: u32) -> Meaning {
        let null = value == if self.gfx11_plus { 124 } else { 125 };
        plain_if(match bits {
            32 => matches!(value, 102..=111 | 124..=127 | 230 | 231 | 235..=239 | 251..=254),
            64 => null || matches!(value, 102 | 104 | 106 | 108 | 110 | 126 | 230 | 235..=239 | 251..=253),
            96 | 128 | 192 | 256 | 512 | 1024 => null,
            _ => false,
        })
    }

    fn sdwa(&self, value: u32) -> Meaning {
        if !self.gfx9_or_10 || value < 256 {
            return Plain;
        }
        match value - 256 {
            scalar if scalar <= self.last_sgpr() => Plain,
            108..=123 | 128..=208 | 240..=248 => Plain,
            special => self.special(32, special),
        }
    }

    fn sdwa_comparison(&self, value: u32) -> Meaning {
        if (self.first_ttmp()..=123).contains(&value) {
            tuple(TTMPS, self.wave, value - self.first_ttmp())
        } else if value > self.last_sgpr() {
            self.special(self.wave, value)
        } else {
            tuple(SGPRS, self.wave, value)
        }
    }
}

fn plain_if(condition: bool) -> Meaning {
    if condition { Plain } else { Refused }
}

/// A tuple of scalar registers at `value`, of `count` in all. Pairs are numbered by 2, wider tuples by 4;
/// LLVM finds those of 1024 bits in the class of 512.
fn tuple(count: u32, bits: u32, value: u32) -> Meaning {
    let words = bits.min(512) / 32;
    let step = words.next_power_of_two().min(4);
    plain_if(words <= count && value / step * step + words <= count)
}

/// A tuple of accumulation registers at `value`.
fn accumulator(words: u32, value: u32) -> Meaning {
    plain_if(value + words <= AGPRS)
}
