//! The rule `solution-unlike-kernel`.

use crate::finding::rule::rule;

rule! {
    /// A solution states another tile, work group or processor than its kernel.
    ///
    /// The grid of a launch is computed from what the catalog states: the tile of a work group, the steps of
    /// K, the work items. Kernels of Tensile have the same in their names (`_MT64x64x16_…_ISA90a_…_WG8_8_1`),
    /// and each solution of a catalog is held against that. Kernels with names of another form do not count,
    /// and those compiled from HIP source (`ISA000`) are for any processor. In rocBLAS
    /// 5.2 and 6.4 and hipBLASLt 1.1 and 1.2 as Debian ships them no solution differs.
    ///
    /// It is found where a catalog was edited or put together from several builds. A kernel that is not there at all is
    /// `kernel-missing`.
    SOLUTION_UNLIKE_KERNEL {
        id: "solution-unlike-kernel",
        severity: Error,
        confidence: Likely,
        known: Observed,
        what: "solutions state another tile, work group or processor than their kernels",
        effect: "the launch has the grid of another kernel: parts of the result are not computed, or computed twice, or the launch fails",
        effect_known: Inferred,
        advice: "do not mix files of several builds; install all of one",
    }
}
