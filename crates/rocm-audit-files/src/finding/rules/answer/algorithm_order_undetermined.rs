//! The rule `algorithm-order-undetermined`.

use crate::finding::rule::rule;

rule! {
    /// The tables give no algorithm for a call of hipBLASLt, and several solutions can solve it.
    ///
    /// The library then collects all solutions of the operation and types in a set that is ordered by their
    /// addresses, and takes the first that fit. Which come first is no property of the files.
    ///
    /// With hipBLASLt 7.1.1, 80 of 80 fresh processes took the lowest index; after other calls, or with another
    /// setting of the allocator, the same call got another kernel. All such calls that are known are of FP32 or
    /// FP64 on gfx11, whose tables have exact sizes only.
    ALGORITHM_ORDER_UNDETERMINED {
        id: "algorithm-order-undetermined",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "several solutions can solve this, and the order in which they are taken is that of heap addresses",
        effect: "the same call can run another kernel in another process, or after other calls: speed and rounding can differ",
        effect_known: StandIn,
        advice: "choose the algorithm by its index where results must repeat",
    }
}
