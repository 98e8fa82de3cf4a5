//! The rule `catalog-key-missing`.

use crate::finding::rule::rule;

rule! {
    /// A catalog of hipBLASLt lacks a key that the library beside it requires of each solution.
    ///
    /// Releases add keys that their readers require: `useSFC` came with 1.2, and catalogs of 1.1 do not have it. The names of the keys
    /// that a reader has stand among its constants. Each of the keys that are known to be required is searched for there and, where it
    /// is there, in each catalog with solutions. In hipBLASLt 1.1 and 1.2 as Debian ships them none is missing.
    ///
    /// Keys that every release requires are not looked for: such a catalog cannot be read here either. That a key is there does not say
    /// that each solution has it.
    KEY_MISSING {
        id: "catalog-key-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a catalog lacks a key that its library requires",
        effect: "the library refuses the whole catalog, and calls that reach it fail",
        effect_known: Code,
        advice: "install the library and its catalogs of one release",
    }
}
