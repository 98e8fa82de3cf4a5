//! What is written in place of a document where a run could not be done.

use super::{Found, Header};
use serde::Serialize;

/// Why a run could not be done: its exit status is 2, and nothing can be said of what was asked.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// That nothing was answered: `complete` is false, and there are no findings.
    #[serde(flatten)]
    pub found: Found,
    /// The exit status of the run: 2.
    pub status: u8,
    /// What kind of obstacle: `usage` (the words of the call), `not-there` (the trees do not hold what the question is about),
    /// `unreadable` (a file that the answer rests on), `path`, `io`, `stopped`, `internal` (a defect of this program).
    pub kind: &'static str,
    /// What is wrong, in a sentence: standard error says the same.
    pub what: String,
    /// The file or folder that it is about, where it is one.
    pub path: Option<String>,
    /// What may have been meant, and what to do instead.
    pub tips: Vec<String>,
}
