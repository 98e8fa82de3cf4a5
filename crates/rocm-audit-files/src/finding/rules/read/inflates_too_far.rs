//! The rule `inflates-too-far`.

use crate::finding::rule::rule;

rule! {
    /// A compressed part is said to become, or becomes, more bytes than are believed of its stored size.
    ///
    /// A package may unpack to a bound that grows with its own size, over all packages in it; what lies beyond
    /// is not read. A compressed bundle, a kpack entry or an AOTriton archive may state a size up to a ratio
    /// that real ones stay far below; one that states more is not inflated at all. The bounds stand in
    /// `crates/rocm-audit-files/src/limits.rs` and in that of the crate `amdgpu-object`, each with its reason.
    ///
    /// This is what a decompression bomb looks like. Many members, long names and many entries are bounded too,
    /// but are `too-many-parts`. A genuine file that is found here can be unpacked by hand and audited as a
    /// folder.
    INFLATES_TOO_FAR {
        id: "inflates-too-far",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "compressed content is, or is said to be, more than is believed of its size",
        effect: "the rest of it is not read; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack it by hand if it is trusted, and audit the folder",
    }
}
