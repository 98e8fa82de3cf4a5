//! Packs what the operands of instructions are: `forms.tsv`, `texts.tsv`, `layouts.tsv`, `slots.tsv`,
//! `effects.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{Result, SharedRules, lines};

/// The files that are read.
pub const FILES: [&str; 5] = ["forms.tsv", "texts.tsv", "layouts.tsv", "slots.tsv", "effects.tsv"];

/// The source of the packed tables. `mnemonics` are the numbers of mnemonics.
pub fn source(tables: &Path, mnemonics: &BTreeMap<String, usize>) -> Result<String> {
    let read = |name: &str| -> Result<Vec<Vec<String>>> {
        let text = std::fs::read_to_string(tables.join(name))?;
        Ok(lines(&text).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    };
    let mut source =
        "// Generated from src/tables/forms.tsv and its companions by build.rs; do not edit.\n".to_owned();
    source += &slots(&read("slots.tsv")?)?;
    let (layouts, all) = layouts(&read("layouts.tsv")?)?;
    source += &all;
    let (texts, all) = texts(&read("texts.tsv")?)?;
    source += &all;
    source += &effects(&read("effects.tsv")?)?;
    let flags = read("effects.tsv")?;
    let flags = flags.iter().map(|row| column(row, 3)).collect::<Result<Vec<&str>>>()?;
    source += &forms(&read("forms.tsv")?, mnemonics, &texts, &layouts, &flags)?;
    Ok(source)
}

pub fn array(name: &str, kind: &str, items: &[String]) -> String {
    format!("pub(super) static {name}: [{kind}; {}] = [{}];\n", items.len(), items.join(", "))
}

pub fn column(row: &[String], number: usize) -> Result<&str> {
    row.get(number).map(String::as_str).ok_or_else(|| format!("no column {number}: {row:?}").into())
}

/// Slots: name, type, reader, bits.
fn slots(rows: &[Vec<String>]) -> Result<String> {
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

/// Layouts, as `OperandLayout` in `src/form.rs` has them; and the source of the slots.
fn layouts(rows: &[Vec<String>]) -> Result<(Vec<u32>, String)> {
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for row in rows {
        let start = places.len();
        places.extend(column(row, 2)?.split(' ').filter(|slot| !slot.is_empty()).map(str::to_owned));
        let (start, count) = (u16::try_from(start)?, u8::try_from(places.len() - start)?);
        let results = column(row, 1)?.parse::<u8>()?;
        if results >= 1 << 6 {
            return Err(format!("a layout of {results} results").into());
        }
        all.push(u32::from(start) | u32::from(count) << 16 | u32::from(results) << 24);
    }
    Ok((all, array("LAYOUT_SLOTS", "u16", &places)))
}

/// Texts: where the items begin, how many there are; and the source of the items.
fn texts(rows: &[Vec<String>]) -> Result<(Vec<String>, String)> {
    let (mut all, mut items, mut strings, mut lists) =
        (Vec::new(), Vec::new(), SharedRules::default(), SharedRules::default());
    for row in rows {
        let start = items.len();
        for item in column(row, 1)?.split('|').filter(|item| !item.is_empty()) {
            if let Some(text) = item.strip_prefix('\'') {
                for (number, part) in text.split('%').enumerate() {
                    let rest = match (number, part.chars().next()) {
                        (0, _) => part,
                        (_, Some('m')) => {
                            items.push("Item { print: Print::SecondMnemonic, slot: 0, more: 0 }".to_owned());
                            &part[1..]
                        }
                        (_, Some('v')) => {
                            items.push("Item { print: Print::Condition, slot: 0, more: 0 }".to_owned());
                            &part[1..]
                        }
                        _ => return Err(format!("a mark that is not known: {item}").into()),
                    };
                    if !rest.is_empty() {
                        let number = strings.number(format!("{rest:?}"), 0xffff)?;
                        items.push(format!("Item {{ print: Print::Text, slot: 0, more: {number} }}"));
                    }
                }
                continue;
            }
            let (printer, slot) =
                item.rsplit_once('@').ok_or_else(|| format!("an item without a slot: {item}"))?;
            let (print, more) = printer_of(printer, &mut strings, &mut lists)?;
            items.push(format!("Item {{ print: Print::{print}, slot: {slot}, more: {more} }}"));
        }
        all.push(format!("first_item: {start}, items: {}", items.len() - start));
    }
    let strings = strings.sorted().iter().map(|text| piece(text)).collect::<Vec<_>>();
    let source =
        array("STRINGS", "Piece", &strings) + &lists.list("LISTS", "List") + &array("ITEMS", "Item", &items);
    Ok((all, source))
}

fn printer_of(text: &str, strings: &mut SharedRules, lists: &mut SharedRules) -> Result<(String, usize)> {
    let (name, inner) = match text.split_once('(') {
        Some((name, inner)) => (name, inner.trim_end_matches(')')),
        None => (text, ""),
    };
    let parts: Vec<&str> = inner.split(',').collect();
    let part = |number: usize| parts.get(number).copied().unwrap_or_default();
    let camel: String = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    Ok(match name {
        "bit" => ("Bit".to_owned(), strings.number(format!("{:?}", format!(" {}", part(0))), 0xffff)?),
        "int" => {
            let print = match (part(1), part(2)) {
                ("0", "0") => "Named",
                ("1", "0") => "NamedHex",
                ("0", _) => "NamedAlways",
                _ => "NamedHexAlways",
            };
            (print.to_owned(), strings.number(format!("{:?}", format!(" {}:", part(0))), 0xffff)?)
        }
        "packed" => {
            let places: Vec<String> = part(1)
                .split(' ')
                .filter(|place| !place.is_empty())
                .map(|place| place.replace('d', "255"))
                .collect();
            let mut three = places.clone();
            three.resize(3, "255".to_owned());
            let bit = match part(0) {
                "op_sel" => 4,
                "op_sel_hi" => 8,
                "neg_lo" => 1,
                _ => 2,
            };
            let list = format!(
                "List {{ name: {:?}, bit: {bit}, places: [{}], count: {}, packed: {}, result: {} }}",
                format!(" {}:[", part(0)),
                three.join(", "),
                places.len(),
                part(2).contains('p'),
                part(2).contains('r')
            );
            ("List".to_owned(), lists.number(list, 0xffff)?)
        }
        "cache" => {
            let kind = match part(0) {
                "atomic" => 2,
                "store" => 1,
                _ => 0,
            };
            let more =
                kind + if part(1).contains('s') { 4 } else { 0 } + if part(1).contains('r') { 8 } else { 0 };
            ("Cache".to_owned(), more)
        }
        _ => (camel, 0),
    })
}

/// A string with its first eight bytes.
fn piece(literal: &str) -> String {
    let mut short: Vec<u8> = literal.trim_matches('"').bytes().take(8).collect();
    short.resize(8, 0);
    format!("Piece {{ text: {literal}, short: {short:?} }}")
}

/// Effects: reads, writes, flags.
fn effects(rows: &[Vec<String>]) -> Result<String> {
    let registers = |text: &str| -> Result<u16> {
        let mut set = 0;
        for name in text.split(' ').filter(|name| !name.is_empty()) {
            set |= match name {
                "EXEC" => 1,
                "VCC" => 2,
                "SCC" => 4,
                "M0" => 8,
                "MODE" => 16,
                "FLAT_SCR" => 32,
                "ASYNCcnt" | "TENSORcnt" => 64,
                _ => return Err(format!("a register that is not known: {name}").into()),
            };
        }
        Ok(set)
    };
    let mut all = Vec::new();
    for row in rows {
        let names = column(row, 3)?.split(' ').filter(|flag| !flag.is_empty());
        let names: Vec<String> = names.map(|flag| format!("flag::{}", constant(flag))).collect();
        let flags = if names.is_empty() { "0".to_owned() } else { names.join(" | ") };
        let (reads, writes) = (registers(column(row, 1)?)?, registers(column(row, 2)?)?);
        all.push(format!("Effects {{ reads: {reads}, writes: {writes}, flags: {flags} }}"));
    }
    Ok(array("EFFECTS", "Effects", &all))
}

/// What the sizes of the operands of an instruction depend on: those of images and of products of several
/// formats on other operands, those of other products on the width of the wave. A number as in
/// `OperandLayout` of `src/form.rs`.
fn sizes_depend(mnemonic: &str, flags: &str) -> u32 {
    let has = |some: &[&str]| flags.split(' ').any(|flag| some.contains(&flag));
    match () {
        () if has(&["MIMG", "VIMAGE", "VSAMPLE"]) || mnemonic.contains("f8f6f4") => 2,
        () if has(&["IsWMMA", "IsSWMMAC"]) || mnemonic.starts_with("global_load_tr") => 1,
        () => 0,
    }
}

/// By what the reads that LLVM says may have to be corrected: see `Corrected` in `src/form.rs`.
fn corrected(mnemonic: &str, flags: &str) -> &'static str {
    let starts = |some: &[&str]| some.iter().any(|start| mnemonic.starts_with(start));
    match () {
        () if starts(&["s_cmov_", "s_cmovk_", "s_bitset0_", "s_bitset1_"]) => "Corrected::ByOperands",
        () if mnemonic.ends_with("_sdwa") || mnemonic.ends_with("_dpp") => "Corrected::ByOperands",
        () if starts(&["ds_gws", "ds_ordered"]) || mnemonic.contains("addtid") => "Corrected::No",
        () if flags.split(' ').any(|flag| flag == "DS") => "Corrected::OfLds",
        () => "Corrected::No",
    }
}

/// `IsAtomicRet` as `IS_ATOMIC_RET`.
fn constant(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
        before = c;
    }
    out
}

