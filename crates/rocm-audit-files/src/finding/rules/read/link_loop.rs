//! The rule `link-loop`.

use crate::finding::rule::rule;

rule! {
    /// A symbolic link leads to a folder that it lies in.
    ///
    /// It is found while a tree is walked with `--follow-links`: the device and inode of a folder that a link
    /// leads to are those of a folder around the link. The link is left, and the walk goes on behind it; the
    /// files of that folder are counted once, where they stand.
    ///
    /// Without `--follow-links` no link is followed and none is found to be one of these. A link to a folder
    /// elsewhere in the tree is no loop, and its files are counted once too. A link whose target does not exist
    /// is `dangling-link`.
    LINK_LOOP {
        id: "link-loop",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "symbolic links lead round in a circle",
        effect: "the circle is left; what lies behind is not read",
        effect_known: Inferred,
        advice: "remove the link",
    }
}
