//! The rule `table-empty`.

use crate::finding::rule::rule;

rule! {
    /// The tables of a catalog have no row.
    ///
    /// A catalog is found where it has tables or trees, and none of them leads anywhere. Selection passes
    /// through it and goes on to the fallback, as the real rocBLAS 6.4.4 does for DGEMM on gfx803, where all
    /// four catalogs are so; the code object beside it is shipped for nothing.
    ///
    /// One empty table among filled ones is not found. That single solutions are in no table is
    /// `solution-unreachable`.
    TABLE_EMPTY {
        id: "table-empty",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "catalogs have tables, and no row in any of them",
        effect: "their kernels are shipped and never chosen; every call goes to the fallback",
        effect_known: StandIn,
        advice: "nothing needs to be done; whoever builds the library can leave the catalogs out",
    }
}
