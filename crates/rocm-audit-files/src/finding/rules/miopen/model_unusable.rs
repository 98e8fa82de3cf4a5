//! The rule `miopen-model-unusable`.

use crate::finding::rule::rule;

rule! {
    /// A file of one of MIOpen's models is none: it is cut, no JSON, has numbers that are not finite, layers that do not
    /// fit each other, or misses its own test vectors.
    ///
    /// A model has a file of layers with their weights (base64 of 32-bit floats) and one that says what the numbers mean
    /// (`gfx942.tn.model` and `gfx942_metadata.tn.model` order solvers on a miss; `_encoder`, `_decoder` and `_metadata.ktn.model`
    /// choose the parameters of a kernel). MIOpen reads them with frugally-deep, which throws at the first thing that does
    /// not fit, and where the outputs for the vectors in the file differ by more than 0.0001. Weights that are not finite pass
    /// only where a file has no such vectors (gfx908's has none); the order of solvers is arbitrary then.
    ///
    /// Up to 3.3 a call that asks the model ends with an error whether a file is missing or damaged. From 3.4.0 on a missing
    /// file costs no more than the model's choice (the estimates answer), or with a tuning model one algorithm of the find; a
    /// damaged one still ends the call with status 7, miopenStatusUnknownError, since only MIOpen's own exceptions are
    /// caught (3.4.0: seen with models that its reader refuses). A missing file is better than a damaged one there. The
    /// sources of 3.5.2 (rocm-libraries 02931fec8c77) catch every exception of a model that orders solvers, log a warning
    /// and take the estimates.
    ///
    /// Layers of a kind that is not evaluated here are no finding, nor is a file for a processor that no release has a
    /// model for. A Git LFS pointer in place of a model is one.
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
