//! The document written if a run fails.

use super::{Described, Document, Found, Header};
use serde::Serialize;

/// Why a run failed: its exit status is 2, and the question has no answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Shows that nothing was answered: `complete` is false, and there are no findings.
    #[serde(flatten)]
    pub found: Found,
    /// The exit status of the run: 2.
    pub status: u8,
    /// Kind of the error: `usage` (the words of the call), `not-there` (the trees lack what the question is
    /// about), `unreadable` (a file that the answer needs), `path`, `io`, `stopped`, `internal` (a defect of
    /// this program).
    pub kind: &'static str,
    /// The error in a sentence, as on standard error.
    pub what: String,
    /// The file or folder the error is about, if any.
    pub path: Option<String>,
    /// Suggestions on what the user may have meant and can do instead.
    pub tips: Vec<String>,
}

impl Described for ErrorReport {
    const DOCUMENT: Document = Document {
        name: "error",
        version: "1.1.0",
        about: "Why a run could not be done, in place of another document.",
    };
}
