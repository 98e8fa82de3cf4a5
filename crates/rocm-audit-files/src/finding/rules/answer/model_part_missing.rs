//! The rule `model-part-missing`.

use crate::finding::rule::rule;

rule! {
    /// A model is split into several files, and some of them are not here.
    ///
    /// `split.count` in the metadata of GGUF files, or `model.safetensors.index.json`, says how many files there are. Weights of the missing ones are not known,
    /// so that shares, launches and memory are those of the rest.
    ///
    /// Files of the pattern `NAME-00001-of-00003.gguf` are found beside the one that is named; others are to be
    /// named together.
    MODEL_PART_MISSING {
        id: "model-part-missing",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "files of a split model are missing",
        effect: "the answer is for a part of the model; llama.cpp refuses to load it",
        effect_known: Code,
        advice: "put all files of the model into one folder, or name them all",
    }
}
