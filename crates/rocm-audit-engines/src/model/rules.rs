//! Rules from tensors to operations: data with sources, read once from `src/model/rules`.
//!
//! Each file is one stage, whose rules are tried in order; the first that applies to a tensor decides.
//! Omitted conditions are always met. Names of tensors are patterns in which `*` stands for any text.

use rocm_audit_files::error::BrokenRules;
use serde::Deserialize;
use std::sync::OnceLock;

const FILES: [(&str, &str); 7] = [
    ("operations", rule_text!("model", "operations")),
    ("columns", rule_text!("model", "columns")),
    ("sequences", rule_text!("model", "sequences")),
    ("precision", rule_text!("model", "precision")),
    ("fusion", rule_text!("model", "fusion")),
    ("overlap", rule_text!("model", "overlap")),
    ("windows", rule_text!("model", "windows")),
];

/// Architectures for which the rules were compared with runs of llama.cpp; others use the generic rules.
pub const OBSERVED: [&str; 18] = [
    "cohere2",
    "deepseek2",
    "falcon",
    "gemma2",
    "gemma3",
    "glm4",
    "gpt-oss",
    "gpt2",
    "llama",
    "mamba",
    "olmoe",
    "phi2",
    "phi3",
    "qwen2",
    "qwen2moe",
    "qwen3",
    "qwen3moe",
    "starcoder2",
];

/// Architectures for which all launches, including those between products, were compared with runs.
pub const COUNTED: [&str; 12] = [
    "deepseek2",
    "falcon",
    "gemma2",
    "glm4",
    "gpt-oss",
    "llama",
    "mamba",
    "phi3",
    "qwen2",
    "qwen2moe",
    "qwen3moe",
    "starcoder2",
];

/// Architectures that process a whole text at once: no cache, and every row is requested (those whose graphs
/// call `build_attn_inp_no_cache`, ggml-org/llama.cpp a5bb8ba4c502 `src/models`).
pub const ENCODERS: [&str; 14] = [
    "bert",
    "nomic-bert",
    "nomic-bert-moe",
    "jina-bert-v2",
    "jina-bert-v3",
    "neo-bert",
    "modern-bert",
    "t5encoder",
    "gemma-embedding",
    "llama-embed",
    "dream",
    "llada",
    "llada-moe",
    "rnd1",
];

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Id of the rule.
    pub id: String,
    /// Source of the rule.
    pub source: String,
    /// Names that `general.architecture` may have.
    #[serde(default)]
    pub architectures: Vec<String>,
    /// Patterns of names, without block and `.weight`.
    #[serde(default)]
    tensors: Vec<String>,
    /// Allowed numbers of dimensions.
    #[serde(default)]
    dimensions: Vec<usize>,
    /// Weights that the same block must have.
    #[serde(default)]
    with: Vec<String>,
    /// Weights that the same block must not have.
    #[serde(default)]
    without: Vec<String>,
    /// Whether it applies only to the last block.
    #[serde(default)]
    last_block: bool,
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
    pub note: Option<String>,
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
    Nothing,
    /// In all.
    All,
    /// In all but the last.
    ExceptLast,
}

/// The properties of a tensor that rules examine.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)]
pub struct TensorProperties<'a> {
    /// `general.architecture`.
    pub architecture: &'a str,
    /// Name, without block and `.weight`.
    pub role: &'a str,
    /// Number of dimensions.
    pub dimensions: usize,
    /// Whether it is in the last block.
    pub is_last_block: bool,
    /// Whether the same block has a weight with a role.
    pub beside: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    stage: String,
    rules: Vec<Rule>,
}

/// All rules, by stages.
#[derive(Debug)]
pub struct QuantizationRules(Vec<(&'static str, Vec<Rule>)>);

/// The rules of this crate.
///
/// # Errors
///
/// If they are malformed, which the tests rule out.
pub fn rules() -> Result<&'static QuantizationRules, &'static str> {
    static RULES: OnceLock<Result<QuantizationRules, BrokenRules>> = OnceLock::new();
    RULES.get_or_init(read).as_ref().map_err(|broken| &**broken)
}

fn read() -> Result<QuantizationRules, BrokenRules> {
    let mut stages = Vec::new();
    for (stage, text) in FILES {
        let file: File = serde_json::from_str(text).map_err(|e| format!("rules of {stage}: {e}"))?;
        if file.stage != stage {
            return Err(format!("rules of {stage}: the file says {}", file.stage).into());
        }
        if let Some(rule) = file.rules.iter().find(|rule| rule.source.trim().is_empty()) {
            return Err(format!("rule {}: it has no source", rule.id).into());
        }
        stages.push((stage, file.rules));
    }
    Ok(QuantizationRules(stages))
}

impl QuantizationRules {
    /// The rules of a stage.
    pub fn stage<'a>(&'a self, stage: &'a str) -> impl Iterator<Item = &'a Rule> {
        self.0.iter().filter(move |(name, _)| *name == stage).flat_map(|(_, rules)| rules)
    }

    /// All rules.
    pub fn all(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter().flat_map(|(_, rules)| rules)
    }

    /// The rule that decides a stage.
    pub fn first<'a>(&'a self, stage: &'a str, asked: &TensorProperties<'_>) -> Option<&'a Rule> {
        self.stage(stage).find(|rule| rule.is_about(asked))
    }
}

impl Rule {
    /// Whether it applies to a tensor.
    fn is_about(&self, asked: &TensorProperties<'_>) -> bool {
        (self.architectures.is_empty() || self.architectures.iter().any(|name| name == asked.architecture))
            && (self.tensors.is_empty() || self.tensors.iter().any(|pattern| matches(pattern, asked.role)))
            && (self.dimensions.is_empty() || self.dimensions.contains(&asked.dimensions))
            && (!self.last_block || asked.is_last_block)
            && self.with.iter().all(|role| (asked.beside)(role))
            && !self.without.iter().any(|role| (asked.beside)(role))
    }
}

/// Whether a text matches a pattern in which `*` stands for any text. Reads each byte of the text once.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(before) else {
        return false;
    };
    let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in between.split('*') {
        match text.split_once(part).filter(|_| !part.is_empty()) {
            Some((_, behind)) => text = behind,
            None if part.is_empty() => {}
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_crate_load() {
        let rules = rules().unwrap();
        for (stage, _) in FILES {
            assert!(rules.stage(stage).count() > 0, "{stage}");
        }
        assert!(rules.stage("operations").all(|rule| rule.makes.is_some()));
        assert!(rules.stage("fusion").all(|rule| rule.adds.is_some()));
        assert!(rules.stage("windows").all(|rule| rule.period.is_some_and(|period| period > 0)));
    }

    #[test]
    fn patterns_stand_for_any_text() {
        assert!(matches("*norm*", "attn_q_norm") && matches("*_exps", "ffn_up_exps") && matches("a", "a"));
        assert!(!matches("*_exps", "ffn_up_exps_b") && !matches("ffn_*", "attn_q") && !matches("a", "ab"));
        assert!(matches("ssm_conv1d*", "ssm_conv1d"));
        assert!(
            matches("a*b*c", "aXbYbZc")
                && matches("*a*b", "aab")
                && matches("**", "")
                && matches("a**b", "ab")
        );
        assert!(!matches("a*b*b", "ab") && !matches("*ab*b", "ab") && !matches("a*a", "a"));
        let long = "a".repeat(1 << 20);
        assert!(!matches("*a*a*b*a*c", &long));
    }
}
