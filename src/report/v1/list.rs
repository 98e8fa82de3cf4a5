//! What `list` says.

use super::{Found, Header};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A list of what this program knows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// That nothing was found: no files are read.
    #[serde(flatten)]
    pub found: Found,
    /// The list: `arches`, `gpus`, `rules`, …
    pub list: String,
    /// What a row has, in the order of the screen.
    pub columns: Vec<String>,
    /// The rows, each with a value for each column: a text, a number, texts, whether it is so, or nothing where it is not known.
    pub rows: Vec<BTreeMap<String, Value>>,
}
