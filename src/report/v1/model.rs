//! The document of `model`.

use super::{
    Claim, Described, Document, Evidence, Found, Header, KernelPresence, ModelAdvice, ModelBatchCost,
    RouteLibrary, Statement,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The kernels that a model uses on cards.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The override that the answer takes as set (`--override`).
    pub claim: Option<Claim>,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The model.
    pub model: ModelFacts,
    /// How it is used.
    pub usage: ModelUsage,
    /// Memory needs of the model as it is; each card has those of its own quantization.
    pub memory: ModelMemory,
    /// The card the user asked about, then the cards to compare with.
    pub cards: Vec<ModelCard>,
    /// The file types of each card beside each other, the cheapest first: what runs and fits, then by bytes
    /// and launches of a token. Empty if the user asks about no other file type.
    pub ranking: Vec<ModelRank>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for ModelReport {
    const DOCUMENT: Document = Document {
        name: "model",
        version: "1.5.0",
        about: "Which kernels a model takes on a card: `model`.",
    };
}

/// What a file type of a model costs on a card, as predicted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelRank {
    /// The target.
    pub target: String,
    /// The file type; `null` for the model as it is.
    pub quantization: Option<String>,
    /// Whether every part of it can run.
    pub runs: bool,
    /// Whether weights and the cache of one sequence fit; `null` if the card's memory is unknown.
    pub fits: Option<bool>,
    /// Bytes of weights on the card.
    pub weights: u64,
    /// Bytes read for the next token.
    pub bytes_of_token: u64,
    /// Launches for the next token.
    pub launches_of_token: u64,
    /// Floating-point operations of the prompt.
    pub flops_of_prefill: u64,
    /// Share of them in ggml's own kernels, 0 to 1.
    pub own_share_of_prefill: f64,
    /// Launches for the prompt.
    pub launches_of_prefill: u64,
    /// The most tokens a second when the next token is computed; `null` if the card's bandwidth is unknown.
    pub tokens_per_second: Option<f64>,
}

/// A model as its files describe it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelFacts {
    /// The files.
    pub files: Vec<String>,
    /// `gguf` or `safetensors`.
    pub format: String,
    /// What the converter makes of the files; `null` for GGUF files. Everything else in this object describes
    /// the converted model.
    pub conversion: Option<ModelConversion>,
    /// Name of the model, if it has one.
    pub name: Option<String>,
    /// `general.architecture`.
    pub architecture: String,
    /// Whether the rules were compared with runs of this architecture; other architectures use the generic
    /// rules.
    pub architecture_observed: bool,
    /// Number of computed blocks.
    pub blocks: u64,
    /// Number of weights.
    pub weights: u64,
    /// Bytes of weights by type.
    pub types: BTreeMap<String, u64>,
    /// Experts in a block; 0 without experts.
    pub experts: u64,
    /// Experts used for each token.
    pub experts_used: u64,
}

/// What `convert_hf_to_gguf.py` of llama.cpp would make of safetensors files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelConversion {
    /// The class in `config.json`: `LlamaForCausalLM`.
    pub class: Option<String>,
    /// Whether the rules know its family; otherwise the generic rule applies.
    pub known: bool,
    /// The type of matrices.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Bytes by type as they are stored.
    pub stored: BTreeMap<String, u64>,
    /// `quant_method` in `config.json`, if the weights are quantized.
    pub quantized: Option<String>,
    /// What the converter does with quantized weights: `dequantized`, `repacked`, `refused`; `null` if
    /// unknown.
    pub becomes: Option<String>,
    /// Number of tensors for images or sound, which go into a separate file.
    pub of_other_parts: u64,
    /// Names that no rule places; they are left out.
    pub unplaced: Vec<String>,
}

/// How a model is used.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelUsage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Most tokens computed at once.
    pub ubatch: u64,
    /// Number of sequences in the phase that decodes several.
    pub sequences: u64,
    /// Tokens in the cache for each sequence.
    pub context: u64,
    /// Type of the cached keys and values.
    pub cache_type: String,
}

