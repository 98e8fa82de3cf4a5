//! The rule `master-catalog-missing`.

use crate::finding::rule::rule;

rule! {
    /// Files of this target are in the folder, and the catalog that everything begins with is not.
    ///
    /// rocBLAS asks for `TensileLibrary_lazy_TARGET.dat`, then `TensileLibrary_TARGET.dat`, then
    /// `TensileLibrary.dat`, and so does this check (and for `.yaml`, which other builds read). The targets are
    /// those that names of files end with, and those asked for with `--arch`. That the process then aborts, and
    /// which file its message names, was seen with the real rocBLAS 6.4.4.
    ///
    /// A folder without any file of a target is not found unless that target is asked for. That an override of
    /// the target or another folder is set by the environment is not looked at. Do not link another target's
    /// catalog to this name: its rows ask for their own processor.
    MASTER_MISSING {
        id: "master-catalog-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "there is no master catalog for this target",
        effect: "the process aborts with \"Cannot read …/TensileLibrary.dat\", which names another file than the missing TensileLibrary_lazy_<target>.dat",
        effect_known: StandIn,
        advice: "install the package that has the catalogs of this target, or build rocBLAS for it",
    }
}
