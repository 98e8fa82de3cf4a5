//! What every JSON document begins with: what it is, and who wrote it.

use serde::Serialize;

/// A kind of JSON document, or of a line in JSON Lines. Each has a version of its own (SchemaVer: model, revision,
/// addition), so that a field of one does not change the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Its name without the program's: `report`.
    pub name: &'static str,
    /// Version of its schema.
    pub version: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
}

impl Document {
    /// What the `schema` field of the document says: `rocm-audit/report`.
    pub fn schema(&self) -> String {
        format!("{}/{}", env!("CARGO_PKG_NAME"), self.name)
    }

    /// What its JSON Schema is called (`$id`): `urn:rocm-audit:schema:report:2.0.0`.
    pub fn id(&self) -> String {
        format!("urn:{}:schema:{}:{}", env!("CARGO_PKG_NAME"), self.name, self.version)
    }

    /// The file of its JSON Schema in `docs/schema`: `report-2.0.0.json`.
    pub fn file(&self) -> String {
        format!("{}-{}.json", self.name, self.version)
    }
}

/// What every document begins with.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// What the document is: `rocm-audit/report`.
    pub schema: String,
    /// Version of its schema.
    pub schema_version: String,
    /// Who wrote it.
    pub tool: Tool,
}

impl Header {
    /// The header of a document.
    pub fn of(document: Document) -> Self {
        Header {
            schema: document.schema(),
            schema_version: document.version.to_owned(),
            tool: Tool::default(),
        }
    }
}

/// The program that wrote a document.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// `rocm-audit`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Default for Tool {
    fn default() -> Self {
        Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
