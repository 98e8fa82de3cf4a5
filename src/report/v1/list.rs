//! The document of `list`.

use super::{Described, Document, Found, Header};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A list of facts in this program's tables.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// No findings, since no files are read.
    #[serde(flatten)]
    pub found: Found,
    /// Name of the list: `arches`, `gpus`, `rules`, …
    pub list: String,
    /// The columns in screen order.
    pub columns: Vec<String>,
    /// The rows, each with a value for each column: a text, a number, a list of texts, a boolean, or `null`
    /// for unknown.
    pub rows: Vec<BTreeMap<String, Value>>,
    /// What is known to differ and is not in the rows: of solvers, changes between the two releases that no
    /// rule has.
    pub undecided: Vec<String>,
}

impl Described for ListReport {
    const DOCUMENT: Document =
        Document { name: "list", version: "1.1.0", about: "What this program knows: `list`." };
}