/// Memory needs in bytes, without buffers for computation, which are unknown.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelMemory {
    /// Weights on the card.
    pub weights: u64,
    /// Weights that stay on the CPU: the token embedding.
    pub weights_on_cpu: u64,
    /// Keys and values for one sequence.
    pub cache: u64,
    /// Memory of the card as given, else by ROCm's hardware table; `null` if neither has it.
    pub of_card: Option<u64>,
    /// Memory left after weights and the cache of one sequence; negative if they do not fit.
    pub left: Option<i64>,
}

/// How a card runs a model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelCard {
    /// The target.
    pub target: String,
    /// File type from `--quant`: `Q4_0`; `null` for the model as it is.
    pub quantization: Option<String>,
    /// Path of the libraries from `--vs-library`, if this answer is theirs.
    pub beside: Option<String>,
    /// Memory needs.
    pub memory: ModelMemory,
    /// How fast the card is at best; `null` if the question names a processor and no card.
    pub speed: Option<ModelSpeed>,
    /// Bytes of weights by type.
    pub types: BTreeMap<String, u64>,
    /// The target's class in ggml's rules: `GCN`, `CDNA2`, `RDNA3.0`.
    pub class: String,
    /// The version of ggml whose rules answer.
    pub rules: String,
    /// Multiprocessors, used for rocBLAS and for how ggml distributes tiles.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// ggml's library; `null` if none was given, so that kernels were not looked up.
    pub library: Option<RouteLibrary>,
    /// The folder of rocBLAS's catalogs; `null` if none was given, so that its choices are unknown.
    pub rocblas: Option<String>,
    /// Whether attention is one operation.
    pub flash_attention: bool,
    /// Prefill, decode, and decode of several sequences.
    pub phases: Vec<ModelPhase>,
    /// The overall judgement.
    pub verdict: ModelVerdict,
    /// Changes a user can make, each with its effect.
    pub advice: Vec<ModelAdvice>,
    /// What `--ubatch` costs for the prompt beside llama.cpp's default; `null` where it is that.
    pub against_default: Option<ModelBatchCost>,
}

/// How well a model runs on a card.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelVerdict {
    /// `own-kernels`, `partly-rocblas`, `mostly-rocblas`, `slow`, `not-known`, `does-not-run`, or `nothing`
    /// if there is nothing to compute.
    pub outcome: String,
    /// The deciding kind of way, as in the ways of phases.
    pub kind: Option<String>,
    /// The phase that `share` refers to.
    pub phase: Option<String>,
    /// Share of that phase's floating-point operations computed in such ways, 0 to 1.
    pub share: f64,
    /// The judgement in words.
    pub text: String,
}

/// A phase of using a model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelPhase {
    /// `prefill`, `decode` or `batch`.
    pub phase: String,
    /// Tokens of all sequences.
    pub tokens: u64,
    /// Sequences.
    pub sequences: u64,
    /// Number of ubatches.
    pub ubatches: u64,
    /// Floating-point operations of products and attention.
    pub flops: u64,
    /// Bytes read for weights, keys and values.
    pub bytes: u64,
    /// Launches for products, attention, their preparation, and everything between them; a call of BLAS
    /// counts as one.
    pub launches: u64,
    /// Launches of the ubatch with the fewest.
    pub launches_least: u64,
    /// Launches of the ubatch with the most.
    pub launches_most: u64,
    /// Launches between products, by templates: norms, rotations, sums, gated units, the cache.
    pub between: BTreeMap<String, u64>,
    /// What limits the phase.
    pub bound: ModelBound,
    /// The least time that the card needs for the phase, if its bandwidth is known: a bound and no prediction.
    pub least: Option<ModelLeast>,
    /// The ways, ordered by their share of what limits the phase, largest first.
    pub ways: Vec<ModelWay>,
    /// The blocks, then everything outside of blocks, each with the share of each way.
    pub layers: Vec<ModelLayer>,
    /// The operations in the model's order, equal ones merged.
    pub operations: Vec<ModelOperation>,
}

/// The least time of a phase: bytes by the bandwidth of the card's memory, operations by the peaks of its compute
/// units. No run is faster; how near runs are is in `docs/model.md`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelLeast {
    /// The longer of both times in seconds.
    pub seconds: f64,
    /// The most tokens a second, of all sequences.
    pub tokens_per_second: f64,
    /// Seconds to read weights, keys and values that fit in no cache.
    pub memory_seconds: f64,
    /// Seconds to compute products and attention at the peak clock; `null` if clock or compute units are unknown.
    pub arithmetic_seconds: Option<f64>,
    /// The part of the bound that published runs reach; `null` if there are too few, and for models of experts.
    pub reached: Option<ModelReached>,
}

