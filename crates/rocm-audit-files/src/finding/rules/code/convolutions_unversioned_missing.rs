//! The rule `convolutions-unversioned-missing`.

use crate::finding::rule::rule;

rule! {
    /// MIOpen's library of grouped convolutions is there only with a version behind its name.
    ///
    /// MIOpen asks for `libMIOpenCKGroupedConv_TARGET.so`. Wheels hold no links, so that a file with a version is not
    /// found: slower solvers are taken, or none (TheRock#5340, TheRock#5105).
    CONVOLUTIONS_UNVERSIONED_MISSING {
        id: "convolutions-unversioned-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the library of grouped convolutions is there only under a name that MIOpen does not ask for",
        effect: "MIOpen does not find it and takes slower solvers",
        effect_known: Runtime,
        advice: "add a link without the version, or install a release that has it",
    }
}
