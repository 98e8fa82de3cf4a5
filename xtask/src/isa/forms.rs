//! The operands of each rule: where they lie, how they are read, how LLVM prints them, and what they do to registers.
//!
//! A form is written as LLVM's target description has it, with the choices of `AMDGPUInstPrinter.cpp` made that depend on the
//! instruction alone. What depends on the processor or on the word is left to the program that reads the tables.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};

use super::decoder::{Decoder, Operand};
use super::family::Family;
use super::merge::{Cubes, merge};
use super::records::{Instruction, Records};
use super::rules::{Follows, Rule};

/// The lines of the files.
#[derive(Debug, Default)]
pub struct Lines {
    /// `mnemonic bits turn mask value text layout effects families`.
    pub forms: String,
    /// `text items`.
    pub texts: String,
    /// `layout results slots`.
    pub layouts: String,
    /// `slot name type reader bits`.
    pub slots: String,
    /// `effects reads writes flags`.
    pub effects: String,
}

/// Properties that are kept: LLVM's names.
const FLAGS: &[&str] = &[
    "DS",
    "EXP",
    "EXP_CNT",
    "FLAT",
    "FlatGlobal",
    "FlatScratch",
    "IsAtomicNoRet",
    "IsAtomicRet",
    "IsDOT",
    "IsMAI",
    "IsPacked",
    "IsSWMMAC",
    "IsWMMA",
    "LDSDIR",
    "LGKM_CNT",
    "MIMG",
    "MTBUF",
    "MUBUF",
    "SALU",
    "SMRD",
    "TRANS",
    "TiedSourceNotRead",
    "VALU",
    "VIMAGE",
    "VM_CNT",
    "VSAMPLE",
    "isBarrier",
    "isBranch",
    "isCall",
    "isIndirectBranch",
    "isReturn",
    "isTerminator",
    "mayLoad",
    "mayStore",
];

/// All lines for the families.
pub fn lines(families: &[Family], records: &Records, decoder: &Decoder) -> Result<Lines> {
    let mut forms: BTreeMap<(String, u32, String), BTreeMap<usize, Cubes>> = BTreeMap::new();
    let mut known: BTreeMap<(u32, &str, usize), String> = BTreeMap::new();
    // By mnemonic and width: which forms each family has, with their bits.
    let mut chosen: BTreeMap<(&str, u32), BTreeMap<usize, BTreeSet<Choice>>> = BTreeMap::new();
    for (index, family) in families.iter().enumerate() {
        // What reads halves of registers comes first: our order of LLVM's tables has not all of it there.
        let is_whole = |rule: &Rule| rule.instruction.contains("fake16");
        let followed = || family.all_rules.iter().filter(|(rule, _)| rule.follows != Follows::Imitation);
        let halves = followed().filter(|(rule, _)| !is_whole(rule));
        for (rule, name) in halves.chain(followed().filter(|(rule, _)| is_whole(rule))) {
            let form = match known.entry((rule.bits, rule.instruction.as_str(), rule.operands)) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(place) => place.insert(form(rule, records, decoder)?).clone(),
            };
            let choice = Choice { turn: 0, mask: rule.mask, value: rule.value, form };
            let own = chosen.entry((name, rule.bits)).or_default().entry(index).or_default();
            // LLVM takes the first that fits: halves of registers before whole ones.
            let comes_late = own.iter().any(|one: &Choice| {
                choice.mask & one.mask == one.mask && choice.value & one.mask == one.value
            });
            if !comes_late {
                let before =
                    own.iter().filter(|one| one.mask & choice.mask & (one.value ^ choice.value) == 0);
                let turn = before.map(|one| one.turn + 1).max().unwrap_or(0);
                own.insert(Choice { turn, ..choice });
            }
        }
    }
    // Mnemonics that a family has in several widths: there the length does not tell which it is, for one can have a literal.
    let widths: BTreeSet<(&str, u32, usize)> = chosen
        .iter()
        .flat_map(|((name, bits), own)| own.keys().map(|index| (*name, *bits, *index)))
        .collect();
    let is_wide = |name: &str, index: usize| {
        widths.iter().filter(|(one, _, family)| *one == name && *family == index).count() > 1
    };
    for ((name, bits), by_family) in chosen {
        for (index, choices) in by_family {
            let same = is_one_form(&choices);
            let choices = if is_wide(name, index) { choices } else { reduced(choices) };
            for choice in choices {
                let rows = forms.entry((name.to_owned(), bits, choice.form)).or_default();
                *rows
                    .entry(if same { 0 } else { choice.turn })
                    .or_default()
                    .entry((choice.mask, choice.value))
                    .or_insert(0) |= 1 << index;
            }
        }
    }
    let mut numbers = Numbers::default();
    let mut out = Lines::default();
    for ((name, bits, form), mut rows) in forms {
        let parts: Vec<&str> = form.split('\u{1}').collect();
        let [text, slots, effects] = parts[..] else { bail!("a form of {} parts", parts.len()) };
        let (text, effects) = (number(&mut numbers.texts, text), number(&mut numbers.effects, effects));
        let layout = numbers.layout(slots);
        for (turn, cubes) in &mut rows {
            merge(cubes, bits);
            for ((mask, value), families) in cubes {
                let place = format!("{name}\t{bits}\t{turn}\t{mask:x}\t{value:x}");
                writeln!(out.forms, "{place}\t{text}\t{layout}\t{effects}\t{families:x}")?;
            }
        }
    }
    numbers.write(&mut out)?;
    Ok(out)
}

