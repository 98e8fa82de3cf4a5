//! The rule `miopen-malformed-key`.

use crate::finding::rule::rule;

rule! {
    /// The key of a record is not the key of any problem.
    ///
    /// Keys of find-dbs are read as MIOpen writes them, 2D and 3D; those of perf-dbs field by field, also in
    /// SQLite. What leaves the grammar is found with what was expected; a request has a key that MIOpen writes,
    /// so it never matches. In MIOpen's own sources four files have 42 such records each: 3D sizes with the
    /// pads of 2D ones.
    ///
    /// A line without a key is `miopen-ill-formed-record`. A key in the grammar that no program asks for is not
    /// found, but for the case of `miopen-3d-layout`. The lines can be removed.
    MALFORMED_KEY {
        id: "miopen-malformed-key",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "keys cannot be read as a problem",
        effect: "no request has such a key, so the record is never found",
        effect_known: Code,
        advice: "remove the lines; they only take space",
    }
}
