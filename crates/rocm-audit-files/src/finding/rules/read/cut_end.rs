//! The rule `cut-end`.

use crate::finding::rule::rule;

rule! {
    /// A header says that a part reaches further than the file, the section or the stream around it does.
    ///
    /// Found are entries of bundles, sections, notes, members of archives and packages, and compressed streams
    /// that end too early; a zip file without its directory, which stands at its end; a tar without the block
    /// of zeros that ends it. The place is where the part is announced. Parts that lie wholly before the end
    /// are read.
    ///
    /// An interrupted download, a full disk or one part of a split archive leave this. It is not `wrong-size`:
    /// there the stream is whole, and its header states another size.
    CUT_END {
        id: "cut-end",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "bytes end before what their headers announce",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
