//! The operands of each rule: where they lie, how they are read, how LLVM prints them, and what they do to
//! registers.
//!
//! A form is written as LLVM's target description has it, with the choices of `AMDGPUInstPrinter.cpp` made
//! that depend on the instruction alone. What depends on the processor or on the word is left to the program
//! that reads the tables.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use super::decoder::{Decoder, Operand};
use super::family::Family;
use super::form_text::text;
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
    // Mnemonics that a family has in several widths: there the length does not tell which it is, for one can
    // have a literal.
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

/// The choices with only the bits that tell them apart: none if there is one form only.
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
pub(super) struct Operands<'a> {
    names: Vec<&'a str>,
}

impl Operands<'_> {
    /// The place of an operand.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
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

/// Where each operand is: `name type reader bits`, where the bits are `first:width@place` with `+` between
/// them, `set` for bits that are always set, `=n` for the register of the n-th operand, and `-` for nothing.
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
