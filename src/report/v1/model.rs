//! What `model` says.

use super::{Claim, Evidence, Finding, Header, KernelPresence, RouteLibrary, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which kernels a model takes on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The override that the answer takes as set: `--override`.
    pub claim: Option<Claim>,
    /// The model.
    pub model: ModelFacts,
    /// How it is used.
    pub usage: ModelUsage,
    /// What is taken of memory by the model as it is; each card has what its own quantization takes.
    pub memory: ModelMemory,
    /// What the card that was asked for makes of it, and behind it the cards beside it.
    pub cards: Vec<ModelCard>,
    /// What should make a reader careful, the worst first.
    pub findings: Vec<Finding>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// A model as its files describe it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFacts {
    /// The files.
    pub files: Vec<String>,
    /// `gguf` or `safetensors`.
    pub format: String,
    /// What the converter makes of the files; nothing for GGUF files. All else here is said of what it would write.
    pub conversion: Option<ModelConversion>,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// `general.architecture`.
    pub architecture: String,
    /// Whether the rules were compared with runs of models of this architecture; others take the generic rules.
    pub architecture_observed: bool,
    /// Blocks that are computed.
    pub blocks: u64,
    /// Weights.
    pub weights: u64,
    /// Bytes of weights by type.
    pub types: BTreeMap<String, u64>,
    /// Experts of a block; 0 where it has none.
    pub experts: u64,
    /// Experts that a token uses.
    pub experts_used: u64,
}

/// What `convert_hf_to_gguf.py` of llama.cpp would make of safetensors files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelConversion {
    /// The class that `config.json` names: `LlamaForCausalLM`.
    pub class: Option<String>,
    /// Whether the rules know its family; others take the generic rule.
    pub known: bool,
    /// The type of matrices.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Bytes by type as they are stored.
    pub stored: BTreeMap<String, u64>,
    /// `quant_method` of `config.json`, where the weights are quantized.
    pub quantized: Option<String>,
    /// What becomes of that: `dequantized`, `repacked`, `refused`; nothing where it is not known.
    pub becomes: Option<String>,
    /// Tensors of parts that read images or sound, which are a file of their own.
    pub of_other_parts: u64,
    /// Names without a place in the rules, which are left out.
    pub unplaced: Vec<String>,
}

/// How a model is used.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelUsage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Most tokens that are computed at once.
    pub ubatch: u64,
    /// Sequences of the phase with several.
    pub sequences: u64,
    /// Tokens that the cache holds for each sequence.
    pub context: u64,
    /// Type of keys and values in the cache.
    pub cache_type: String,
}

/// What is taken of memory, in bytes; buffers of computation are not known.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelMemory {
    /// Weights on the card.
    pub weights: u64,
    /// Weights that stay with the CPU: the embedding of tokens.
    pub weights_on_cpu: u64,
    /// Keys and values of one sequence.
    pub cache: u64,
    /// Memory of the card as the call named it; nothing where it did not, since no list of products has it.
    pub of_card: Option<u64>,
    /// What is left of that beside weights and the cache of one sequence; negative where they do not fit.
    pub left: Option<i64>,
}

/// What a card makes of a model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelCard {
    /// The target.
    pub target: String,
    /// The type of file that was asked for with `--quant`: `Q4_0`; nothing for the model as it is.
    pub quantization: Option<String>,
    /// The other libraries that were named with `--vs-library`, where this is about them.
    pub beside: Option<String>,
    /// What is taken of memory.
    pub memory: ModelMemory,
    /// Bytes of weights by type.
    pub types: BTreeMap<String, u64>,
    /// Its class in ggml's rules: `GCN`, `CDNA2`, `RDNA3.0`.
    pub class: String,
    /// The version of ggml whose rules were asked.
    pub rules: String,
    /// Multiprocessors, for rocBLAS and for how tiles are shared.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// ggml's library; nothing where none was named, and kernels were not looked for.
    pub library: Option<RouteLibrary>,
    /// The folder of rocBLAS's catalogs; nothing where none was named, and its choices are not known.
    pub rocblas: Option<String>,
    /// Whether attention is one operation.
    pub flash_attention: bool,
    /// Prefill, decode, several sequences.
    pub phases: Vec<ModelPhase>,
    /// What they come to.
    pub verdict: ModelVerdict,
    /// What can be changed, each with what it comes to.
    pub advice: Vec<ModelAdvice>,
}

/// What becomes of a model on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelVerdict {
    /// `own-kernels`, `partly-rocblas`, `mostly-rocblas`, `slow`, `does-not-run`, or `nothing` where there is nothing to compute.
    pub outcome: String,
    /// The kind of ways that decides, as of the ways of phases.
    pub kind: Option<String>,
    /// The phase of which the share is.
    pub phase: Option<String>,
    /// Share of its floating-point operations that goes such ways, 0 to 1.
    pub share: f64,
    /// In words.
    pub text: String,
}

/// A phase of a model's use.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelPhase {
    /// `prefill`, `decode` or `batch`.
    pub phase: String,
    /// Tokens of all sequences.
    pub tokens: u64,
    /// Sequences.
    pub sequences: u64,
    /// How many times something is computed.
    pub ubatches: u64,
    /// Floating-point operations of products and attention.
    pub flops: u64,
    /// Bytes of weights, keys and values that are read.
    pub bytes: u64,
    /// Launches, calls of BLAS as one each: of products and attention with what prepares them, and of what stands between.
    pub launches: u64,
    /// Launches of the ubatch with the fewest.
    pub launches_least: u64,
    /// Launches of the ubatch with the most.
    pub launches_most: u64,
    /// Launches that stand between products, by templates: norms, rotations, sums, gated units, the cache.
    pub between: BTreeMap<String, u64>,
    /// What sets the bound.
    pub bound: ModelBound,
    /// The ways, the largest share of what sets the bound first.
    pub ways: Vec<ModelWay>,
    /// The blocks, and behind them what stands in none, each with what goes which way.
    pub layers: Vec<ModelLayer>,
    /// Equal operations as one, in the model's order.
    pub operations: Vec<ModelOperation>,
}

