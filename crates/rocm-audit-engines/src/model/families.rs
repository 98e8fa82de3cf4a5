//! What llama.cpp's converter makes of Hugging Face's models: data with sources, `rules/conversion.yaml`, read once.

use crate::ggml::types;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = rule_text!("model", "conversion");

/// All of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Families {
    families: Vec<Family>,
    /// What may stand before the names of a language model.
    pub prefixes: Vec<String>,
    /// What the blocks are called.
    pub blocks: Vec<String>,
    /// Beginnings of names of parts that are no language model.
    pub others: Vec<String>,
    /// Names that are never converted.
    pub skips: Vec<String>,
    outside: Names,
    inside: Names,
    /// Fields of config.json by the key that is made of them.
    pub fields: Names,
    floats: Listed,
    quantizations: Quantizations,
    #[serde(skip)]
    outside_roles: HashMap<String, String>,
    #[serde(skip)]
    inside_roles: HashMap<String, String>,
}

/// A family: models that become one architecture of llama.cpp.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The architecture.
    pub architecture: String,
    /// Names in `architectures` of config.json.
    classes: Vec<String>,
    /// Names in `model_type`, which is asked where there is no class.
    models: Vec<String>,
    /// Names of blocks that stand for another role than elsewhere.
    #[serde(default)]
    pub names: HashMap<String, String>,
    /// Roles that are left out.
    #[serde(default)]
    pub drops: Vec<String>,
    /// Roles whose matrices lie the other way round.
    #[serde(default)]
    pub transposed: Vec<String>,
    /// Names that are not converted.
    #[serde(default)]
    pub skips: Vec<String>,
    /// Heads of keys and values, where no field says it; else as many as of queries.
    pub kv_heads: Option<u64>,
    /// Whether keys and values are compressed, and the projection is absorbed.
    #[serde(default)]
    pub latent: bool,
    source: String,
}

/// Names that stand for one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    source: String,
    /// The names by what they stand for.
    pub names: HashMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    source: String,
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quantizations {
    source: String,
    methods: Vec<Quantization>,
}

/// A form in which weights can be quantized before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantization {
    /// `quant_method` of config.json.
    pub method: String,
    /// What becomes of it.
    pub becomes: Becomes,
    /// The type that it becomes, where that is always one.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// Whether several values lie in one of 32 bits.
    #[serde(default)]
    pub packs: bool,
}

/// What the converter makes of weights that are quantized before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Becomes {
    /// Numbers of floating point.
    Dequantized,
    /// A type of ggml's with the same values.
    Repacked,
    /// Nothing: it stops.
    Refused,
}

/// What the converter makes of models.
///
/// # Errors
/// Where the crate's own rules are not well formed, which the tests exclude.
pub fn families() -> Result<&'static Families, &'static str> {
    static ALL: OnceLock<Result<Families, String>> = OnceLock::new();
    ALL.get_or_init(read).as_ref().map_err(String::as_str)
}

fn read() -> Result<Families, String> {
    let mut all: Families = serde_json::from_str(TEXT).map_err(|e| format!("rules of conversion: {e}"))?;
    if let Some((by, _)) = all.sources().find(|(_, source)| source.trim().is_empty()) {
        return Err(format!("rule {by}: it has no source"));
    }
    all.outside_roles = turned(&all.outside);
    all.inside_roles = turned(&all.inside);
    Ok(all)
}

fn turned(names: &Names) -> HashMap<String, String> {
    let of = |(role, names): (&String, &Vec<String>)| {
        names.iter().map(|name| (name.clone(), role.clone())).collect::<Vec<_>>()
    };
    names.names.iter().flat_map(of).collect()
}

impl Families {
    /// The family of a class, or where there is none of a `model_type`.
    pub fn of(&self, class: Option<&str>, model: Option<&str>) -> Option<&Family> {
        let is_named =
            |names: &[String], name: Option<&str>| name.is_some_and(|n| names.iter().any(|x| x == n));
        match class {
            Some(class) => self.families.iter().find(|family| is_named(&family.classes, Some(class))),
            None => self.families.iter().find(|family| is_named(&family.models, model)),
        }
    }

    /// What llama.cpp calls a tensor of a block, or of none.
    pub fn role(&self, in_block: bool, name: &str) -> Option<&str> {
        let roles = if in_block { &self.inside_roles } else { &self.outside_roles };
        roles.get(name).map(String::as_str)
    }

    /// Whether a role stays in floats.
    pub fn is_float(&self, role: &str) -> bool {
        role.contains("norm") || self.floats.names.iter().any(|name| name == role)
    }

    /// What becomes of a form of quantized weights.
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
        let names = |names: &Names| names.names.values().map(Vec::len).sum::<usize>();
        assert_eq!(
            (names(&all.outside), names(&all.inside)),
            (all.outside_roles.len(), all.inside_roles.len())
        );
        assert!(all.quantizations.methods.iter().all(|q| q.ty.is_some() == q.ggml_type().is_some()));
    }

    #[test]
    fn a_class_comes_before_a_model_type() {
        let all = families().unwrap();
        let of = |class, model| all.of(class, model).map(|family| family.architecture.as_str());
        assert_eq!(of(Some("Qwen3MoeForCausalLM"), Some("llama")), Some("qwen3moe"));
        assert_eq!(of(None, Some("phi3")), Some("phi3"));
        assert_eq!(of(Some("NovelForCausalLM"), Some("llama")), None);
    }
}
