//! What a walk over machine code finds, step by step.

use super::encoding::Opcode;

/// What one step of a walk over machine code finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An instruction.
    Instruction(Opcode),
    /// Zero bytes, eight or more, a multiple of four.
    Zeros(usize),
    /// This many bytes, at most four, that are no instruction.
    Unknown(usize),
}
