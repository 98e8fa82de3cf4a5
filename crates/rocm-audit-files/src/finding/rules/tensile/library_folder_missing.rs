//! The rule `library-folder-missing`.

use crate::finding::rule::rule;

rule! {
    /// The library of rocBLAS is here without any file of its library folder.
    ///
    /// rocBLAS reads catalogs and code objects from `rocblas/library` beside it. Where an update or an installer left
    /// the folder out, or empty, each matrix product ends the process, on every GPU: the message lists no files
    /// (ollama-for-amd#7), or says that the folder cannot be opened (sdnext#4737).
    ///
    /// It is likely, not certain: some distributions have the folder in another package. A single file is not judged.
    LIBRARY_FOLDER_MISSING {
        id: "library-folder-missing",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "rocBLAS's library is here, and none of its catalogs",
        effect: "every matrix product ends the process: Cannot read TensileLibrary.dat",
        effect_known: Code,
        advice: "install the library folder of the same release beside the library",
    }
}
