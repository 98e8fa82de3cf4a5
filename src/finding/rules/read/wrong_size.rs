//! The rule `wrong-size`.

use crate::finding::rule::rule;

rule! {
    /// A member of a package or a compressed bundle inflates to more or fewer bytes than its header states.
    /// Installers refuse such a member or install half of it.
    WRONG_SIZE {
        id: "wrong-size",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "content has another size than its header says",
        effect: "what lies there is unknown, not absent: the report is incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
