//! The rule `miopen-lfs-pointer`.

use crate::finding::rule::rule;

rule! {
    /// A file with the name of a database is a Git LFS pointer.
    ///
    /// It begins with `version `, as pointers do; MIOpen's own build uses the same test. The pointer says size
    /// and hash of the database, which was not fetched when the sources were checked out or packed. What is in
    /// the database is not known; MIOpen opens the pointer and finds no record.
    ///
    /// Kernel databases are the usual case, since they are the largest. A database that is damaged in another
    /// way is `malformed-bytes`. Run `git lfs pull` in the sources and build again, or remove the file.
    LFS_POINTER {
        id: "miopen-lfs-pointer",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "a database is a Git LFS pointer",
        effect: "the file was not fetched: MIOpen opens it and finds nothing",
        effect_known: Code,
        advice: "fetch the file with `git lfs pull` and build again",
    }
}
