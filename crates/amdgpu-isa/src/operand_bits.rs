//! Questions about the operands of instructions, such as "is this value refused?". Instructions have operands
//! at a few places only, so that a table per place answers all questions at once.

use super::encoding::{Check, Encoding};
use super::table::{Operand, Slice};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The lowest bits of the places: at each, nine bits are looked at, as wide as the widest operand field.
pub(super) const PLACES: [u8; 8] = [0, 7, 16, 32, 41, 48, 50, 55];

/// A question about the bits at a place: the values for which the answer is yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct OperandBit {
    pub(super) place: usize,
    pub(super) yes: [u64; 8],
}

impl OperandBit {
    /// Whether the bits at `slice` have one of the values for which `yes` holds.
    fn from_slice(slice: Slice, yes: impl Fn(usize) -> bool) -> Option<OperandBit> {
        let end = slice.bit + slice.width;
        let place = PLACES.iter().position(|&place| place <= slice.bit && end <= place + 9)?;
        let shift = PLACES.get(place).map(|place| slice.bit - place)?;
        let mut question = OperandBit { place, yes: [0; 8] };
        for seen in 0..512 {
            if yes((seen >> shift) & ((1 << slice.width) - 1)) {
                question.yes[seen / 64] |= 1 << (seen % 64);
            }
        }
        Some(question)
    }

    /// As [`OperandBit::from_slice`] where no place shows all of the bits: yes wherever those that are not
    /// seen could make it so. `None` where that would be too often.
    fn about(slice: Slice, yes: impl Fn(usize) -> bool) -> Option<OperandBit> {
        (0..slice.width.min(3)).find_map(|unseen| {
            let seen = Slice { bit: slice.bit + unseen, width: slice.width - unseen };
            let some = |value: usize| (0..1usize << unseen).any(|low| yes(value << unseen | low));
            let few = (0..1usize << seen.width).filter(|value| some(*value)).count() * 2 <= 1 << seen.width;
            if unseen == 0 || few { OperandBit::from_slice(seen, some) } else { None }
        })
    }

    fn is_never(&self) -> bool {
        self.yes == [0; 8]
    }
}

/// The questions of one encoding: those that must be answered with no, and those whose yes means that a
/// literal follows.
#[derive(Debug, Default, Clone)]
pub(super) struct OperandBits {
    pub(super) refused: Vec<OperandBit>,
    pub(super) literal: Vec<OperandBit>,
}

impl OperandBits {
    /// `None` where the index cannot ask them all.
    pub(super) fn from_encoding(
        encoding: &Encoding,
        longest: usize,
        known: &mut Known,
    ) -> Option<OperandBits> {
        let rule = &encoding.rule;
        let mut all = OperandBits::default();
        let takes_literal =
            !rule.flags.has_constant && usize::from(rule.bytes + rule.flags.nsa) + 4 <= longest;
        for check in encoding.checks.iter() {
            let key =
                (Arc::as_ptr(&check.values) as *const () as usize, check.low, check.high, takes_literal);
            let (_, asked) = known
                .entry(key)
                .or_insert_with(|| (Arc::clone(&check.values), of_check(check, takes_literal)));
            let (refused, literal) = (*asked)?;
            all.refused.push(refused);
            all.literal.extend(literal);
        }
        all.refused.retain(|question| !question.is_never());
        all.literal.retain(|question| !question.is_never());
        Some(all)
    }
}

/// Questions about operand fields that were thought out before, by the place of their values in memory, which
/// is why these are kept.
pub(super) type Known =
    BTreeMap<(usize, Slice, Slice, bool), (Arc<[Operand]>, Option<(OperandBit, Option<OperandBit>)>)>;

/// The questions about one operand field: whether it is refused, and whether it is a literal.
fn of_check(check: &Check, takes_literal: bool) -> Option<(OperandBit, Option<OperandBit>)> {
    let is = |value: usize, wanted: &[Operand]| {
        check.values.get(value).is_none_or(|operand| wanted.contains(operand))
    };
    if check.high.width == 0 {
        let bad = [Operand::Refused, Operand::Literal64];
        let literal = OperandBit::from_slice(check.low, |value| is(value, &[Operand::Literal]));
        let shown = literal.is_some() || !takes_literal;
        let bad = |value| is(value, &bad) || !shown && is(value, &[Operand::Literal]);
        return Some((OperandBit::about(check.low, bad)?, literal.filter(|_| takes_literal)));
    }
    // Of a field in two parts only one is looked at; where the other could make it fail, it is left to the
    // exact decoder.
    let odd = [Operand::Refused, Operand::Literal64, Operand::Literal];
    Some((all_but_few(check, |value| is(value, &odd))?, None))
}

/// A question about one part of a field in two parts that is answered with yes wherever the other part could
/// matter.
fn all_but_few(check: &Check, odd: impl Fn(usize) -> bool) -> Option<OperandBit> {
    let (low, high) = (check.low, check.high);
    let by_low = |value: usize| (0..1usize << high.width).any(|h| odd(value | h << low.width));
    let by_high = |value: usize| (0..1usize << low.width).any(|l| odd(l | value << low.width));
    let few = (0..1usize << low.width).filter(|value| by_low(*value)).count() * 8 <= 1 << low.width;
    let by_low = if few { OperandBit::about(low, by_low) } else { None };
    by_low.or_else(|| OperandBit::from_slice(high, by_high))
}