/// A block of a model in a phase. What is the same in several blocks is shared evenly.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelLayer {
    /// The block; nothing for what stands in none, such as the output.
    pub block: Option<u64>,
    /// The ways.
    pub ways: Vec<ModelLayerWay>,
}

/// A way in a block.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelLayerWay {
    /// Its place among the ways of the phase.
    pub way: u64,
    /// Share of the phase's floating-point operations, 0 to 1; of decode and several sequences of its bytes.
    pub share: f64,
}

/// What sets the bound of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ModelBound {
    /// Arithmetic: weights are used for many tokens.
    Arithmetic,
    /// Memory: weights are read for few tokens.
    Memory,
    /// The host, which waits for the card and launches for each expert.
    Host,
    /// Nothing runs: code is missing for a part.
    NothingRuns,
}

/// A way that operations go.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelWay {
    /// `own-kernel`, `rocblas-tuned`, `rocblas`, `rocblas-fallback`, `rocblas-nothing`, `expert-loop`, `cpu`, `trap-stub`,
    /// `absent` or `no-code-object`.
    pub kind: String,
    /// ggml's route.
    pub route: String,
    /// In words.
    pub way: String,
    /// Whether quantized weights become halves or floats first.
    pub dequantizes: bool,
    /// Share of floating-point operations, 0 to 1.
    pub flops_share: f64,
    /// Share of bytes, 0 to 1.
    pub bytes_share: f64,
    /// Launches.
    pub launches: u64,
    /// Operations.
    pub operations: u64,
}

/// Operations of the same weight, shape and way.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOperation {
    /// The weight, without block and `.weight`; `attention`, `cache_k`, `cache_v` for attention.
    pub role: String,
    /// `MUL_MAT`, `MUL_MAT_ID`, `FLASH_ATTN_EXT` or `FWHT`.
    pub operation: String,
    /// Type of the weights, or of keys and values.
    #[serde(rename = "type")]
    pub ty: String,
    /// The shape: of a product values of a row, rows, columns; in words.
    pub shape: String,
    /// The problem as `select mul-mat --problems` reads it.
    pub query: Option<String>,
    /// How many there are.
    pub count: u64,
    /// The blocks that have them.
    pub blocks: Vec<u64>,
    /// The way.
    pub way: String,
    /// The route.
    pub route: String,
    /// What fusion makes of it: `part of up`, `with gate`, `with sum`; nothing where it stands alone.
    pub fusion: Option<String>,
    /// Main launches of one of them.
    pub launches: u64,
    /// Share of the phase's floating-point operations, 0 to 1.
    pub flops_share: f64,
    /// Share of the phase's bytes, 0 to 1.
    pub bytes_share: f64,
    /// The kernels.
    pub kernels: Vec<ModelKernel>,
    /// The calls of BLAS.
    pub calls: Vec<ModelCall>,
    /// The rule that makes the operation, and its source.
    pub operation_rule: Option<String>,
    /// The rule of ggml's selector that decided.
    pub route_rule: Option<String>,
    /// How the route is known.
    pub evidence: Evidence,
}

/// A kernel of an operation.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelKernel {
    /// The template with its arguments.
    pub name: String,
    /// Its mangled name, where the library has it.
    pub symbol: Option<String>,
    /// Whether the library has it; nothing without a library.
    pub presence: Option<KernelPresence>,
    /// Offset of the code object in the file, or in what it was inflated to.
    pub code_object_offset: Option<u64>,
    /// Vector registers.
    pub vgprs: Option<u64>,
    /// Vector registers that are spilled.
    pub vgpr_spills: Option<u64>,
    /// Scratch per work-item in bytes.
    pub scratch: Option<u64>,
}

/// A call of hipBLAS.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelCall {
    /// The function.
    pub function: String,
    /// Types of operands, result and computation in rocBLAS's letters.
    #[serde(rename = "type")]
    pub ty: String,
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// What is summed over.
    pub k: u64,
    /// Products of one call.
    pub products: u64,
    /// The kernel that rocBLAS chooses, where its catalogs were found.
    pub kernel: Option<String>,
    /// Whether that is one for every target.
    pub fallback: Option<bool>,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
}

/// A change with what it comes to.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelAdvice {
    /// What to change: `-ub 128`, `-fa off`, `weights as q4_0`.
    pub change: String,
    /// The weights that it is about, without block and `.weight`; none where it is about all.
    pub weights: Vec<String>,
    /// The phase that it is about.
    pub phase: String,
    /// Share of floating-point operations that ggml's own kernels make now, 0 to 1.
    pub own_share: f64,
    /// The same with the change.
    pub own_share_then: f64,
    /// Launches of the phase now.
    pub launches: u64,
    /// The same with the change.
    pub launches_then: u64,
    /// Ubatches of the phase now.
    pub ubatches: u64,
    /// The same with the change.
    pub ubatches_then: u64,
    /// Whether the loop over experts on the host goes away.
    pub ends_loop: bool,
    /// The same asked with other sizes of batches.
    pub tried: Vec<ModelTried>,
}

/// A size of batches that was tried.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelTried {
    /// Most tokens that are computed at once.
    pub ubatch: u64,
    /// Share of floating-point operations that ggml's own kernels make, 0 to 1.
    pub own_share: f64,
    /// Launches of the phase.
    pub launches: u64,
    /// Whether the host loops over experts.
    pub loops: bool,
}
