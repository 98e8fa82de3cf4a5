//! The rule `symbols-stripped`.

use crate::finding::rule::rule;

rule! {
    /// The code objects of the target have no symbols.
    ///
    /// Kernels are looked up by their names in the symbol tables of the code objects that a device of the
    /// target would load. There is not one name in them, so that neither presence nor absence of the kernel can
    /// be said.
    ///
    /// Kernel metadata can be there all the same, and is not asked for names here. Symbols that are there,
    /// without the one kernel, are `kernel-absent`. Stripped host code does not matter.
    SYMBOLS_STRIPPED {
        id: "symbols-stripped",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "the code objects of the target have no symbols",
        effect: "whether they have the kernel cannot be said",
        effect_known: Inferred,
        advice: "use a build whose device code is not stripped",
    }
}
