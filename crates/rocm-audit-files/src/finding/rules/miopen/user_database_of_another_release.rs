//! The rule `miopen-user-database-of-another-release`.

use crate::finding::rule::rule;

rule! {
    /// A user's database was written by another release of MIOpen than the library's.
    ///
    /// The name of a user's database has the release that wrote it, and MIOpen looks for its own only: `3_4_0_` in
    /// `gfx906_60.HIP.3_4_0_.ufdb.txt` and `.udb.txt`, and the folder `3.4.0.` around a `.ukdb`, below
    /// `~/.config/miopen` and `~/.cache/miopen`. So what was measured, tuned and compiled before an upgrade stays where
    /// it is and is not read. The release that is here is what a library that exports MIOpen's functions says among its
    /// constants (`MIOpen version 3.4.0`), wherever it lies and whatever it is called; else the name of AMD's
    /// (`libMIOpen.so.1.0.60403`). With several libraries, only databases of none of them are named; without any, none.
    /// SQLite's perf-dbs (`.udb`) are named for the version of their tables and stay in use.
    OTHER_RELEASE {
        id: "miopen-user-database-of-another-release",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a user's database was written by another release of MIOpen",
        effect: "it is never opened: each problem is measured, tuned and compiled again the first time",
        effect_known: StandIn,
        advice: "let the program run once with the release in use, and remove the file if no older one is left",
    }
}
