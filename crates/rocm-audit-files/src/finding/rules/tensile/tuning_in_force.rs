//! The rule `tuning-in-force`.

use crate::finding::rule::rule;

rule! {
    /// How many rows of a tuning file name a solution that is here and fits.
    ///
    /// That a row is in force does not say that its solution is still the fastest: it was measured with the build that the file was
    /// written for.
    TUNING_IN_FORCE {
        id: "tuning-in-force",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "rows of a tuning file name solutions that are here and fit",
        effect: "calls that they are for take those solutions",
        effect_known: Code,
        advice: "nothing needs to be done",
    }
}
