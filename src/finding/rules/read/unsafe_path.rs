//! The rule `unsafe-path`.

use crate::finding::rule::rule;

rule! {
    /// The path is absolute, names a drive, or climbs with `..`. This is known as zip slip. The member's
    /// content is read and counted like any other; it is never written to its path.
    UNSAFE_PATH {
        id: "unsafe-path",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the path of a member leads out of the folder it is unpacked to",
        effect: "an unpacking tool that does not check writes outside of its folder; nothing is unpacked to a path here",
        effect_known: Inferred,
        advice: "do not install the package",
    }
}
