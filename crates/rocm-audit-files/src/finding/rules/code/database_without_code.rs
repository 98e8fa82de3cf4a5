//! The rule `database-without-code`.

use crate::finding::rule::rule;

rule! {
    /// There is a database for a GPU for which MIOpen's libraries have no code.
    ///
    /// A find-db or perf-db can name solvers whose kernels are compiled into `libMIOpen` or `libMIOpenCKGroupedConv`, those
    /// of Composable Kernel. Where these libraries have device code, and none for the target of the database, such records
    /// lead to nothing, and MIOpen takes a slower solver without a word (rocm-libraries#11503). All other solvers compile
    /// their kernels at run time and are not concerned.
    ///
    /// A library without any device code, as Debian's, is not judged: there nothing is compiled in for any target.
    DATABASE_WITHOUT_CODE {
        id: "database-without-code",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "databases are for GPUs for which MIOpen's libraries have no code",
        effect: "MIOpen skips records that name a solver with compiled kernels, and takes a slower solver",
        effect_known: Inferred,
        advice: "take a build of MIOpen for the target, or expect solvers that compile at run time",
    }
}
