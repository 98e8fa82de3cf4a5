//! Reads what `llvm-tblgen --gen-disassembler` writes: decoder tables, their operands, their predicates.
//!
//! A table is a program of checks; `Decoder::rules` walks it for one processor and gives its leaves as flat
//! rules: fixed bits, the instruction, the way to its operands.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, Lines};

use anyhow::{Context, Result, bail, ensure};

use super::predicate::Predicate;

/// How LLVM reads one operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The pieces of the field, as (first bit, width, place in the value), low place first.
    pub slices: Vec<(u8, u8, u8)>,
    /// Bits of the value that are always set.
    pub constant: u32,
    /// LLVM's function for the value, such as `decodeSrcRegOrImm9<32>`; `imm` where the value is taken as it
    /// is.
    pub function: String,
}

/// One step of a decoder table.
#[derive(Clone, Debug)]
enum TableStep {
    Predicate(usize),
    Field { mask: u128, value: u128 },
    Decode { instruction: String, operands: usize },
    Switch { low: u32, mask: u128 },
    Case(u128),
    Scope,
    Else,
    Close,
}

/// A leaf of a table: an instruction and the bits that select it.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub mask: u128,
    pub value: u128,
    pub instruction: String,
    pub operands: usize,
}

/// Everything in the output of llvm-tblgen.
#[derive(Debug, Default)]
pub struct Decoder {
    tables: BTreeMap<String, Vec<TableStep>>,
    operands: HashMap<(u32, usize), Vec<Operand>>,
    predicates: Vec<Predicate>,
}

impl Decoder {
    /// Reads the whole output.
    pub fn read(input: impl BufRead) -> Result<Self> {
        let mut decoder = Decoder::default();
        let mut lines = input.lines();
        while let Some(line) = lines.next() {
            let line = line?;
            if let Some(rest) = line.strip_prefix("static const uint8_t DecoderTable") {
                let name = rest.split('[').next().unwrap_or_default().to_owned();
                decoder.tables.insert(name, steps(&mut lines)?);
            } else if let Some(rest) = line.strip_prefix("static std::enable_if_t<InsnBitWidth<InsnType> == ")
            {
                let bits = rest.split(',').next().unwrap_or_default().parse()?;
                operands(&mut lines, bits, &mut decoder.operands)?;
            } else if line.starts_with("static bool checkDecoderPredicate") {
                decoder.predicates = predicates(&mut lines)?;
            }
        }
        ensure!(!decoder.tables.is_empty() && !decoder.predicates.is_empty(), "no decoder tables");
        Ok(decoder)
    }

    /// The names of all instructions in the tables.
    pub fn instructions(&self) -> HashSet<String> {
        let leaf = |step: &TableStep| match step {
            TableStep::Decode { instruction, .. } => Some(instruction.clone()),
            _ => None,
        };
        self.tables.values().flatten().filter_map(leaf).collect()
    }

    /// How the operands of a leaf of a `bits` wide table are read.
    pub fn operands(&self, bits: u32, leaf: &Leaf) -> &[Operand] {
        self.list(bits, leaf.operands)
    }

    /// The list of operands with a number.
    pub fn list(&self, bits: u32, number: usize) -> &[Operand] {
        self.operands.get(&(bits, number)).map_or(&[], Vec::as_slice)
    }

    /// The leaves of a table that a processor with `features` can reach, in LLVM's order.
    pub fn leaves(&self, table: &str, features: &HashSet<String>) -> Result<Vec<Leaf>> {
        let steps = self.tables.get(table).with_context(|| format!("no decoder table {table}"))?;
        let holds = self.predicates.iter().map(|predicate| predicate.holds(features)).collect();
        let mut walk = Walk { steps, holds, at: 0, leaves: Vec::new() };
        walk.block(0, 0, true)?;
        ensure!(walk.at == steps.len(), "decoder table {table} is not understood at step {}", walk.at);
        Ok(walk.leaves)
    }
}

/// A walk through one table.
struct Walk<'a> {
    steps: &'a [TableStep],
    holds: Vec<bool>,
    at: usize,
    leaves: Vec<Leaf>,
}

impl Walk<'_> {
    /// Checks and leaves up to the end of a block. `alive` is false where no word can come here.
    fn block(&mut self, mut mask: u128, mut value: u128, mut alive: bool) -> Result<()> {
        while let Some(step) = self.steps.get(self.at) {
            match step {
                TableStep::Else | TableStep::Close => return Ok(()),
                TableStep::Predicate(index) => {
                    alive &= *self.holds.get(*index).context("a predicate out of range")?;
                }
                TableStep::Field { mask: field, value: fixed } => {
                    alive &= mask & field & (value ^ fixed) == 0;
                    (mask, value) = (mask | field, value & !field | fixed);
                }
                TableStep::Decode { instruction, operands } => {
                    if alive {
                        let (instruction, operands) = (instruction.clone(), *operands);
                        self.leaves.push(Leaf { mask, value, instruction, operands });
                    }
                }
                TableStep::Switch { low, mask: field } => {
                    self.at += 1;
                    while let Some(TableStep::Case(case)) = self.steps.get(self.at) {
                        self.at += 1;
                        let fixed = case << low;
                        let possible = mask & field & (value ^ fixed) == 0;
                        self.block(mask | field, value & !field | fixed, alive && possible)?;
                        self.close()?;
                    }
                    self.close()?;
                    continue;
                }
                TableStep::Scope => {
                    self.at += 1;
                    self.block(mask, value, alive)?;
                    while let Some(TableStep::Else) = self.steps.get(self.at) {
                        self.at += 1;
                        self.block(mask, value, alive)?;
                    }
                    self.close()?;
                    continue;
                }
                TableStep::Case(_) => bail!("a case outside a switch at step {}", self.at),
            }
            self.at += 1;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        ensure!(
            matches!(self.steps.get(self.at), Some(TableStep::Close)),
            "no end of a block at step {}",
            self.at
        );
        self.at += 1;
        Ok(())
    }
}

