//! The rule `cache-entry-broken`.

use crate::finding::rule::rule;

rule! {
    /// An entry of a cache of kernels has no code object beside it, or one for another target than it names.
    ///
    /// Triton writes `NAME.json` beside `NAME.hsaco`, and the target of the kernel into the former. If a
    /// cache was copied in part, or two builds write to it, one of the two can be missing or of another
    /// target. If a file is missing, Triton compiles the entry again; it hands a code object of another
    /// target to the runtime, which refuses it.
    CACHE_ENTRY_BROKEN {
        id: "cache-entry-broken",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "an entry of a cache has no code object for the target that it names",
        effect: "the kernel is compiled again, or its code object is refused when it is loaded",
        effect_known: Inferred,
        advice: "remove the folder of the entry; it is made again when it is needed",
    }
}
