//! The rule `link-not-followed`.

use crate::finding::rule::rule;

rule! {
    /// A symbolic link leads out of the roots to a folder, or to a file with something to report.
    ///
    /// Links out of the roots are not followed, with `--follow-links` neither: who made the tree chose where they
    /// lead. One that leads to what lies below a root loses X is not entered, so that nothing is known of it.
    ///
    /// Profiles of Nix, views of Spack and the snapshots of Hugging Face are trees of such links: name the store, or
    /// the folder of the model, as a root. A link in a package is counted and not judged.
    /// One whose target does not exist is `dangling-link`.
    LINK_NOT_FOLLOWED {
        id: "link-not-followed",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a symbolic link out of the roots is not followed",
        effect: "what it leads to is not in the report, which is incomplete",
        effect_known: Inferred,
        advice: "name its target as a root, or leave it out with --exclude",
    }
}
