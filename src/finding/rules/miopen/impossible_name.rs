//! The rule `miopen-impossible-name`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    IMPOSSIBLE_NAME {
        id: "miopen-impossible-name",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a file has a name that MIOpen asks for on no device",
        effect: "MIOpen makes up no such name for any device, so the file is only found by a nearest search that works, which text databases do not have",
        effect_known: Code,
        advice: "rename it after the device it is for",
    }
}
