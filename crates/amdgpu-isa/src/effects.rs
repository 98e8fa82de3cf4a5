//! What instructions read and write, and what they do to the flow of control and to memory.
//!
//! LLVM's description is followed, with the corrections that [`Correction`] lists.
#![deny(clippy::indexing_slicing)]

use super::corrections::Correction;
use super::form::{Corrected, Effects, flag, implied, name};
use super::instruction::Instruction;
use super::named_registers::NamedRegister;
use super::operand::{File, Register, special};

/// Registers that instructions use without naming them, in the order of the bits of [`implied`]: value,
/// dwords.
const IMPLIED: [(u16, u8); 6] = [
    (special::EXEC, 2),
    (special::VCC, 2),
    (special::SCC, 1),
    (special::M0, 1),
    (special::MODE, 1),
    (special::FLAT_SCRATCH, 2),
];

/// What kind of memory an instruction accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Memory {
    /// Through the scalar cache.
    Scalar,
    /// A buffer.
    Buffer,
    /// An image.
    Image,
    /// An address that may be in global memory, in scratch, or in the memory of the work-group.
    Flat,
    /// Global memory.
    Global,
    /// Scratch.
    Scratch,
    /// The memory of the work-group.
    Local,
}

/// What an instruction does to the flow of control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Flow {
    /// The next instruction follows.
    Next,
    /// To its target, and nowhere else.
    Jump,
    /// To its target or to the next.
    Branch,
    /// To where a register says.
    Away,
    /// Elsewhere, and back behind it.
    Call,
    /// The wavefront ends.
    End,
}

impl Instruction {
    pub(super) fn effects(&self) -> Effects {
        self.form().effects()
    }

    pub(super) fn has(&self, flags: u64) -> bool {
        self.effects().flags & flags != 0
    }

    /// The registers that it reads. Some can come twice. Where LLVM 22 is silent or wrong, this follows the
    /// ISA manuals: see
    /// [`Correction`]. What LLVM ties but calls not read, as the old value of loads of 16 bits, is read.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        let (named, known) = (self.registers(), self.reads_of_results());
        let is_read = move |one: &NamedRegister| known.is_read(one);
        named.filter(is_read).map(|one| one.register).chain(not_named(known.implied))
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Register> + '_ {
        let explicit = self.registers().filter(|one| one.is_result);
        explicit.map(|one| one.register).chain(not_named(self.effects().writes))
    }

    /// Hands each register that it reads or writes to `visit`, with whether it writes it: what
    /// [`Instruction::reads`] and
    /// [`Instruction::writes`] give, in one pass over its operands.
    #[inline]
    pub fn each_register(&self, mut visit: impl FnMut(Register, bool)) {
        let (known, writes) = (self.reads_of_results(), self.effects().writes);
        for one in self.registers() {
            if known.is_read(&one) {
                visit(one.register, false);
            }
            if one.is_result {
                visit(one.register, true);
            }
        }
        not_named(known.implied).for_each(|register| visit(register, false));
        not_named(writes).for_each(|register| visit(register, true));
    }

    /// What its reads are, with the corrections that depend on operands.
    #[inline(always)]
    fn reads_of_results(&self) -> CorrectedReads {
        let form = self.form();
        let plain = CorrectedReads { implied: form.effects().reads, keeps_result: false, skips_old: false };
        match form.corrected() {
            Corrected::No => plain,
            Corrected::OfLds if plain.implied & implied::M0 == 0 => plain,
            _ => self.corrected_reads(plain),
        }
    }

    #[inline(never)]
    fn corrected_reads(&self, mut reads: CorrectedReads) -> CorrectedReads {
        if self.form().corrected() == Corrected::OfLds {
            if self.generation().major() == 9 && self.field(name::GDS) == 0 {
                reads.implied &= !implied::M0;
            }
            return reads;
        }
        reads.keeps_result = self.needs(Correction::KeptResult) || self.needs(Correction::PreservedBits);
        reads.skips_old = self.needs(Correction::AllLanes);
        reads
    }

    /// Where it goes next.
    pub fn flow(&self) -> Flow {
        let name = self.mnemonic();
        match () {
            () if name.starts_with("s_endpgm") => Flow::End,
            () if self.has(flag::IS_CALL) => Flow::Call,
            () if name.starts_with("s_setpc")
                || name.starts_with("s_set_pc")
                || name.starts_with("s_rfe") =>
            {
                Flow::Away
            }
            () if !self.has(flag::IS_BRANCH) => Flow::Next,
            () if self.has(flag::IS_BARRIER) => Flow::Jump,
            () => Flow::Branch,
        }
    }

    /// The distance in bytes from its begin to the target of a branch or call that has one.
    pub fn target(&self) -> Option<i64> {
        let place = self.source().form.place(name::SIMM16)?;
        let jumps = self.has(flag::IS_BRANCH | flag::IS_CALL);
        jumps.then(|| 4 + 4 * i64::from(self.source().number(place) as u16 as i16))
    }

    /// The memory that it accesses, if it accesses some.
    pub fn memory(&self) -> Option<Memory> {
        let kinds = [
            (flag::SMRD, Memory::Scalar),
            (flag::MUBUF | flag::MTBUF, Memory::Buffer),
            (flag::MIMG | flag::VIMAGE | flag::VSAMPLE, Memory::Image),
            (flag::FLAT_GLOBAL, Memory::Global),
            (flag::FLAT_SCRATCH, Memory::Scratch),
            (flag::FLAT, Memory::Flat),
            (flag::DS, Memory::Local),
        ];
        let accesses = self.is_load() || self.is_store();
        kinds.iter().find(|(flag, _)| accesses && self.has(*flag)).map(|(_, kind)| *kind)
    }

    /// Whether it can read memory.
    pub fn is_load(&self) -> bool {
        self.has(flag::MAY_LOAD)
    }

    /// Whether it can write memory.
    pub fn is_store(&self) -> bool {
        self.has(flag::MAY_STORE)
    }

    /// Whether it changes memory in one step.
    pub fn is_atomic(&self) -> bool {
        self.has(flag::IS_ATOMIC_NO_RET | flag::IS_ATOMIC_RET)
    }

    /// Whether it waits for other instructions.
    pub fn is_wait(&self) -> bool {
        self.mnemonic().starts_with("s_wait")
    }

    /// Whether waves of a work-group wait in it for each other.
    pub fn is_barrier(&self) -> bool {
        self.mnemonic().starts_with("s_barrier")
    }
}

/// What an instruction reads besides its sources.
#[derive(Debug, Clone, Copy)]
struct CorrectedReads {
    /// Registers that are not named: bits of [`implied`].
    implied: u16,
    /// Its results.
    keeps_result: bool,
    /// The old value of its result is none of its sources.
    skips_old: bool,
}

impl CorrectedReads {
    #[inline(always)]
    fn is_read(&self, one: &NamedRegister) -> bool {
        (!one.is_result || self.keeps_result) && !(self.skips_old && one.name == name::OLD)
    }
}

/// Registers that are not named, from their bits.
#[inline(always)]
fn not_named(mut bits: u16) -> impl Iterator<Item = Register> {
    core::iter::from_fn(move || {
        loop {
            let place = Some(bits.trailing_zeros() as usize).filter(|_| bits != 0)?;
            bits &= bits - 1;
            // Counters are no registers.
            if let Some((index, count)) = IMPLIED.get(place) {
                return Some(Register::new(File::Special, *index, *count, None));
            }
        }
    })
}
