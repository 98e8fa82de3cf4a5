//! Converts Hugging Face models as llama.cpp would: makes its converter's names, types and metadata from
//! headers.
//!
//! llama.cpp reads only GGUF; `convert_hf_to_gguf.py` makes it from safetensors and `config.json`. Here the
//! same is done with names and shapes only ([`families`](super::families) has the rules), so that all later
//! stages work on a GGUF header.

use super::config::Config;
use super::families::{Becomes, Families, Family, Quantization, families};
use super::gguf::{self, Value};
use super::safetensors::StoredTensor;
use crate::ggml::types::{self, Type};
use crate::rule_file::List;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The result of the conversion.
#[derive(Debug, Default)]
pub struct Conversion {
    /// The header of the file that the converter would write.
    pub header: gguf::Header,
    /// The class in `config.json`.
    pub class: Option<String>,
    /// Whether that class, or `model_type`, belongs to a known family.
    pub is_known: bool,
    /// The type of matrices; `None` without matrices.
    pub ty: Option<Type>,
    /// Whether the type follows the file's own types, as with `--outtype auto`.
    pub follows_file: bool,
    /// Bytes by type as they are stored.
    pub stored: BTreeMap<String, u64>,
    /// The quantization of the original weights, and what the converter does with it; `None` if unknown.
    pub quantized: Option<(String, Option<Becomes>)>,
    /// Number of tensors for images or sound.
    pub of_other_parts: u64,
    /// Names that no rule places, if the family is known.
    pub unplaced: BTreeSet<String>,
    /// Whether head sizes were derived from shapes because `config.json` leaves them to defaults.
    pub heads_of_shapes: bool,
}

/// The model's own type, as chosen by `--outtype auto`: that of the first 16-bit matrix, else F16.
fn own_type(tensors: &[StoredTensor]) -> &'static str {
    let mut found = tensors.iter().filter(|t| t.shape.len() >= 2);
    match found.find(|t| matches!(t.dtype.as_str(), "BF16" | "F16")) {
        Some(tensor) if tensor.dtype == "BF16" => "bf16",
        _ => "f16",
    }
}

/// Converts a model; `ty` is the type of matrices, by default the model's own.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn convert(
    tensors: &[StoredTensor],
    config: &Config,
    ty: Option<Type>,
) -> Result<Conversion, &'static str> {
    let rules = families();
    let family = rules.find_family(config.class(), config.model_type());
    let own = types::named(own_type(tensors)).map_err(|_| "f16 is no type")?;
    let method = config.quantization();
    let known = method.as_ref().and_then(|(method, _)| rules.quantization(method));
    let mut converter = Converter {
        rules,
        family,
        config,
        ty: ty.unwrap_or(own),
        quantization: known,
        bits: method.as_ref().and_then(|(_, bits)| *bits).unwrap_or(4).clamp(1, 32),
        experts: HashMap::new(),
        made: Conversion {
            class: config.class().map(str::to_owned),
            is_known: family.is_some(),
            ty: Some(ty.unwrap_or(own)),
            follows_file: ty.is_none(),
            quantized: method.map(|(method, _)| (method, known.map(|known| known.becomes))),
            ..Conversion::default()
        },
    };
    for tensor in tensors {
        let bytes = converter.made.stored.entry(tensor.dtype.to_ascii_lowercase()).or_default();
        *bytes = bytes.saturating_add(tensor.bytes);
        converter.tensor(tensor);
    }
    Ok(converter.finished())
}

struct Converter<'a> {
    rules: &'static Families,
    family: Option<&'static Family>,
    config: &'a Config,
    ty: Type,
    quantization: Option<&'static Quantization>,
    /// Bits for each packed value.
    bits: u64,
    /// Indices in the header of tensors that join single experts, by name.
    experts: HashMap<String, usize>,
    made: Conversion,
}

/// A parsed name.
struct Name<'a> {
    block: Option<u64>,
    /// The part after the block, without suffix.
    rest: &'a str,
    /// The index of a single expert, and the name without it.
    expert: Option<String>,
    is_bias: bool,
}

