//! The rule `miopen-lfs-pointer`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every folder of databases by `rocm-audit miopen`.
    LFS_POINTER {
        id: "miopen-lfs-pointer",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a database is a Git LFS pointer",
        effect: "the file was not fetched: MIOpen opens it and finds nothing",
        effect_known: Code,
        advice: "fetch the file with `git lfs pull` and build again",
    }
}
