//! The document with an audit's verdicts only.

use super::{Consequence, Described, Document, Found, Header, Verdict};
use serde::Serialize;

/// Whether the stack here runs on a card, without the tables behind the verdicts: a few kilobytes of a report
/// that can have megabytes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictsReport<'r> {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings. A finding has its first locations only; `count`
    /// has their number.
    #[serde(flatten)]
    pub found: Found,
    /// Why the run ended with 1, as in the report.
    pub failed_because: &'r [String],
    /// The roots as given.
    pub roots: &'r [String],
    /// Target IDs that the user asked about; empty without any.
    pub asked: &'r [String],
    /// Whether the stack here runs on each processor the user asked about, or, without any, on each that
    /// libraries other than the HSA runtime have kernels for.
    pub verdicts: &'r [Verdict],
    /// Consequences of having GPUs of all asked processors in one host; empty for one processor.
    pub mixed_host: &'r [Consequence],
}

impl Described for VerdictsReport<'_> {
    const DOCUMENT: Document = Document {
        name: "verdict",
        version: "1.1.0",
        about: "The verdicts of an audit alone: `-f verdict`.",
    };
}
