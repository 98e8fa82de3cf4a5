//! Registers that are cleared by a read of LDS beyond its end: what comes is zero, whatever memory holds.
//!
//! Tensile clears its sums so, while other things are done. Where there is nothing to sum, some of its kernels
//! go to their end without a wait for it: no product is added along that way. Before that they move sums onto
//! others, where a tile is cut short: zero onto zero, whichever comes later.

use super::{Analysis, Misuse};
use crate::body::One;
use crate::constants;
use crate::mnemonics::flag;
use crate::units::{Span, UNITS, Unit};
use amdgpu_isa::{Instruction, Operand};

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

/// Moves that change nothing of what they move.
const MOVES: [&str; 9] = [
    "v_mov_b32",
    "v_mov_b32_e32",
    "v_mov_b32_e64",
    "v_mov_b64",
    "v_mov_b64_e32",
    "v_mov_b64_e64",
    "v_accvgpr_read_b32",
    "v_accvgpr_write_b32",
    "v_accvgpr_mov_b32",
];

/// What an instruction does to sums that nothing is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handling {
    /// It writes no register.
    Nothing,
    /// It clears what it writes.
    Clears,
    /// It moves a register onto another, or zero where that has no units.
    Moves(Span),
    /// It writes something else, or changes what lanes take part.
    Other,
}

/// Vector registers that hold zero along a way, or will when what clears them has come.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct EmptySums {
    /// Those that do in all lanes that took part where the way begins.
    everywhere: Units,
    /// Those that do in such of these lanes as take part now.
    in_these_lanes: Units,
    /// Whether the same lanes take part as where the way begins.
    is_of_same_lanes: bool,
    /// Whether the way has passed the instruction that is asked about.
    pub(super) is_behind_user: bool,
}

impl EmptySums {
    pub(super) fn none() -> Self {
        let (everywhere, in_these_lanes) = (Units::none(), Units::none());
        EmptySums { everywhere, in_these_lanes, is_of_same_lanes: true, is_behind_user: false }
    }

    /// Goes over an instruction: whether it moves zero onto zero alone.
    pub(super) fn pass(&mut self, handling: Handling, one: &One, writes: &[Span]) -> bool {
        let is_empty = |unit: usize| self.everywhere.has(unit) || self.in_these_lanes.has(unit);
        let is_zero = match handling {
            Handling::Nothing => return false,
            Handling::Clears => true,
            Handling::Moves(from) => from.units().all(is_empty),
            Handling::Other => false,
        };
        let units = || writes.iter().flat_map(|span| span.units());
        // Lanes that do not take part keep what they hold: zero as long as it was.
        let was_zero = units().all(|unit| self.everywhere.has(unit));
        for unit in units() {
            self.everywhere.set(unit, is_zero && (was_zero || self.is_of_same_lanes));
            self.in_these_lanes.set(unit, is_zero);
        }
        if one.is_call() {
            self.everywhere = Units::none();
        }
        if one.is_call() || one.has(flag::WRITES_EXEC) {
            self.in_these_lanes = Units::none();
            self.is_of_same_lanes = false;
        }
        is_zero && was_zero && matches!(handling, Handling::Moves(_))
    }

    /// Lets the way begin here, with what is zero in the lanes that take part.
    pub(super) fn begin(&mut self) {
        if !std::mem::replace(&mut self.is_of_same_lanes, true) {
            self.everywhere = self.in_these_lanes.clone();
        }
    }
}

/// Units of registers as bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Units(Box<[u64]>);

impl Units {
    fn none() -> Self {
        Units(vec![0; UNITS.div_ceil(64)].into_boxed_slice())
    }

    fn has(&self, unit: usize) -> bool {
        self.0.get(unit / 64).is_some_and(|bits| bits >> (unit % 64) & 1 == 1)
    }

    fn set(&mut self, unit: usize, is_in: bool) {
        if let Some(bits) = self.0.get_mut(unit / 64) {
            *bits = *bits & !(1 << (unit % 64)) | u64::from(is_in) << (unit % 64);
        }
    }
}

impl Analysis<'_> {
    /// Whether a result only clears its register, and its user passes that on and adds nothing to it: then
    /// nothing was added along the way between either, since whatever adds to a sum reads it first.
    pub(super) fn is_empty_sum(&self, source: u32, user: usize, misuse: Misuse) -> bool {
        misuse == Misuse::Read && self.passes_on(user) && self.reads_beyond_lds(source as usize).is_some()
    }

    /// Whether a result only clears its register, and its user moves something onto that: nothing is lost where
    /// that is zero as well, which the ways between have to say.
    pub(super) fn may_move_zero_onto_zero(&self, source: u32, user: usize, misuse: Misuse) -> bool {
        misuse == Misuse::Overwritten
            && matches!(self.handling(user), Handling::Moves(_))
            && self.reads_beyond_lds(source as usize).is_some()
    }

    /// Whether an instruction adds nothing to what it reads, neither does it keep parts of that beside others.
    pub(super) fn passes_on(&self, at: usize) -> bool {
        let own = self.body.all.get(at).and_then(|one| self.code.instruction(one.offset));
        let name = own.map_or("", |own| own.mnemonic());
        let is_merged = name.ends_with("_dpp") || name.ends_with("_sdwa");
        !name.is_empty() && !is_merged && !ADDING.iter().any(|own| name.starts_with(own))
    }

    /// What an instruction does to sums.
    pub(super) fn handling(&self, at: usize) -> Handling {
        let Some(one) = self.body.all.get(at) else { return Handling::Other };
        if self.body.writes(one).is_empty() && !one.has(flag::WRITES_EXEC) && !one.is_call() {
            return Handling::Nothing;
        }
        let moved = |found: Instruction| {
            if !MOVES.contains(&found.mnemonic()) {
                return None;
            }
            let operand = found.operands().find(|named| !named.is_result)?.operand;
            match operand {
                Operand::Register(register) => Span::from_register(register).filter(|span| is_vector(*span)),
                other => (constants::constant(other) == Some(0)).then_some(Span::NONE),
            }
        };
        match self.code.instruction(one.offset).and_then(moved) {
            Some(from) => Handling::Moves(from),
            None if !one.has(flag::IS_PARTIAL) && self.reads_beyond_lds(at).is_some() => Handling::Clears,
            None => Handling::Other,
        }
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

/// Whether a register has a value of its own for each lane.
fn is_vector(span: Span) -> bool {
    matches!(span.file(), Unit::Vector | Unit::Accumulation)
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
