//! The rule `tuning-model-missing`.

use crate::finding::rule::rule;

rule! {
    /// A solver of MIOpen asks a model for the parameters of its kernel, and the files of the model are not here.
    ///
    /// On gfx908, `ConvAsm1x1U` asks `gfx908_ConvAsm1x1U_metadata.ktn.model` and two more files beside the databases, for
    /// 1x1 filters with stride 1 in FP32 and FP16, forward and backward data. A file that is missing is an exception, which
    /// ends the finder of the direct solvers: ConvAsm1x1U, ConvOclDirectFwd1x1 and the naive solver are not searched. So the
    /// real library (MIOpen 3.4.0) did when it was run without the files, in 395 of 4,367 problems.
    TUNING_MODEL_MISSING {
        id: "tuning-model-missing",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "the files of a model that chooses the parameters of a kernel are missing",
        effect: "a find searches no solver of the algorithm, and takes a slower one",
        effect_known: StandIn,
        advice: "install MIOpen's model files (*.ktn.model) beside its databases, or set MIOPEN_DEBUG_CONV_DIRECT_ASM_1X1U_AI_HEUR=0",
    }
}
