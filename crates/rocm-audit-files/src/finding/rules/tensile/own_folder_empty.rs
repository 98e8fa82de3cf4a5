//! The rule `own-folder-empty`.

use crate::finding::rule::rule;

rule! {
    /// A folder of one processor stands in hipBLASLt's library folder, and no catalog is in it.
    ///
    /// Where `library/gfx942` is there, even empty, hipBLASLt takes that folder for the processor and leaves alone what lies beside it:
    /// the heuristic then gives no algorithm, although `TensileLibrary_lazy_gfx942.dat` is in `library`. That was seen with the real
    /// libraries of hipBLASLt 1.1 and 1.2. Such folders are left by packages that were removed, and by files that were excluded from a
    /// copy.
    ///
    /// Folders in packages are found by their files, so that an empty one in a package is not seen.
    OWN_FOLDER_EMPTY {
        id: "own-folder-empty",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the processor's own folder is there, and has no catalog",
        effect: "hipBLASLt looks there and nowhere else, and gives no algorithm",
        effect_known: StandIn,
        advice: "remove the folder, or install the package that fills it",
    }
}
