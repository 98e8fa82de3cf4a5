//! The products that a model computes for a batch of tokens, by the rules.

use super::network::{Heads, Network, Weight};
use super::rules::{Makes, QuantizationRules, Rule, TensorProperties, rules};
use crate::ggml::query::{FlashAttention, MulMat, MulMatId};
use crate::ggml::rules::Precision;
use crate::ggml::types::{self, Type};

/// A batch: tokens of sequences, and how much of these is in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Batch {
    /// Tokens of one sequence.
    pub tokens: u64,
    /// Sequences.
    pub sequences: u64,
    /// Requested result rows, over all sequences.
    pub outputs: u64,
    /// Cached tokens of the longest sequence, including those of the batch.
    pub position: u64,
    /// Whether a sequence begins with it, so that its state is cleared.
    pub begins: bool,
}

/// The settings of llama.cpp that operations depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Whether attention is one operation.
    pub flash: bool,
    /// Type of the cached keys and values.
    pub cache: Type,
    /// Most tokens computed at once, `n_ubatch`.
    pub ubatch: u64,
    /// Tokens of a sequence that fit in the cache, `n_ctx`.
    pub context: u64,
}

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The block that contains it.
    pub block: Option<u64>,
    /// Name of the weight without block and `.weight`; `cache_k`, `cache_v` and `attention` for attention.
    pub role: String,
    /// Index of the weight in the model.
    pub weight: Option<usize>,
    /// The computation.
    pub product: Product,
    /// The rule behind it; `None` for attention.
    pub rule: Option<&'static Rule>,
}

/// Kinds of computations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Product {
    /// `MUL_MAT`.
    MulMat(MulMat, Depth),
    /// `MUL_MAT_ID`, and the columns of the other operand for each token.
    Experts(MulMatId, u64),
    /// `FLASH_ATTN_EXT`.
    Attention(Flash),
    /// The Hadamard transform for a quantized cache: size, columns.
    Hadamard(u64, u64),
}

/// The third and fourth dimensions of both operands of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Depth {
    pub ne02: u64,
    pub ne12: u64,
    pub ne03: u64,
    pub ne13: u64,
}

/// Attention as one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flash {
    /// The problem of one sequence.
    pub query: FlashAttention,
    /// Sequences.
    pub streams: u64,
    /// Whether there are attention sinks.
    pub sinks: bool,
    /// Whether attention uses soft capping.
    pub capped: bool,
    /// Whether values are part of the keys.
    pub absorbed: bool,
}

impl Heads {
    fn bounded(&self) -> Heads {
        let [heads, kv_heads, key, value] =
            [self.heads, self.kv_heads, self.key, self.value].map(|number| number.min(MOST));
        Heads { heads, kv_heads, key, value, ..*self }
    }
}

impl Depth {
    /// The depth for matrices.
    pub const FLAT: Depth = Depth { ne02: 1, ne12: 1, ne03: 1, ne13: 1 };

    /// Whether both operands are matrices.
    pub fn is_flat(self) -> bool {
        self == Depth::FLAT
    }

    /// Number of products.
    pub fn products(self) -> u64 {
        self.ne12.saturating_mul(self.ne13)
    }
}

impl Product {
    /// Floating-point operations, two for each multiplication.
    pub fn flops(&self) -> u128 {
        let all = |factors: &[u64]| {
            factors.iter().fold(2_u128, |sum, factor| sum.saturating_mul(u128::from(*factor)))
        };
        match self {
            Product::MulMat(p, depth) => all(&[p.k, p.n, p.ne11, depth.products()]),
            Product::Experts(p, _) => all(&[p.k, p.n, p.tokens, p.used]),
            Product::Attention(flash) => {
                let p = &flash.query;
                all(&[p.dk.saturating_add(p.dv), p.queries, p.heads, p.keys, flash.streams])
            }
            Product::Hadamard(..) => 0,
        }
    }

