//! The rule `fingerprint-differs`.

use crate::finding::rule::rule;

rule! {
    /// A solution's fingerprint is not that of the files beside it.
    ///
    /// Builds of hipBLASLt's develop of 2026 give solutions a `fingerprint`: SHA-256 of the solution, the folder's name, the code object
    /// and the helper files. It is computed again from what is here. A fingerprint of another form than `sha256-v1:` is not looked at.
    /// How it is computed is read in the source (`SolutionFingerprints.py`); no catalog with fingerprints was there to compare with, so
    /// that a catalog whose fingerprints all differ can be one of a later rule.
    FINGERPRINT_DIFFERS {
        id: "fingerprint-differs",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "fingerprints of solutions are not those of the files here",
        effect: "catalog, code object and helpers are not of one build: tuning results that name the fingerprint are for other code",
        effect_known: Code,
        advice: "do not mix files of several builds; install all of one",
    }
}
