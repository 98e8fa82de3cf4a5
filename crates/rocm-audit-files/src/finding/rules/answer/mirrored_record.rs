//! The rule `mirrored-record`.

use crate::finding::rule::rule;

rule! {
    /// The find-db has a record of the same problem with height and width exchanged.
    ///
    /// The key is written once more with all heights and widths exchanged, and looked up in the database of the
    /// installation. It is only said where that is another problem. Several of MIOpen's own find-dbs were
    /// written with the two exchanged: in such a file the other record is the one that was measured for this
    /// problem.
    ///
    /// In a file that is in order the other record is simply that of another problem, which is common in
    /// networks with tall and with wide filters. `miopen-swapped-height-width` decides which it is, for the
    /// file as a whole.
    MIRRORED_RECORD {
        id: "mirrored-record",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a record has height and width of the problem exchanged",
        effect: "if the file was written with the two swapped, that record was measured for this problem, and this one's for the other",
        effect_known: Inferred,
        advice: "run `rocm-audit verify` on the folder; it says whether the file is swapped",
    }
}
