//! The rule `wait-states-missing`.

use crate::finding::rule::rule;

rule! {
    /// Two instructions of a kernel are closer to each other than LLVM puts them for this processor.
    ///
    /// Processors do not keep all instructions apart by themselves: on gfx90a, for instance, 11 wait states
    /// have to lie between a matrix product of 8 passes and a vector instruction that reads its result, or
    /// the old value is read. Each instruction is a wait state, and `s_nop N` is N + 1. Compilers put them
    /// in, but not behind inline assembly, and LLVM 22 looks at each block before a branch only once, by
    /// the first way that it finds: where a longer and a shorter way meet, the shorter one can stay
    /// without.
    ///
    /// Kernels that are written by hand or by a generator often keep one wait state less than LLVM, and
    /// have run for years: what LLVM asks for may be more than a card needs. So it is a remark: look first
    /// at pairs with none where many are asked for.
    WAIT_STATES_MISSING {
        id: "wait-states-missing",
        severity: Note,
        confidence: Likely,
        known: Observed,
        what: "two instructions of a kernel are closer to each other than compilers put them for this processor",
        effect: "the second may read an old value, or its result may be lost",
        effect_known: Inferred,
        advice: "see the instructions with `fatbin --waits`; build with a newer compiler, or put `s_nop` between in assembly",
    }
}