    /// Bytes read for weights, keys and values: each once; for experts, at most those that tokens use.
    pub fn bytes(&self) -> u128 {
        let of =
            |ty: Type, values: u128| values.saturating_mul(u128::from(ty.block_bytes)) / u128::from(ty.qk);
        match self {
            Product::MulMat(p, depth) => {
                let matrices = u128::from(depth.ne02) * u128::from(depth.ne03);
                of(p.ty, u128::from(p.k) * u128::from(p.n) * matrices)
            }
            Product::Experts(p, _) => {
                let experts = p.experts.min(p.tokens.saturating_mul(p.used));
                of(p.ty, u128::from(p.k) * u128::from(p.n) * u128::from(experts))
            }
            Product::Attention(flash) => {
                let p = &flash.query;
                let key = if flash.absorbed { p.dk } else { p.dk.saturating_add(p.dv) };
                let values = u128::from(key) * u128::from(p.keys) * u128::from(p.kv_heads);
                of(p.ty, values.saturating_mul(u128::from(flash.streams)))
            }
            Product::Hadamard(..) => 0,
        }
    }
}

/// Largest dimension, since ggml uses 32-bit numbers.
const MOST: u64 = i32::MAX as u64;

impl Batch {
    /// Tokens of all sequences.
    pub fn all_tokens(&self) -> u64 {
        self.tokens.saturating_mul(self.sequences).min(MOST)
    }

    fn bounded(&self) -> Batch {
        let Batch { tokens, sequences, outputs, position, begins } = *self;
        let [tokens, sequences] = [tokens.min(MOST), sequences.min(MOST)];
        Batch { tokens, sequences, outputs: outputs.min(MOST), position: position.min(MOST), begins }
    }
}

/// Number of keys in a product of attention: those in the cache up to the last, in steps of 256.
pub fn keys(heads: &Heads, batch: &Batch, settings: &Settings) -> u64 {
    const STEP: u64 = 256;
    let seen = batch.position.min(MOST).next_multiple_of(STEP).max(STEP);
    let slots = match heads.window {
        // llama-kv-cache-iswa.cpp: a window, plus the tokens of a batch.
        Some(window) => {
            window.saturating_add(settings.ubatch).next_multiple_of(STEP).min(settings.context.max(STEP))
        }
        None => u64::MAX,
    };
    seen.min(slots)
}

/// The operations of a batch, in the order of the model's weights, followed by those of attention. Operations
/// without columns are left out.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn operations(
    network: &Network,
    batch: &Batch,
    settings: &Settings,
) -> Result<Vec<Operation>, &'static str> {
    let batch = &batch.bounded();
    let maker = Maker { network, batch, settings, rules: rules() };
    let mut all = Vec::new();
    for (place, weight) in network.weights.iter().enumerate() {
        if weight.block.is_some_and(|block| block >= network.blocks) {
            continue;
        }
        all.extend(maker.of_weight(place, weight));
    }
    for block in 0..network.blocks {
        if let Some(heads) = network.attention(block) {
            all.extend(maker.attention(block, &heads));
        }
    }
    all.retain(|operation| {
        operation.product.flops() > 0 || matches!(operation.product, Product::Hadamard(..))
    });
    Ok(all)
}

struct Maker<'a> {
    network: &'a Network,
    batch: &'a Batch,
    settings: &'a Settings,
    rules: &'static QuantizationRules,
}