/// What published runs of llama.cpp reach of a bound, where most of the phase takes the same route.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelReached {
    /// Lower quartile of the runs, 0 to 1.
    pub low: f64,
    /// Upper quartile, 0 to 1.
    pub high: f64,
    /// Number of runs.
    pub runs: u32,
    /// Whether they are on cards of the same class; otherwise on cards of all classes.
    pub of_class: bool,
}

/// How fast a card is at best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelSpeed {
    /// Peak bandwidth of its memory in bytes a second.
    pub bandwidth: u64,
    /// Peak clock of its compute units in MHz.
    pub clock_mhz: Option<u32>,
    /// Compute units.
    pub compute_units: Option<u32>,
    /// Bytes in caches that its compute units share.
    pub cache: Option<u64>,
}

/// A block of a model in a phase. An operation that occurs in several blocks is shared evenly among them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelLayer {
    /// Number of the block; `null` for operations outside of blocks, such as the output.
    pub block: Option<u64>,
    /// The ways.
    pub ways: Vec<ModelLayerWay>,
}

/// A way in a block.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelLayerWay {
    /// Index in the ways of the phase.
    pub way: u64,
    /// Share of the phase's floating-point operations, 0 to 1; for decode and several sequences, of its
    /// bytes.
    pub share: f64,
}

/// What limits a phase.
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
    /// Nothing, since code is missing for a part.
    NothingRuns,
}

/// A way in which operations are computed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelWay {
    /// `own-kernel`, `rocblas-tuned`, `rocblas`, `rocblas-fallback`, `rocblas-nothing`, `expert-loop`, `cpu`,
    /// `trap-stub`, `absent`, `no-code-object`, or `not-known` if the library could not be read in full.
    pub kind: String,
    /// ggml's route.
    pub route: String,
    /// The way in words.
    pub way: String,
    /// Whether quantized weights are first converted to halves or floats.
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

/// Operations with the same weight, shape and way.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOperation {
    /// Name of the weight, without block and `.weight`; `attention`, `cache_k`, `cache_v` for attention.
    pub role: String,
    /// `MUL_MAT`, `MUL_MAT_ID`, `FLASH_ATTN_EXT` or `FWHT`.
    pub operation: String,
    /// Type of the weights, or of keys and values.
    #[serde(rename = "type")]
    pub ty: String,
    /// The shape in words: for a product, values in a row, rows and columns.
    pub shape: String,
    /// The problem as `select mul-mat --problems` reads it.
    pub query: Option<String>,
    /// Number of such operations.
    pub count: u64,
    /// The blocks that contain them.
    pub blocks: Vec<u64>,
    /// The way in words.
    pub way: String,
    /// ggml's route.
    pub route: String,
    /// Effect of fusion: `part of up`, `with gate`, `with sum`; `null` if it is not fused.
    pub fusion: Option<String>,
    /// Main launches for one operation.
    pub launches: u64,
    /// Share of the phase's floating-point operations, 0 to 1.
    pub flops_share: f64,
    /// Share of the phase's bytes, 0 to 1.
    pub bytes_share: f64,
    /// The kernels.
    pub kernels: Vec<ModelKernel>,
    /// The calls of BLAS.
    pub calls: Vec<ModelCall>,
    /// The rule behind the operation, with its source.
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
    /// Mangled name, if the library has it.
    pub symbol: Option<String>,
    /// Whether the library has it; `null` without a library.
    pub presence: Option<KernelPresence>,
    /// Offset of the code object in the file, or in the inflated bundle.
    pub code_object_offset: Option<u64>,
    /// Vector registers.
    pub vgprs: Option<u64>,
    /// Spilled vector registers.
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
    /// Length of the sums.
    pub k: u64,
    /// Number of products in one call.
    pub products: u64,
    /// The kernel that rocBLAS chooses, if its catalogs were found.
    pub kernel: Option<String>,
    /// Whether the kernel is one for every target.
    pub fallback: Option<bool>,
    /// Distance from the tuned size, if the choice came from a table.
    pub distance: Option<f64>,
}
