//! Rules from tensors to operations: data with sources, in `src/model/rules`.
//!
//! Each file is one stage, whose rules are tried in order; the first that applies to a tensor decides.
//! Omitted conditions are always met. Names of tensors are patterns in which `*` stands for any text.

use super::written::StageFile;
pub use super::written::{Adds, Makes, Rule};

static RULES: QuantizationRules = QuantizationRules(&[
    made!("model", "operations"),
    made!("model", "columns"),
    made!("model", "sequences"),
    made!("model", "precision"),
    made!("model", "fusion"),
    made!("model", "overlap"),
    made!("model", "windows"),
]);

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

/// All rules, by stages.
#[derive(Debug)]
pub struct QuantizationRules(&'static [StageFile]);

/// The rules of this crate.
pub fn rules() -> &'static QuantizationRules {
    &RULES
}

impl QuantizationRules {
    /// The rules of a stage.
    pub fn stage<'a>(&self, stage: &'a str) -> impl Iterator<Item = &'static Rule> + use<'a> {
        self.0.iter().filter(move |file| file.stage == stage).flat_map(|file| file.rules)
    }

    /// All rules.
    pub fn all(&self) -> impl Iterator<Item = &'static Rule> + use<> {
        self.0.iter().flat_map(|file| file.rules)
    }

    /// The rule that decides a stage.
    pub fn first(&self, stage: &str, asked: &TensorProperties<'_>) -> Option<&'static Rule> {
        self.stage(stage).find(|rule| rule.is_about(asked))
    }
}

impl Rule {
    /// Whether it applies to a tensor.
    fn is_about(&self, asked: &TensorProperties<'_>) -> bool {
        (self.architectures.is_empty() || self.architectures.has(asked.architecture))
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
        let rules = rules();
        for file in RULES.0 {
            assert!(rules.stage(file.stage).count() > 0, "{}", file.stage);
        }
        assert!(rules.all().all(|rule| !rule.source.trim().is_empty()));
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
