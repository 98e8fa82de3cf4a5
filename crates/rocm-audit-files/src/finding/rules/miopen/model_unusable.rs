//! The rule `miopen-model-unusable`.

use crate::finding::rule::rule;

rule! {
    /// A file of one of MIOpen's models is damaged, or misses its own test vectors.
    ///
    /// A model has a file of layers with their weights and one that says what the numbers mean: `gfx942.tn.model` and
    /// `gfx942_metadata.tn.model` order solvers on a miss; `_encoder`, `_decoder` and `_metadata.ktn.model` choose the
    /// parameters of a kernel. MIOpen reads them with frugally-deep, which throws at the first thing that does not fit, and
    /// where the outputs for the vectors in the file differ by more than 0.0001. Weights that are not finite pass only where
    /// a file has no such vectors (gfx908's); the order of solvers is arbitrary then.
    ///
    /// From 3.4.0 on a missing file costs no more than the model's choice; a damaged one ends the call with status 7,
    /// miopenStatusUnknownError. The sources of 3.5.2 (rocm-libraries 02931fec8c77) catch every exception of a model that
    /// orders solvers and take the estimates. Up to 3.3 a missing file ends the call, too.
    ///
    /// Layers of a kind that is not evaluated here are no finding. A Git LFS pointer in place of a model is one.
    MODEL_UNUSABLE {
        id: "miopen-model-unusable",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "MIOpen cannot read a file of a model",
        effect: "before 3.5.2 each call that asks the model ends with status 7: a miss in FAST and immediate mode, or a find whose solver asks a tuning model",
        effect_known: StandIn,
        advice: "fetch the file again from the release in use, or remove the model, or set MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK=0",
    }
}
