//! The rule `miopen-swapped-height-width`.

use crate::finding::rule::rule;

rule! {
    /// The keys of a find-db have width before height.
    ///
    /// Some solvers take filters of one shape only, which is not square: 5x10, 5x20, 7x1, 1x7. An entry of one
    /// that fits its key only with the two exchanged is a witness. Ten witnesses prove it; fewer make it
    /// likely; where more than one in twenty speaks against it, nothing is said. The count is that of all
    /// records that are not square, since they are all wrong.
    ///
    /// MIOpen 3.3 writes height before width, so that such a request finds no record, or that of its mirror
    /// image; square problems are not affected. In MIOpen's own sources 10 of 18 find-dbs of October 2024 look
    /// so, that of the Vega 64 among them. One record with odd sizes is not enough: see `mirrored-record`.
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
