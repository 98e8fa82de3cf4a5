//! Registers that are cleared by a read of LDS beyond its end: what comes is zero, whatever memory holds.
//!
//! Tensile clears its sums so, while other things are done. Where there is nothing to sum, some of its kernels
//! go to their end without a wait for it: no product is added along that way.

use super::{Analysis, Misuse};
use crate::constants;
use crate::mnemonics::flag;
use crate::units::{Span, Unit};
use amdgpu_isa::Operand;

/// No work-group has so many bytes of LDS: 320 KiB of gfx1250 are the most.
const BEYOND_ANY_LDS: std::ops::Range<u32> = 320 << 10..1 << 31;

/// Beginnings of the mnemonics that add to what they read.
const ADDING: [&str; 13] = [
    "v_mfma_",
    "v_smfmac_",
    "v_wmma_",
    "v_swmmac_",
    "v_fma",
    "v_mac_",
    "v_mad_",
    "v_dot",
    "v_pk_fma",
    "v_pk_mad",
    "v_add",
    "v_pk_add",
    "v_sub",
];

impl Analysis<'_> {
    /// Whether a result only clears its register, and its user passes that on and adds nothing to it: then
    /// nothing was added along the way between either, since whatever adds to a sum reads it first.
    pub(super) fn is_empty_sum(&self, source: u32, user: usize, misuse: Misuse) -> bool {
        let name = |at: usize| {
            let found = self.code.instruction(self.body.all.get(at)?.offset)?;
            Some(found.mnemonic())
        };
        let passes_on = || name(user).is_some_and(|name| !ADDING.iter().any(|own| name.starts_with(own)));
        misuse == Misuse::Read && passes_on() && self.reads_beyond_lds(source as usize).is_some()
    }

    /// The address that an instruction reads LDS at, if that is beyond any LDS: a constant that the same block
    /// sets, for the same lanes.
    fn reads_beyond_lds(&self, source: usize) -> Option<u32> {
        let own = self.body.all.get(source)?;
        let found = self.code.instruction(own.offset)?;
        let name = found.mnemonic();
        if !(name.starts_with("ds_read_") || name.starts_with("ds_load_")) {
            return None;
        }
        let asked =
            found.operands().filter(|named| !named.is_result).find_map(|named| vector(named.operand))?;
        let begin =
            self.graph.block_at(own.offset).and_then(|block| self.graph.blocks.get(block))?.numbers().start;
        for one in self.body.all.get(begin..source)?.iter().rev() {
            if one.has(flag::WRITES_EXEC) || one.is_call() {
                return None;
            }
            let mut writes = self.body.writes(one).iter();
            if !writes.any(|span| span.overlaps(asked)) {
                continue;
            }
            let set = self.code.instruction(one.offset)?;
            let is_move = matches!(set.mnemonic(), "v_mov_b32" | "v_mov_b32_e32");
            let mut constant = set.operands().filter(|named| !named.is_result).map(|named| named.operand);
            let address = constants::constant(constant.next()?)?;
            return (is_move && BEYOND_ANY_LDS.contains(&address)).then_some(address);
        }
        None
    }
}

/// One vector register.
fn vector(operand: Operand) -> Option<Span> {
    match operand {
        Operand::Register(register) if register.count() == 1 => {
            Span::from_register(register).filter(|span| span.file() == Unit::Vector)
        }
        _ => None,
    }
}
