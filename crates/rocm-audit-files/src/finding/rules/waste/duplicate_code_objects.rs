//! The rule `duplicate-code-objects`.

use crate::finding::rule::rule;

rule! {
    /// Code objects of equal content are in the tree more than once.
    ///
    /// They are compared by size and by a 128-bit hash of all bytes, over all files, bundles and packages of
    /// the tree. The count is that of the copies, the first one left out; the bytes are those of the copies. A
    /// link to a file is no copy, and a file that is reached on two ways counts once.
    ///
    /// Kernels that are the same in code objects that differ elsewhere, in a name or a note, are not found
    /// here. Static libraries that are linked into several shared ones leave such copies; whoever builds the
    /// libraries can share them.
    DUPLICATE_CODE_OBJECTS {
        id: "duplicate-code-objects",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "code objects are there more than once",
        effect: "the copies take bytes and serve no purpose",
        effect_known: Observed,
        advice: "link the objects into one library, or let the build share them",
    }
}
