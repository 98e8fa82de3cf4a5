//! The rule `convolution-crashes`.

use crate::finding::rule::rule;

rule! {
    /// MIOpen dies at a convolution, instead of refusing it or running it.
    ///
    /// Three ways were seen when the real library (MIOpen 3.4.0) was run. `ConvOclDirectFwdGen` divides by zero where
    /// the stride is above 16 and the batch odd, or above 32: the patch embedding of ViT-B/32 (3 to 768 channels,
    /// 32x32, stride 32) at batch 1, in a find that measures every solver. `ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC`
    /// divides by zero for backward data where an image is 1 high or wide and padded so far that no position of the
    /// output reaches it, also in the default find. And a record of a find-db that names a fusion
    /// (`ConvOclDirectFwdFused` stands in 136 of gfx1030_36) ends the immediate mode with a segmentation fault, if the
    /// caller has room for the whole record.
    ///
    /// An even batch, another padding, or `MIOPEN_DEBUG_FIND_ONLY_SOLVER` avoids the first two; a user's find-db with
    /// a record of its own the third.
    CONVOLUTION_CRASHES {
        id: "convolution-crashes",
        severity: Error,
        confidence: Likely,
        known: Code,
        what: "MIOpen dies at the problem",
        effect: "the process ends with a signal, and no error is given",
        effect_known: Code,
        advice: "turn the solver that is named off by its variable (`explain` has it), or measure the problem so that a user's find-db records it",
    }
}
