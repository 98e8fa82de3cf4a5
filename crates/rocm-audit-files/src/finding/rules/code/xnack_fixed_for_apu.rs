//! The rule `xnack-fixed-for-apu`.

use crate::finding::rule::rule;

rule! {
    /// Code fixes the XNACK state for an APU whose runtime knows no state of it.
    ///
    /// gfx902, gfx909 and gfx90c are listed without XNACK by the runtimes of several releases: code objects with xnack-
    /// or xnack+ are then refused, only such without a state load (rocm-systems#8237, rocm-libraries#11211).
    ///
    /// Which release is used is not known here, so it is likely, not certain.
    XNACK_FIXED_FOR_APU {
        id: "xnack-fixed-for-apu",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "code objects for an APU carry an XNACK state, which its runtime does not report",
        effect: "the code objects are refused: no kernel image, unknown error of MIOpen",
        effect_known: Runtime,
        advice: "take a build for the bare processor",
    }
}
