//! The rule `master-catalog-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// The master catalog of a target is there and cannot be read.
    ///
    /// It is read in full: MessagePack, every node, predicate and word that rocBLAS knows. One that it does not
    /// know ends the reading, as in the real library, and the offset says where. That the process then aborts
    /// was seen with the real rocBLAS 6.4.4.
    ///
    /// What a master catalog leads to is another question: `catalog-missing`, `catalog-unreadable`. A catalog of
    /// a newer rocBLAS than this program knows would be found here as well; compare the versions before
    /// replacing it.
    MASTER_UNREADABLE {
        id: "master-catalog-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "the master catalog cannot be read",
        effect: "the process aborts with \"Could not load …\" and \"Could not initialize Tensile library\"",
        effect_known: StandIn,
        advice: "install the file again",
    }
}
