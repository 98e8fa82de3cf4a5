//! The header of every JSON document: its type, and the program that wrote it.

use serde::{Deserialize, Serialize};

/// A type of JSON document, or of a line in JSON Lines. Each has its own version (SchemaVer: model, revision,
/// addition), so that a change to one does not affect the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Name without the program's: `report`.
    pub name: &'static str,
    /// Version of its schema.
    pub version: &'static str,
    /// Description in a sentence.
    pub about: &'static str,
}

impl Document {
    /// Value of the document's `schema` field: `rocm-audit/report`.
    pub fn schema(&self) -> String {
        format!("{}/{}", env!("CARGO_PKG_NAME"), self.name)
    }

    /// `$id` of the JSON Schema: `urn:rocm-audit:schema:report:2.0.0`.
    pub fn id(&self) -> String {
        format!("urn:{}:schema:{}:{}", env!("CARGO_PKG_NAME"), self.name, self.version)
    }

    /// File name of the JSON Schema in `docs/schema`: `report-2.0.0.json`.
    pub fn file(&self) -> String {
        format!("{}-{}.json", self.name, self.version)
    }
}

/// A type of report or line that is a document: its name and version stand beside its fields, which they are
/// about.
pub trait Described {
    /// The document.
    const DOCUMENT: Document;
}

/// The header of every document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// Type of the document: `rocm-audit/report`.
    pub schema: String,
    /// Version of its schema.
    pub schema_version: String,
    /// The program that wrote it.
    pub tool: Tool,
}

impl Header {
    /// The header of a document.
    pub fn from_document(document: Document) -> Self {
        Header {
            schema: document.schema(),
            schema_version: document.version.to_owned(),
            tool: Tool::default(),
        }
    }
}

/// The program that wrote a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// `rocm-audit`.
    pub name: String,
    /// Version of the program.
    pub version: String,
}

impl Default for Tool {
    fn default() -> Self {
        Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
