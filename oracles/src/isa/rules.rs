//! All rules of one processor: the leaves of its decoder tables with the fields that can refuse a word or
//! lengthen it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::corrections;
use super::decoder::{Decoder, Leaf, Operand, ones};
use super::legality::{Legality, Meaning, Reader};
use super::processor::{Processor, Table};
use super::records::{Instruction, Records};

/// A way to read a field: one row of `kinds.tsv` in each family.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldKind {
    pub reader: Reader,
    /// Bits set in the value besides those of the field.
    constant: u32,
    /// Width and place of each slice, where they do not follow each other.
    layout: Vec<(u8, u8)>,
    /// Whether LLVM looks for a 32-bit literal here. (It reads one of 64 bits wherever 254 stands.)
    source: bool,
    wide: Wide,
}

/// What a 64-bit literal marker (254) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Wide {
    /// Takes 8 bytes.
    Takes,
    /// Stands for the constant in the encoding.
    Constant,
    /// Is refused.
    Refused,
}

impl FieldKind {
    /// A name for the tables.
    pub fn name(&self) -> String {
        let mut name = self.reader.name();
        if !self.source {
            name += "_register";
        }
        match self.wide {
            Wide::Takes => {}
            Wide::Constant => name += "_constant",
            Wide::Refused => name += "_constant32",
        }
        if self.constant != 0 {
            name += &format!("_set{}", self.constant);
        }
        match self.layout.as_slice() {
            [] => {}
            [(8, 0), (1, 9)] => name += "_acc",
            layout => layout.iter().for_each(|(width, place)| name += &format!("_{width}at{place}")),
        }
        name
    }

    /// What the number in the field means, its slices put together without gaps.
    pub fn meaning(&self, legality: &Legality, number: u32) -> Meaning {
        let mut value = self.constant;
        if self.layout.is_empty() {
            value |= number;
        } else {
            let mut rest = number;
            for &(width, place) in &self.layout {
                value |= (rest & (ones(width.into()) as u32)) << place;
                rest >>= width;
            }
        }
        match legality.meaning(self.reader, value) {
            Meaning::Literal if !self.source => Meaning::Plain,
            Meaning::Literal64 => match self.wide {
                Wide::Takes => Meaning::Literal64,
                Wide::Constant => Meaning::Plain,
                Wide::Refused => Meaning::Refused,
            },
            meaning => meaning,
        }
    }
}

/// A field that can refuse a word or ask for a literal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    /// First bit and width of each slice, lowest part first.
    pub slices: Vec<(u8, u8)>,
    pub kind: FieldKind,
}

impl Field {
    /// Width of all slices together.
    pub fn width(&self) -> u32 {
        self.slices.iter().map(|&(_, width)| u32::from(width)).sum()
    }

    /// What each number in the field means.
    pub fn meanings(&self, legality: &Legality) -> impl Iterator<Item = Meaning> {
        (0..1 << self.width()).map(|number| self.kind.meaning(legality, number))
    }
}

/// A field that names several vector registers in a row: some processors want the first to be even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple {
    /// Its lowest bit.
    first: u8,
    /// Whether it can hold scalars and constants, too: the ninth bit is set where it holds a vector register.
    source: bool,
}

impl Tuple {
    /// The tuples among operands. What an image's fields are follows from more than the encoding, so they are
    /// left out.
    fn among(name: &str, operands: &[Operand]) -> Vec<Tuple> {
        let tuple = |operand: &Operand| {
            let source = names_tuple(&operand.function)?;
            let &(first, width, _) = operand.slices.first()?;
            // Fields of eight bits hold scalars and constants only.
            (!source || width > 8).then_some(Tuple { first, source })
        };
        if name.starts_with("IMAGE_") {
            return Vec::new();
        }
        let mut tuples: Vec<Tuple> = operands.iter().filter_map(tuple).collect();
        tuples.sort();
        tuples.dedup();
        tuples
    }

    /// As the tables have it.
    pub fn text(&self) -> String {
        format!("{}{}", if self.source { 's' } else { 'v' }, self.first)
    }
}

