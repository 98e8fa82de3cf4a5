//! The rule `unsafe-path`.

use crate::finding::rule::rule;

rule! {
    /// The path of a member is absolute, names a drive, or climbs with `..`.
    ///
    /// This is known as zip slip: a tool that unpacks such a member without a check writes outside of the
    /// folder that it was given. Both `/` and `\` count as separators. The member is read and counted like any
    /// other; nothing is ever unpacked to its path here. A member of a thin archive is a file beside it: where its
    /// path leads out of the archive's folder, it is not opened, so that no archive can name files that its reader
    /// did not give.
    ///
    /// A name such as `a..b` or `..b`, in which no whole part is `..`, is sound. A symbolic link that leads out
    /// of a package is not followed and not judged. No packaging tool of ROCm or Python writes such a path, so
    /// do not install the package before it is known why it has one.
    UNSAFE_PATH {
        id: "unsafe-path",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "the path of a member leads out of the folder it is unpacked to",
        effect: "an unpacking tool that does not check writes outside of its folder; nothing is unpacked to a path here",
        effect_known: Inferred,
        advice: "do not install the package",
    }
}
