//! The rule `miopen-swapped-height-width`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    SWAPPED_HEIGHT_WIDTH {
        id: "miopen-swapped-height-width",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "height and width of records are exchanged",
        effect: "MIOpen writes height before width, so that a problem that is not square misses its record, or hits that of its mirror image",
        effect_known: Code,
        advice: "use the file of a release in which this is mended, or remove the file: MIOpen then measures",
    }
}
