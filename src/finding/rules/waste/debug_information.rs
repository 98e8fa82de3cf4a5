//! The rule `debug-information`.

use crate::finding::rule::rule;

rule! {
    /// Sections named `.debug_*` in code objects, inflated. They are of use to rocgdb and to nobody else.
    DEBUG_INFORMATION {
        id: "debug-information",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "code objects carry debug information",
        effect: "it takes bytes and is not loaded",
        effect_known: Observed,
        advice: "strip device code in release builds (`-g0`, or `llvm-strip --strip-debug`)",
    }
}