/// One way in which a mnemonic of one width is decoded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    /// A number that is lower for those that are tried first, of those that can fit the same word.
    turn: usize,
    mask: u128,
    value: u128,
    form: String,
}

fn is_one_form(choices: &BTreeSet<Choice>) -> bool {
    choices.iter().all(|one| choices.first().is_some_and(|first| first.form == one.form))
}

/// The choices with only the bits that tell them apart: none where there is one form.
fn reduced(choices: BTreeSet<Choice>) -> BTreeSet<Choice> {
    let same = is_one_form(&choices);
    let all = choices.iter().fold(u128::MAX, |all, one| all & one.mask);
    let first = choices.first().map_or(0, |one| one.value);
    let agreed = choices.iter().fold(all, |agreed, one| agreed & !(one.value ^ first));
    let kept = if same { 0 } else { !agreed };
    choices.into_iter().map(|one| Choice { mask: one.mask & kept, value: one.value & kept, ..one }).collect()
}

/// What many rows share, numbered as it comes.
#[derive(Default)]
struct Numbers {
    texts: BTreeMap<String, usize>,
    layouts: BTreeMap<String, usize>,
    slots: BTreeMap<String, usize>,
    effects: BTreeMap<String, usize>,
}

fn number(all: &mut BTreeMap<String, usize>, item: &str) -> usize {
    let next = all.len();
    *all.entry(item.to_owned()).or_insert(next)
}

impl Numbers {
    /// The number of a list of slots, each replaced by its number.
    fn layout(&mut self, text: &str) -> usize {
        let (results, slots) = text.split_once('\t').unwrap_or((text, ""));
        let slots: Vec<String> = slots
            .split('\u{2}')
            .filter(|slot| !slot.is_empty())
            .map(|slot| number(&mut self.slots, slot).to_string())
            .collect();
        number(&mut self.layouts, &format!("{results}\t{}", slots.join(" ")))
    }

    fn write(&self, out: &mut Lines) -> Result<()> {
        for (all, lines) in [
            (&self.texts, &mut out.texts),
            (&self.layouts, &mut out.layouts),
            (&self.slots, &mut out.slots),
            (&self.effects, &mut out.effects),
        ] {
            let mut items: Vec<(&usize, &String)> = all.iter().map(|(item, number)| (number, item)).collect();
            items.sort();
            for (number, item) in items {
                writeln!(lines, "{number}\t{item}")?;
            }
        }
        Ok(())
    }
}

/// Operands by name, with their places in LLVM's list.
struct Operands<'a> {
    names: Vec<&'a str>,
}

impl Operands<'_> {
    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|one| *one == name)
    }
}

