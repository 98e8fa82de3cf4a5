//! A slow decoder that reads `crates/amdgpu-isa/src/tables/` as its text says, to compare the tables with
//! LLVM.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The meanings of the numbers of one field in one family.
#[derive(Debug, Default)]
struct FieldMeanings {
    refused: Vec<(u32, u32)>,
    literal: Vec<(u32, u32)>,
    literal64: Vec<(u32, u32)>,
}

/// A field of a shape: its slices and the name of its kind.
type Field = (Vec<(u32, u32)>, String);

/// A row of `rules.tsv`.
#[derive(Debug)]
pub struct Rule {
    pub bits: u32,
    pub mask: u128,
    pub value: u128,
    pub mnemonic: String,
    shape: usize,
    pub flags: String,
    families: u64,
}

/// The tables of one family.
#[derive(Debug)]
pub struct Family {
    pub processors: Vec<String>,
    max_length: usize,
    pub rules: Vec<Rule>,
    shapes: Vec<Vec<Field>>,
    kinds: HashMap<String, FieldMeanings>,
    /// Rules by bits 31 to 23 of the first dword, wide ones first.
    first: Vec<Vec<usize>>,
}

/// An instruction: mnemonic and bytes.
pub type Instruction<'a> = (&'a str, usize);

/// Reads the tables of every family from `directory`.
pub fn read(directory: &Path) -> Result<Vec<Family>> {
    let lines = |name: &str| -> Result<Vec<Vec<String>>> {
        let path = directory.join(name);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        Ok(rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    };
    let (kinds, shapes, rules) = (lines("kinds.tsv")?, lines("shapes.tsv")?, lines("rules.tsv")?);
    let mut families = Vec::new();
    for row in lines("families.tsv")? {
        let [number, max_length, processors] = row.as_slice() else { anyhow::bail!("families.tsv: {row:?}") };
        let bit = 1 << number.parse::<u32>()?;
        let mut family = Family {
            processors: processors.split(' ').map(str::to_owned).collect(),
            max_length: max_length.parse()?,
            rules: Vec::new(),
            shapes: shapes.iter().map(|row| shape(row)).collect::<Result<_>>()?,
            kinds: HashMap::new(),
            first: Vec::new(),
        };
        for row in &kinds {
            let [name, mask, refused, literal, literal64] = row.as_slice() else {
                anyhow::bail!("kinds.tsv: {row:?}")
            };
            if u64::from_str_radix(mask, 16)? & bit != 0 {
                let kind = FieldMeanings {
                    refused: ranges(refused)?,
                    literal: ranges(literal)?,
                    literal64: ranges(literal64)?,
                };
                ensure!(family.kinds.insert(name.clone(), kind).is_none(), "two rows of {name}");
            }
        }
        for row in &rules {
            let rule = rule(row)?;
            if rule.families & bit != 0 {
                family.rules.push(rule);
            }
        }
        family.index();
        families.push(family);
    }
    Ok(families)
}

fn shape(row: &[String]) -> Result<Vec<Field>> {
    let fields = row.get(1).context("a shape without fields")?;
    let slice = |text: &str| -> Result<(u32, u32)> {
        let (first, width) = text.split_once(':').context("a slice")?;
        Ok((first.parse()?, width.parse()?))
    };
    fields
        .split(' ')
        .filter(|field| !field.is_empty())
        .map(|field| {
            let (slices, kind) = field.split_once('=').context("a field")?;
            Ok((slices.split('+').map(slice).collect::<Result<_>>()?, kind.to_owned()))
        })
        .collect()
}

fn ranges(text: &str) -> Result<Vec<(u32, u32)>> {
    if text == "-" {
        return Ok(Vec::new());
    }
    let range = |part: &str| -> Result<(u32, u32)> {
        let (start, end) = part.split_once('-').unwrap_or((part, part));
        Ok((start.parse()?, end.parse()?))
    };
    text.split(',').map(range).collect()
}

fn rule(row: &[String]) -> Result<Rule> {
    let [bits, mask, value, mnemonic, shape, flags, families] = row else {
        anyhow::bail!("rules.tsv: {row:?}")
    };
    Ok(Rule {
        bits: bits.parse()?,
        mask: u128::from_str_radix(mask, 16)?,
        value: u128::from_str_radix(value, 16)?,
        mnemonic: mnemonic.clone(),
        shape: shape.parse()?,
        flags: flags.clone(),
        families: u64::from_str_radix(families, 16)?,
    })
}

impl Rule {
    /// The number after a letter in the flags.
    fn flag(&self, letter: char) -> Option<usize> {
        let (_, rest) = self.flags.split_once(letter)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        Some(rest.get(..digits)?.parse().unwrap_or(0))
    }
}

impl Family {
    fn index(&mut self) {
        self.rules.sort_by_key(|rule| std::cmp::Reverse(rule.bits));
        self.first = (0..512_u128)
            .map(|top| {
                let fits = |rule: &Rule| rule.mask & 0xff80_0000 & (rule.value ^ top << 23) == 0;
                (0..self.rules.len()).filter(|&index| fits(&self.rules[index])).collect()
            })
            .collect();
    }

    /// `word` with `number` in the field of `rule` that `choice` picks, where its bits are free.
    pub fn with_operand(&self, rule: &Rule, word: u128, choice: usize, number: u32) -> u128 {
        let fields = &self.shapes[rule.shape];
        let Some((slices, _)) = fields.get(choice % fields.len().max(1)) else { return word };
        let (mut word, mut rest) = (word, u128::from(number));
        for &(first, width) in slices {
            let free = ((1 << width) - 1) << first & !rule.mask;
            word = word & !free | rest << first & free;
            rest >>= width;
        }
        word
    }

    /// The instruction at the start of `bytes`; `imitate` follows LLVM's bugs too.
    pub fn decode(&self, bytes: &[u8], imitate: bool) -> Option<Instruction<'_>> {
        let mut word = [0; 16];
        let known = bytes.len().min(16);
        word.get_mut(..known)?.copy_from_slice(bytes.get(..known)?);
        let word = u128::from_le_bytes(word);
        let most = bytes.len().min(self.max_length);
        let other_mode = if imitate { 'C' } else { 'L' };
        for &index in self.first.get((word >> 23 & 511) as usize)? {
            let rule = &self.rules[index];
            if word & rule.mask != rule.value
                || rule.bits as usize / 8 > bytes.len()
                || rule.flags.contains(other_mode)
            {
                continue;
            }
            let mut length = rule.bits as usize / 8 + 4 * rule.flag('n').unwrap_or(0);
            let (mut refused, mut literal, mut literal64) = (false, false, false);
            for (slices, name) in &self.shapes[rule.shape] {
                let mut number = 0;
                for &(first, width) in slices.iter().rev() {
                    number = number << width | (word >> first) as u32 & ((1 << width) - 1);
                }
                let kind = self.kinds.get(name)?;
                let within = |ranges: &[(u32, u32)]| {
                    ranges.iter().any(|(start, end)| (*start..=*end).contains(&number))
                };
                refused |= within(&kind.refused);
                literal |= within(&kind.literal);
                literal64 |= within(&kind.literal64);
            }
            if literal64 && !refused {
                if rule.flag('f').is_none() {
                    length += 8;
                    refused = length > most;
                }
            } else if literal && rule.flag('k').is_none() && length + 4 <= most {
                length += 4;
            }
            if refused {
                continue;
            }
            let outside = rule.flag('n').is_some() && length > most;
            let negative = rule.flag('h').is_some_and(|bit| word >> bit & 1 != 0);
            return (!outside && !negative).then_some((rule.mnemonic.as_str(), length));
        }
        None
    }
}
