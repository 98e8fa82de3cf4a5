//! The rule `launch-grid-cut`.

use crate::finding::rule::rule;

rule! {
    /// A launch has more work items in one dimension than the 32 bits that HIP takes.
    ///
    /// Grid and work group of each launch are computed as Tensile does it in 64 bits; a product of the two
    /// above 4,294,967,295 is found, with what is left of it. With the real rocBLAS 6.4.4 a helper of a product
    /// of 4096 by 5576, 256 times, asked for 5,846,859,776 work items and got 1,551,892,480, with status 0.
    /// That elements stay unwritten follows from it.
    ///
    /// It comes with large batches: helper kernels take one work item for each element of all matrices. The
    /// kernel of the product itself, which takes a tile for each group, is far from the bound. Split the batch.
    LAUNCH_GRID_CUT {
        id: "launch-grid-cut",
        severity: Error,
        confidence: Certain,
        known: Code,
        what: "a launch asks for more work items in a dimension than 32 bits hold",
        effect: "HIP starts the remainder modulo 2^32, and the result is wrong without an error",
        effect_known: StandIn,
        advice: "split the product into smaller ones",
    }
}
