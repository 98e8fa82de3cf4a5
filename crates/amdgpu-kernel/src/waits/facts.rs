//! What is known of scalar registers along a way: which comparisons with constants hold, and how registers were
//! computed from others, so that a comparison of one says something of the other.

use super::seeded::Seeded;
use crate::constants;
use amdgpu_isa::{Instruction, Operand};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// How a value is compared; other comparisons are the opposite of one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    LessSigned,
    LessOrEqualSigned,
}

impl Comparison {
    /// By the mnemonic, with whether it is the opposite.
    fn from_mnemonic(name: &str) -> Option<(Comparison, bool)> {
        let rest = name.strip_prefix("s_cmpk_").or_else(|| name.strip_prefix("s_cmp_"))?;
        Some(match rest {
            "eq_u32" | "eq_i32" => (Comparison::Equal, false),
            "lg_u32" | "lg_i32" => (Comparison::Equal, true),
            "lt_u32" => (Comparison::Less, false),
            "ge_u32" => (Comparison::Less, true),
            "le_u32" => (Comparison::LessOrEqual, false),
            "gt_u32" => (Comparison::LessOrEqual, true),
            "lt_i32" => (Comparison::LessSigned, false),
            "ge_i32" => (Comparison::LessSigned, true),
            "le_i32" => (Comparison::LessOrEqualSigned, false),
            "gt_i32" => (Comparison::LessOrEqualSigned, true),
            _ => return None,
        })
    }

    fn holds(self, value: u32, constant: u32) -> bool {
        match self {
            Comparison::Equal => value == constant,
            Comparison::Less => value < constant,
            Comparison::LessOrEqual => value <= constant,
            Comparison::LessSigned => (value as i32) < constant as i32,
            Comparison::LessOrEqualSigned => value as i32 <= constant as i32,
        }
    }
}

/// A comparison of a scalar register with a constant, as an instruction makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) register: u16,
    comparison: Comparison,
    constant: u32,
}

impl Asked {
    /// What an instruction says in SCC, with whether SCC is the opposite of it.
    pub(super) fn from_instruction(found: &Instruction) -> Option<(Asked, bool)> {
        /// These say whether their result is not zero.
        const RESULTS: [&str; 6] =
            ["s_and_b32", "s_or_b32", "s_xor_b32", "s_lshr_b32", "s_lshl_b32", "s_bfe_u32"];
        let mut operands = found.operands().map(|named| named.operand);
        let register = followed(operands.next()?)?;
        if RESULTS.contains(&found.mnemonic()) {
            return Some((Asked { register, comparison: Comparison::Equal, constant: 0 }, true));
        }
        let (comparison, is_opposite) = Comparison::from_mnemonic(found.mnemonic())?;
        let constant = small(operands.next()?)?;
        Some((Asked { register, comparison, constant }, is_opposite))
    }
}

/// A scalar register that is followed.
fn followed(operand: Operand) -> Option<u16> {
    constants::single(operand).filter(|register| bit(*register) != 0)
}

/// A constant operand; larger ones of some encodings are extended with their sign by some mnemonics.
fn small(operand: Operand) -> Option<u32> {
    match operand {
        Operand::Number(value) => u32::try_from(value).ok().filter(|value| *value < 0x8000),
        other => constants::constant(other),
    }
}

/// A value: what it comes from, and a constant that is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Value {
    root: u32,
    added: u32,
}

/// What values come from.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// Zero: with what is added, a constant.
    Zero,
    /// What a register held where the way begins, or where it was last written by what is not followed.
    Register,
    /// What an instruction of a mnemonic makes of two others.
    Made(u16, Value, Value),
}

/// How deep roots are made of others, at most.
const DEPTH: u32 = 4;

/// Scalar registers as bits. Others than these 128, such as VCC, are not followed.
pub(super) type ScalarSet = u128;

