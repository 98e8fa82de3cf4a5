//! The rule `duplicate-name`.

use crate::finding::rule::rule;

rule! {
    /// Two members of a package have the same path.
    ///
    /// The paths are compared as they stand, without `./` before them. Both members of a zip file or a tar are
    /// read and counted, so that a report of the package can count more than one of what it installs; of a thin
    /// archive, whose members are files beside it, the second is left out. What installs a package writes one
    /// over the other, and mostly keeps the last.
    ///
    /// The same content under two paths is no fault: see `duplicate-code-objects`. Two paths that differ in
    /// case only are two files on Linux and are not found here.
    DUPLICATE_NAME {
        id: "duplicate-name",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a package has several members of one name",
        effect: "what installs the package keeps one of them, mostly the last; all are counted here",
        effect_known: Inferred,
        advice: "build the package again with each file once",
    }
}
