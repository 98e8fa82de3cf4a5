//! The rule `work-limit`.

use crate::finding::rule::rule;

rule! {
    /// Reading a file takes more steps than are believed of its size, or longer than `--timeout-per-file`.
    ///
    /// Tables of compressed bundles are inflated to be read, and the ends of bundles of version 1 are found by
    /// inflating them: a small file can ask for much of either. Steps are counted, not time, so that the same file
    /// always gives the same report; the bounds are in proportion to the file's size and stand in the limits of the
    /// crate `amdgpu-object`, each with what real files take. Only with `--timeout-per-file` does the clock count.
    ///
    /// A file of 256 MiB or more of whose bytes less than one in 64 is stored is not read: the others are holes.
    ///
    /// What was read before is reported, and the rest of the tree is read.
    WORK_LIMIT {
        id: "work-limit",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a file takes more work to read than is believed of its size",
        effect: "the rest of the file is not read; the report is incomplete",
        effect_known: Inferred,
        advice: "report the file to this project if it is genuine",
    }
}
