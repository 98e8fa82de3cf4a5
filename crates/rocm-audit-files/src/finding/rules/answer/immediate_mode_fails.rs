//! The rule `immediate-mode-fails`.

use crate::finding::rule::rule;

rule! {
    /// FAST and immediate mode fail on every miss, because the files of TunaNet's model cannot be used.
    ///
    /// On a miss these modes ask a model for the order of solvers. Up to MIOpen 3.3 a build throws where the model's
    /// files are missing; from 3.4.0 on it logs that and takes its own estimates. Files that are there and do not fit
    /// are worse than none in both: a model of gfx942 from 3.3.0 has 18 inputs, 3.4.0 gives it 19, and every miss ends
    /// with status 7.
    IMMEDIATE_MODE_FAILS {
        id: "immediate-mode-fails",
        severity: Warning,
        confidence: Likely,
        known: Code,
        what: "FAST and immediate mode have no answer to a miss",
        effect: "the call fails on a miss in these modes",
        effect_known: Code,
        advice: "install the model files of the release in use, or set MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK=0",
    }
}
