//! What lies at places of device code.

use super::{Described, Document, Found, Header};
pub use crate::inventory::code_place::{CodePlace, PlaceInstruction};
use serde::Serialize;

/// What `fatbin --at` finds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodePlacesReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The places, those of a file in the order of the call; a name can mean several kernels.
    pub places: Vec<CodePlace>,
}

impl Described for CodePlacesReport {
    const DOCUMENT: Document = Document {
        name: "code-places",
        version: "1.0.0",
        about: "What lies at places of device code: `fatbin --at`.",
    };
}
