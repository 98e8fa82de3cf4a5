//! The rule `cache-stale`.

use crate::finding::rule::rule;

rule! {
    /// A cache was written by another version of the compiler than the one that is installed beside it.
    ///
    /// Triton's keys are hashes over its own version and sources, so that another release never takes an entry: it compiles all anew,
    /// and the old entries are only bytes. The version of the entry is in its metadata (from Triton 3.4 on), that of the installed
    /// package in the name of its `.dist-info` folder.
    CACHE_STALE {
        id: "cache-stale",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "a cache was written by another version of the compiler than is installed",
        effect: "its entries are not taken: kernels are compiled anew, and the bytes are of no use",
        effect_known: Inferred,
        advice: "remove the cache, or name the environment whose compiler wrote it",
    }
}
