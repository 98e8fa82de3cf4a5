//! The verdicts of an audit alone.

use super::{Consequence, Found, Header, Verdict};
use serde::Serialize;

/// Whether what is here runs on a card, without the tables behind it: a few kilobytes of a report that can have megabytes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictsReport<'r> {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found. A finding has its first places only; `count` says how many it has.
    #[serde(flatten)]
    pub found: Found,
    /// What made the run end with 1, as in the report.
    pub failed_because: &'r [String],
    /// The roots as given.
    pub roots: &'r [String],
    /// Target IDs that were asked for; empty where none was.
    pub asked: &'r [String],
    /// Whether what is here runs on each processor that was asked for; where none was, on each that libraries other than the
    /// HSA runtime have kernels for.
    pub verdicts: &'r [Verdict],
    /// What follows where GPUs of all processors that were asked for are in one host; empty for one.
    pub mixed_host: &'r [Consequence],
}
