//! The rule `needed-of-another-release`.

use crate::finding::rule::rule;

rule! {
    /// A library asks for one of ROCm's in a version that is not here; another version is.
    ///
    /// `DT_NEEDED` of each host library of the field is compared with the `DT_SONAME` of ROCm's libraries in the
    /// input. `libamdhip64.so.6` asked for, and `libamdhip64.so.7` there, is two releases in one place. The loader
    /// takes no other version; a link of that name loads functions of another interface (ROCm#1753, ROCm#1637).
    ///
    /// A library that is not here in any version is not reported: packages are made of parts. Nor is the search path
    /// looked at: a library of the right name in a folder that is not searched is missing, too.
    NEEDED_OF_ANOTHER_RELEASE {
        id: "needed-of-another-release",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a library asks for a version of another that is not here, and another version is",
        effect: "the loader ends with cannot open shared object file, or takes one from elsewhere",
        effect_known: Code,
        advice: "take both libraries from one release; a link under the other name loads another interface",
    }
}
