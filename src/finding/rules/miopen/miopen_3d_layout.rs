//! The rule `miopen-3d-layout`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    LAYOUT_OF_FEWER_DIMENSIONS {
        id: "miopen-3d-layout",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "records of 3D problems have a layout of 2D ones",
        effect: "3D requests have the layout NCDHW, so the record is never found",
        effect_known: Code,
        advice: "remove the lines; they only take space",
    }
}
