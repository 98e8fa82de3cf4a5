//! The rule `miopen-duplicate-key`.

use crate::finding::rule::rule;

rule! {
    /// A find-db has several lines with the same key.
    ///
    /// Keys are compared byte for byte. MIOpen reads the file into a map and keeps the first line of a key, as
    /// its source says; the later one, which may hold newer times, is not read.
    ///
    /// Two solvers in one line are no duplicate: a record is a list of them. The same key in the user's find-db
    /// replaces the one of the installation, which is how it is meant. Perf-dbs are not looked at.
    DUPLICATE_KEY {
        id: "miopen-duplicate-key",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "several lines have the same key",
        effect: "of two lines with the same key only the first is read",
        effect_known: Code,
        advice: "remove all but the first",
    }
}
