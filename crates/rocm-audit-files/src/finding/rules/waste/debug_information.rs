//! The rule `debug-information`.

use crate::finding::rule::rule;

rule! {
    /// Code objects have sections whose names begin with `.debug`.
    ///
    /// Their sizes are summed over all code objects, as they are when inflated. They are not loaded: only a
    /// debugger such as rocgdb reads them. On the disk they can be most of a library.
    ///
    /// Debug information of the host code around is not counted. Symbol tables and kernel metadata are not
    /// debug information: the first names kernels, the second is needed to launch them. Build device code with
    /// `-g0`, or strip it with `llvm-strip --strip-debug`.
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