/// The steps of one table, from llvm-tblgen's comments on its bytes.
fn steps(lines: &mut Lines<impl BufRead>) -> Result<Vec<TableStep>> {
    let mut steps = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        if line.starts_with("};") {
            break;
        }
        let comment = line.split_once("//").and_then(|(_, comment)| comment.split_once(':'));
        let comment = comment.map_or("", |(_, comment)| comment.trim());
        let step = if let Some(index) = comment.strip_prefix("check predicate ") {
            TableStep::Predicate(index.parse()?)
        } else if let Some(check) = comment.strip_prefix("check Inst") {
            let (field, value) = check.split_once(" == ").with_context(|| format!("a check: {line}"))?;
            let (low, mask) = range(field)?;
            TableStep::Field { mask, value: hexadecimal(value)? << low }
        } else if let Some(decode) = comment.strip_prefix("decode to ") {
            let (name, rest) =
                decode.split_once(" using decoder ").with_context(|| format!("a decode: {line}"))?;
            let index = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            TableStep::Decode { instruction: name.to_owned(), operands: index.parse()? }
        } else if let Some(switch) = comment.strip_prefix("switch Inst") {
            let (low, mask) = range(switch.trim_end_matches(" {"))?;
            TableStep::Switch { low, mask }
        } else if let Some(case) = comment.strip_prefix("case ") {
            TableStep::Case(hexadecimal(case.trim_end_matches(": {"))?)
        } else if comment == "try {" {
            TableStep::Scope
        } else if comment == "} else try {" {
            TableStep::Else
        } else if comment.starts_with('}') {
            TableStep::Close
        } else if comment.starts_with("BitWidth") {
            continue;
        } else {
            bail!("a line of a decoder table that is not understood: {line}");
        };
        steps.push(step);
    }
    Ok(steps)
}

/// `[hi:lo]` or `[bit]` → lowest bit and mask in place.
fn range(text: &str) -> Result<(u32, u128)> {
    let inner = text.trim_matches(['[', ']']);
    let (high, low) = inner.split_once(':').unwrap_or((inner, inner));
    let (high, low): (u32, u32) = (high.parse()?, low.parse()?);
    Ok((low, ones(high + 1 - low) << low))
}

/// A number of low bits.
pub fn ones(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn hexadecimal(text: &str) -> Result<u128> {
    let digits = text.trim().strip_prefix("0x").with_context(|| format!("not a number: {text}"))?;
    Ok(u128::from_str_radix(digits, 16)?)
}

/// The body of `decodeToMCInst` for tables of one width: per case, the operands in LLVM's order.
fn operands(
    lines: &mut Lines<impl BufRead>,
    bits: u32,
    all: &mut HashMap<(u32, usize), Vec<Operand>>,
) -> Result<()> {
    let mut index = 0;
    let mut slices = Vec::new();
    let mut constant = 0;
    for line in lines.by_ref() {
        let line = line?;
        if line == "}" {
            break;
        }
        let line = line.trim();
        if let Some(case) = line.strip_prefix("case ") {
            index = case.trim_end_matches(':').parse()?;
            all.insert((bits, index), Vec::new());
        } else if let Some(number) = line.strip_prefix("tmp = 0x") {
            slices = Vec::new();
            constant = u32::from_str_radix(number.trim_end_matches(';'), 16)?;
        } else if line.starts_with("tmp = ") {
            slices = vec![slice(line)?];
            constant = 0;
        } else if line.starts_with("tmp |= ") {
            slices.push(slice(line)?);
        } else {
            let function = match line.strip_prefix("if (!Check(S, ") {
                Some(check) => check.split('(').next().unwrap_or_default(),
                None if line.starts_with("MI.addOperand") => "imm",
                None => continue,
            };
            let mut slices = slices.clone();
            slices.sort_by_key(|&(_, _, place)| place);
            let operand = Operand { slices, constant, function: function.to_owned() };
            all.get_mut(&(bits, index)).context("an operand outside a case")?.push(operand);
        }
    }
    Ok(())
}

/// `… fieldFromInstruction(insn, first, width) << place;`
fn slice(line: &str) -> Result<(u8, u8, u8)> {
    let (_, rest) = line.split_once("(insn, ").with_context(|| format!("not a field: {line}"))?;
    let (field, place) = rest.split_once(')').with_context(|| format!("not a field: {line}"))?;
    let (first, width) = field.split_once(", ").with_context(|| format!("not a field: {line}"))?;
    let place = place.trim_start_matches(" << ").trim_end_matches(';');
    Ok((first.parse()?, width.parse()?, if place.is_empty() { 0 } else { place.parse()? }))
}

/// The body of `checkDecoderPredicate`.
fn predicates(lines: &mut Lines<impl BufRead>) -> Result<Vec<Predicate>> {
    let mut all = Vec::new();
    for line in lines.by_ref() {
        let line = line?;
        if line == "}" {
            break;
        }
        let line = line.trim();
        if let Some(index) = line.strip_prefix("case ") {
            ensure!(index.trim_end_matches(':').parse() == Ok(all.len()), "predicates out of order: {line}");
        } else if let Some(expression) = line.strip_prefix("return ") {
            all.push(Predicate::parse(expression.trim_end_matches(';'))?);
        }
    }
    Ok(all)
}