/// Whether LLVM's `function` reads more than one vector register, and if so, whether it can be something
/// else.
fn names_tuple(function: &str) -> Option<bool> {
    if let Some((name, bits)) = function.split_once('<') {
        let bits: u32 = bits.trim_end_matches('>').parse().ok()?;
        let source = match name {
            "decodeAV10" | "decodeAVLdSt" => false,
            _ if name.starts_with("decodeSrc") => true,
            _ => return None,
        };
        return (bits > 32).then_some(source);
    }
    if function == "decodeOperand_VSrc_f64" {
        return Some(true);
    }
    let class = function.strip_prefix("Decode")?;
    let bits = class.strip_prefix("VReg_").or_else(|| class.strip_prefix("AReg_"))?;
    let bits: u32 = bits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    (bits > 32).then_some(false)
}

/// Who follows a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Follows {
    Both,
    /// Only who imitates LLVM with its bugs.
    Imitation,
    /// Only who decodes correctly.
    Correct,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    pub bits: u32,
    pub mask: u128,
    pub value: u128,
    pub instruction: String,
    /// The number of LLVM's list of operands for it.
    pub operands: usize,
    pub fields: Vec<Field>,
    /// Fields that name several vector registers in a row.
    pub tuples: Vec<Tuple>,
    /// Address dwords that follow.
    pub addresses: u8,
    /// The encoding holds the literal constant.
    pub constant: bool,
    /// A bit that must be clear: the sign of an offset.
    pub clear: Option<u8>,
    /// 254 takes no dwords.
    pub literal_aside: bool,
    pub follows: Follows,
}

impl Rule {
    /// Whether every word that follows `other` follows this too, and none is longer for it.
    pub fn includes(&self, other: &Rule) -> bool {
        let rest = |rule: &Rule| {
            (rule.bits, rule.addresses, rule.constant, rule.clear, rule.literal_aside, rule.follows)
        };
        rest(self) == rest(other)
            && self.mask & other.mask == self.mask
            && self.mask & other.value == self.value
            && self.fields.iter().all(|field| other.fields.contains(field))
    }
}

/// Makes the rules of one processor.
pub struct Maker<'a> {
    records: &'a Records,
    decoder: &'a Decoder,
    processor: &'a Processor,
    legality: Legality,
}

impl<'a> Maker<'a> {
    /// For one processor.
    pub fn new(records: &'a Records, decoder: &'a Decoder, processor: &'a Processor) -> Self {
        let legality = Legality::new(processor);
        Maker { records, decoder, processor, legality }
    }

