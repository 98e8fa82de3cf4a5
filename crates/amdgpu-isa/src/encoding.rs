//! The exact decoder: which encoding an instruction has, from all that its family knows.
#![deny(clippy::indexing_slicing)]

use super::table::{self, Operand, Rule, Slice, Tables};
use std::collections::HashMap;
use std::sync::Arc;

/// What an instruction is, before its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opcode {
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
    fn operand(&self, word: u128) -> Operand {
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
    let mut shapes: HashMap<u8, Arc<[Check]>> = HashMap::new();
    let mut encodings = Vec::new();
    for rule in table::rules(1 << family).filter(likes) {
        let checks = shapes.entry(rule.shape).or_insert_with(|| {
            let fields = tables.shapes.get(usize::from(rule.shape)).map_or(&[][..], Vec::as_slice);
            let check = |field: &table::Field| {
                let kind = tables.kind(field, family)?;
                let lines = values.entry((field.kind, field.width()));
                let values = lines.or_insert_with(|| kind.values(field.width()).into());
                let plain = values.iter().all(|operand| *operand == Operand::Legal);
                let (low, high, values) = (field.low, field.high, Arc::clone(values));
                (!plain).then_some(Check { low, high, values })
            };
            fields.iter().filter_map(check).collect()
        });
        encodings.push(Encoding { checks: Arc::clone(checks), rule });
    }
    encodings.sort_by_key(|encoding| std::cmp::Reverse(encoding.rule.bytes));
    encodings
}

/// The encodings that an instruction can have by the top nine bits of its first dword, widest first.
pub(super) struct ByTop {
    numbers: Vec<u16>,
    /// Where the numbers for each value of the bits begin, and where the last end.
    starts: Vec<u32>,
}

impl ByTop {
    pub(super) fn index(encodings: &[Encoding]) -> ByTop {
        let mut by_top = ByTop { numbers: Vec::new(), starts: vec![0] };
        // The top bits of masks and values, apart from the rest: they are gone through once for each of 512
        // values.
        let top = |bits: u128| (bits as u32 >> 23) as u16;
        let tops: Vec<(u16, u16)> = encodings.iter().map(|e| (top(e.rule.mask), top(e.rule.value))).collect();
        for value in 0..512 {
            let fits = tops.iter().zip(0u16..).filter(|((mask, bits), _)| value & mask == *bits);
            by_top.numbers.extend(fits.map(|(_, number)| number));
            by_top.starts.push(by_top.numbers.len() as u32);
        }
        by_top
    }

    /// The numbers for the instruction that begins with this dword.
    pub(super) fn candidates(&self, dword: u32) -> &[u16] {
        let top = (dword >> 23) as usize;
        let place = |at: usize| self.starts.get(at).map_or(0, |start| *start as usize);
        self.numbers.get(place(top)..place(top + 1)).unwrap_or_default()
    }
}

/// What an encoding makes of an instruction word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Is(Opcode),
    /// Not of this encoding; a narrower one may fit.
    Other,
    /// No instruction at all.
    Invalid,
}

impl Encoding {
    /// Looks at `word`: its first `available` bytes are valid, the others zero. `longest` is the
    /// family's longest instruction.
    pub(super) fn read(&self, word: u128, available: usize, longest: usize) -> Verdict {
        let rule = &self.rule;
        if word & rule.mask != rule.value || usize::from(rule.bytes) > available {
            return Verdict::Other;
        }
        let (mut literal, mut literal64) = (false, false);
        for check in self.checks.iter() {
            match check.operand(word) {
                Operand::Legal => {}
                Operand::Literal => literal = true,
                Operand::Literal64 => literal64 = true,
                Operand::Refused => return Verdict::Other,
            }
        }
        let mut length = usize::from(rule.bytes) + usize::from(rule.flags.nsa);
        let most = available.min(longest);
        if literal64 {
            if !rule.flags.fixed_254 {
                length += 8;
                if most < length {
                    return Verdict::Other;
                }
            }
        } else if literal && !rule.flags.has_constant && most >= length + 4 {
            // LLVM prints such an instruction without its literal where none can follow.
            length += 4;
        }
        if rule.flags.nsa > 0 && most < length || rule.flags.clear.is_some_and(|bit| word >> bit & 1 == 1) {
            return Verdict::Invalid;
        }
        Verdict::Is(Opcode { mnemonic: rule.mnemonic, length: length as u8 })
    }
}
