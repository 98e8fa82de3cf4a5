//! The exact decoder: which encoding an instruction has, from all that its family knows.
#![deny(clippy::indexing_slicing)]

use super::table::{self, Operand, Rule, Slice, Tables};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

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
    let mut values: BTreeMap<(u16, u8), Arc<[Operand]>> = BTreeMap::new();
    let mut shapes: BTreeMap<u8, Arc<[Check]>> = BTreeMap::new();
    let mut encodings = Vec::new();
    for rule in table::rules(1 << family).filter(likes) {
        let checks = shapes.entry(rule.shape).or_insert_with(|| {
            let fields = tables.shapes.get(usize::from(rule.shape)).copied().unwrap_or_default();
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
    encodings.sort_by_key(|encoding| core::cmp::Reverse(encoding.rule.bytes));
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
        let top = |bits: u128| (bits as u32 >> 23) as u16;
        // Most encodings fix most of the nine bits: only values that fit are gone through.
        let fitting = |encoding: &Encoding| {
            let (mask, value) = (top(encoding.rule.mask), top(encoding.rule.value));
            let free = !mask & 0x1ff;
            // The next subset of the free bits; none behind the empty one.
            core::iter::successors(Some(free), move |subset| subset.checked_sub(1).map(|less| less & free))
                .map(move |subset| usize::from(value | subset))
                .filter(move |_| value & !mask == 0)
        };
        let mut starts = vec![0u32; 513];
        for place in encodings.iter().flat_map(fitting) {
            if let Some(count) = starts.get_mut(place + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut numbers = vec![0; sum as usize];
        let mut next = starts.clone();
        for (encoding, number) in encodings.iter().zip(0u16..) {
            for place in fitting(encoding) {
                let Some(at) = next.get_mut(place) else { continue };
                if let Some(slot) = numbers.get_mut(*at as usize) {
                    *slot = number;
                }
                *at += 1;
            }
        }
        ByTop { numbers, starts }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_all_encodings_whose_top_bits_fit() {
        let tables = &table::TABLES;
        for family in 0..tables.families.len() {
            let encodings = of_family(tables, family, |_| true);
            let by_top = ByTop::index(&encodings);
            for top in 0..512u32 {
                let dword = top << 23;
                let fits = encodings.iter().zip(0u16..).filter(|(encoding, _)| {
                    let (mask, value) = (encoding.rule.mask as u32, encoding.rule.value as u32);
                    dword & mask & 0xff80_0000 == value & 0xff80_0000
                });
                let fits: Vec<u16> = fits.map(|(_, number)| number).collect();
                assert_eq!(by_top.candidates(dword), fits, "family {family}, {dword:#x}");
            }
        }
    }
}
