//! The rule `catalogs-without-own-code`.

use crate::finding::rule::rule;

rule! {
    /// The targets of rocBLAS's library and of its library folder are not the same.
    ///
    /// Matrix products come from the folder, others such as TRSM from the bundles in the library itself. A target in one
    /// and not in the other works in part: files of a folder were copied, or a build wrote no catalogs for it (ROCm#6120,
    /// pytorch#132570, Tensile's `--separate-architectures`).
    ///
    /// The library file and the folder may be of two builds in one input; then there is more amiss than this.
    CATALOGS_WITHOUT_OWN_CODE {
        id: "catalogs-without-own-code",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a target has files in rocBLAS's folder and no code in its library, or the reverse",
        effect: "some functions work on it, others fail with invalid device function or Cannot read",
        effect_known: Code,
        advice: "take library and folder from one build that has the target",
    }
}