impl<'a> Name<'a> {
    fn convert(rules: &Families, name: &'a str) -> Self {
        let plain = rules.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        let in_block = rules.blocks.iter().find_map(|blocks| {
            let (number, rest) = plain.strip_prefix(blocks)?.split_once('.')?;
            Some((number.parse::<u64>().ok()?, rest))
        });
        let (block, rest) = in_block.map_or((None, plain), |(block, rest)| (Some(block), rest));
        let is_bias = rest.ends_with(".bias");
        let rest = rest.strip_suffix(".weight").or_else(|| rest.strip_suffix(".bias")).unwrap_or(rest);
        let expert = rest.split_once(".experts.").and_then(|(front, behind)| {
            let (number, rest) = behind.split_once('.')?;
            number.parse::<u64>().ok()?;
            Some(format!("{front}.experts.{rest}"))
        });
        Name { block, rest, expert, is_bias }
    }
}

impl Converter<'_> {
    fn tensor(&mut self, tensor: &StoredTensor) {
        if self.rules.others.iter().any(|other| tensor.name.starts_with(other)) {
            self.made.of_other_parts += 1;
            return;
        }
        let name = Name::convert(self.rules, &tensor.name);
        let skips = self.family.map_or(List::empty(), |family| family.skips);
        let full = tensor.name.strip_prefix("transformer.").unwrap_or(&tensor.name);
        let is_skipped = |skip: &&str| *skip == name.rest || full.ends_with(&format!(".{skip}"));
        if self.rules.skips.iter().any(is_skipped) || skips.iter().any(is_skipped) {
            return;
        }
        let (rest, shape) = match self.unpacked(&name, tensor) {
            Some(found) => found,
            None => return,
        };
        let (rest, is_bias) = match rest.strip_suffix("_bias") {
            // Biases of experts have their own names; the router's bias is an addition.
            Some(rest) if rest.contains(".experts.") => (rest.to_owned(), true),
            _ => (rest, name.is_bias),
        };
        let own = self.family.filter(|_| name.block.is_some()).and_then(|family| family.names.get(&rest));
        let role = match own.copied().or_else(|| self.rules.role(name.block.is_some(), &rest)) {
            Some(role) => role.to_owned(),
            None if self.family.is_none() => rest.clone(),
            None => {
                self.made.unplaced.insert(rest);
                return;
            }
        };
        if self.family.is_some_and(|family| family.drops.has(&role)) {
            return;
        }
        self.placed(name.block, &role, is_bias, name.expert.is_some(), shape);
    }

    /// Name and logical shape (outermost dimension first) of a tensor that may be quantized; `None` for its
    /// auxiliary tensors: scales, zeros.
    fn unpacked(&self, name: &Name<'_>, tensor: &StoredTensor) -> Option<(String, Vec<u64>)> {
        let rest = name.expert.clone().unwrap_or_else(|| name.rest.to_owned());
        let mut shape = tensor.shape.clone();
        let Some(known) = self.quantization else { return Some((rest, shape)) };
        let last = tensor.name.rsplit('.').next().unwrap_or_default();
        if known.packs {
            if matches!(last, "qzeros" | "scales" | "g_idx") {
                return None;
            }
            if let (Some(rest), [rows, columns]) = (rest.strip_suffix(".qweight"), &shape[..]) {
                let values = 32 / self.bits;
                // GPTQ packs the summed dimension, AWQ the other; both are transposed.
                let (inner, outer) = match known.method {
                    "gptq" => (rows.saturating_mul(values), *columns),
                    _ => (*rows, columns.saturating_mul(values)),
                };
                return Some((rest.to_owned(), vec![outer, inner]));
            }
        }
        if matches!(last, "weight_scale_inv" | "weight_scale" | "input_scale") || rest.ends_with("_scales") {
            return None;
        }
        if let Some(rest) = rest.strip_suffix("_blocks") {
            // Blocks of 32 values in 16 bytes.
            let (bytes, front) = shape.split_last()?;
            let (groups, front) = front.split_last()?;
            let row = groups.saturating_mul(bytes.saturating_mul(2));
            shape = front.iter().copied().chain([row]).collect();
            return Some((rest.to_owned(), shape));
        }
        Some((rest, shape))
    }

    /// Adds a tensor with a role.
    fn placed(
        &mut self,
        block: Option<u64>,
        role: &str,
        is_bias: bool,
        of_expert: bool,
        mut shape: Vec<u64>,
    ) {
        if self.family.is_some_and(|family| family.transposed.has(role)) && shape.len() == 2 {
            shape.reverse();
        }
        // Dimensions that llama.cpp squeezes.
        match role {
            "ffn_gate_inp_shexp" => shape.retain(|size| *size != 1),
            "ssm_conv1d" if shape.len() == 3 => shape.retain(|size| *size != 1),
            _ => {}
        }
        // GGUF lists the innermost dimension first.
        shape.reverse();
        let is_matrix = shape.len() >= 2 && !is_bias;
        let repacked = self.quantization.and_then(Quantization::ggml_type);
        let f32 = types::named("f32").unwrap_or(self.ty);
        let ty = match repacked {
            _ if !is_matrix || self.rules.is_float(role) => f32,
            Some(ty) if role.ends_with("_exps") => ty,
            _ => self.ty,
        };
        let full = match (block, is_bias) {
            (Some(block), true) => format!("blk.{block}.{role}.bias"),
            (Some(block), false) => format!("blk.{block}.{role}.weight"),
            (None, true) => format!("{role}.bias"),
            (None, false) => format!("{role}.weight"),
        };
        if of_expert && !is_bias {
            if let Some(tensor) = self.experts.get(&full).and_then(|at| self.made.header.tensors.get_mut(*at))
            {
                if let Some(count) = tensor.shape.get_mut(2) {
                    *count = count.saturating_add(1);
                }
                return;
            }
            self.experts.insert(full.clone(), self.made.header.tensors.len());
            shape.truncate(2);
            shape.push(1);
        }
        match (role, block) {
            ("ffn_gate_up_exps", Some(block)) => self.gate_and_up(block, is_bias, ty, shape),
            ("attn_kv_b", Some(block)) if self.family.is_some_and(|family| family.latent) => {
                self.absorbed(block, &shape);
            }
            _ => self.push(full, ty, shape),
        }
    }

    /// Splits experts' gate and up that share one tensor. The size of the model shows which dimension they
    /// share.
    fn gate_and_up(&mut self, block: u64, is_bias: bool, ty: Type, mut shape: Vec<u64>) {
        let width = self.field("embedding_length");
        if let [inner, outer, _] = &mut shape[..]
            && width.is_some()
            && Some(*inner) != width
            && Some(*outer) == width
        {
            std::mem::swap(inner, outer);
        }
        if let Some(joined) = shape.get_mut(usize::from(!is_bias)) {
            *joined /= 2;
        }
        let suffix = if is_bias { "bias" } else { "weight" };
        for role in ["ffn_gate_exps", "ffn_up_exps"] {
            self.push(format!("blk.{block}.{role}.{suffix}"), ty, shape.clone());
        }
    }

    /// Splits the projection of compressed keys and values into one for keys and one for values, with a
    /// matrix for each head.
    fn absorbed(&mut self, block: u64, shape: &[u64]) {
        let size = |name: &str| self.config.whole(&[name]);
        let (Some(key), Some(value)) = (size("qk_nope_head_dim"), size("v_head_dim")) else {
            self.made.unplaced.insert("self_attn.kv_b_proj".to_owned());
            return;
        };
        let [rank, rows] = shape else { return };
        let heads = rows.checked_div(key.saturating_add(value)).unwrap_or(0);
        if heads == 0 {
            return;
        }
        self.push(format!("blk.{block}.attn_k_b.weight"), self.ty, vec![key, *rank, heads]);
        self.push(format!("blk.{block}.attn_v_b.weight"), self.ty, vec![*rank, value, heads]);
    }

    fn push(&mut self, name: String, ty: Type, shape: Vec<u64>) {
        if shape.len() > 4 || shape.contains(&0) {
            self.made.unplaced.insert(name);
            return;
        }
        let shape = if shape.is_empty() { vec![1] } else { shape };
        self.made.header.tensors.push(gguf::Tensor {
            name,
            shape,
            type_number: u32::from(ty.number),
            offset: 0,
            described_at: 0,
        });
    }

    fn field(&self, key: &str) -> Option<u64> {
        self.config.whole(self.rules.fields.names.get(key)?)
    }

    fn finished(mut self) -> Conversion {
        // An unknown class is used as the architecture's name, which llama.cpp does not know.
        let class = self.config.class().or_else(|| self.config.model_type()).unwrap_or_default();
        let architecture = self.family.map_or(class, |family| family.architecture).to_owned();
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for (key, names) in self.rules.fields.names {
            if let Some(number) = self.config.whole(names) {
                numbers.insert(key, number);
            }
        }
        let size = |name: &str| self.config.whole(&[name]);
        if self.family.is_some_and(|family| family.latent)
            && let (Some(rank), Some(rope)) = (size("kv_lora_rank"), size("qk_rope_head_dim"))
        {
            numbers.insert("attention.head_count_kv", 1);
            numbers.insert("attention.key_length", rank.saturating_add(rope));
            numbers.insert("attention.value_length", rank);
        }
        if let (Some(heads), None) =
            (self.family.and_then(|family| family.kv_heads), numbers.get("attention.head_count_kv"))
        {
            numbers.insert("attention.head_count_kv", heads);
        }
        self.made.heads_of_shapes = self.heads_of_shapes(&mut numbers);
        if let Some(key) = numbers.get("attention.key_length").copied() {
            numbers.entry("attention.value_length").or_insert(key);
        }
        let header = &mut self.made.header;
        for (key, number) in numbers {
            header.metadata.insert(format!("{architecture}.{key}"), Value::Int(i128::from(number)));
        }
        let cap = self.rules.fields.names.get("attn_logit_softcapping");
        if let Some(cap) = cap.and_then(|names| self.config.number(names)) {
            header.metadata.insert(format!("{architecture}.attn_logit_softcapping"), Value::Float(cap));
        }
        let name =
            self.config.field("_name_or_path").and_then(|name| name.as_str()).filter(|name| !name.is_empty());
        if let Some(name) = name {
            header.metadata.insert("general.name".to_owned(), Value::Text(Some(name.to_owned())));
        }
        let text = Value::Text(Some(architecture));
        header.metadata.insert("general.architecture".to_owned(), text);
        self.made
    }

    /// Head sizes that are left to defaults, from a key norm and the projections.
    fn heads_of_shapes(&self, numbers: &mut BTreeMap<&str, u64>) -> bool {
        let first = |role: &str| {
            let is_of = |name: &str| {
                let rest =
                    name.strip_prefix("blk.").and_then(|rest| rest.split_once('.')).map(|(_, rest)| rest);
                rest.and_then(|rest| rest.strip_suffix(".weight")) == Some(role)
            };
            self.made.header.tensors.iter().find(|tensor| is_of(&tensor.name))
        };
        if numbers.contains_key("attention.head_count") {
            return false;
        }
        let norm = first("attn_k_norm").and_then(|norm| norm.shape.first().copied());
        let Some(size) = numbers.get("attention.key_length").copied().or(norm).filter(|size| *size > 0)
        else {
            return false;
        };
        let rows = |role: &str| Some(first(role)?.shape.get(1)? / size).filter(|heads| *heads > 0);
        let (Some(heads), Some(kv_heads)) = (rows("attn_q"), rows("attn_k")) else { return false };
        numbers.insert("attention.head_count", heads);
        numbers.entry("attention.head_count_kv").or_insert(kv_heads);
        numbers.insert("attention.key_length", size);
        true
    }
}
