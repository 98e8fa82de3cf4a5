//! The rule `catalog-form-not-read`.

use crate::finding::rule::rule;

rule! {
    /// A catalog is written in a form that the library beside it does not read.
    ///
    /// From ROCm 7.14 on hipBLASLt's catalogs are zlib streams, `TensileLibrary_….dat.zlib`, and those of still newer releases are of
    /// format 2, in which the solutions stand in one value of bytes. Which of them a library reads is decided by its own constants: the
    /// name of the variable that bounds what it inflates, and the name of the key of format 2. Where no library lies in the four folders
    /// above the catalogs, it is taken to be the one that they were made for, and nothing is found.
    ///
    /// That hipBLASLt 1.1 and 1.2 find no catalog if there are only streams was seen with the real libraries.
    FORM_NOT_READ {
        id: "catalog-form-not-read",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "catalogs are of a form that the library beside them does not read",
        effect: "the library finds no catalog there, and gives no algorithm for the calls that need it",
        effect_known: StandIn,
        advice: "install the library and its catalogs of one release",
    }
}
