//! The rule `model-quantization-refused`.

use crate::finding::rule::rule;

rule! {
    /// Weights of safetensors files are quantized in a form that llama.cpp's converter does not take.
    ///
    /// llama.cpp reads GGUF files, whose quantized types are its own. `convert_hf_to_gguf.py` turns some forms back into
    /// numbers of floating point (FP8, GPTQ) or repacks them (MXFP4); of others, such as AWQ and bitsandbytes, it says that they
    /// are not supported, and stops.
    ///
    /// The answer is for the model as if it were converted: shapes are those of the weights that were quantized.
    MODEL_QUANTIZATION_REFUSED {
        id: "model-quantization-refused",
        severity: Error,
        confidence: Likely,
        known: Observed,
        what: "the weights are quantized in a form that llama.cpp's converter does not take",
        effect: "convert_hf_to_gguf.py stops, and there is no file for llama.cpp",
        effect_known: Code,
        advice: "take the model's unquantized weights, or a GGUF file of it",
    }
}
