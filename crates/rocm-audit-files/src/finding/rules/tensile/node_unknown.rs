//! The rule `node-unknown`.

use crate::finding::rule::rule;

rule! {
    /// A catalog of hipBLASLt has nodes of a kind that is not known here.
    ///
    /// hipBLASLt's catalogs change with each release. Such a node is counted and
    /// skipped with all that lies below it, so nothing is said about the solutions there.
    ///
    /// It is a limit of this program and no fault of the folder. In a catalog of rocBLAS an unknown node is
    /// `catalog-unreadable`, since rocBLAS itself refuses the file.
    NODE_UNKNOWN {
        id: "node-unknown",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "catalogs have nodes that this tool does not know and did not follow",
        effect: "what they lead to was not checked",
        effect_known: Inferred,
        advice: "report the release of the library to this project",
    }
}