    /// All rules, in the order of LLVM's tables.
    pub fn rules(self) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        for table in self.processor.tables() {
            for leaf in self.decoder.leaves(table.name, self.processor.features())? {
                self.leaf(table, &leaf, &mut rules)?;
            }
        }
        Ok(rules)
    }

    fn leaf(&self, table: Table, leaf: &Leaf, rules: &mut Vec<Rule>) -> Result<()> {
        let bits = table.bits();
        let name = &leaf.instruction;
        let instruction =
            self.records.instructions.get(name).with_context(|| format!("no record of {name}"))?;
        let operands = self.decoder.operands(bits, leaf);
        let sources = self.records.sources(instruction);
        let constant = operands.iter().any(|operand| operand.function.starts_with("decodeOperand_KImmFP"));
        let stray = corrections::STRAY_TABLES
            .iter()
            .any(|(stray, home)| *stray == table.name && !self.processor.has(home));
        let imitated = self.fields(table, operands, &sources, constant, true)?;
        let correct = self.fields(table, operands, &sources, constant, false)?;
        let rule = Rule {
            bits,
            mask: leaf.mask,
            value: leaf.value,
            instruction: name.clone(),
            operands: leaf.operands,
            literal_aside: table.literal_aside && imitated.iter().any(|field| self.takes_wide(field)),
            fields: imitated,
            tuples: Tuple::among(name, operands),
            addresses: addresses(name, instruction),
            constant,
            clear: if self.processor.has("GFX12Insts") && has_signed_offset(name) {
                instruction.offset_sign
            } else {
                None
            },
            follows: if stray { Follows::Imitation } else { Follows::Both },
        };
        let mut variants = Vec::new();
        if rule.fields == correct {
            variants.push(rule);
        } else {
            variants.push(Rule { follows: Follows::Correct, fields: correct, ..rule.clone() });
            variants.push(Rule { follows: Follows::Imitation, ..rule });
        }
        let dpp8 = operands.iter().find(|operand| operand.function == "decodeDpp8FI");
        for rule in variants {
            let Some(&(first, width, _)) = dpp8.and_then(|operand| operand.slices.first()) else {
                rules.push(rule);
                continue;
            };
            let field = ones(width.into()) << first;
            for marker in [0xe9, 0xea] {
                let fixed = marker << first;
                if rule.mask & field & (rule.value ^ fixed) == 0 {
                    let value = rule.value & !field | fixed;
                    rules.push(Rule { mask: rule.mask | field, value, ..rule.clone() });
                }
            }
        }
        Ok(())
    }

    /// The fields of a leaf.
    fn fields(
        &self,
        table: Table,
        operands: &[Operand],
        sources: &[bool],
        constant: bool,
        imitate: bool,
    ) -> Result<Vec<Field>> {
        let constant64 = operands.iter().any(|operand| operand.function == "decodeOperand_KImmFP64");
        let mut past_constant = false;
        let mut fields = Vec::new();
        for (place, operand) in operands.iter().enumerate() {
            past_constant |= operand.function.starts_with("decodeOperand_KImmFP");
            let source = sources.get(place).copied().unwrap_or(false);
            let width: u32 = operand.slices.iter().map(|&(_, width, _)| u32::from(width)).sum();
            let reader = if operand.function == "imm" {
                let misread = imitate && source && corrections::MISREAD_WIDTHS.contains(&width);
                misread.then_some(Reader::Misread)
            } else {
                Reader::from_function(&operand.function)?
            };
            let (Some(reader), 1..) = (reader, width) else { continue };
            let wide = if past_constant || constant64 && table.literal_aside {
                Wide::Constant
            } else if constant {
                Wide::Refused
            } else {
                Wide::Takes
            };
            let field = Field {
                slices: operand.slices.iter().map(|&(first, width, _)| (first, width)).collect(),
                kind: kind(reader, operand, source, wide, width, &self.legality),
            };
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        fields.sort();
        Ok(fields)
    }

    fn takes_wide(&self, field: &Field) -> bool {
        field.meanings(&self.legality).any(|meaning| meaning == Meaning::Literal64)
    }
}

/// The kind of an operand, with only the differences that a field of its width can show.
fn kind(
    reader: Reader,
    operand: &Operand,
    source: bool,
    wide: Wide,
    width: u32,
    legality: &Legality,
) -> FieldKind {
    let mut next = 0;
    let mut gap = false;
    for &(_, width, place) in &operand.slices {
        gap |= place != next;
        next = place + width;
    }
    let layout = operand.slices.iter().map(|&(_, width, place)| (width, place)).collect();
    let plain = FieldKind {
        reader,
        constant: operand.constant,
        layout: if gap { layout } else { Vec::new() },
        source: true,
        wide: Wide::Takes,
    };
    // Asked as if the processor had every sort of literal, so that processors share their kinds.
    let legality = legality.with_literals64();
    let shows = |wanted: Meaning| (0..1 << width).any(|number| plain.meaning(&legality, number) == wanted);
    let (literal, literal64) = (shows(Meaning::Literal), shows(Meaning::Literal64));
    FieldKind { source: source || !literal, wide: if literal64 { wide } else { Wide::Takes }, ..plain }
}

/// The address dwords of an image instruction with non-sequential addresses.
fn addresses(name: &str, instruction: &Instruction) -> u8 {
    if !name.contains("_nsa_") {
        return 0;
    }
    let registers = instruction.inputs.iter().filter(|input| input.starts_with("vaddr")).count();
    u8::try_from(registers.saturating_sub(1).div_ceil(4)).unwrap_or(u8::MAX)
}

/// Whether gfx12 refuses a negative offset here (`isBufferInstruction`, `S_BUFFER_*`).
fn has_signed_offset(name: &str) -> bool {
    ["S_BUFFER_", "BUFFER_", "TBUFFER_", "S_ATC_PROBE_BUFFER"].iter().any(|start| name.starts_with(start))
}

/// For each kind in some rules: the widest field of it.
pub fn kinds<'a>(rules: impl Iterator<Item = &'a Rule>) -> BTreeMap<FieldKind, u32> {
    let mut kinds = BTreeMap::new();
    for field in rules.flat_map(|rule| &rule.fields) {
        let widest = kinds.entry(field.kind.clone()).or_insert(0);
        *widest = field.width().max(*widest);
    }
    kinds
}
