//! The rule `miopen-impossible-name`.

use crate::finding::rule::rule;

rule! {
    /// MIOpen asks for a file of this name on no device.
    ///
    /// The name is taken apart into processor, features and compute units, and put together again as MIOpen 3.3
    /// does it: up to 64 units in decimal behind `_`, more in hexadecimal without it. Where another name comes
    /// out, that one is given. `gfx110136`, meant for 54 units, has to be `gfx1101_54`.
    ///
    /// Text databases are found by their exact name only, so the file is dead weight; a perf-db in SQLite can
    /// still be the nearest one. Whether such a device was ever made is not judged, and neither are kernel
    /// databases of a whole processor (`gfx900.kdb`).
    IMPOSSIBLE_NAME {
        id: "miopen-impossible-name",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a file has a name that MIOpen asks for on no device",
        effect: "MIOpen makes up no such name for any device, so the file is only found by a nearest search that works, which text databases do not have",
        effect_known: Code,
        advice: "rename it after the device it is for",
    }
}