/// The form of a rule: its format, a tab, its effects.
fn form(rule: &Rule, records: &Records, decoder: &Decoder) -> Result<String> {
    let name = &rule.instruction;
    let instruction = records.instructions.get(name).with_context(|| format!("no record of {name}"))?;
    let names = instruction.outputs.iter().chain(&instruction.inputs).map(String::as_str).collect();
    let operands = Operands { names };
    let slots = slots(rule, instruction, &operands, records, decoder)?;
    let text = text(name, instruction, &operands, records)?;
    let results = instruction.outputs.len();
    let flags: Vec<&str> = FLAGS.iter().copied().filter(|flag| instruction.flags.contains(*flag)).collect();
    let list = |all: &[String]| all.join(" ");
    Ok(format!(
        "{text}\u{1}{results}\t{}\u{1}{}\t{}\t{}",
        slots.join("\u{2}"),
        list(&instruction.uses),
        list(&instruction.defs),
        flags.join(" ")
    ))
}

/// Where each operand is: `name type reader bits`, where the bits are `first:width@place` with `+` between them, `set` for bits
/// that are always set, `=n` for the register of the n-th operand, and `-` for nothing.
fn slots(
    rule: &Rule,
    instruction: &Instruction,
    operands: &Operands<'_>,
    records: &Records,
    decoder: &Decoder,
) -> Result<Vec<String>> {
    let read = decoder.list(rule.bits, rule.operands);
    let ties = ties(instruction, operands);
    let is_encoded = |place: usize| {
        let name = operands.names.get(place).copied().unwrap_or_default();
        instruction.bits.iter().any(|bit| index(bit, name).is_some())
    };
    let mut slots = Vec::new();
    for (place, (name, kind)) in operands.names.iter().zip(&instruction.operands).enumerate() {
        let class = records.operand_types.get(kind).map_or("-", String::as_str);
        let class = class.trim_start_matches("OPERAND_");
        let encoded =
            instruction.bits.iter().zip(0u8..).filter_map(|(bit, at)| Some((at, index(bit, name)?)));
        let encoded: BTreeSet<(u8, u8)> = encoded.collect();
        let is_this = |operand: &&Operand| {
            let slices = operand.slices.iter();
            let mut bits =
                slices.flat_map(|(first, width, place)| (0..*width).map(move |n| (first + n, place + n)));
            !operand.slices.is_empty() && bits.all(|bit| encoded.contains(&bit))
        };
        let (reader, bits) = if let Some(operand) = read.iter().find(is_this) {
            let mut bits: Vec<String> = operand
                .slices
                .iter()
                .map(|(first, width, place)| format!("{first}:{width}@{place}"))
                .collect();
            if operand.constant != 0 {
                bits.push(format!("set{}", operand.constant));
            }
            (operand.function.as_str(), bits.join("+"))
        } else if let Some(other) = ties.get(&place).filter(|other| is_encoded(**other)) {
            ("tied", format!("={other}"))
        } else if name.starts_with("vaddr") && kind.starts_with('V') {
            // Behind the encoding, one byte each.
            ("address", kind.clone())
        } else {
            ("none", "-".to_owned())
        };
        slots.push(format!("{name}\t{class}\t{reader}\t{bits}"));
    }
    Ok(slots)
}

/// Which bit of the operand `name` this bit of an encoding is.
fn index(bit: &str, name: &str) -> Option<u8> {
    let rest = bit.strip_prefix(name)?;
    if rest.is_empty() { Some(0) } else { rest.strip_prefix('{')?.strip_suffix('}')?.parse().ok() }
}

/// Operands that are the register of another.
fn ties(instruction: &Instruction, operands: &Operands<'_>) -> BTreeMap<usize, usize> {
    let mut ties = BTreeMap::new();
    for constraint in instruction.constraints.split(',') {
        let Some((left, right)) = constraint.split_once('=') else { continue };
        let place = |name: &str| operands.place(name.trim().trim_start_matches('$'));
        if let (Some(left), Some(right)) = (place(left), place(right)) {
            let (result, input) = (left.min(right), left.max(right));
            ties.insert(input, result);
            ties.insert(result, input);
        }
    }
    ties
}

