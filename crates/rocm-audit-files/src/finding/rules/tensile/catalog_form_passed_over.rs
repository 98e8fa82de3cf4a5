//! The rule `catalog-form-passed-over`.

use crate::finding::rule::rule;

rule! {
    /// A catalog as a zlib stream is broken, and the same catalog lies plain beside it.
    ///
    /// hipBLASLt from ROCm 7.14 on tries the stream first: it has to reach its end with the right check sum, with nothing behind it. Where
    /// that fails the plain catalog of the name is read, with a warning that only `TENSILE_DB=0x1000` shows. The offset is that in the
    /// stream.
    FORM_PASSED_OVER {
        id: "catalog-form-passed-over",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a zlib stream of a catalog is broken, and the plain catalog beside it is read instead",
        effect: "calls are answered by the plain catalog, which may be of another build",
        effect_known: Code,
        advice: "install the file again, or remove the stream",
    }
}
