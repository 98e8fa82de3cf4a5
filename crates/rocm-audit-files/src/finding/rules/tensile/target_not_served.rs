//! The rule `target-not-served`.

use crate::finding::rule::rule;

rule! {
    /// The folder has no master catalog for a target that was asked for, and was not made for it.
    ///
    /// No file of the folder names the target, or the folder is hipBLASLt's or hipSPARSELt's. That is no damage: most builds serve few targets.
    /// rocBLAS aborts on such a device with "Cannot read …/TensileLibrary.dat". hipBLASLt answers that it has no solution, and
    /// rocBLAS and PyTorch then take their other way. hipSPARSELt is judged as hipBLASLt is; it was not compared with the library.
    ///
    /// Where files of rocBLAS name the target and only its master catalog is gone, the rule is `master-catalog-missing`.
    TARGET_NOT_SERVED {
        id: "target-not-served",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "the folder was not made for this target",
        effect: "rocBLAS aborts on such a device; hipBLASLt and hipSPARSELt have no solution, and a caller takes another way if it has one",
        effect_known: StandIn,
        advice: "use a build for the target; those that the folder serves are listed",
    }
}
