//! What is known of EXEC: whether a vector write reaches every lane that the kernel was entered with.
//!
//! A wave enters a kernel with the lanes of its work-items. Code saves that mask to scalar registers, takes
//! lanes away and puts the saved mask back. Only while the mask is provably that of the entry, a vector write
//! ends the life of what was in its register.

use crate::units::Span;
use amdgpu_isa::{File, Instruction, Operand, Register};

/// A scalar instruction that saves, restores or joins masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaskKind {
    /// `s_or_saveexec_*`.
    OrSave,
    /// Any other `s_*_saveexec_*`.
    Save,
    /// `s_mov_b32`, `s_mov_b64`.
    Move,
    /// `s_or_b32`, `s_or_b64`.
    Or,
    /// `s_xor_b32`, `s_xor_b64`.
    Xor,
}

impl MaskKind {
    pub(crate) fn from_mnemonic(name: &str) -> Option<MaskKind> {
        Some(match name {
            _ if name.starts_with("s_or_saveexec_b") => MaskKind::OrSave,
            _ if name.starts_with("s_") && name.contains("_saveexec_b") => MaskKind::Save,
            "s_mov_b32" | "s_mov_b64" => MaskKind::Move,
            "s_or_b32" | "s_or_b64" => MaskKind::Or,
            "s_xor_b32" | "s_xor_b64" => MaskKind::Xor,
            _ => return None,
        })
    }
}

/// A source of such an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Register(Register),
    AllOnes,
    Other,
}

/// An instruction that can change EXEC or what is saved of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaskStep {
    kind: Option<MaskKind>,
    result: Option<Register>,
    sources: [Source; 2],
}

impl MaskStep {
    pub(crate) fn from_instruction(kind: Option<MaskKind>, found: &Instruction) -> MaskStep {
        let mut step = MaskStep { kind, result: None, sources: [Source::Other; 2] };
        if kind.is_none() {
            return step;
        }
        let mut sources = step.sources.iter_mut();
        let mut result = None;
        for named in found.operands() {
            if named.is_result {
                if let Operand::Register(register) = named.operand {
                    result = Some(register);
                }
                continue;
            }
            let Some(place) = sources.next() else { break };
            *place = match named.operand {
                Operand::Register(register) => Source::Register(register),
                operand if operand.inline_integer() == Some(-1) => Source::AllOnes,
                _ => Source::Other,
            };
        }
        step.result = result;
        step
    }
}

fn is_exec(register: Register) -> bool {
    register.file() == File::Special && register.index() == 126
}

/// What holds at a place: whether EXEC is the mask of the entry, and which scalar registers hold that mask
/// or, with EXEC, make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MaskState {
    pub(crate) is_full: bool,
    saved: Vec<Register>,
}

impl MaskState {
    pub(crate) fn at_entry() -> MaskState {
        MaskState { is_full: true, saved: Vec::new() }
    }

    pub(crate) fn unknown() -> MaskState {
        MaskState { is_full: false, saved: Vec::new() }
    }

    /// What holds where both ways meet. Whether that changed.
    pub(crate) fn meet(&mut self, other: &MaskState) -> bool {
        let before = (self.is_full, self.saved.len());
        self.is_full &= other.is_full;
        self.saved.retain(|register| other.has(*register));
        before != (self.is_full, self.saved.len())
    }

    fn has(&self, register: Register) -> bool {
        self.saved.contains(&register)
    }

    fn holds(&self, source: Source) -> bool {
        matches!(source, Source::Register(register) if self.has(register))
    }

    fn keep(&mut self, register: Option<Register>) {
        self.saved.extend(register.filter(|register| !self.saved.contains(register)));
    }

    /// Goes over an instruction that writes scalar registers.
    pub(crate) fn pass(&mut self, step: Option<&MaskStep>, writes_exec: bool, writes: &[Span]) {
        let Some(MaskStep { kind, result, sources: [a, b] }) = step.copied() else {
            return self.forget(None, writes);
        };
        if let Some(MaskKind::OrSave | MaskKind::Save) = kind {
            let full = self.is_full;
            self.is_full = kind == Some(MaskKind::OrSave) && (full || self.holds(a));
            self.saved.retain(|register| Some(*register) != result);
            return if full {
                self.keep(result)
            };
        }
        let from_exec = |source: Source| matches!(source, Source::Register(register) if is_exec(register));
        let to_exec = result.is_some_and(is_exec);
        let full = self.is_full;
        let joins = from_exec(a) && self.holds(b) || from_exec(b) && self.holds(a);
        let kept = match kind {
            Some(MaskKind::Move) => from_exec(a) && full || self.holds(a),
            Some(MaskKind::Xor) => joins,
            _ => false,
        };
        if writes_exec {
            self.is_full = to_exec
                && match kind {
                    Some(MaskKind::Move) => a == Source::AllOnes || self.holds(a),
                    Some(MaskKind::Or) => full || joins || a == Source::AllOnes || b == Source::AllOnes,
                    _ => false,
                };
        }
        self.forget(result, writes);
        if kept && !to_exec {
            self.keep(result);
        }
    }

    fn forget(&mut self, result: Option<Register>, writes: &[Span]) {
        let is_written = |register: Register| {
            Some(register) == result
                || Span::from_register(register)
                    .is_some_and(|own| writes.iter().any(|span| span.overlaps(own)))
        };
        self.saved.retain(|register| !is_written(*register));
    }
}
