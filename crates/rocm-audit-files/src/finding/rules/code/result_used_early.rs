//! The rule `result-used-early`.

use crate::finding::rule::rule;

rule! {
    /// A kernel reads or writes the register of a result of memory where no wait covers it.
    ///
    /// With `fatbin --waits`, each result of a memory instruction is followed along all ways through the kernel until an
    /// `s_waitcnt` or `s_wait_*` covers it. Here both instructions stand in one basic block, so that no branch can lead
    /// around: the old value is read, or the result arrives later and destroys the new one, whenever memory is slower than
    /// the instructions between them. (AMD's instruction set references, "Data dependency resolution"; LLVM's
    /// `SIInsertWaitcnts`.)
    ///
    /// Vector memory and memory of the work-group answer in the order of their instructions, scalar memory in any. A FLAT
    /// result counts as covered by either of its counters, a call waits for everything, and functions that kernels call are
    /// not looked at, nor kernels with words that are no instruction or with registers named by others.
    ///
    /// `expcnt` and `xcnt` are not judged: since gfx7 stores read their registers when they are issued, kernels that compute
    /// have no exports and no GDS, and what `xcnt` of gfx1250 has to cover was not compared with kernels yet.
    RESULT_USED_EARLY {
        id: "result-used-early",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "a kernel uses a result of memory before a wait covers it",
        effect: "its results may be wrong, more often where memory is slow",
        effect_known: Inferred,
        advice: "report the pair of instructions to who made the kernel; until then use a build or a variant without it",
    }
}
