//! The rule `mirrored-record`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    MIRRORED_RECORD {
        id: "mirrored-record",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a record has height and width of the problem exchanged",
        effect: "if the file was written with the two swapped, that record was measured for this problem, and this one's for the other",
        effect_known: Inferred,
        advice: "run `rocm-audit miopen` on the folder; it says whether the file is swapped",
    }
}