/// One register as such a set.
fn bit(register: u16) -> ScalarSet {
    1u128.checked_shl(register.into()).unwrap_or(0)
}

/// All roots of a kernel, each once, with the registers that they depend on and how deep they are. The first is zero,
/// and those of registers follow it.
pub(super) struct Roots {
    all: Vec<(Root, ScalarSet, u32)>,
    /// The numbers of those that are made of others.
    numbers: HashMap<(u16, Value, Value), u32, Seeded>,
}

/// The number of zero.
const ZERO: u32 = 0;

/// Registers that are followed.
const REGISTERS: u16 = ScalarSet::BITS as u16;

impl Default for Roots {
    fn default() -> Self {
        let registers = (0..REGISTERS).map(|register| (Root::Register, bit(register), 0));
        let all = std::iter::once((Root::Zero, 0, 0)).chain(registers).collect();
        Roots { all, numbers: HashMap::default() }
    }
}

impl Roots {
    /// What a register holds, as far as nothing is known of it.
    fn of_register(register: u16) -> Value {
        Value { root: 1 + u32::from(register.min(REGISTERS - 1)), added: 0 }
    }

    /// What an instruction makes of two others.
    fn made(&mut self, mnemonic: u16, first: Value, second: Value) -> Value {
        let depends = self.depends(first) | self.depends(second);
        let depth = 1 + self.depth(first).max(self.depth(second));
        let new = self.all.len() as u32;
        let root = *self.numbers.entry((mnemonic, first, second)).or_insert(new);
        if root == new {
            self.all.push((Root::Made(mnemonic, first, second), depends, depth));
        }
        Value { root, added: 0 }
    }

    fn depends(&self, value: Value) -> ScalarSet {
        self.all.get(value.root as usize).map_or(0, |(_, depends, _)| *depends)
    }

    fn depth(&self, value: Value) -> u32 {
        self.all.get(value.root as usize).map_or(0, |(.., depth)| *depth)
    }

    fn constant(value: u32) -> Value {
        Value { root: ZERO, added: value }
    }
}

/// A comparison of a value with a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Compared {
    value: Value,
    comparison: Comparison,
    constant: u32,
}

/// What an instruction makes of scalar registers, as far as it is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    mnemonic: u16,
    sum: Sum,
    pub(super) register: u16,
    first: Source,
    second: Source,
}

/// Whether an instruction makes a sum, which is followed without a root of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sum {
    Same,
    Added,
    Subtracted,
    None,
}

impl Sum {
    fn from_mnemonic(name: &str) -> Sum {
        match name {
            "s_mov_b32" | "s_movk_i32" => Sum::Same,
            "s_add_u32" | "s_add_i32" => Sum::Added,
            "s_sub_u32" | "s_sub_i32" => Sum::Subtracted,
            _ => Sum::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Register(u16),
    Constant(u32),
}

impl Made {
    /// Of an instruction that writes one scalar register, from registers and constants alone.
    pub(super) fn from_instruction(found: &Instruction, mnemonic: u16) -> Option<Made> {
        const PURE: [&str; 13] = [
            "s_mov_b32",
            "s_movk_i32",
            "s_add_u32",
            "s_add_i32",
            "s_sub_u32",
            "s_sub_i32",
            "s_and_b32",
            "s_or_b32",
            "s_lshr_b32",
            "s_lshl_b32",
            "s_ashr_i32",
            "s_mul_i32",
            "s_bfe_u32",
        ];
        let name = found.mnemonic();
        if !PURE.contains(&name) {
            return None;
        }
        let mut operands = found.operands().map(|named| named.operand);
        let source = |operand: Operand| match followed(operand) {
            Some(register) => Some(Source::Register(register)),
            None => small(operand).map(Source::Constant),
        };
        let register = followed(operands.next()?)?;
        let first = source(operands.next()?)?;
        let second = match operands.next() {
            Some(operand) => source(operand)?,
            None => Source::Constant(0),
        };
        Some(Made { mnemonic, sum: Sum::from_mnemonic(name), register, first, second })
    }
}

/// What is known along a way, sorted.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    values: Vec<(u16, Value)>,
    compared: Vec<(Compared, bool)>,
    /// No other registers are named by these, nor do they depend on others.
    named: ScalarSet,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values && self.compared == other.compared
    }
}

