//! The rule `trap-stub`.

use crate::finding::rule::rule;

rule! {
    /// The kernel is there by name, and all its body can do is to trap.
    ///
    /// The one body is decoded and followed: it reaches no `s_endpgm`, and ends in a trap or in a call behind
    /// which nothing comes. ggml compiles its templates for every target, also where its source has no code for
    /// it (`NO_DEVICE_CODE`); in Debian's library of 0.27.0 all targets have the same 7,184 names, and many are
    /// such stubs. A launch ends the process, by what the body says.
    ///
    /// The registers and scratch of a stub are those of the function that it calls. None of 128,623 launches of
    /// the real 0.27.0 in a probe of ten targets led to one, so a route that leads to one mostly means that
    /// version or build differ from the rules.
    TRAP_STUB {
        id: "trap-stub",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the kernel is there by name, and its body only traps",
        effect: "a launch ends the process",
        effect_known: Code,
        advice: "use a build for this target, or another type or shape",
    }
}
