//! The rule `line-not-understood`.

use crate::finding::rule::rule;

rule! {
    /// A line of a list of operations or a log begins as a call of a library, and is none.
    ///
    /// `workload` reads lines of JSON and lines that rocBLAS, MIOpen and hipBLASLt log. Lines of other
    /// programs are skipped; one that begins as a call and lacks a size, or states what no call can, is named
    /// with its number. Logs that several threads write at once have such lines, and so have logs that were
    /// cut.
    LINE_NOT_UNDERSTOOD {
        id: "line-not-understood",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a line begins as a call and is none",
        effect: "the call is left out of all shares; the others are answered",
        effect_known: Code,
        advice: "mend the line, or have each thread write a log of its own",
    }
}
