//! The rule `names-disagree`.

use crate::finding::rule::rule;

rule! {
    /// A code object is named up to four times: by `e_flags` in its ELF header, by the id of its bundle
    /// entry, by `amdhsa.target` in its kernel metadata, and by the name of its file. HIP picks an entry by
    /// its id and then compares `e_flags` with the device.
    ///
    /// A count in this report always belongs to `e_flags`.
    NAMES_DISAGREE {
        id: "names-disagree",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "names of the same code object do not agree",
        effect: "the loader chooses by one name and checks by another: a code object may be refused, or never be found",
        effect_known: Inferred,
        advice: "rebuild the file, or rename it after its e_flags",
    }
}
