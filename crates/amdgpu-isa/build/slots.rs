//! Packs the places of operands in the bits of instructions: `slots.tsv`.

use super::forms::{array, column, constant};
use super::{Result, SharedRules};
use std::fmt::Write as _;

/// Slots: name, type, reader, bits.
pub fn source(rows: &[Vec<String>]) -> Result<String> {
    let (mut names, mut all, mut pieces) = (SharedRules::default(), Vec::new(), Vec::new());
    let mut compact = Vec::new();
    for row in rows {
        let name = names.number(format!("{:?}", column(row, 1)?), 0xff)?;
        let kind = kind(column(row, 2)?)?;
        let (reader, bits) = (column(row, 3)?, column(row, 4)?);
        let start = pieces.len();
        let (mut set, mut tied) = (0u16, 0u8);
        for part in bits.split('+') {
            if reader == "address" {
                let digits = part.rsplit('_').next().and_then(|digits| digits.parse::<u16>().ok());
                tied = u8::try_from(digits.unwrap_or(32) / 32)?;
            } else if let Some(number) = part.strip_prefix("set") {
                set = number.parse()?;
            } else if let Some(place) = part.strip_prefix('=') {
                tied = place.parse()?;
            } else if part != "-" {
                let (first, rest) = part.split_once(':').ok_or("a piece without a width")?;
                let (width, place) = rest.split_once('@').ok_or("a piece without a place")?;
                pieces.extend(in_halves(first.parse()?, width.parse()?, place.parse()?));
            }
        }
        let reader = self::reader(reader, tied)?;
        compact.push(compact_slot(&reader, name, set, pieces.get(start..).unwrap_or_default())?);
        all.push(format!(
            "Slot {{ number: {name}, kind: Kind::{kind}, reader: {reader}, set: {set}, first: {}, pieces: ({start}, {}) }}",
            pieces.get(start).map_or("(0, 0, 0)", String::as_str),
            pieces.len() - start
        ));
    }
    let mut constants = "pub(crate) mod name {\n".to_owned();
    for (name, number) in &names.0 {
        let name = name.trim_matches('"');
        writeln!(constants, "pub(crate) const {}: u8 = {number};", constant(name))?;
    }
    constants += "}\n";
    Ok(constants
        + &names.list("NAMES", "&str")
        + &array("PIECES", "(u8, u8, u8)", &pieces)
        + &array("COMPACT_SLOTS", "CompactSlot", &padded(compact))
        + &array("SLOTS", "Slot", &all))
}

