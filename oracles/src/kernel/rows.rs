//! The lists' data on each kernel.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

/// A kernel of a list.
#[derive(Deserialize)]
pub struct ListedKernel {
    /// SHA-256 of the code object.
    pub object: String,
    /// The library that contains it.
    pub lib: String,
    /// Symbol of the kernel.
    pub kernel: String,
    /// Processor, and how the code was decoded.
    pub cpu: String,
    /// The other fields.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, Value>,
}

impl ListedKernel {
    pub fn read(path: &str) -> Result<Vec<ListedKernel>> {
        let text = super::text(path)?;
        text.lines().map(|line| serde_json::from_str(line).context("a row")).collect()
    }

    pub fn get(&self, name: &str) -> &Value {
        self.rest.get(name).unwrap_or(&Value::Null)
    }
}
