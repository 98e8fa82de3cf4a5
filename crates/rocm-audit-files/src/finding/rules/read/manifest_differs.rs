//! The rule `manifest-differs`.

use crate::finding::rule::rule;

rule! {
    /// A manifest or a list says of a file what the file is not.
    ///
    /// `choose` compares a file with the manifest that lies beside it or is named with it, and with the list that
    /// names it: SHA-256, size, name and version of the package, target IDs with their code objects and kernels,
    /// releases, libraries, binaries, and all that is said of the processor in question. The answer is always that of the file.
    ///
    /// Either the file is another one than that for which the manifest was written, or one of both was changed. A
    /// manifest that an earlier release wrote can differ because this release reads more; the finding names the
    /// release then. Fetch both again from where they are published, or write the manifest again.
    MANIFEST_DIFFERS {
        id: "manifest-differs",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a manifest or list does not describe the file that it names",
        effect: "who trusts it takes another file than the one that is here; the answer is that of the file",
        effect_known: Observed,
        advice: "fetch the file and its manifest again, or write the manifest again: rocm-audit manifest FILE",
    }
}
