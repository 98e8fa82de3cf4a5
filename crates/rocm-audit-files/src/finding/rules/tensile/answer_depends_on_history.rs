//! The rule `answer-depends-on-history`.

use crate::finding::rule::rule;

rule! {
    /// Solutions have a predicate on beta or on C being D, and rocBLAS remembers choices without either.
    ///
    /// The predicates `BetaValue` and `CEqualsD` are looked for in all solutions of a target's catalogs;
    /// `select gemm` says it where the call itself can spoil, or be spoiled by, another of the same sizes.
    /// rocBLAS 6.4.4 keeps the solution of a call by a key that lacks beta, alpha and whether C is D: with its
    /// catalogs for gfx90a, DGEMM (N, T) of 4608³ with beta 1 and then with beta 0 returned status 11, and the
    /// reverse order worked.
    ///
    /// 18 solutions of gfx90a have such predicates, all of double precision. An answer of `select gemm` is for
    /// a fresh process. hipBLASLt's predicates are not read.
    HISTORY {
        id: "answer-depends-on-history",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "rocBLAS caches its choice without beta and without whether C is D; the same size with another can fail",
        effect: "a GEMM of the same sizes and another beta returns rocblas_status_invalid_value (11) where the first call chose such a solution",
        effect_known: StandIn,
        advice: "make the call with the more demanding beta last, or avoid C being D for such sizes",
    }
}
