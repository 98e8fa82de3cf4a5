//! The rule `wrong-size`.

use crate::finding::rule::rule;

rule! {
    /// A part inflates to more or fewer bytes than its header states.
    ///
    /// The size that the directory of a zip file, the header of a compressed offload bundle or the table of a
    /// kpack archive states is compared with the bytes that come out, or that are stored. An audit inflates
    /// bundles only as far as it needs to: a bundle that holds more than it states is found with `--verify` and
    /// by `fatbin`. What was inflated is looked at as far as it goes.
    ///
    /// A stream that breaks off in the middle is `cut-end`. A stated size so large that it is not believed is
    /// `inflates-too-far`: nothing is inflated then. Fetch the file again; if it is still so, its writer is at
    /// fault.
    WRONG_SIZE {
        id: "wrong-size",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "content has another size than its header says",
        effect: "the content is read as far as it goes; the report may be incomplete",
        effect_known: Inferred,
        advice: "fetch or build the file again, and compare its size and checksum with the publisher's",
    }
}