/// Forms: mnemonic, bits, turn, mask, value, text, layout, effects, families.
fn forms(
    rows: &[Vec<String>],
    mnemonics: &BTreeMap<String, usize>,
    texts: &[String],
    layouts: &[u32],
    flags: &[&str],
) -> Result<String> {
    let (mut forms, mut masks, mut families) =
        (SharedRules::default(), SharedRules::default(), SharedRules::default());
    let mut by_mnemonic: BTreeMap<usize, Vec<(u8, u8, String)>> = BTreeMap::new();
    for row in rows {
        let mnemonic =
            *mnemonics.get(column(row, 0)?).ok_or_else(|| format!("no rule has this mnemonic: {row:?}"))?;
        let bytes = column(row, 1)?.parse::<u8>()? / 8;
        let (text, layout) = (column(row, 5)?.parse::<usize>()?, column(row, 6)?.parse::<usize>()?);
        let text = texts.get(text).ok_or("a text that is not there")?;
        let layout = layouts.get(layout).ok_or("a layout that is not there")?;
        let effects = column(row, 7)?;
        let flags = flags.get(effects.parse::<usize>()?).ok_or("effects that are not there")?;
        let sizes = sizes_depend(column(row, 0)?, flags);
        let corrected = corrected(column(row, 0)?, flags);
        let layout = layout | sizes << 30;
        let form = format!(
            "OperandLayout({layout:#x})\tParts {{ {text}, effects: {effects}, corrected: {corrected} }}"
        );
        let form = forms.number(form, 0xffff)?;
        let mask = masks.number(format!("(0x{}, 0x{})", column(row, 3)?, column(row, 4)?), 0xffff)?;
        let families = families.number(format!("0x{}", column(row, 8)?), 0xff)?;
        let turn = column(row, 2)?.parse::<u8>()?;
        let variant = format!("({mask}, {form}, {bytes}, {families})");
        by_mnemonic.entry(mnemonic).or_default().push((u8::MAX - bytes, turn, variant));
    }
    let mut starts = vec!["0".to_owned()];
    let mut all = Vec::new();
    for mnemonic in 0..mnemonics.len() {
        // The wider first, then those that LLVM tries first.
        let mut own = by_mnemonic.remove(&mnemonic).unwrap_or_default();
        own.sort();
        all.extend(own.into_iter().map(|(_, _, variant)| variant));
        starts.push(all.len().to_string());
    }
    let (layouts, parts): (Vec<String>, Vec<String>) = forms
        .sorted()
        .iter()
        .filter_map(|form| form.split_once('\t'))
        .map(|(layout, parts)| (layout.to_owned(), parts.to_owned()))
        .unzip();
    Ok(array("FORMS", "Parts", &parts)
        + &array("FORM_LAYOUTS", "OperandLayout", &layouts)
        + &masks.list("FORM_MASKS", "(u128, u128)")
        + &families.list("FORM_FAMILIES", "u32")
        + &array("VARIANTS", "(u16, u16, u8, u8)", &all)
        + &array("VARIANT_STARTS", "u16", &starts))
}
