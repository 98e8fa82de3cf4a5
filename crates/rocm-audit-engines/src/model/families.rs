//! How llama.cpp's converter handles Hugging Face models: data with sources, `rules/conversion.yaml`.

pub use super::written::{Becomes, Families, Family, FamilyNames, Quantization};
use crate::ggml::types;

static ALL: Families = made!("model", "conversion");

/// The rules of the converter.
pub fn families() -> &'static Families {
    &ALL
}

impl Families {
    /// The family of a class or, without one, of a `model_type`.
    pub fn find_family(&self, class: Option<&str>, model: Option<&str>) -> Option<&'static Family> {
        match (class, model) {
            (Some(class), _) => self.families.into_iter().find(|family| family.classes.has(class)),
            (None, Some(model)) => self.families.into_iter().find(|family| family.models.has(model)),
            (None, None) => None,
        }
    }

    /// llama.cpp's name for a tensor inside or outside of a block.
    pub fn role(&self, in_block: bool, name: &str) -> Option<&'static str> {
        let names = if in_block { &self.inside.names } else { &self.outside.names };
        names.iter().find(|(_, names)| names.has(name)).map(|(role, _)| *role)
    }

    /// Whether a role stays in floating point.
    pub fn is_float(&self, role: &str) -> bool {
        role.contains("norm") || self.floats.names.has(role)
    }

    /// The rule for a form of quantized weights.
    pub fn quantization(&self, method: &str) -> Option<&Quantization> {
        self.quantizations.methods.iter().find(|known| known.method == method)
    }

    /// The sources, each with what cites it.
    pub fn sources(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let of_parts = [
            ("outside", self.outside.source),
            ("inside", self.inside.source),
            ("fields", self.fields.source),
            ("floats", self.floats.source),
            ("quantizations", self.quantizations.source),
        ];
        let families = self.families.iter().map(|f| (f.architecture, f.source));
        families.chain(of_parts)
    }
}

impl Quantization {
    /// The type that it becomes.
    pub fn ggml_type(&self) -> Option<types::Type> {
        types::named(self.ty?).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rules_of_the_crate_load() {
        let all = families();
        for (position, family) in all.families.iter().enumerate() {
            let classes = |other: &Family| other.classes.iter().any(|class| family.classes.has(class));
            assert!(!all.families.iter().take(position).any(classes), "{}", family.architecture);
        }
        for names in [&all.outside, &all.inside] {
            let names: Vec<&str> = names.names.into_iter().flat_map(|(_, names)| *names).copied().collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a name with two roles");
        }
        assert!(all.sources().all(|(_, source)| !source.trim().is_empty()));
        assert!(all.quantizations.methods.iter().all(|q| q.ty.is_some() == q.ggml_type().is_some()));
    }

    #[test]
    fn a_class_comes_before_a_model_type() {
        let all = families();
        let of = |class, model| all.find_family(class, model).map(|family| family.architecture);
        assert_eq!(of(Some("Qwen3MoeForCausalLM"), Some("llama")), Some("qwen3moe"));
        assert_eq!(of(None, Some("phi3")), Some("phi3"));
        assert_eq!(of(Some("NovelForCausalLM"), Some("llama")), None);
    }
}
