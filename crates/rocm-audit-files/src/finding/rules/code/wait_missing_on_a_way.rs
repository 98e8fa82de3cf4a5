//! The rule `wait-missing-on-a-way`.

use crate::finding::rule::rule;

rule! {
    /// Along some way through a kernel no wait covers a result of memory before its register is read or written.
    ///
    /// As `result-used-early`, but with branches between the two instructions: some way has no wait. Ways are left out
    /// along which comparisons of scalar registers with constants exclude each other, also where one was computed from
    /// the other close by; what loops change and other conditions are not followed, and may rule out more. Some of
    /// Tensile's kernels begin to load before they know whether there is anything to sum; where the sum is empty
    /// (K = 0), they go to their end with these loads still on the way.
    ///
    /// A sum that a read of LDS beyond its end clears, and that is scaled, moved or stored along a way that adds nothing to
    /// it, is counted apart (`empty_sums`) and not reported: there is nothing to sum there (K = 0, or a part of K without a
    /// step). So is such a sum that another one, or zero, is moved onto. What adds to it before it is there, or moves
    /// something else onto it, is reported as any other.
    ///
    /// So it is a remark for those who write or generate kernels, and no defect by itself.
    WAIT_MISSING_ON_A_WAY {
        id: "wait-missing-on-a-way",
        severity: Note,
        confidence: Likely,
        known: Observed,
        what: "along some way through a kernel, no wait covers a result of memory before it is used",
        effect: "if that way is taken and memory is slow, results may be wrong",
        effect_known: Inferred,
        advice: "see the instructions with `fatbin --waits`, and whether the way can be taken",
    }
}
