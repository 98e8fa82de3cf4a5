//! Rules of models as written in their files.
//!
//! The build compiles this module too: it reads the files and writes them as constants
//! ([`rule_file`](crate::rule_file)).

use crate::rule_file::{List, Named};
use serde::Deserialize;

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Id of the rule.
    pub id: &'static str,
    /// Source of the rule.
    pub source: &'static str,
    /// Names that `general.architecture` may have.
    #[serde(default)]
    pub architectures: List<&'static str>,
    /// Patterns of names, without block and `.weight`.
    #[serde(default)]
    pub(super) tensors: List<&'static str>,
    /// Allowed numbers of dimensions.
    #[serde(default)]
    pub(super) dimensions: List<usize>,
    /// Weights that the same block must have.
    #[serde(default)]
    pub(super) with: List<&'static str>,
    /// Weights that the same block must not have.
    #[serde(default)]
    pub(super) without: List<&'static str>,
    /// Whether it applies only to the last block.
    #[serde(default)]
    pub(super) last_block: bool,
    /// For operations: what the tensor computes.
    pub makes: Option<Makes>,
    /// For sequences: the dimension that they are, counted from 1.
    pub dimension: Option<u8>,
    /// For columns: whether all tokens are computed, not only the requested rows.
    #[serde(default)]
    pub whole: bool,
    /// For fusion: the blocks in which the following sum is part of the product.
    pub adds: Option<Adds>,
    /// For windows: period of the blocks that see all keys.
    pub period: Option<u64>,
    /// For windows: whether these are the first of each period, not the last.
    #[serde(default)]
    pub first: bool,
    /// A remark.
    #[serde(borrow)]
    pub note: Option<&'static str>,
}

/// What a tensor computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Makes {
    /// No product.
    Nothing,
    /// `MUL_MAT` with two dimensions.
    Product,
    /// `MUL_MAT` with one row.
    Row,
    /// `MUL_MAT` with a matrix for each head.
    Heads,
    /// `MUL_MAT_ID`.
    Experts,
}

/// The blocks in which the sum after a product becomes part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adds {
    /// In none.
    Nowhere,
    /// In all.
    All,
    /// In all but the last.
    ExceptLast,
}

/// The rules of a stage.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageFile {
    pub(super) stage: &'static str,
    pub(super) rules: List<Rule>,
}

/// A trait of some architectures' graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphTrait {
    /// Queries and keys are rotated by halves.
    TurnedByHalves,
    /// Queries and keys are rotated by neighbouring pairs.
    TurnedByPairs,
    /// Queries and keys are rotated by sections.
    TurnedBySections,
    /// Queries and keys are not rotated.
    NotTurned,
    /// Queries and keys are rotated only in blocks with a sliding window, if the model has such blocks.
    TurnedInWindows,
    /// Queries and keys are rotated in all blocks except the last of every n.
    TurnedButEvery,
    /// Norms subtract the mean, with one launch each for norm, weight and bias.
    LayerNorm,
    /// A block has n norms without a weight.
    NormsWithoutWeights,
    /// Queries and keys are normed after the rotation.
    NormsBehindTurning,
    /// Attention and feed-forward part are added up first, then the block's input is added.
    SumsTogether,
    /// The block's input is added to the feed-forward part first, and then to attention.
    SumsApart,
    /// The requested rows are selected from three operands, not two.
    ThreeRows,
    /// Queries are scaled by a separate operation.
    ScaledQueries,
    /// The embedding is scaled.
    ScaledEmbedding,
    /// The shares of the chosen experts are normalised to a sum of one.
    NormedExperts,
    /// Shares are computed only for the chosen experts.
    SharesOfTheChosen,
    /// Shares are sigmoids, unless the metadata says otherwise.
    SigmoidExperts,
    /// The gated unit of experts clamps both operands.
    ClampedUnits,
}

/// The architectures that have a trait.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Having {
    /// Id of the entry.
    pub id: &'static str,
    /// The trait.
    #[serde(rename = "trait")]
    pub of: GraphTrait,
    /// Source of the trait.
    pub source: &'static str,
    /// Names that `general.architecture` may have.
    pub architectures: List<&'static str>,
    /// A number, if the trait has one.
    #[serde(default)]
    pub number: u64,
}

/// The traits of graphs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct TraitsFile {
    pub(super) traits: List<Having>,
}

/// All rules of the converter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Families {
    pub(super) families: List<Family>,
    /// Prefixes of names in a language model.
    pub prefixes: List<&'static str>,
    /// Names for the blocks.
    pub blocks: List<&'static str>,
    /// Prefixes of names outside of the language model.
    pub others: List<&'static str>,
    /// Names that are never converted.
    pub skips: List<&'static str>,
    pub(super) outside: FamilyNames,
    pub(super) inside: FamilyNames,
    /// Fields of config.json by the key made from them.
    pub fields: FamilyNames,
    pub(super) floats: ListedFamily,
    pub(super) quantizations: Quantizations,
}

/// A family: models that become the same llama.cpp architecture.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The architecture.
    pub architecture: &'static str,
    /// Names in `architectures` of config.json.
    pub(super) classes: List<&'static str>,
    /// Names in `model_type`, used if there is no class.
    pub(super) models: List<&'static str>,
    /// Names in blocks that have another role here than elsewhere.
    #[serde(default)]
    pub names: Named<&'static str>,
    /// Roles that are left out.
    #[serde(default)]
    pub drops: List<&'static str>,
    /// Roles whose matrices are transposed.
    #[serde(default)]
    pub transposed: List<&'static str>,
    /// Names that are not converted.
    #[serde(default)]
    pub skips: List<&'static str>,
    /// Number of key and value heads if no field states it; by default the number of query heads.
    pub kv_heads: Option<u64>,
    /// Whether keys and values are compressed, and the projection is absorbed.
    #[serde(default)]
    pub latent: bool,
    pub(super) source: &'static str,
}

/// Names that stand for the same thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyNames {
    pub(super) source: &'static str,
    /// The names by what they stand for.
    pub names: Named<List<&'static str>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedFamily {
    pub(super) source: &'static str,
    pub(super) names: List<&'static str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quantizations {
    pub(super) source: &'static str,
    pub(super) methods: List<Quantization>,
}

/// A form of prequantized weights.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantization {
    /// `quant_method` of config.json.
    pub method: &'static str,
    /// What the converter does with it.
    pub becomes: Becomes,
    /// The type that it becomes, if always the same.
    #[serde(rename = "type")]
    #[serde(borrow)]
    pub ty: Option<&'static str>,
    /// Whether several values are packed into 32 bits.
    #[serde(default)]
    pub packs: bool,
}

/// What the converter does with prequantized weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Becomes {
    /// Converts them to floating point.
    Dequantized,
    /// Repacks them into a ggml type with the same values.
    Repacked,
    /// Stops with an error.
    Refused,
}
