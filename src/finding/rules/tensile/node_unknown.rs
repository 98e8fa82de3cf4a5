//! The rule `node-unknown`.

use crate::finding::rule::rule;

rule! {
    /// Checked in every library folder of rocBLAS and hipBLASLt by `rocm-audit tensile`.
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
