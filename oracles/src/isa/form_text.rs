//! The text of each form: what LLVM prints behind the mnemonic, with the choices of `AMDGPUInstPrinter.cpp`
//! that depend on the instruction alone.

use anyhow::{Context, Result, ensure};

use super::forms::Operands;
use super::records::{Instruction, Records};

/// What is printed behind the mnemonic: items with `|` between them, each a text behind `'`, or
/// `printer@place`.
pub(super) fn text(
    name: &str,
    instruction: &Instruction,
    operands: &Operands<'_>,
    records: &Records,
) -> Result<String> {
    let assembly = &instruction.assembly;
    let head = assembly.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    let mut rest = assembly.get(head.unwrap_or(assembly.len())..).unwrap_or_default();
    // The form of the mnemonic, which the mnemonic's own text has.
    if let Some((_, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        rest = after;
    }
    let mut items: Vec<String> = Vec::new();
    let mut literal = String::new();
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(" :: ") {
            // The second mnemonic of a pair, which the mnemonic's own text holds.
            let end = after.find(['$', ' ']).unwrap_or(after.len());
            literal.push('\u{3}');
            rest = after.get(end..).unwrap_or_default();
            continue;
        }
        if c != '$' {
            literal.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let after = rest.get(1..).unwrap_or_default().trim_start_matches('{');
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
        let operand = after.get(..end).unwrap_or_default();
        rest = after.get(end..).unwrap_or_default().trim_start_matches('}');
        let place = operands.place(operand).with_context(|| format!("{name}: no operand {operand}"))?;
        let kind = instruction.operands.get(place).context("an operand without a kind")?;
        let printer = records.printers.get(kind).map_or("printOperand", String::as_str);
        for part in printed(name, instruction, operands, place, printer)? {
            match part {
                TextPart::Text(text) => literal += &text,
                TextPart::Operand(printer, place) => {
                    if !literal.is_empty() {
                        items.push(format!("'{}", std::mem::take(&mut literal)));
                    }
                    items.push(format!("{printer}@{place}"));
                }
            }
        }
    }
    if !literal.is_empty() {
        items.push(format!("'{literal}"));
    }
    let text = items.join("|").replace('\u{3}', "%m").replace('\u{4}', "%v");
    Ok(text)
}

/// A piece of the text.
enum TextPart {
    Text(String),
    Operand(String, usize),
}

/// Names of instructions whose carry or condition is vcc and printed, though it is no operand.
fn prints_condition_behind_result(name: &str) -> bool {
    is_carry(name) && ["_gfx10", "_gfx11", "_gfx12"].iter().any(|end| name.ends_with(end))
}

fn is_carry(name: &str) -> bool {
    ["V_ADD_CO_CI_U32_", "V_SUB_CO_CI_U32_", "V_SUBREV_CO_CI_U32_"].iter().any(|start| {
        name.strip_prefix(start)
            .is_some_and(|rest| ["e32_", "sdwa_", "dpp_", "dpp8_"].iter().any(|form| rest.starts_with(form)))
    })
}

fn prints_condition_behind_source(name: &str) -> bool {
    let select = name.strip_prefix("V_CNDMASK_B32_").is_some_and(|rest| {
        let (form, processor) = rest.split_once('_').unwrap_or((rest, ""));
        form == "e32" || ["gfx10", "gfx11", "gfx12"].contains(&processor)
    });
    select && !name.ends_with("_e64") && !name.contains("_e64_") || prints_condition_behind_result(name)
}

/// The pieces that LLVM prints for one operand.
fn printed(
    name: &str,
    instruction: &Instruction,
    operands: &Operands<'_>,
    place: usize,
    printer: &str,
) -> Result<Vec<TextPart>> {
    let has = |flag: &str| instruction.flags.contains(flag);
    let named = |printer: &str| vec![TextPart::Operand(printer.to_owned(), place)];
    Ok(match printer {
        "printVOPDst" | "printVINTRPDst" => printed_result(name, place),
        "printOperand" | "printRegularOperand" => {
            return printed_operand(name, instruction, operands, place, printer);
        }
        "printOperandAndFPInputMods" => {
            printed_modified(name, instruction, operands, place, "float_modified")
        }
        "printOperandAndIntInputMods" => {
            printed_modified(name, instruction, operands, place, "integer_modified")
        }
        "printOpSel" if name.starts_with("V_CVT_") && is_select_of_two(name) => named("op_sel_byte"),
        "printOpSel" if name.starts_with("V_PERMLANE16_") || name.starts_with("V_PERMLANEX16_") => {
            named("op_sel_permlane")
        }
        "printOpSel" => named(&packed(instruction, operands, "op_sel")),
        "printOpSelHi" => named(&packed(instruction, operands, "op_sel_hi")),
        "printNegLo" => named(&packed(instruction, operands, "neg_lo")),
        "printNegHi" => named(&packed(instruction, operands, "neg_hi")),
        "printCPol" => named(&cache_policy(name, instruction)),
        "printOffset" => named(if has("MUBUF") || has("MTBUF") { "buffer_offset" } else { "offset" }),
        "printFlatOffset" => {
            let signed = has("FlatGlobal") || has("FlatScratch");
            named(if signed { "global_offset" } else { "flat_offset" })
        }
        "printBLGP" => {
            let double = name.starts_with("V_MFMA_F64_") && name.contains("_gfx940_");
            named(if double { "blgp_neg" } else { "blgp" })
        }
        "printDPPCtrl" => named("dpp_ctrl"),
        "printFORMAT" => Vec::new(),
        // Rays say in the instruction itself how wide their addresses are.
        _ if name.starts_with("IMAGE_BVH") && printer.contains("\"a16\"") => {
            if name.contains("_a16") {
                vec![TextPart::Text(" a16".to_owned())]
            } else {
                Vec::new()
            }
        }
        _ => named(&plain(printer)?),
    })
}

/// Vcc between commas, where it is printed and is no operand.
fn condition() -> TextPart {
    TextPart::Text("\u{4}, ".to_owned())
}

/// Whether an instruction writes its condition to vcc.
fn writes_condition(instruction: &Instruction) -> bool {
    instruction.defs.iter().any(|register| register.starts_with("VCC"))
}

/// The result, with vcc behind it where LLVM prints that.
fn printed_result(name: &str, place: usize) -> Vec<TextPart> {
    let mut parts = vec![TextPart::Operand("operand".to_owned(), place)];
    if place == 0 {
        parts.insert(0, TextPart::Text(" ".to_owned()));
        if prints_condition_behind_result(name) {
            parts.push(TextPart::Text(", \u{4}".to_owned()));
        }
    }
    parts
}

/// An operand without modifiers, with vcc on the side on which LLVM prints it, and the format of a typed
/// buffer.
fn printed_operand(
    name: &str,
    instruction: &Instruction,
    operands: &Operands<'_>,
    place: usize,
    printer: &str,
) -> Result<Vec<TextPart>> {
    let has = |flag: &str| instruction.flags.contains(flag);
    let mut parts = Vec::new();
    let is_modified = operands.place("src0_modifiers").is_some();
    let is_first = place == 0 || place == 1 && has("DPP") && is_modified;
    if printer == "printOperand" && is_first && has("VOPC") && writes_condition(instruction) {
        parts.push(condition());
    }
    parts.push(TextPart::Operand("operand".to_owned(), place));
    if operands.place("src1") == Some(place) && prints_condition_behind_source(name) {
        parts.push(TextPart::Text(", \u{4}".to_owned()));
    }
    if has("MTBUF") && operands.place("soffset") == Some(place) {
        let format = operands.place("format").context("an MTBUF without a format")?;
        parts.push(TextPart::Operand("format".to_owned(), format));
    }
    Ok(parts)
}

/// An operand with modifiers, with vcc on the side on which LLVM prints it.
fn printed_modified(
    name: &str,
    instruction: &Instruction,
    operands: &Operands<'_>,
    place: usize,
    printer: &str,
) -> Vec<TextPart> {
    let has = |flag: &str| instruction.flags.contains(flag);
    let mut parts = Vec::new();
    if place == 0 && has("DPP") && has("VOPC") && writes_condition(instruction) {
        parts.push(condition());
    }
    parts.push(TextPart::Operand(printer.to_owned(), place));
    if operands.place("src1") == Some(place + 1) && prints_condition_behind_source(name) {
        parts.push(TextPart::Text(", \u{4}".to_owned()));
    }
    parts
}

fn is_select_of_two(name: &str) -> bool {
    let converts = ["V_CVT_F32_BF8_e64", "V_CVT_F32_FP8_e64", "V_CVT_PK_F32_BF8_", "V_CVT_PK_F32_FP8_"];
    name.ends_with("_gfx12")
        && name.contains("e64")
        && converts.iter().any(|start| name.starts_with(start))
        && (!name.starts_with("V_CVT_PK_") || name.ends_with("_e64_gfx12"))
}

/// `printNamedBit` and `printNamedInt` as lambdas, and the printers without anything to choose: their own
/// names.
fn plain(printer: &str) -> Result<String> {
    if let Some((_, rest)) = printer.split_once("printNamedBit(") {
        let name = rest.split('"').nth(1).or_else(|| rest.split("\\\"").nth(1)).unwrap_or_default();
        return Ok(format!("bit({})", name.trim_end_matches('\\')));
    }
    if let Some((_, rest)) = printer.split_once("printNamedInt(") {
        let name = rest.split('"').nth(1).unwrap_or_default().trim_end_matches('\\');
        let switches = rest.rsplit('"').next().unwrap_or_default();
        let mut switches = switches.split(',').map(|one| one.trim().starts_with("true")).skip(1);
        let (hexadecimal, always) = (switches.next() == Some(true), switches.next() == Some(true));
        return Ok(format!("int({name},{},{})", u8::from(hexadecimal), u8::from(always)));
    }
    let plain =
        printer.strip_prefix("print").with_context(|| format!("a printer that is not known: {printer}"))?;
    ensure!(plain.chars().all(|c| c.is_ascii_alphanumeric()), "a printer that is not known: {printer}");
    Ok(plain.to_owned())
}

/// The bits of up to three modifiers as one list: `packed(name,places,flags)`, where a place is a number, `d`
/// for the default, and flags are `p` for packed mathematics, `r` where the result has a bit too.
fn packed(instruction: &Instruction, operands: &Operands<'_>, bit: &str) -> String {
    let has = |flag: &str| instruction.flags.contains(flag);
    let modifiers = |n: usize| operands.place(&format!("src{n}_modifiers"));
    let source = |n: usize| operands.place(&format!("src{n}")).is_some();
    let shown = |place: Option<usize>| place.map_or_else(|| "d".to_owned(), |place| place.to_string());
    let mut places: Vec<String> = (0..3).take_while(|n| source(*n)).map(|n| shown(modifiers(n))).collect();
    if places.len() == 1 && source(2) && !source(1) {
        places.push("d".to_owned());
        places.push(shown(modifiers(2)));
    }
    if has("IsSWMMAC") || has("IsWMMA") {
        places = (0..3).map(|n| shown(modifiers(n))).collect();
    }
    let result = operands.place("vdst").or_else(|| operands.place("sdst")).is_some();
    let result = result && !places.is_empty() && bit == "op_sel" && has("VOP3_OPSEL");
    let flags = format!("{}{}", if has("IsPacked") { "p" } else { "" }, if result { "r" } else { "" });
    format!("packed({bit},{},{flags})", places.join(" "))
}

/// `cache(kind)`: what the hints mean, with `s` for scalar memory, and `r` where an atomic returns.
fn cache_policy(name: &str, instruction: &Instruction) -> String {
    let has = |flag: &str| instruction.flags.contains(flag);
    let atomic = has("IsAtomicNoRet") || has("IsAtomicRet");
    let moved = name.starts_with("GLOBAL_STORE_ASYNC_FROM_LDS_") || name.starts_with("TENSOR_STORE_FROM_LDS");
    let kind = if atomic {
        "atomic"
    } else if has("mayStore") && (moved || !has("mayLoad")) {
        "store"
    } else {
        "load"
    };
    let memory = ["MUBUF", "FLAT", "SMRD"].iter().any(|flag| has(flag));
    let returns = if has("IsAtomicRet") && memory { "r" } else { "" };
    format!("cache({kind},{}{returns})", if has("SMRD") { "s" } else { "" })
}
