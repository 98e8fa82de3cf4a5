//! The rule `miopen-model-unfit`.

use crate::finding::rule::rule;

rule! {
    /// The files of a model are right by themselves and are not of one model, or not of the release beside them.
    ///
    /// The layers take as many numbers as the metadata names features, and give as many as it names outputs; a decoder takes
    /// the state that its encoder gives. Files that were copied from two releases break that. So does a model from another
    /// release than the library: gfx942's of 3.3.0 takes 18 numbers, and 3.4.0 gives it 19; models of 2026 (gfx942, gfx950,
    /// gfx1250 in rocm-libraries) have metadata in another form (`encodings.direction` instead of `Direction`, no means), which
    /// 3.3.0 and 3.4.0 cannot read.
    ///
    /// frugally-deep then throws "invalid number of values", or the JSON reader a type error, and the call ends with status
    /// 7: the real library (3.4.0) did so at every miss with gfx942's model of 3.3.0. The audit takes the release from
    /// the constants of the library, whatever it is called, or else from the name of AMD's (`libMIOpen.so.1.0.60403`),
    /// `select conv` from the library's constants or the header; `verify` compares the files with each other only.
    MODEL_UNFIT {
        id: "miopen-model-unfit",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "the files of a model do not fit each other, or the release",
        effect: "before 3.5.2 each call that asks the model ends with status 7, where a missing file would cost only the model's choice",
        effect_known: StandIn,
        advice: "take all files of a model from the release in use, or remove them",
    }
}
