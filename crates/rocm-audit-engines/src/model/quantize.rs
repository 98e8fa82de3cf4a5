//! A model as `llama-quantize` would write it: the type of each weight for a file type.
//!
//! Source: ggml-org/llama.cpp 007dbbf3fd17 `src/llama-quant.cpp` (`tensor_allows_quantization`,
//! `llama_tensor_get_type_impl`, `tensor_type_fallback`), without an importance matrix. `cargo oracle model`
//! compares it with dry runs of 0.7.0.

use super::network::{Network, Weight};
use crate::ggml::types::{self, Type};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::fmt;

/// Source of this module's rules, in the grammar of citations.
pub const SOURCE: &str = "ggml-org/llama.cpp 007dbbf3fd17 src/llama-quant.cpp (llama_tensor_get_type_impl)";

/// A file type: the type of most weights, and which weights get others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileType {
    /// Name on `llama-quantize`'s command line.
    pub name: &'static str,
    /// The type of weights without another rule.
    base: &'static str,
    mix: BitMix,
}

/// Which weights get more bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BitMix {
    /// Only the output.
    None,
    Q2K,
    Q3KM,
    Q3KL,
    Q4KS,
    Q4KM,
    Q5KM,
    Iq4,
    /// Experts in MXFP4, the rest in Q8_0.
    Mxfp4,
}

const fn file_type(name: &'static str, base: &'static str, mix: BitMix) -> FileType {
    FileType { name, base, mix }
}

/// All file types, except those below four bits that need an importance matrix.
pub static FILE_TYPES: [FileType; 20] = [
    file_type("F32", "f32", BitMix::None),
    file_type("F16", "f16", BitMix::None),
    file_type("BF16", "bf16", BitMix::None),
    file_type("Q8_0", "q8_0", BitMix::None),
    file_type("Q4_0", "q4_0", BitMix::None),
    file_type("Q4_1", "q4_1", BitMix::None),
    file_type("Q5_0", "q5_0", BitMix::None),
    file_type("Q5_1", "q5_1", BitMix::None),
    file_type("Q2_K", "q2_K", BitMix::Q2K),
    file_type("Q3_K_S", "q3_K", BitMix::None),
    file_type("Q3_K_M", "q3_K", BitMix::Q3KM),
    file_type("Q3_K_L", "q3_K", BitMix::Q3KL),
    file_type("Q4_K_S", "q4_K", BitMix::Q4KS),
    file_type("Q4_K_M", "q4_K", BitMix::Q4KM),
    file_type("Q5_K_S", "q5_K", BitMix::None),
    file_type("Q5_K_M", "q5_K", BitMix::Q5KM),
    file_type("Q6_K", "q6_K", BitMix::None),
    file_type("IQ4_NL", "iq4_nl", BitMix::Iq4),
    file_type("IQ4_XS", "iq4_xs", BitMix::Iq4),
    file_type("MXFP4_MOE", "mxfp4", BitMix::Mxfp4),
];

/// The error for a word that is not a file type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFileType(pub String);

impl fmt::Display for UnknownFileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = FILE_TYPES.iter().map(|ty| ty.name).collect();
        write!(f, "{:?} is no type of file whose rules are known; expected {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownFileType {}

/// Finds a file type by name, in upper or lower case. `Q4_K` and similar names stand for `Q4_K_M`, as in
/// `llama-quantize`.
///
/// # Errors
///
/// If no rules are known for the name.
pub fn named(name: &str) -> Result<&'static FileType, UnknownFileType> {
    let medium = format!("{name}_M");
    let find = |name: &str| FILE_TYPES.iter().find(|ty| ty.name.eq_ignore_ascii_case(name));
    find(name).or_else(|| find(&medium)).ok_or_else(|| UnknownFileType(name.to_owned()))
}

impl FileType {
    /// The type of weights without another rule.
    pub fn base(&self) -> Option<Type> {
        types::named(self.base).ok()
    }

    /// Whether the converter itself writes such a file.
    pub fn is_float(&self) -> bool {
        self.base().is_some_and(|ty| !ty.is_quantized())
    }
}