impl Maker<'_> {
    fn of_weight(&self, place: usize, weight: &Weight) -> Option<Operation> {
        let network = self.network;
        let beside = |role: &str| network.has(weight.block, role);
        let asked = TensorProperties {
            architecture: &network.architecture,
            role: &weight.role,
            dimensions: weight.shape.len(),
            is_last_block: weight.block.is_some_and(|block| block + 1 == network.blocks),
            beside: &beside,
        };
        let rule = self.rules.first("operations", &asked)?;
        let ty = weight.ty?;
        let columns = match self.rules.first("columns", &asked) {
            Some(rule) if !rule.whole && !network.is_encoder() => self.batch.outputs,
            _ => self.batch.all_tokens(),
        };
        let precision = match self.rules.first("precision", &asked) {
            Some(_) => Precision::F32,
            None => Precision::Default,
        };
        let size = |at: usize| weight.shape.get(at).copied().unwrap_or(1).min(MOST);
        let mul_mat = |n, ne11| MulMat { ty, k: size(0), n, ne11, precision };
        let apart = self.rules.first("sequences", &asked).and_then(|rule| rule.dimension);
        let apart = apart.filter(|_| self.batch.sequences > 1);
        let product = match rule.makes? {
            Makes::Nothing => return None,
            Makes::Row => Product::MulMat(mul_mat(1, columns), Depth::FLAT),
            Makes::Experts => {
                let used = network.experts_used().min(MOST);
                let (k, n, experts) = (size(0), size(1), size(2));
                let query = MulMatId { ty, k, n, experts, used, tokens: columns };
                Product::Experts(query, if weight.role.contains("down") { used } else { 1 })
            }
            Makes::Product | Makes::Heads => {
                let heads = size(2);
                let depth = Depth { ne02: heads, ne12: heads, ne03: 1, ne13: 1 };
                let (tokens, sequences) = (self.batch.tokens, self.batch.sequences);
                match apart {
                    Some(3) => Product::MulMat(mul_mat(size(1), tokens), Depth { ne12: sequences, ..depth }),
                    Some(4) => Product::MulMat(mul_mat(size(1), tokens), Depth { ne13: sequences, ..depth }),
                    _ => Product::MulMat(mul_mat(size(1), columns), depth),
                }
            }
        };
        let (block, role) = (weight.block, weight.role.clone());
        Some(Operation { block, role, weight: Some(place), product, rule: Some(rule) })
    }

    fn attention(&self, block: u64, heads: &Heads) -> Vec<Operation> {
        let (batch, settings) = (self.batch, self.settings);
        let heads = &heads.bounded();
        let encoder = self.network.is_encoder();
        let keys = if encoder { batch.tokens } else { keys(heads, batch, settings) };
        let operation = |role: &str, product| Operation {
            block: Some(block),
            role: role.to_owned(),
            weight: None,
            product,
            rule: None,
        };
        let half = types::named("f16").unwrap_or(settings.cache);
        let mut all = Vec::new();
        // A cache of keys only is not rotated (build_attn of llm_graph_input_attn_k).
        if settings.cache.is_quantized() && !encoder && !heads.absorbed {
            all.extend(self.rotations(heads).into_iter().map(|(role, product)| operation(role, product)));
        }
        if settings.flash {
            let query = FlashAttention {
                ty: if encoder { half } else { settings.cache },
                dk: heads.key,
                dv: heads.value,
                queries: batch.tokens,
                heads: heads.heads,
                kv_heads: heads.kv_heads,
                keys,
                mask: true,
            };
            let (streams, sinks, capped) = (batch.sequences, heads.sinks, self.network.is_capped());
            let absorbed = heads.absorbed;
            let flash = Flash { query, streams, sinks, capped, absorbed };
            all.push(operation("attention", Product::Attention(flash)));
            return all;
        }
        // llama-graph.cpp, build_attn_mha: keys are multiplied in F32, values in their own type.
        let depth =
            Depth { ne02: heads.kv_heads, ne12: heads.heads, ne03: batch.sequences, ne13: batch.sequences };
        let (key, value, ne11) = (heads.key, heads.value, batch.tokens);
        let scores = MulMat { ty: settings.cache, k: key, n: keys, ne11, precision: Precision::F32 };
        let sums = MulMat { ty: half, k: keys, n: value, ne11, precision: Precision::Default };
        all.push(operation("cache_k", Product::MulMat(scores, depth)));
        all.push(operation("cache_v", Product::MulMat(sums, depth)));
        all
    }

    /// Keys and values are rotated before they are quantized, and queries and results with them
    /// (`llama_mul_mat_hadamard`; observed with llama.cpp 0.7.0).
    fn rotations(&self, heads: &Heads) -> Vec<(&'static str, Product)> {
        const VALUES: u64 = 64;
        let keys = 1_u64 << heads.key.trailing_zeros().min(16);
        let tokens = self.batch.all_tokens();
        let columns =
            |size: u64, of: u64, head: u64| tokens.saturating_mul(of).saturating_mul(head) / size.max(1);
        let turned = |size, of, head| Product::Hadamard(size, columns(size, of, head));
        vec![
            ("attn_inp_k_rot", turned(keys, heads.heads, heads.key)),
            ("attn_inp_k_rot", turned(keys, heads.kv_heads, heads.key)),
            ("attn_inp_v_rot", turned(VALUES, heads.kv_heads, heads.value)),
            ("attn_inp_v_rot", turned(VALUES, heads.heads, heads.value)),
        ]
    }
}
