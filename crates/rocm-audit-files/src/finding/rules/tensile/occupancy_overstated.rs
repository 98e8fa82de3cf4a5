//! The rule `occupancy-overstated`.

use crate::finding::rule::rule;

rule! {
    /// A solution states that more work groups share a compute unit than its kernel leaves room for.
    ///
    /// Catalogs of hipBLASLt state `CUOccupancy`: how many work groups of the kernel a compute unit holds. It
    /// decides how the model ranks solutions, and the grid of kernels that stream along K. The finding
    /// compares it with the work groups that LDS and registers in the kernel's metadata leave room for. A
    /// processor that has work-group processors is counted by a whole one, so that the room is never taken
    /// for too small. In hipBLASLt 1.2 as Debian ships it no solution states more than that.
    ///
    /// A number that is too small is not found: build and card count differently.
    OCCUPANCY_OVERSTATED {
        id: "occupancy-overstated",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "solutions state more work groups for each compute unit than their kernels leave room for",
        effect: "solutions are ranked, and work groups that stream along K counted, for a kernel that is not this one",
        effect_known: Code,
        advice: "do not mix files of several builds; install all of one",
    }
}
