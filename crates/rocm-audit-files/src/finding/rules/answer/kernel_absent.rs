//! The rule `kernel-absent`.

use crate::finding::rule::rule;

rule! {
    /// The library has code for the target, and no kernel of the name that the route leads to.
    ///
    /// The name is made from the template arguments that the rules give, and looked up in the symbols of all
    /// code objects of the target that a device would load. Where more than one kernel begins so, it is not
    /// taken for found either.
    ///
    /// If the rules are those of the library's version, the launch would fail. Mostly they are not: the number
    /// of template arguments changed several times, so compare the version that the library is taken for, and
    /// name it with `--version`. A name that is there with a body that only traps is `trap-stub`.
    KERNEL_ABSENT {
        id: "kernel-absent",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the library has no kernel of this name for the target",
        effect: "where the version fits, the launch fails",
        effect_known: Inferred,
        advice: "use a build for this target, or name its version with `--version`",
    }
}
