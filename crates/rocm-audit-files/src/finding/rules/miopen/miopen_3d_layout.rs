//! The rule `miopen-3d-layout`.

use crate::finding::rule::rule;

rule! {
    /// A record of a 3D problem has the layout of 2D ones, NCHW.
    ///
    /// The number of dimensions of a key is compared with its layout: of a 3D problem one of its tensors is
    /// said to be NCHW. Perf-dbs are looked at too, in text and in SQLite. MIOpen writes the default layout of
    /// 3D requests as NCDHW, so the record is never found.
    ///
    /// Six records of each of four find-dbs of MIOpen, and 39 configurations of `gfx900_56.db`, are so. A 2D
    /// problem with this layout is in order, and a 3D one with another layout of four letters is not found. The
    /// lines only take space.
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
