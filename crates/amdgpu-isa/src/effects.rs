//! What instructions read and write, and what they do to the flow of control and to memory.
//!
//! LLVM's description is followed, with the corrections that [`Correction`] lists.
#![deny(clippy::indexing_slicing)]

use super::corrections::Correction;
use super::form::{Effects, Reader, flag, implied, name};
use super::instruction::Instruction;
use super::operand::{File, Operand, Register, special};

/// Registers that instructions use without naming them: bit, value, dwords.
const IMPLIED: [(u16, u16, u8); 6] = [
    (implied::EXEC, special::EXEC, 2),
    (implied::VCC, special::VCC, 2),
    (implied::SCC, special::SCC, 1),
    (implied::M0, special::M0, 1),
    (implied::MODE, special::MODE, 1),
    (implied::FLAT_SCRATCH, special::FLAT_SCRATCH, 2),
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

    /// The registers that it reads. Some can come twice. Where LLVM 22 is silent or wrong, this follows the ISA manuals: see
    /// [`Correction`]. What LLVM ties but calls not read, as the old value of loads of 16 bits, is read.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        let mut effects = self.effects();
        if self.has(flag::DS) && self.needs(Correction::NoLimit) {
            effects.reads &= !implied::M0;
        }
        let kept = self.needs(Correction::KeptResult) || self.needs(Correction::PreservedBits);
        let all_lanes = self.needs(Correction::AllLanes);
        let is_read = move |(number, _, is_result): &(u8, Register, bool)| {
            (!is_result || kept) && !(all_lanes && *number == name::OLD)
        };
        let explicit = self.registers().filter(is_read);
        explicit.map(|(_, register, _)| register).chain(not_named(effects.reads))
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Register> + '_ {
        let explicit = self.registers().filter(|(_, _, is_result)| *is_result);
        explicit.map(|(_, register, _)| register).chain(not_named(self.effects().writes))
    }

    /// Hands each register that it reads or writes to `visit`, with whether it writes it: what [`Instruction::reads`] and
    /// [`Instruction::writes`] give, in one pass over its operands.
    #[inline]
    pub fn each_register(&self, mut visit: impl FnMut(Register, bool)) {
        let source = self.source();
        let Effects { mut reads, writes, .. } = source.form.effects();
        let (mut kept, mut all_lanes) = (false, false);
        if Correction::is_possible(source.number) {
            kept = self.needs(Correction::KeptResult) || self.needs(Correction::PreservedBits);
            all_lanes = self.needs(Correction::AllLanes);
        }
        if reads & implied::M0 != 0 && self.has(flag::DS) && self.needs(Correction::NoLimit) {
            reads &= !implied::M0;
        }
        let (results, slots) = source.form.layout();
        for place in 0..slots.len() {
            let Some(slot) = source.slot(place) else { continue };
            if matches!(slot.reader, Reader::Number) {
                continue;
            }
            let Operand::Register(register) = source.read(slot, place) else { continue };
            let register = source.adjusted(slot, register);
            if !source.is_used(slot) {
                continue;
            }
            let is_result = place < results;
            if (!is_result || kept) && !(all_lanes && slot.number == name::OLD) {
                visit(register, false);
            }
            if is_result {
                visit(register, true);
            }
        }
        not_named(reads).for_each(|register| visit(register, false));
        not_named(writes).for_each(|register| visit(register, true));
    }

    /// The registers among its operands: the number of the name, and whether it is a result.
    fn registers(&self) -> impl Iterator<Item = (u8, Register, bool)> + '_ {
        let source = self.source();
        let (results, slots) = source.form.layout();
        (0..slots.len()).filter_map(move |place| {
            let slot = source.slot(place)?;
            if matches!(slot.reader, Reader::Number) {
                return None;
            }
            let Operand::Register(register) = source.read(slot, place) else { return None };
            let register = source.adjusted(slot, register);
            source.is_used(slot).then_some((slot.number, register, place < results))
        })
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

/// Registers that are not named, from their bits.
fn not_named(bits: u16) -> impl Iterator<Item = Register> {
    let named = move |(bit, ..): &&(u16, u16, u8)| bits & bit != 0;
    let register = |&(_, index, count): &(u16, u16, u8)| Register::new(File::Special, index, count, None);
    IMPLIED.iter().filter(named).map(register)
}
