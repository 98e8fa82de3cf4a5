//! The rule `register-spills`.

use crate::finding::rule::rule;

rule! {
    /// The kernel that is launched keeps some of its vector registers in scratch memory.
    ///
    /// `.vgpr_spill_count` of its kernel metadata is not 0. The compiler had more live values than registers;
    /// each spilled one is written to and read from memory.
    ///
    /// It says nothing of the speed by itself, only that the presence of a kernel is no promise: in Debian's
    /// library of 0.27.0 the tile of 64 columns of Q4_K spills 658 registers on gfx803 and 12 on gfx906. Spills
    /// of scalar registers are shown and not found here. Nothing can be done without building the library
    /// again.
    REGISTER_SPILLS {
        id: "register-spills",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "vector registers are spilled to scratch memory",
        effect: "that the kernel is there does not say that it is fast",
        effect_known: Inferred,
        advice: "compare with another target or version (`--vs`)",
    }
}
