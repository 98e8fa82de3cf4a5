//! The rule `model-config-missing`.

use crate::finding::rule::rule;

rule! {
    /// Safetensors files lie without the `config.json` that says what they are.
    ///
    /// Names and shapes of weights are in the files; which family the model is of, how many heads its attention has, and
    /// how many experts a token uses, are in `config.json` alone.
    MODEL_CONFIG_MISSING {
        id: "model-config-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "no config.json lies beside the safetensors files",
        effect: "the family and the heads are not known: weights take the generic rule, and attention is left out",
        effect_known: Code,
        advice: "put the model's config.json into the same folder",
    }
}