/// A slot in two numbers: see `src/compact_slot.rs`. `pieces` are those of its field, from the lowest bit of
/// the value on, `set` the bits that are always set.
fn compact_slot(reader: &str, name: usize, set: u16, pieces: &[String]) -> Result<String> {
    let mut numbers: Vec<[u8; 3]> = Vec::new();
    for piece in pieces {
        let mut parts = piece.trim_matches(['(', ')']).split(", ");
        let mut number = || parts.next().unwrap_or_default().parse::<u8>();
        numbers.push([number()?, number()?, number()?]);
    }
    let [first, width, place] = numbers.first().copied().unwrap_or_default();
    let one_half = numbers.iter().all(|[bit, ..]| bit / 64 == first / 64);
    let words = |rest: &str| rest.split_once(',').map_or("0", |(words, _)| words).to_owned();
    let source = reader.strip_prefix("Reader::Source { words: ");
    // Of a reader of one file, the bits that say which.
    let file = source.and_then(|rest| rest.split_once("set: ")?.1.trim_end_matches(" }").parse::<u16>().ok());
    let set = u64::from(set | file.unwrap_or(0));
    let of_source = match set {
        256 | 768 if width <= 8 && numbers.len() == 1 => VECTOR,
        0 if width <= 9 && numbers.len() == 1 => SOURCE,
        _ => ANY_FILE,
    };
    let (how, words) = match (numbers.len(), source) {
        (0, _) if reader.starts_with("Reader::Address") => (OTHER, "0".to_owned()),
        (0, _) if reader.starts_with("Reader::Tied(") => {
            (TIED, reader.trim_start_matches("Reader::Tied(").trim_end_matches(')').to_owned())
        }
        (0, _) => (HIDDEN, "0".to_owned()),
        (1, Some(rest)) if place == 0 => (of_source, words(rest)),
        (2, Some(rest)) if place == 0 && is_split(&numbers) => (of_source, words(rest)),
        _ if set != 0 => (OTHER, "0".to_owned()),
        (1, None) if reader == "Reader::Condition" && place == 0 => (CONDITION, "0".to_owned()),
        (1, None) if reader == "Reader::SecondResult" => (SECOND, "1".to_owned()),
        (1, None) if is_number(reader) && place == 0 => (NUMBER, "0".to_owned()),
        (_, None) if reader == "Reader::Number" && one_half => (PIECES, "0".to_owned()),
        _ => (OTHER, "0".to_owned()),
    };
    let words = words.parse::<u8>()?;
    let is_source = how & (VECTOR | SOURCE | ANY_FILE) != 0;
    let class = match words {
        _ if !is_source => 0,
        0..=1 => 0,
        2 => 1,
        3..=16 => 2,
        32 => 3,
        _ if how == VECTOR => 0,
        _ => {
            return Err(format!("an operand of {words} registers: src/scalars.rs has no class for it").into());
        }
    };
    if is_source && set & !0x300 != 0 {
        return Err(format!("bits of a source that are always set: {set:#x}").into());
    }
    let of_first = if how == PIECES { &numbers[..] } else { numbers.get(..1).unwrap_or_default() };
    let field = of_first.iter().fold(0, |all, [bit, width, _]| all | ((1u64 << width) - 1) << (bit % 64));
    let split = numbers.get(1).filter(|_| how == ANY_FILE).map(|[bit, ..]| *bit);
    let parts = [
        (u64::from(first % 64), 0),
        (u64::from(first / 64), 6),
        (how, 0),
        (u64::from(words), 16),
        (u64::from(how == VECTOR && set & 0x200 != 0), 24),
        (class, 26),
        (u64::from(place), 28),
        (if how == ANY_FILE { set >> 8 } else { 0 }, 34),
        (u64::from(u8::try_from(name)?), 40),
        (u64::from(split.is_some()), 57),
        (u64::from(split.unwrap_or(0)), 58),
    ];
    let bits = parts.into_iter().fold(0, |all, (value, at)| all | value << at);
    Ok(format!("CompactSlot {{ bits: {bits:#x}, field: {field:#x} }}"))
}

/// Whether a reader takes a number as it is.
fn is_number(reader: &str) -> bool {
    ["Reader::Number", "Reader::Branch", "Reader::Version"].contains(&reader)
}

/// With slots that are none up to a number of two to some power, so that a number is in the table by its
/// bits.
fn padded(mut slots: Vec<String>) -> Vec<String> {
    let none = format!("CompactSlot {{ bits: {HIDDEN:#x}, field: 0 }}");
    slots.resize(slots.len().next_power_of_two(), none);
    slots
}

/// Whether the second piece of a source is the one bit that makes it an accumulation register.
fn is_split(pieces: &[[u8; 3]]) -> bool {
    matches!(pieces, [_, [1..=63, 1, 9]])
}

// How the operand of a compact slot is read: as `how` in `src/compact_slot.rs`, with its numbers.
const NUMBER: u64 = 1 << 7;
const VECTOR: u64 = 1 << 8;
const SOURCE: u64 = 1 << 9;
const PIECES: u64 = 1 << 10;
const TIED: u64 = 1 << 11;
const HIDDEN: u64 = 1 << 12;
const ANY_FILE: u64 = 1 << 13;
const CONDITION: u64 = 1 << 14;
const SECOND: u64 = 1 << 15;
const OTHER: u64 = 0;

/// A piece in one half of a 128-bit word each, so that reading it takes a shift of 64 bits.
fn in_halves(first: u8, width: u8, place: u8) -> Vec<String> {
    let below = 64u8.saturating_sub(first);
    match width > 32 || first < 64 && width > below {
        true => {
            let low = if first < 64 && width > below { below } else { 32 };
            [in_halves(first, low, place), in_halves(first + low, width - low, place + low)].concat()
        }
        false => vec![format!("({first}, {width}, {place})")],
    }
}

