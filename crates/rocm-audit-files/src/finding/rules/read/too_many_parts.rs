//! The rule `too-many-parts`.

use crate::finding::rule::rule;

rule! {
    /// A file has more bundles, entries, images or members than are read of one file.
    ///
    /// Counted are bundles and their entries over all sections of a file, members of a package and of all
    /// packages in it, with the length of their names, and entries of one bundle. The bounds stand in
    /// `crates/rocm-audit-files/src/limits.rs` and in that of the crate `amdgpu-object`, each with the largest number that is known of
    /// a real file, and lie far above it.
    ///
    /// What comes before the bound is read; of a bundle that states too many entries, nothing is. It does not
    /// speak of bytes: for these see `inflates-too-far`.
    TOO_MANY_PARTS {
        id: "too-many-parts",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a file has more bundles, entries or members than are read",
        effect: "the rest of the file is not read; the report is incomplete",
        effect_known: Inferred,
        advice: "split the file, or report it to this project if it is genuine",
    }
}
