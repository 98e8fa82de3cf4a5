//! The rule `several-targets`.

use crate::finding::rule::rule;

rule! {
    /// A folder of rocBLAS serves several targets.
    ///
    /// A process reads one master catalog, that of the first device it uses. A device of another target then
    /// finds no row for its processor and gets fallback kernels only, although its own are there: seen with the
    /// real rocBLAS 6.4.4 and a gfx1030 beside a gfx1100. The count is that of targets with files in the
    /// folder. Users report worse of such hosts, code objects of the other target and wrong results
    /// (rocBLAS#1346, rocm-libraries#3413), which was not seen here.
    ///
    /// In a host with one GPU, or with several of one target, nothing follows from it. Folders of hipBLASLt are
    /// not judged. It is no fault of the folder: packages for many targets are made so.
    SEVERAL_TARGETS {
        id: "several-targets",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "the folder serves several targets, and a process reads one master catalog only, that of the first device used",
        effect: "in a host with GPUs of different targets all others get fallback kernels only",
        effect_known: StandIn,
        advice: "set HIP_VISIBLE_DEVICES to GPUs of one target in each process",
    }
}