/// LLVM's type of an operand as the crate has it.
fn kind(text: &str) -> Result<&'static str> {
    let plain = text.trim_start_matches("REG_").trim_start_matches("IMM_").trim_start_matches("INLINE_");
    let plain = plain.trim_start_matches("C_").trim_start_matches("AC_");
    Ok(match plain {
        "V2FP16" if text.contains("INLINE_C") => "HalvesInline",
        "V2BF16" if text.contains("INLINE_C") => "BrainsInline",
        "INT32" | "SPLIT_BARRIER_INT32" | "V2INT32" | "V2FP32" | "FP32" => "Word",
        "INT64" => "Long",
        "FP64" => "Double",
        "INT16" => "Short",
        "FP16" => "Half",
        "BF16" => "Brain",
        "V2INT16" => "Shorts",
        "V2FP16" => "Halves",
        "V2BF16" => "Brains",
        "V2FP16_SPLAT" => "HalvesTwice",
        "NOINLINE_V2FP16" => "HalvesPlain",
        "REGISTER" | "SDWA_VOPC_DST" | "ISTER" => "Register",
        "IMMEDIATE" => "Immediate",
        "INPUT_MODS" => "Modifiers",
        "KIMM16" => "Constant16",
        "KIMM32" => "Constant",
        "KIMM64" => "Constant64",
        "PCREL" | "UNKNOWN" => "Number",
        _ if text == "REGISTER" => "Register",
        _ => return Err(format!("a type of operand that is not known: {text}").into()),
    })
}

/// LLVM's function that reads an operand as the crate has it.
fn reader(text: &str, tied: u8) -> Result<String> {
    let (name, bits) = text.split_once('<').unwrap_or((text, ""));
    let bits: u16 = bits.trim_end_matches('>').parse().unwrap_or(32);
    Ok(match name {
        "none" => "Reader::None".to_owned(),
        "tied" => format!("Reader::Tied({tied})"),
        "address" => format!("Reader::Address {{ words: {tied} }}"),
        "imm" => "Reader::Number".to_owned(),
        "decodeSrcRegOrImm9" | "decodeSrcReg9" | "decodeSrcAV10" => source_of(bits, 0),
        "decodeSrcRegOrImmA9" | "decodeSrcA9" => source_of(bits, 512),
        "decodeAV10" | "decodeAVLdSt" => source_of(bits, 256),
        "decodeOperand_VSrc_f64" => source_of(64, 0),
        "decodeSplitBarrier" => source_of(32, 0),
        "decodeOperand_VSrcT16" => "Reader::HalfSource".to_owned(),
        "decodeOperand_VSrcT16_Lo128" => "Reader::LowHalfSource".to_owned(),
        "decodeOperand_VGPR_16" | "DecodeVGPR_16RegisterClass" => "Reader::HalfRegister".to_owned(),
        "DecodeVGPR_16_Lo128RegisterClass" => "Reader::LowHalfRegister".to_owned(),
        "decodeBoolReg" => "Reader::Condition".to_owned(),
        "decodeSDWASrc32" | "decodeSDWASrc16" => "Reader::Sdwa".to_owned(),
        "decodeSDWAVopcDst" => "Reader::SdwaComparison".to_owned(),
        "decodeOperandVOPDDstY" => "Reader::SecondResult".to_owned(),
        "decodeOperand_KImmFP" => "Reader::Constant".to_owned(),
        "decodeOperand_KImmFP64" => "Reader::Constant64".to_owned(),
        "decodeSMEMOffset" => "Reader::ScalarOffset".to_owned(),
        "decodeSOPPBrTarget" => "Reader::Branch".to_owned(),
        "decodeVersionImm" => "Reader::Version".to_owned(),
        "decodeDpp8FI" => "Reader::Number".to_owned(),
        _ => {
            let class = name.strip_prefix("Decode").and_then(|rest| rest.split_once('_'));
            let (class, rest) = class.ok_or_else(|| format!("a reader that is not known: {text}"))?;
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let bits: u16 = digits.parse()?;
            match class {
                "VGPR" | "VReg" => source_of(bits, 256),
                "AGPR" | "AReg" => source_of(bits, 768),
                "SReg" => source_of(bits, 0),
                _ => return Err(format!("a reader that is not known: {text}").into()),
            }
        }
    })
}

fn source_of(bits: u16, set: u16) -> String {
    format!("Reader::Source {{ words: {}, set: {set} }}", bits.div_ceil(32))
}
