//! The rule `master-catalog-missing`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
    MASTER_MISSING {
        id: "master-catalog-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "there is no first catalog for this target",
        effect: "the process aborts with \"Cannot read …/TensileLibrary.dat\", which names another file than the missing TensileLibrary_lazy_<target>.dat",
        effect_known: Runtime,
        advice: "install the package that has the catalogs of this target, or build rocBLAS for it",
    }
}