/// Parts of names of matrices that are never quantized.
const KEPT: [&str; 22] = [
    "_norm.weight",
    "ffn_gate_inp.weight",
    "ffn_gate_tid2eid.weight",
    "altup",
    "laurel",
    "per_layer_model_proj",
    "position_embd",
    "token_types",
    "ssm_conv1d",
    "shortconv.conv.weight",
    "indexer.k_proj.weight",
    "indexer.q_proj.weight",
    "time_mix_first.weight",
    "time_mix_w",
    "time_mix_v0.weight",
    "time_mix_v1.weight",
    "time_mix_v2.weight",
    "time_mix_a",
    "time_mix_g",
    "time_mix_decay_w",
    "time_mix_lerp_fused.weight",
    "attn_rel_b.weight",
];

/// The model with each weight in the type it would get.
pub fn quantized(network: &Network, file: &FileType) -> Network {
    let mut other = network.clone();
    let Some(base) = file.base() else { return other };
    let mut order: Vec<usize> = (0..other.weights.len()).collect();
    // llama.cpp processes blocks in their order.
    order.sort_rows_by_key(|at| other.weights.get(*at).and_then(|weight| weight.block));
    let mut state = State::for_network(network, file);
    for at in order {
        let Some(weight) = other.weights.get_mut(at) else { continue };
        if !allows(weight) {
            continue;
        }
        let ty = if base.is_quantized() { state.fitting(weight, state.chosen(weight, base)) } else { base };
        state.count(weight);
        weight.ty = Some(ty);
        weight.bytes = bytes(weight, ty);
    }
    other
}

fn bytes(weight: &Weight, ty: Type) -> Option<u64> {
    let (row, rest) = weight.shape.split_first()?;
    let blocks = row.is_multiple_of(ty.qk).then_some(row / ty.qk)?;
    rest.iter().try_fold(blocks.checked_mul(ty.block_bytes)?, |bytes, size| bytes.checked_mul(*size))
}

fn allows(weight: &Weight) -> bool {
    let dimensions = weight.shape.iter().rposition(|size| *size > 1).map_or(1, |last| last + 1);
    dimensions >= 2 && weight.name.ends_with("weight") && !KEPT.iter().any(|part| weight.name.contains(part))
}

fn is_values(role: &str) -> bool {
    matches!(role, "attn_v" | "attn_qkv" | "attn_kv_b")
}

/// State that the choice depends on, in addition to the weight.
struct State<'a> {
    network: &'a Network,
    file: &'a FileType,
    is_tied: bool,
    experts: u64,
    /// Query heads for each key and value head.
    grouped: u64,
    /// Number of value weights, and how many came before.
    values: (u64, u64),
    /// The same for the down projections of the feed-forward parts; their expected number is that of blocks.
    down: (u64, u64),
}

fn type_of(name: &str, or: Type) -> Type {
    types::named(name).unwrap_or(or)
}

/// Selects blocks at both ends, and every third between.
fn more_bits(at: u64, of: u64) -> bool {
    let eighth = of / 8;
    at < eighth || at >= of.saturating_mul(7) / 8 || at.saturating_sub(eighth) % 3 == 2
}

impl<'a> State<'a> {
    fn for_network(network: &'a Network, file: &'a FileType) -> Self {
        let values = network.weights.iter().filter(|weight| is_values(&weight.role)).count() as u64;
        let heads = (0..network.blocks).find_map(|block| network.attention(block));
        State {
            network,
            file,
            is_tied: !network.has(None, "output"),
            experts: network.of_architecture("expert_count").unwrap_or(0),
            grouped: heads.map_or(1, |heads| heads.heads / heads.kv_heads.max(1)),
            values: (values, 0),
            down: (network.blocks, 0),
        }
    }

    fn count(&mut self, weight: &Weight) {
        if is_values(&weight.role) {
            self.values.1 += 1;
        } else if weight.role.contains("ffn_down") {
            self.down.1 += 1;
        }
    }

    /// Index of a down projection, and their number: with experts that of the block, without them a count.
    fn place(&self, weight: &Weight) -> (u64, u64) {
        let at = if self.experts > 1 { weight.block.unwrap_or(0) } else { self.down.1 };
        (at, self.down.0)
    }

