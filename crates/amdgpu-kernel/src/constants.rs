//! Where a jump or call through a register leads, where that is a constant: `s_getpc_b64` and what is added
//! to it.

use crate::body::{Code, KernelBody};
use crate::units::Span;
use amdgpu_isa::{File, Instruction, Operand, Register};
use std::collections::HashMap;

/// Instructions before the jump that are looked at.
const LOOKED_BACK: usize = 24;

/// Values of scalar registers.
#[derive(Default)]
struct Values {
    known: HashMap<u16, u32>,
    carry: Option<bool>,
}

/// The offset, from the begin of the kernel, that the jump or call of this number leads to.
pub(crate) fn target(code: &Code<'_>, body: &KernelBody, number: usize) -> Option<i64> {
    let jump = code.instruction(body.all.get(number)?.offset)?;
    let address = jump.operands().filter(|named| !named.is_result).find_map(|named| pair(named.operand))?;
    let mut values = Values::default();
    for one in body.all.get(number.saturating_sub(LOOKED_BACK)..number)? {
        let found = code.instruction(one.offset)?;
        values.pass(&found, one.offset, body.writes(one));
    }
    let (low, high) = (values.known.get(&address)?, values.known.get(&(address + 1))?);
    Some((u64::from(*low) | u64::from(*high) << 32) as i64)
}

/// The first of two scalar registers.
fn pair(operand: Operand) -> Option<u16> {
    match operand {
        Operand::Register(register) if register.count() == 2 => scalar(register),
        _ => None,
    }
}

/// One scalar register.
pub(crate) fn single(operand: Operand) -> Option<u16> {
    match operand {
        Operand::Register(register) if register.count() == 1 => scalar(register),
        _ => None,
    }
}

/// A constant of 32 bits.
pub(crate) fn constant(operand: Operand) -> Option<u32> {
    match operand {
        Operand::Literal(value) => u32::try_from(value).ok(),
        other => other.inline_integer().map(|value| value as u32),
    }
}

fn scalar(register: Register) -> Option<u16> {
    (register.file() == File::Scalar).then(|| register.index())
}

impl Values {
    fn constant_value(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Register(_) => self.known.get(&single(operand)?).copied(),
            other => constant(other),
        }
    }

    /// Goes over one instruction.
    fn pass(&mut self, found: &Instruction, offset: u32, writes: &[Span]) {
        let mut operands = found.operands().map(|named| named.operand);
        let result = operands.next();
        let (first, second) = (operands.next(), operands.next());
        let name = found.mnemonic();
        let value = match name {
            "s_getpc_b64" | "s_get_pc_i64" => {
                let Some(own) = result.and_then(pair) else { return self.forget(found, writes) };
                self.set_pair(own, u64::from(offset) + found.length() as u64);
                return;
            }
            "s_add_nc_u64" | "s_add_u64" => {
                let sum = self.wide_sum(first, second);
                self.forget(found, writes);
                if let (Some(own), Some(sum)) = (result.and_then(pair), sum) {
                    self.set_pair(own, sum);
                }
                return;
            }
            "s_mov_b32" => {
                first.and_then(|operand| self.constant_value(operand)).map(|value| (value, self.carry))
            }
            "s_ashr_i32" => first.zip(second).and_then(|(a, b)| {
                let (a, b) = (self.constant_value(a)? as i32, self.constant_value(b)?);
                Some(((a >> (b & 31)) as u32, None))
            }),
            _ if name.starts_with("s_add") || name.starts_with("s_sub") => first
                .zip(second)
                .and_then(|(a, b)| self.sum(name, self.constant_value(a)?, self.constant_value(b)?)),
            _ => None,
        };
        self.forget(found, writes);
        let own = result.and_then(single);
        if let (Some(own), Some((value, carry))) = (own, value) {
            self.known.insert(own, value);
            self.carry = carry;
        }
    }

    fn set_pair(&mut self, first: u16, value: u64) {
        self.known.insert(first, value as u32);
        self.known.insert(first + 1, (value >> 32) as u32);
    }

    fn wide_sum(&self, first: Option<Operand>, second: Option<Operand>) -> Option<u64> {
        let own = pair(first?)?;
        let value = u64::from(*self.known.get(&own)?) | u64::from(*self.known.get(&(own + 1))?) << 32;
        let more = match second? {
            Operand::Literal(literal) => i64::from(literal as i32),
            Operand::Literal64(literal) => literal as i64,
            other => other.inline_integer()?,
        };
        Some(value.wrapping_add(more as u64))
    }

    /// A sum or difference of 32 bits with its carry, by the mnemonic.
    fn sum(&self, name: &str, a: u32, b: u32) -> Option<(u32, Option<bool>)> {
        let (adds, with_carry) = match name {
            "s_add_u32" | "s_add_i32" | "s_add_co_u32" | "s_add_co_i32" => (true, false),
            "s_addc_u32" | "s_add_co_ci_u32" => (true, true),
            "s_sub_u32" | "s_sub_i32" | "s_sub_co_u32" | "s_sub_co_i32" => (false, false),
            "s_subb_u32" | "s_sub_co_ci_u32" => (false, true),
            _ => return None,
        };
        let carry = if with_carry { i64::from(self.carry?) } else { 0 };
        let (a, b) = (i64::from(a), i64::from(b));
        let value = if adds { a + b + carry } else { a - b - carry };
        // Signed additions set SCC where they overflow, which is no carry.
        let carry = (!name.ends_with("_i32")).then_some(value >> 32 != 0);
        Some((value as u32, carry))
    }

    /// Forgets what an instruction writes.
    fn forget(&mut self, found: &Instruction, writes: &[Span]) {
        if found.writes().any(|register| register.is_scc()) {
            self.carry = None;
        }
        self.known.retain(|own, _| !writes.iter().any(|span| span.has_scalar(*own)));
    }
}
