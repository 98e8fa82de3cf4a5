//! The rule `no-native-catalogs`.

use crate::finding::rule::rule;

rule! {
    /// The master catalog of a target leads to fallback catalogs only.
    ///
    /// A catalog is a fallback by its name; what the master catalog of the target leads to is counted. Fallback
    /// kernels are compiled from HIP source for every target, and the real rocBLAS 6.4.4 runs them on gfx1010,
    /// for which it has nothing else. How much slower they are is not measured here.
    ///
    /// Types that are not tuned for a target that has others are shown in the table of tuned products, and are
    /// not found here. hipBLASLt has no fallback: a type without a catalog has no solution there.
    NO_NATIVE {
        id: "no-native-catalogs",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "no catalog is tuned for this target",
        effect: "every GEMM runs a fallback kernel compiled from HIP source",
        effect_known: StandIn,
        advice: "expect fallback speed; tuned catalogs exist for other targets",
    }
}
