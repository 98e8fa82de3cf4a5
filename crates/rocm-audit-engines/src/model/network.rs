//! A model as its files describe it: weights by block, and the numbers that determine their use.

use super::gguf::{Header, Tensor, Value};
use super::rules::ENCODERS;
use crate::ggml::types::Type;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A model in one file, or split into several.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// `general.architecture`; empty if no file states it.
    pub architecture: String,
    /// `general.name`.
    pub name: Option<String>,
    /// Number of computed blocks.
    pub blocks: u64,
    /// The weights, in the order of the files.
    pub weights: Vec<Weight>,
    /// Number of files according to `split.count`.
    pub files_announced: u64,
    /// Shared by copies: a hostile file has much of it.
    metadata: Arc<BTreeMap<String, Value>>,
    /// Indices of the weights by block and role.
    names: HashMap<Option<u64>, HashMap<String, usize>>,
    biases: HashMap<Option<u64>, HashSet<String>>,
}

/// A weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// Full name of the tensor.
    pub name: String,
    /// The block that contains it.
    pub block: Option<u64>,
    /// Name without block and `.weight`.
    pub role: String,
    /// Type; `None` if ggml has none with the number.
    pub ty: Option<Type>,
    /// Dimensions, innermost first.
    pub shape: Vec<u64>,
    /// Size of its data in bytes, if known.
    pub bytes: Option<u64>,
}

/// Attention in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads {
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and values in the cache.
    pub kv_heads: u64,
    /// Size of a key.
    pub key: u64,
    /// Size of a value.
    pub value: u64,
    /// Keys that a token sees in a sliding window, if there is one.
    pub window: Option<u64>,
    /// Whether there are attention sinks.
    pub sinks: bool,
    /// Whether values are part of the keys, which are stored once: `MLA` with absorbed projections.
    pub absorbed: bool,
}

/// Limit for the number of blocks; the largest known models have below 200.
pub const BLOCKS: u64 = 4096;

impl Network {
    /// Joins a model's files in their order. Metadata comes from the first file that states it.
    pub fn from_headers(headers: &[Header]) -> Self {
        let mut metadata = BTreeMap::new();
        for (key, value) in headers.iter().flat_map(|header| &header.metadata) {
            metadata.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Network::with(metadata, headers)
    }

    /// The same, which takes the metadata out of the headers: those of a hostile file are large.
    pub fn taking(headers: &mut [Header]) -> Self {
        let mut metadata = BTreeMap::new();
        for (key, value) in headers.iter_mut().flat_map(|header| std::mem::take(&mut header.metadata)) {
            metadata.entry(key).or_insert(value);
        }
        Network::with(metadata, headers)
    }

    fn with(metadata: BTreeMap<String, Value>, headers: &[Header]) -> Self {
        let mut network = Network { metadata: Arc::new(metadata), ..Network::default() };
        network.architecture = network.text("general.architecture").unwrap_or_default().to_owned();
        network.name = network.text("general.name").map(str::to_owned);
        network.files_announced = network.whole("split.count").unwrap_or(1).max(1);
        for tensor in headers.iter().flat_map(|header| &header.tensors) {
            network.add(tensor);
        }
        let highest = network.weights.iter().filter_map(|weight| weight.block).max();
        let counted = highest.map_or(0, |block| block.saturating_add(1));
        // Blocks that predict further tokens follow the others, and are not computed.
        let ahead = network.of_architecture("nextn_predict_layers").unwrap_or(0);
        let stated = network.of_architecture("block_count");
        network.blocks = stated.unwrap_or(counted).saturating_sub(ahead).min(BLOCKS);
        network
    }

    fn add(&mut self, tensor: &Tensor) {
        let (block, role) = place(&tensor.name);
        if let Some(role) = role.strip_suffix(".bias") {
            self.biases.entry(block).or_default().insert(role.to_owned());
            return;
        }
        let role = role.strip_suffix(".weight").unwrap_or(role).to_owned();
        let of_block = self.names.entry(block).or_default();
        if let Entry::Vacant(free) = of_block.entry(role.clone()) {
            free.insert(self.weights.len());
            self.weights.push(Weight {
                name: tensor.name.clone(),
                block,
                role,
                ty: tensor.ty(),
                shape: tensor.shape.clone(),
                bytes: tensor.bytes(),
            });
        }
    }

    /// The model with other types: changes those weights with these roles and types whose rows are whole
    /// blocks of `ty`. `None` if there are none.
    pub fn requantized(&self, ty: Type, which: &[(String, Type)]) -> Option<Network> {
        let mut other = self.clone();
        let mut changed = false;
        let which: HashSet<(&str, u16)> = which.iter().map(|(role, ty)| (role.as_str(), ty.number)).collect();
        for weight in &mut other.weights {
            let is_asked = weight.ty.is_some_and(|ty| which.contains(&(weight.role.as_str(), ty.number)));
            let fits = weight.shape.first().is_some_and(|row| row.is_multiple_of(ty.qk));
            if fits && weight.ty != Some(ty) && is_asked {
                weight.ty = Some(ty);
                changed = true;
            }
        }
        changed.then_some(other)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::text)
    }

    fn whole(&self, key: &str) -> Option<u64> {
        self.metadata.get(key).and_then(Value::unsigned)
    }

    /// The value of a key that is prefixed with the architecture's name.
    fn value(&self, key: &str) -> Option<&Value> {
        self.metadata.get(&format!("{}.{key}", self.architecture))
    }

