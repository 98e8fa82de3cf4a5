//! How llama.cpp's converter handles Hugging Face models: data with sources, `rules/conversion.yaml`, read
//! once.

use crate::ggml::types;
use rocm_audit_files::error::BrokenRules;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = rule_text!("model", "conversion");

/// All rules of the converter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Families {
    families: Vec<Family>,
    /// Prefixes of names in a language model.
    pub prefixes: Vec<String>,
    /// Names for the blocks.
    pub blocks: Vec<String>,
    /// Prefixes of names outside of the language model.
    pub others: Vec<String>,
    /// Names that are never converted.
    pub skips: Vec<String>,
    outside: FamilyNames,
    inside: FamilyNames,
    /// Fields of config.json by the key made from them.
    pub fields: FamilyNames,
    floats: ListedFamily,
    quantizations: Quantizations,
    #[serde(skip)]
    outside_roles: HashMap<String, String>,
    #[serde(skip)]
    inside_roles: HashMap<String, String>,
}

/// A family: models that become the same llama.cpp architecture.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The architecture.
    pub architecture: String,
    /// Names in `architectures` of config.json.
    classes: Vec<String>,
    /// Names in `model_type`, used if there is no class.
    models: Vec<String>,
    /// Names in blocks that have another role here than elsewhere.
    #[serde(default)]
    pub names: HashMap<String, String>,
    /// Roles that are left out.
    #[serde(default)]
    pub drops: Vec<String>,
    /// Roles whose matrices are transposed.
    #[serde(default)]
    pub transposed: Vec<String>,
    /// Names that are not converted.
    #[serde(default)]
    pub skips: Vec<String>,
    /// Number of key and value heads if no field states it; by default the number of query heads.
    pub kv_heads: Option<u64>,
    /// Whether keys and values are compressed, and the projection is absorbed.
    #[serde(default)]
    pub latent: bool,
    source: String,
}

/// Names that stand for the same thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyNames {
    source: String,
    /// The names by what they stand for.
    pub names: HashMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedFamily {
    source: String,
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quantizations {
    source: String,
    methods: Vec<Quantization>,
}

/// A form of prequantized weights.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantization {
    /// `quant_method` of config.json.
    pub method: String,
    /// What the converter does with it.
    pub becomes: Becomes,
    /// The type that it becomes, if always the same.
    #[serde(rename = "type")]
    pub ty: Option<String>,
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

/// The rules of the converter.
///
/// # Errors
///
/// If they are malformed, which the tests rule out.
pub fn families() -> Result<&'static Families, &'static str> {
    static ALL: OnceLock<Result<Families, BrokenRules>> = OnceLock::new();
    ALL.get_or_init(read).as_ref().map_err(|broken| &**broken)
}

fn read() -> Result<Families, BrokenRules> {
    let mut all: Families = serde_json::from_str(TEXT).map_err(|e| format!("rules of conversion: {e}"))?;
    if let Some((by, _)) = all.sources().find(|(_, source)| source.trim().is_empty()) {
        return Err(format!("rule {by}: it has no source").into());
    }
    all.outside_roles = turned(&all.outside);
    all.inside_roles = turned(&all.inside);
    Ok(all)
}

fn turned(names: &FamilyNames) -> HashMap<String, String> {
    let of = |(role, names): (&String, &Vec<String>)| {
        names.iter().map(|name| (name.clone(), role.clone())).collect::<Vec<_>>()
    };
    names.names.iter().flat_map(of).collect()
}

impl Families {
    /// The family of a class or, without one, of a `model_type`.
    pub fn find_family(&self, class: Option<&str>, model: Option<&str>) -> Option<&Family> {
        let is_named =
            |names: &[String], name: Option<&str>| name.is_some_and(|n| names.iter().any(|x| x == n));
        match class {
            Some(class) => self.families.iter().find(|family| is_named(&family.classes, Some(class))),
            None => self.families.iter().find(|family| is_named(&family.models, model)),
        }
    }

    /// llama.cpp's name for a tensor inside or outside of a block.
    pub fn role(&self, in_block: bool, name: &str) -> Option<&str> {
        let roles = if in_block { &self.inside_roles } else { &self.outside_roles };
        roles.get(name).map(String::as_str)
    }

    /// Whether a role stays in floating point.
    pub fn is_float(&self, role: &str) -> bool {
        role.contains("norm") || self.floats.names.iter().any(|name| name == role)
    }

    /// The rule for a form of quantized weights.
    pub fn quantization(&self, method: &str) -> Option<&Quantization> {
        self.quantizations.methods.iter().find(|known| known.method == method)
    }

    /// The sources, each with what cites it.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_parts = [
            ("outside", self.outside.source.as_str()),
            ("inside", self.inside.source.as_str()),
            ("fields", self.fields.source.as_str()),
            ("floats", self.floats.source.as_str()),
            ("quantizations", self.quantizations.source.as_str()),
        ];
        let families = self.families.iter().map(|f| (f.architecture.as_str(), f.source.as_str()));
        families.chain(of_parts)
    }
}

impl Quantization {
    /// The type that it becomes.
    pub fn ggml_type(&self) -> Option<types::Type> {
        types::named(self.ty.as_deref()?).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_the_crate_load() {
        let all = families().unwrap();
        for (position, family) in all.families.iter().enumerate() {
            let classes = |other: &Family| other.classes.iter().any(|class| family.classes.contains(class));
            assert!(!all.families.iter().take(position).any(classes), "{}", family.architecture);
        }
        let names = |names: &FamilyNames| names.names.values().map(Vec::len).sum::<usize>();
        assert_eq!(
            (names(&all.outside), names(&all.inside)),
            (all.outside_roles.len(), all.inside_roles.len())
        );
        assert!(all.quantizations.methods.iter().all(|q| q.ty.is_some() == q.ggml_type().is_some()));
    }

    #[test]
    fn a_class_comes_before_a_model_type() {
        let all = families().unwrap();
        let of = |class, model| all.find_family(class, model).map(|family| family.architecture.as_str());
        assert_eq!(of(Some("Qwen3MoeForCausalLM"), Some("llama")), Some("qwen3moe"));
        assert_eq!(of(None, Some("phi3")), Some("phi3"));
        assert_eq!(of(Some("NovelForCausalLM"), Some("llama")), None);
    }
}
