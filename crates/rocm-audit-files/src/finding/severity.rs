//! How much a defect matters, of whatever kind of file it is.

use serde::Serialize;

/// How much a defect matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Calls fail or are answered wrongly, or a whole file is of no use.
    Error,
    /// The answer depends on more than the call, or single parts are of no use.
    Warning,
    /// Nothing fails; bytes or tuning are lost, or worth knowing.
    Note,
}

impl Severity {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}
