//! Encodings of one instruction that differ only in what the index need not tell apart: with and without an
//! address register, an offset or a hint bit.

use super::encoding::{Check, Encoding};
use super::table::{Operand, Rule, Slice};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Whether two rules stand for the same instruction of the same length.
pub(super) fn is_same(a: &Rule, b: &Rule) -> bool {
    let key = |rule: &Rule| {
        (
            rule.mnemonic,
            rule.bytes,
            rule.flags.nsa,
            rule.flags.has_constant,
            rule.flags.clear,
            rule.flags.fixed_254,
        )
    };
    key(a) == key(b)
}

/// The fewest encodings that hold for exactly the same words as these.
pub(super) fn merge(encodings: &[&Encoding]) -> Vec<Encoding> {
    let mut all: Vec<Encoding> = encodings.iter().copied().cloned().collect();
    'again: loop {
        for i in 0..all.len() {
            for j in 0..all.len() {
                let (Some(a), Some(b)) = (all.get(i), all.get(j)) else { continue };
                if i == j || !is_same(&a.rule, &b.rule) {
                    continue;
                }
                if let Some(both) = union(a, b) {
                    all.swap_remove(i.max(j));
                    all.swap_remove(i.min(j));
                    all.push(both);
                    continue 'again;
                }
            }
        }
        return all;
    }
}

/// One encoding for the words of two, if there is one.
fn union(a: &Encoding, b: &Encoding) -> Option<Encoding> {
    if (a.rule.value ^ b.rule.value) & a.rule.mask & b.rule.mask == 0 && a.rule.mask & !b.rule.mask == 0 {
        if same(&a.checks, &b.checks) {
            // All words of b are words of a.
            return Some(a.clone());
        }
        return with_value(a, b);
    }
    let differs = a.rule.value ^ b.rule.value;
    if a.rule.mask == b.rule.mask && differs.is_power_of_two() && same(&a.checks, &b.checks) {
        let mut both = a.clone();
        both.rule.mask &= !differs;
        both.rule.value &= !differs;
        return Some(both);
    }
    None
}

/// Where b is a with a fixed value in one of a's operands that a refuses there: a, allowing that value.
fn with_value(a: &Encoding, b: &Encoding) -> Option<Encoding> {
    let extra = b.rule.mask & !a.rule.mask;
    let bits = |s: Slice| ((1u128 << s.width) - 1) << s.bit;
    let (place, check) =
        a.checks.iter().enumerate().find(|(_, c)| c.high.width == 0 && bits(c.low) == extra)?;
    let mut others = a.checks.to_vec();
    others.remove(place);
    if !same(&others, &b.checks) {
        return None;
    }
    let mut values = check.values.to_vec();
    let value = (b.rule.value >> check.low.bit) as usize & (values.len() - 1);
    *values.get_mut(value)? = Operand::Legal;
    others.push(Check { values: values.into(), ..check.clone() });
    Some(Encoding { rule: a.rule.clone(), checks: others.into() })
}

/// Whether two lists make the same demands, in any order.
fn same(a: &[Check], b: &[Check]) -> bool {
    let equal = |x: &Check, y: &Check| {
        (x.low, x.high) == (y.low, y.high) && (Arc::ptr_eq(&x.values, &y.values) || x.values == y.values)
    };
    a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| equal(x, y)))
}
