//! The rule `no-database`.

use crate::finding::rule::rule;

rule! {
    /// No database of MIOpen was found below the roots.
    ///
    /// They are looked for in a root itself, in its `share/miopen/db`, and then in any folder below. MIOpen
    /// without a find-db measures a problem the first time it comes, or takes a solver by its own estimate in
    /// immediate mode.
    ///
    /// The candidates are still right, since they come from rules. Debian's libmiopen1 6.4.3 ships none. A
    /// folder with databases of other devices only is not this: see the list of databases in the answer.
    NO_DATABASE {
        id: "no-database",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no MIOpen database was found",
        effect: "MIOpen measures every problem the first time it comes",
        effect_known: Code,
        advice: "name the path of the install, or of the folder share/miopen/db",
    }
}
