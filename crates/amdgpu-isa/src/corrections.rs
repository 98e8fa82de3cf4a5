//! Where LLVM 22's description of what instructions read and write is not followed: one list, each with its reason.
#![deny(clippy::indexing_slicing)]

use super::form::{Reader, flag, name};
use super::instruction::Instruction;
use std::sync::OnceLock;

/// A correction to what LLVM says of an instruction's reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Correction {
    /// `s_cmov_*` and `s_cmovk_*` leave their result as it was where SCC is 0, `s_bitset0_*` and `s_bitset1_*` change one bit of
    /// it: the result is read.
    KeptResult,
    /// SDWA with `dst_unused:UNUSED_PRESERVE` keeps the other bits of its result: the result is read. LLVM ties no operand to it.
    PreservedBits,
    /// LDS instructions of gfx9 do not read `m0`. LLVM uses gfx8's descriptions for them. Still read by `addtid`, GWS and GDS.
    NoLimit,
    /// The second half of a pair that accumulates reads its own result. LLVM looks up the register before the lowest bit of its
    /// number, which is the inverse of the first's, is put in.
    PairResult,
    /// A DPP instruction with a result of half a register reads the old value of that half. LLVM says the whole register.
    HalfOfOld,
    /// A counter (`asynccnt`, `tensorcnt`) is no register and no operand.
    Counter,
    /// `dst_unused` apart, DPP with `bound_ctrl:1` and full masks writes every lane: the old value is not read.
    AllLanes,
}

impl Correction {
    /// All of them.
    pub const ALL: [Correction; 7] = [
        Correction::KeptResult,
        Correction::PreservedBits,
        Correction::NoLimit,
        Correction::PairResult,
        Correction::HalfOfOld,
        Correction::Counter,
        Correction::AllLanes,
    ];

    /// Whether one that depends on more than the encoding can apply to a mnemonic of this number.
    #[inline]
    pub(super) fn is_possible(number: u16) -> bool {
        static POSSIBLE: OnceLock<Vec<bool>> = OnceLock::new();
        let possible = |called: &str| {
            ["_sdwa", "_dpp"].iter().any(|end| called.ends_with(end))
                || KEEPS.iter().any(|start| called.starts_with(start))
        };
        let all = POSSIBLE.get_or_init(|| crate::mnemonics().iter().map(|called| possible(called)).collect());
        all.get(usize::from(number)).is_none_or(|possible| *possible)
    }
}

/// How the mnemonics begin that keep bits of their result.
const KEEPS: [&str; 4] = ["s_cmov_", "s_cmovk_", "s_bitset0_", "s_bitset1_"];

/// Bits of what is read without a name that stand for counters.
const COUNTERS: u16 = 64;

impl Instruction {
    /// The corrections that apply to it: without them, [`Instruction::reads`] would say what LLVM 22 says.
    pub fn corrections(&self) -> impl Iterator<Item = Correction> + '_ {
        Correction::ALL.into_iter().filter(|correction| self.needs(*correction))
    }

    /// Whether a correction applies.
    pub(super) fn needs(&self, correction: Correction) -> bool {
        let called = self.mnemonic();
        match correction {
            Correction::KeptResult => {
                self.has(flag::SALU) && KEEPS.iter().any(|start| called.starts_with(start))
            }
            Correction::PreservedBits => called.ends_with("_sdwa") && self.field(name::DST_UNUSED) == 2,
            Correction::NoLimit => {
                let needed = |called: &str| {
                    called.contains("addtid")
                        || called.starts_with("ds_gws")
                        || called.starts_with("ds_ordered")
                };
                let old = self.generation().major() == 9 && self.has(flag::DS);
                old && !needed(called) && self.field(name::GDS) == 0
            }
            Correction::PairResult => called.starts_with("v_dual_") && self.result_is_read(name::VDST_Y),
            Correction::HalfOfOld => called.ends_with("_dpp") && self.has_half_result(),
            Correction::Counter => (self.effects().reads | self.effects().writes) & COUNTERS != 0,
            Correction::AllLanes => {
                let whole = |name: u8| self.field(name) == 15;
                let dpp16 = called.ends_with("_dpp") && self.source().form.place(name::DPP_CTRL).is_some();
                dpp16 && whole(name::ROW_MASK) && whole(name::BANK_MASK) && self.field(name::BOUND_CTRL) != 0
            }
        }
    }

    /// Whether an operand is tied to the result of a name.
    fn result_is_read(&self, result: u8) -> bool {
        let form = self.source().form;
        let Some(own) = form.place(result) else { return false };
        let tied = |place: usize| form.slot(place).is_some_and(|slot| slot.reader == Reader::Tied(own as u8));
        (0..form.layout().1.len()).any(|place| place != own && tied(place))
    }

    fn has_half_result(&self) -> bool {
        let mut results = self.operands().filter(|operand| operand.is_result);
        results
            .any(|one| matches!(one.operand, crate::Operand::Register(register) if register.half().is_some()))
    }

    /// The number in a field; zero where it has none of this name.
    pub(super) fn field(&self, name: u8) -> u64 {
        let source = self.source();
        source.form.place(name).map_or(0, |place| source.number(place))
    }
}
