//! The rule `link-not-followed`.

use crate::finding::rule::rule;

rule! {
    /// A symbolic link leads out of the roots to a folder, or to a file with something to report.
    ///
    /// Links are not followed unless `--follow-links` is given. One that leads to what lies below a root loses
    /// nothing, since the walk comes there by itself. Of a file outside, its headers are looked at: only where
    /// there is device code, a database, a package or a container, or where it cannot be read, is the link
    /// found here. A folder outside is not entered, so that nothing is known of it.
    ///
    /// Profiles of Nix, views of Spack and the snapshots of Hugging Face are trees of such links. A link in a
    /// package is counted and not judged. One whose target does not exist is `dangling-link`.
    LINK_NOT_FOLLOWED {
        id: "link-not-followed",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a symbolic link out of the roots is not followed",
        effect: "what it leads to is not in the report, which is incomplete",
        effect_known: Inferred,
        advice: "give --follow-links, name its target as a root, or leave it out with --exclude",
    }
}
