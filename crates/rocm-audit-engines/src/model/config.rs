//! `config.json` of a Hugging Face model: the fields that identify it.

use super::safetensors::{offset, sentence};
use rocm_audit_files::error::{ParseError, ParseErrors};
use serde_json::{Map, Value};

/// Size limit for the file in bytes; real ones have some thousand.
pub const LARGEST: u64 = 16 << 20;

/// A configuration.
#[derive(Debug, Clone, Default)]
pub struct Config {
    fields: Map<String, Value>,
    /// Problems found while reading.
    pub problems: ParseErrors,
}

/// Names under which multimodal models store the fields of their language model.
const TEXT: [&str; 4] = ["text_config", "llm_config", "lm_config", "language_config"];

impl Config {
    /// Reads a file. Unreadable parts are among its problems.
    pub fn read(bytes: &[u8]) -> Self {
        let mut config = Config::default();
        if bytes.len() as u64 > LARGEST {
            let what = format!("config.json has {} bytes; at most {LARGEST} are read", bytes.len());
            config.problems.push(ParseError::new(0, what));
            return config;
        }
        match serde_json::from_slice::<Value>(bytes) {
            Ok(Value::Object(fields)) => config.fields = fields,
            Ok(_) => config.problems.push(ParseError::new(0, "config.json is no object of JSON")),
            Err(error) => {
                let what = format!("config.json is no JSON: {}", sentence(&error));
                config.problems.push(ParseError::new(offset(bytes, &error), what));
            }
        }
        config
    }

    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A field of the language model if it has its own fields, else of the whole model.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let of_text = TEXT.iter().find_map(|text| self.fields.get(*text)?.get(name));
        of_text.or_else(|| self.fields.get(name)).filter(|value| !value.is_null())
    }

    /// The first of several fields that is an integer.
    pub fn whole(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| self.field(name)?.as_u64())
    }

    /// The first of several fields that is a number.
    pub fn number(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.field(name)?.as_f64())
    }

    /// The model's class: the first of `architectures`.
    pub fn class(&self) -> Option<&str> {
        self.field("architectures")?.as_array()?.first()?.as_str()
    }

    /// `model_type`.
    pub fn model_type(&self) -> Option<&str> {
        self.field("model_type")?.as_str()
    }

    /// The quantization of the weights: `quant_method`, and bits for each value.
    pub fn quantization(&self) -> Option<(String, Option<u64>)> {
        let found = self.field("quantization_config")?;
        let method = found.get("quant_method").and_then(Value::as_str).unwrap_or("no name");
        Some((method.to_owned(), found.get("bits").and_then(Value::as_u64)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_language_model_come_first() {
        let config =
            Config::read(br#"{"hidden_size":1,"vocab":7,"text_config":{"hidden_size":2,"head_dim":null}}"#);
        assert_eq!(config.whole(&["dim", "hidden_size"]), Some(2));
        assert_eq!((config.whole(&["vocab"]), config.whole(&["head_dim"])), (Some(7), None));
    }

    #[test]
    fn damage_has_a_place() {
        let config = Config::read(b"{\"a\": 1,\n \"b\" 2}");
        assert!(config.is_empty());
        assert_eq!(config.problems.iter().next().unwrap().offset(), 14);
        assert!(!Config::read(b"[1]").problems.is_empty());
    }
}