/// What is printed behind the mnemonic: items with `|` between them, each a text behind `'`, or `printer@place`.
fn text(name: &str, instruction: &Instruction, operands: &Operands<'_>, records: &Records) -> Result<String> {
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
                Part::Text(text) => literal += &text,
                Part::Operand(printer, place) => {
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
enum Part {
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
) -> Result<Vec<Part>> {
    let has = |flag: &str| instruction.flags.contains(flag);
    let writes_condition = instruction.defs.iter().any(|register| register.starts_with("VCC"));
    let modified = operands.place("src0_modifiers").is_some();
    let condition = || Part::Text("\u{4}, ".to_owned());
    let mut parts = Vec::new();
    let operand = |printer: &str| Part::Operand(printer.to_owned(), place);
    match printer {
        "printVOPDst" | "printVINTRPDst" => {
            if place == 0 {
                parts.push(Part::Text(" ".to_owned()));
            }
            parts.push(operand("operand"));
            if place == 0 && prints_condition_behind_result(name) {
                parts.push(Part::Text(", \u{4}".to_owned()));
            }
        }
        "printOperand" | "printRegularOperand" => {
            let first = place == 0 || place == 1 && has("DPP") && modified;
            if printer == "printOperand" && first && has("VOPC") && writes_condition {
                parts.push(condition());
            }
            parts.push(operand("operand"));
            if operands.place("src1") == Some(place) && prints_condition_behind_source(name) {
                parts.push(Part::Text(", \u{4}".to_owned()));
            }
            if has("MTBUF") && operands.place("soffset") == Some(place) {
                let format = operands.place("format").context("an MTBUF without a format")?;
                parts.push(Part::Operand("format".to_owned(), format));
            }
        }
        "printOperandAndFPInputMods" | "printOperandAndIntInputMods" => {
            if place == 0 && has("DPP") && has("VOPC") && writes_condition {
                parts.push(condition());
            }
            let float = printer == "printOperandAndFPInputMods";
            parts.push(operand(if float { "float_modified" } else { "integer_modified" }));
            if operands.place("src1") == Some(place + 1) && prints_condition_behind_source(name) {
                parts.push(Part::Text(", \u{4}".to_owned()));
            }
        }
        "printOpSel" if name.starts_with("V_CVT_") && is_select_of_two(name) => {
            parts.push(operand("op_sel_byte"));
        }
        "printOpSel" if name.starts_with("V_PERMLANE16_") || name.starts_with("V_PERMLANEX16_") => {
            parts.push(operand("op_sel_permlane"));
        }
        "printOpSel" => parts.push(operand(&packed(instruction, operands, "op_sel"))),
        "printOpSelHi" => parts.push(operand(&packed(instruction, operands, "op_sel_hi"))),
        "printNegLo" => parts.push(operand(&packed(instruction, operands, "neg_lo"))),
        "printNegHi" => parts.push(operand(&packed(instruction, operands, "neg_hi"))),
        "printCPol" => parts.push(operand(&cache_policy(name, instruction))),
        "printOffset" => {
            parts.push(operand(if has("MUBUF") || has("MTBUF") { "buffer_offset" } else { "offset" }))
        }
        "printFlatOffset" => {
            let signed = has("FlatGlobal") || has("FlatScratch");
            parts.push(operand(if signed { "global_offset" } else { "flat_offset" }));
        }
        "printBLGP" => {
            let double = name.starts_with("V_MFMA_F64_") && name.contains("_gfx940_");
            parts.push(operand(if double { "blgp_neg" } else { "blgp" }));
        }
        "printDPPCtrl" => {
            parts.push(operand("dpp_ctrl"));
        }
        "printFORMAT" => {}
        // Rays say in the instruction itself how wide their addresses are.
        _ if name.starts_with("IMAGE_BVH") && printer.contains("\"a16\"") => {
            if name.contains("_a16") {
                parts.push(Part::Text(" a16".to_owned()));
            }
        }
        _ => parts.push(operand(&plain(printer)?)),
    }
    Ok(parts)
}

fn is_select_of_two(name: &str) -> bool {
    let converts = ["V_CVT_F32_BF8_e64", "V_CVT_F32_FP8_e64", "V_CVT_PK_F32_BF8_", "V_CVT_PK_F32_FP8_"];
    name.ends_with("_gfx12")
        && name.contains("e64")
        && converts.iter().any(|start| name.starts_with(start))
        && (!name.starts_with("V_CVT_PK_") || name.ends_with("_e64_gfx12"))
}

/// `printNamedBit` and `printNamedInt` as lambdas, and the printers without anything to choose: their own names.
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

/// The bits of up to three modifiers as one list: `packed(name,places,flags)`, where a place is a number, `d` for the default, and
/// flags are `p` for packed mathematics, `r` where the result has a bit too.
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
