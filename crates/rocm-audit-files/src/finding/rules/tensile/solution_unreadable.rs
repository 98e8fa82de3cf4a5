//! The rule `solution-unreadable`.

use crate::finding::rule::rule;

rule! {
    /// A catalog of format 2 has a solution whose bytes are broken.
    ///
    /// In format 2 each solution is packed by itself, and a table says where it stands. hipBLASLt reads one
    /// when a problem first reaches it. It then skips one that is no map of MessagePack to its end, or that
    /// has another index than the table says, and uses the rest of the catalog. Source: `SolutionLibrary.hpp`
    /// and `SolutionBlobCache.hpp` (ROCm/rocm-libraries #11295); no library that reads format 2 was there to
    /// compare with.
    ///
    /// A table whose places lie outside of the bytes, overlap or have an index twice is another matter: then the whole catalog is
    /// refused ([catalog-unreadable](catalog-unreadable.md)).
    SOLUTION_UNREADABLE {
        id: "solution-unreadable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "solutions of a catalog have bytes that cannot be read",
        effect: "calls that such a solution was tuned for get another one, or none",
        effect_known: Code,
        advice: "fetch the catalog again",
    }
}
