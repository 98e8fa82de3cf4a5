//! The rule `operation-refused`.

use crate::finding::rule::rule;

rule! {
    /// Said beside the answer of `rocm-audit select`, where it bears on the call.
    OPERATION_REFUSED {
        id: "operation-refused",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "the backend refuses the operation",
        effect: "another backend, in the end the CPU, makes it",
        effect_known: Code,
        advice: "choose a type that the backend takes; `select mul-mat --table` lists them",
    }
}
