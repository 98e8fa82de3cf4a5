//! The rule `names-disagree`.

use crate::finding::rule::rule;

rule! {
    /// A code object is called differently in places that name its target.
    ///
    /// Compared are `e_flags` in its ELF header with the id of its bundle entry, with `amdhsa.target` in its
    /// kernel metadata, and with the target in the name of its file; of the file name only the processor and,
    /// where it states it, XNACK. HIP picks an entry of a bundle by its id and then compares `e_flags` with the
    /// device, so that a wrong id hides the code object or has it refused; that follows from the formats and
    /// was not measured.
    ///
    /// Every count in a report belongs to `e_flags`. A file name that is silent about a feature agrees with
    /// either state, and code for `gfx90a` beside code for `gfx90a:xnack+` is not a disagreement: those are two
    /// code objects. Rebuild the file, or rename it where only its name is wrong.
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