    /// The same as an integer.
    pub fn of_architecture(&self, key: &str) -> Option<u64> {
        self.value(key).and_then(Value::unsigned)
    }

    /// The same as a number.
    pub fn float_of_architecture(&self, key: &str) -> Option<f64> {
        self.value(key).and_then(Value::float)
    }

    /// The same as a boolean.
    pub fn bool_of_architecture(&self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Value::Bool(value) => Some(*value),
            other => other.unsigned().map(|number| number != 0),
        }
    }

    /// The value of a key in the general metadata: `file_type`, `quantized_by`, …
    pub fn general(&self, key: &str) -> Option<&Value> {
        self.metadata.get(&format!("general.{key}"))
    }

    /// Whether a block has a weight with a role; without a block, whether the model has.
    pub fn has(&self, block: Option<u64>, role: &str) -> bool {
        self.names.get(&block).is_some_and(|of_block| of_block.contains_key(role))
    }

    /// The weight with a block and a role.
    pub fn weight(&self, block: Option<u64>, role: &str) -> Option<&Weight> {
        self.weights.get(*self.names.get(&block)?.get(role)?)
    }

    /// Whether a weight has a bias.
    pub fn has_bias(&self, block: Option<u64>, role: &str) -> bool {
        self.biases.get(&block).is_some_and(|of_block| of_block.contains(role))
    }

    /// Whether the model processes a whole text at once and keeps no cache.
    pub fn is_encoder(&self) -> bool {
        ENCODERS.contains(&self.architecture.as_str())
    }

    /// Experts used for each token.
    pub fn experts_used(&self) -> u64 {
        self.of_architecture("expert_used_count").unwrap_or(0)
    }

    /// Whether attention uses soft capping.
    pub fn is_capped(&self) -> bool {
        self.float_of_architecture("attn_logit_softcapping").is_some_and(|cap| cap != 0.0)
    }

    /// Attention in a block; `None` if it has none, or its metadata does not state the size of heads.
    pub fn attention(&self, block: u64) -> Option<Heads> {
        const QUERIES: [&str; 4] = ["attn_q", "attn_qkv", "attn_q_a", "attn_kv_a_mqa"];
        if !QUERIES.iter().any(|role| self.has(Some(block), role)) {
            return None;
        }
        let heads = self.value("attention.head_count")?.of_layer(block).filter(|heads| *heads > 0)?;
        let kv_heads = self.value("attention.head_count_kv").and_then(|value| value.of_layer(block));
        let own = || Some(self.of_architecture("embedding_length")? / heads);
        let key = self.of_architecture("attention.key_length").or_else(own)?;
        let value = self.of_architecture("attention.value_length").or_else(own)?;
        let absorbed = self.has(Some(block), "attn_k_b");
        let kv_heads = if absorbed { 1 } else { kv_heads.unwrap_or(heads) };
        if kv_heads == 0 || key == 0 || value == 0 {
            return None;
        }
        let window = self.window(block);
        let sinks = self.has(Some(block), "attn_sinks");
        Some(Heads { heads, kv_heads, key, value, window, sinks, absorbed })
    }

    /// Bytes of keys and values for one sequence of `context` tokens.
    pub fn cache_bytes(&self, context: u64, ubatch: u64, ty: Type) -> u64 {
        if self.is_encoder() {
            return 0;
        }
        let of_block = |heads: Heads| {
            let slots = match heads.window {
                Some(window) => window.saturating_add(ubatch).min(context),
                None => context,
            };
            // Absorbed values are part of the keys.
            let head = if heads.absorbed { heads.key } else { heads.key.saturating_add(heads.value) };
            let values = slots.saturating_mul(heads.kv_heads).saturating_mul(head);
            (values / ty.qk).saturating_mul(ty.block_bytes)
        };
        let blocks = (0..self.blocks).filter_map(|block| self.attention(block));
        blocks.fold(0, |sum: u64, heads| sum.saturating_add(of_block(heads)))
    }

    /// Keys that a block's window lets a token see.
    fn window(&self, block: u64) -> Option<u64> {
        let window = self.of_architecture("attention.sliding_window").filter(|window| *window > 0)?;
        // A pattern in the metadata states for every block whether its window slides, or how often a block's
        // does not.
        let slides = match self.value("attention.sliding_window_pattern") {
            Some(Value::Array(array)) => {
                array.numbers.get(usize::try_from(block).ok()?).is_some_and(|slides| *slides != 0)
            }
            Some(stated) => stated.unsigned().is_some_and(|period| period > 0 && block % period < period - 1),
            None => self.slides_by_architecture(block),
        };
        slides.then_some(window)
    }

    fn slides_by_architecture(&self, block: u64) -> bool {
        let mut rules = super::rules::rules().stage("windows");
        let rule = rules.find(|rule| rule.architectures.has(&self.architecture));
        match rule.and_then(|rule| Some((rule.period?, rule.first))) {
            Some((period, true)) => !block.is_multiple_of(period),
            Some((period, false)) => block % period < period - 1,
            None => false,
        }
    }
}

/// Splits the name of a tensor into block and rest: `blk.3.attn_q.weight`.
fn place(name: &str) -> (Option<u64>, &str) {
    let cut = name.strip_prefix("blk.").and_then(|rest| rest.split_once('.'));
    match cut.and_then(|(block, rest)| Some((block.parse().ok()?, rest))) {
        Some((block, rest)) => (Some(block), rest),
        None => (None, name),
    }
}