    fn chosen(&self, weight: &Weight, base: Type) -> Type {
        let role = weight.role.as_str();
        let (mix, is_falcon) = (self.file.mix, self.network.architecture == "falcon");
        let of = |name: &str| type_of(name, base);
        if weight.block.is_none() && (role == "output" || self.is_tied && role == "token_embd") {
            let row = weight.shape.first().copied().unwrap_or(0);
            return match base.name {
                _ if mix == BitMix::Mxfp4 || is_falcon || !row.is_multiple_of(base.qk) => of("q8_0"),
                "q8_0" => base,
                _ => of("q6_K"),
            };
        }
        if mix == BitMix::Mxfp4 {
            return if weight.shape.get(2).is_some_and(|experts| *experts > 1) { base } else { of("q8_0") };
        }
        if weight.block.is_none() && role == "token_embd" {
            return base;
        }
        match role {
            _ if is_values(role) => self.of_values(base),
            "attn_k" if self.experts == 8 => of("q8_0"),
            _ if role.contains("ffn_down") => self.of_down(weight, base, is_falcon),
            "attn_output" => self.of_output(base, is_falcon),
            _ => base,
        }
    }

    fn of_values(&self, base: Type) -> Type {
        let of = |name: &str| type_of(name, base);
        let (all, at) = self.values;
        let mut ty = match self.file.mix {
            BitMix::Q2K if self.grouped >= 4 => of("q4_K"),
            BitMix::Q2K => of("q3_K"),
            BitMix::Q3KM if at < 2 => of("q5_K"),
            BitMix::Q3KM => of("q4_K"),
            BitMix::Q3KL => of("q5_K"),
            BitMix::Iq4 if self.grouped >= 4 => of("q5_K"),
            BitMix::Q4KM | BitMix::Q5KM if more_bits(at, all) => of("q6_K"),
            BitMix::Q4KS if at < 4 => of("q5_K"),
            _ => base,
        };
        // Models with 70 billion weights: eight heads share their values.
        let is_large =
            self.network.blocks == 80 && matches!(self.network.architecture.as_str(), "llama" | "qwen2");
        if is_large && self.grouped > 1 && matches!(ty.name, "q3_K" | "q4_K") {
            ty = of("q5_K");
        }
        if self.experts == 8 { of("q8_0") } else { ty }
    }

    fn of_down(&self, weight: &Weight, base: Type, is_falcon: bool) -> Type {
        let of = |name: &str| type_of(name, base);
        let (at, all) = self.place(weight);
        match self.file.mix {
            BitMix::Q2K => of("q3_K"),
            BitMix::Q3KM if at < all / 16 => of("q5_K"),
            BitMix::Q3KM if !is_falcon || more_bits(at, all) => of("q4_K"),
            BitMix::Q3KL if is_falcon => of("q4_K"),
            BitMix::Q3KL => of("q5_K"),
            BitMix::Q4KM if is_falcon && at < all / 16 => of("q6_K"),
            BitMix::Q4KM if is_falcon && more_bits(at, all) => of("q5_K"),
            BitMix::Q4KM if !is_falcon && more_bits(at, all) => of("q6_K"),
            BitMix::Iq4 if at < all / 8 => of("q5_K"),
            BitMix::Q5KM if more_bits(at, all) => of("q6_K"),
            BitMix::Q4KS if !is_falcon && at < all / 8 => of("q5_K"),
            _ => base,
        }
    }

    fn of_output(&self, base: Type, is_falcon: bool) -> Type {
        let of = |name: &str| type_of(name, base);
        let is_small =
            matches!(self.file.mix, BitMix::Q2K | BitMix::Q3KM | BitMix::Q4KS | BitMix::Q4KM | BitMix::Iq4)
                || self.file.name == "Q3_K_S";
        match self.file.mix {
            BitMix::Q3KL if is_falcon => of("q4_K"),
            _ if is_falcon => base,
            _ if self.experts == 8 => {
                if is_small {
                    of("q5_K")
                } else {
                    base
                }
            }
            BitMix::Q2K => of("q3_K"),
            BitMix::Q3KM => of("q4_K"),
            BitMix::Q3KL => of("q5_K"),
            _ => base,
        }
    }

    /// The type, or another one if rows are not a whole number of its blocks.
    fn fitting(&self, weight: &Weight, ty: Type) -> Type {
        let row = weight.shape.first().copied().unwrap_or(0);
        if row.is_multiple_of(ty.qk) {
            return ty;
        }
        let other = match ty.name {
            "iq4_xs" => "iq4_nl",
            "q2_K" | "q3_K" => "q4_0",
            "q4_K" => "q5_0",
            "q5_K" => "q5_1",
            "q6_K" => "q8_0",
            _ => "f16",
        };
        let other = type_of(other, ty);
        if row.is_multiple_of(other.qk) { other } else { type_of("f16", ty) }
    }
}
