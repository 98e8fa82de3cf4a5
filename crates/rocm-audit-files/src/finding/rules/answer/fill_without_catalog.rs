//! The rule `fill-without-catalog`.

use crate::finding::rule::rule;

rule! {
    /// hipBLASLt fills a list of algorithms up, and a catalog that it reaches on the way is not in the folder.
    ///
    /// Where the tables give fewer algorithms than are asked for, every catalog of the operation is read, of
    /// whatever type. It is looked for in the folder for each catalog that the master catalog of the target names
    /// for the operation of the call.
    ///
    /// With hipBLASLt 7.1.1, a folder that lacks one ended in a segmentation fault at such a call, while calls
    /// that the tables answer went on. Catalogs that are there and malformed do the same; those of other types
    /// are not opened here, and `tensile` tells of them.
    FILL_WITHOUT_CATALOG {
        id: "fill-without-catalog",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the list of algorithms is filled up from all catalogs of the operation, and some are missing or damaged",
        effect: "hipBLASLt ends in a segmentation fault at this call",
        effect_known: StandIn,
        advice: "install the whole library folder again, or ask for as many algorithms as the tables give",
    }
}
