//! The exact decoder: which encoding an instruction has, from all that its family knows.
#![deny(clippy::indexing_slicing)]

use super::table::{Operand, Rule, Slice, Tables};
use std::collections::HashMap;
use std::sync::Arc;

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// Number of its mnemonic; [`super::mnemonic`] has the name.
    pub mnemonic: u16,
    /// Length in bytes, with its literal.
    pub length: u8,
}

/// An operand field with what its values mean.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) low: Slice,
    pub(super) high: Slice,
    pub(super) values: Arc<[Operand]>,
}

impl Check {
    fn of(&self, word: u128) -> Operand {
        let take = |s: Slice| (word >> s.bit) as usize & ((1 << s.width) - 1);
        let value = take(self.low) | take(self.high) << self.low.width;
        self.values.get(value).copied().unwrap_or(Operand::Refused)
    }
}

/// A rule with its operands, for one family.
#[derive(Debug, Clone)]
pub(super) struct Encoding {
    pub(super) rule: Rule,
    pub(super) checks: Arc<[Check]>,
}

/// The encodings of a family, widest first.
pub(super) fn of_family(tables: &Tables, family: usize, likes: impl Fn(&Rule) -> bool) -> Vec<Encoding> {
    let mut values: HashMap<(u16, u8), Arc<[Operand]>> = HashMap::new();
    let mut shapes: HashMap<u16, Arc<[Check]>> = HashMap::new();
    let mut encodings = Vec::new();
    for rule in tables.rules.iter().filter(|rule| rule.families >> family & 1 == 1 && likes(rule)) {
        let checks = shapes.entry(rule.shape).or_insert_with(|| {
            let fields = tables.shapes.get(usize::from(rule.shape)).map_or(&[][..], Vec::as_slice);
            let check = |field: &super::table::Field| {
                let kind = tables.kind(field, family)?;
                let lines = values.entry((field.kind, field.width()));
                let values = lines.or_insert_with(|| kind.values(field.width()).into());
                let plain = values.iter().all(|operand| *operand == Operand::Legal);
                let (low, high, values) = (field.low, field.high, Arc::clone(values));
                (!plain).then_some(Check { low, high, values })
            };
            fields.iter().filter_map(check).collect()
        });
        encodings.push(Encoding { rule: rule.clone(), checks: Arc::clone(checks) });
    }
    encodings.sort_by_key(|encoding| std::cmp::Reverse(encoding.rule.bytes));
    encodings
}

/// What an encoding makes of an instruction word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Is(Instruction),
    /// Not of this encoding; a narrower one may fit.
    Other,
    /// No instruction at all.
    Invalid,
}

impl Encoding {
    /// Looks at `word`, of which `available` bytes are valid; the others are zero. `longest` is the
    /// family's longest instruction.
    pub(super) fn read(&self, word: u128, available: usize, longest: usize) -> Verdict {
        let rule = &self.rule;
        if word & rule.mask != rule.value || usize::from(rule.bytes) > available {
            return Verdict::Other;
        }
        let (mut literal, mut literal64) = (false, false);
        for check in self.checks.iter() {
            match check.of(word) {
                Operand::Legal => {}
                Operand::Literal => literal = true,
                Operand::Literal64 => literal64 = true,
                Operand::Refused => return Verdict::Other,
            }
        }
        let mut length = usize::from(rule.bytes) + usize::from(rule.nsa);
        let most = available.min(longest);
        if literal64 {
            if !rule.fixed_254 {
                length += 8;
                if most < length {
                    return Verdict::Other;
                }
            }
        } else if literal && !rule.has_constant && most >= length + 4 {
            // LLVM prints such an instruction without its literal where none can follow.
            length += 4;
        }
        if rule.nsa > 0 && most < length || rule.clear.is_some_and(|bit| word >> bit & 1 == 1) {
            return Verdict::Invalid;
        }
        Verdict::Is(Instruction { mnemonic: rule.mnemonic, length: length as u8 })
    }
}