impl Eq for Facts {}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.values, &self.compared).hash(state);
    }
}

/// Comparisons that are kept along a way.
const KEPT: usize = 12;

impl Facts {
    fn value(&self, register: u16) -> Value {
        match self.values.binary_search_by_key(&register, |(own, _)| *own) {
            Ok(at) => self.values[at].1,
            Err(_) => Roots::of_register(register),
        }
    }

    fn set(&mut self, register: u16, value: Value, roots: &Roots) {
        self.named |= bit(register) | roots.depends(value);
        match self.values.binary_search_by_key(&register, |(own, _)| *own) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (register, value)),
        }
    }

    /// Whether a comparison holds, where that is known.
    pub(super) fn decide(&self, asked: &Asked, roots: &Roots) -> Option<bool> {
        let compared = self.compared(asked);
        self.known(&compared, roots)
    }

    fn compared(&self, asked: &Asked) -> Compared {
        let (mut value, mut constant) = (self.value(asked.register), asked.constant);
        if asked.comparison == Comparison::Equal {
            constant = constant.wrapping_sub(value.added);
            value.added = 0;
        }
        Compared { value, comparison: asked.comparison, constant }
    }

    fn known(&self, asked: &Compared, roots: &Roots) -> Option<bool> {
        let own = || self.compared.iter().filter(|(known, _)| known.value.root == asked.value.root);
        let same = own().find(|(known, _)| known == asked).map(|(_, holds)| *holds);
        if same.is_some() {
            return same;
        }
        if let Some(possible) = self.possible(asked.value.root, roots, 0) {
            let mut answers = possible
                .iter()
                .map(|value| asked.comparison.holds(value.wrapping_add(asked.value.added), asked.constant));
            let first = answers.next();
            return first.filter(|first| answers.all(|other| other == *first));
        }
        // A value that an earlier comparison does not have is another one.
        let excludes = |(known, holds): &(Compared, bool)| {
            known.comparison.holds(asked.constant.wrapping_add(known.value.added), known.constant) != *holds
        };
        (asked.comparison == Comparison::Equal && own().any(excludes)).then_some(false)
    }

    /// The values that a root can have, if they are few: by what it is compared with, and by what it is made of.
    fn possible(&self, root: u32, roots: &Roots, depth: u32) -> Option<Vec<u32>> {
        let own = || self.compared.iter().filter(|(known, _)| known.value.root == root);
        let most = |(known, holds): &(Compared, bool)| match (known.comparison, known.value.added, *holds) {
            (Comparison::LessOrEqual, 0, true) => Some(known.constant),
            (Comparison::Less, 0, true) => known.constant.checked_sub(1),
            _ => None,
        };
        let exact = own().find(|(known, holds)| *holds && known.comparison == Comparison::Equal);
        let bound = own().filter_map(most).min().filter(|most| *most < FEW);
        let mut values = match (exact, bound, &roots.all.get(root as usize)?.0) {
            (Some((known, _)), ..) => vec![known.constant.wrapping_sub(known.value.added)],
            (_, Some(bound), _) => (0..=bound).collect(),
            (.., Root::Zero) => vec![0],
            (.., Root::Made(mnemonic, first, second)) if depth < DEPTH => {
                let of = |value: &Value| {
                    let all = self.possible(value.root, roots, depth + 1)?;
                    Some(all.into_iter().map(|own| own.wrapping_add(value.added)).collect::<Vec<_>>())
                };
                let (first, second) = (of(first)?, of(second)?);
                if first.len() * second.len() > FEW as usize {
                    return None;
                }
                let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (*one, *other)));
                pairs.map(|(one, other)| computed(*mnemonic, one, other)).collect::<Option<Vec<u32>>>()?
            }
            _ => return None,
        };
        values.retain(|value| {
            own().all(|(known, holds)| {
                known.comparison.holds(value.wrapping_add(known.value.added), known.constant) == *holds
            })
        });
        Some(values)
    }

    /// With what a comparison says.
    pub(super) fn with(&self, asked: &Asked, holds: bool, roots: &Roots) -> Facts {
        let mut facts = self.clone();
        let compared = self.compared(asked);
        if facts.compared.len() < KEPT && self.known(&compared, roots).is_none() {
            facts.named |= roots.depends(compared.value);
            facts.compared.push((compared, holds));
            facts.compared.sort_unstable();
        }
        facts
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.compared.is_empty()
    }

    /// Takes what an instruction makes.
    pub(super) fn make(&mut self, made: &Made, roots: &mut Roots) {
        let of = |source: Source| match source {
            Source::Register(register) => self.value(register),
            Source::Constant(value) => Roots::constant(value),
        };
        let (first, second) = (of(made.first), of(made.second));
        let value = match made.sum {
            Sum::Same => first,
            Sum::Added if second.root == ZERO => plus(first, second.added),
            Sum::Added if first.root == ZERO => plus(second, first.added),
            Sum::Subtracted if second.root == ZERO => plus(first, second.added.wrapping_neg()),
            _ if roots.depth(first).max(roots.depth(second)) >= DEPTH => {
                return self.forget(bit(made.register), roots);
            }
            _ => roots.made(made.mnemonic, first, second),
        };
        self.set(made.register, value, roots);
    }

    /// Registers were written by what is not followed: what was known of them, and what was made of that, is of
    /// values that no register is known to hold any more.
    pub(super) fn forget(&mut self, mut registers: ScalarSet, roots: &Roots) {
        if registers & self.named == 0 {
            return;
        }
        loop {
            let with = |all, (own, value): &(u16, Value)| {
                if roots.depends(*value) & all == 0 { all } else { all | bit(*own) }
            };
            let more = self.values.iter().fold(registers, with);
            if more == registers {
                break;
            }
            registers = more;
        }
        self.compared.retain(|(known, _)| roots.depends(known.value) & registers == 0);
        self.values.retain(|(own, _)| bit(*own) & registers == 0);
        let of_values =
            self.values.iter().fold(0, |all, (own, value)| all | bit(*own) | roots.depends(*value));
        self.named = self.compared.iter().fold(of_values, |all, (known, _)| all | roots.depends(known.value));
    }

    /// Around a loop values are others each time: only what is known of registers themselves is kept.
    pub(super) fn forget_values(&mut self, roots: &Roots) {
        let all = self.values.iter().fold(0, |all, (own, _)| all | bit(*own));
        if all != 0 {
            self.forget(all, roots);
        }
    }
}

/// Values that are few enough to be gone through.
const FEW: u32 = 16;

/// What an instruction makes of two numbers.
fn computed(mnemonic: u16, first: u32, second: u32) -> Option<u32> {
    Some(match amdgpu_isa::mnemonic(mnemonic) {
        "s_and_b32" => first & second,
        "s_or_b32" => first | second,
        "s_lshr_b32" => first >> (second & 31),
        "s_lshl_b32" => first << (second & 31),
        "s_ashr_i32" => (first as i32 >> (second & 31)) as u32,
        "s_mul_i32" => first.wrapping_mul(second),
        "s_add_u32" | "s_add_i32" => first.wrapping_add(second),
        "s_sub_u32" | "s_sub_i32" => first.wrapping_sub(second),
        _ => return None,
    })
}

fn plus(value: Value, added: u32) -> Value {
    Value { added: value.added.wrapping_add(added), ..value }
}
