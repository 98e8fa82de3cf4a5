//! Where LLVM 22's description of what instructions read and write is not followed: one list, each with its
//! reason.
#![deny(clippy::indexing_slicing)]

use super::form::{Reader, flag, name};
use super::instruction::Instruction;

/// A correction to what LLVM says of an instruction's reads. Without them, the reads and writes of all
/// instructions that were compared are LLVM's (`examples/against_llvm.rs`).
///
/// Where LLVM's description is wrong, silent or easily misread, and what is done here:
///
/// | | LLVM's description | here |
/// |---|---|---|
/// | 1 | EXEC is read by vector instructions; that what they write is kept in other lanes is not said | as LLVM; who follows registers has to know it |
/// | 2 | `s_cmov*`, `s_bitset*` do not read their result; accumulating and converting ones are tied to it | [`Correction::KeptResult`] |
/// | 3 | tied, and called not read: the old value of loads of 16 bits | read |
/// | 4 | SDWA with `UNUSED_PRESERVE` does not read its result; DPP reads the old value even where it writes every lane | [`Correction::PreservedBits`], [`Correction::AllLanes`] |
/// | 5 | LDS instructions of gfx9 read `m0` | [`Correction::NoLimit`] |
/// | 6 | conditions are as wide as a wave, which is not in the bytes | [`Instruction::in_wave`] |
/// | 7 | `v_cmpx` writes vcc and exec up to gfx9, exec alone from gfx10 on | as LLVM |
/// | 8 | `s_setpc` is a branch and no indirect one, `s_swappc` a call and no end of a block, `s_trap` neither | [`Instruction::flow`] |
/// | 9 | MODE is read by nearly all arithmetic of floats | as LLVM, as a register of its own |
/// | 10 | with index modes any register can be meant | as LLVM: the register that is named, and `m0` |
/// | 11 | `s_waitcnt_vscnt` loads and stores | as LLVM; [`Instruction::memory`] says none |
/// | 12 | the second half of a pair reads a register whose number is one off | [`Correction::PairResult`] |
/// | 13 | products may overlap their results only as a whole; nothing is said of delays | nothing is said |
/// | 14 | flat instructions read `flat_scratch`, up to gfx12 | as LLVM |
/// | 15 | `pc` is no register | as LLVM |
///
/// Besides these, DPP with half a register as its result reads that half ([`Correction::HalfOfOld`]), and
/// counters are no registers ([`Correction::Counter`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Correction {
    /// `s_cmov_*` and `s_cmovk_*` leave their result as it was where SCC is 0, `s_bitset0_*` and
    /// `s_bitset1_*` change one bit of it: the result is read.
    KeptResult,
    /// SDWA with `dst_unused:UNUSED_PRESERVE` keeps the other bits of its result: the result is read. LLVM
    /// ties no operand to it.
    PreservedBits,
    /// LDS instructions of gfx9 do not read `m0`. LLVM uses gfx8's descriptions for them. Still read by
    /// `addtid`, GWS and GDS.
    NoLimit,
    /// The second half of a pair that accumulates reads its own result. LLVM looks up the register before the
    /// lowest bit of its number, which is the inverse of the first's, is put in.
    PairResult,
    /// A DPP instruction with a result of half a register reads the old value of that half. LLVM says the
    /// whole register.
    HalfOfOld,
    /// A counter (`asynccnt`, `tensorcnt`) is no register and no operand.
    Counter,
    /// `dst_unused` apart, DPP with `bound_ctrl:1` and full masks writes every lane: the old value is not
    /// read.
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
