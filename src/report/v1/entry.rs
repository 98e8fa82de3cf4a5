//! Bundle entries, one by one.

use super::Header;
use serde::Serialize;

/// The bundle entries of files. Its lines are written as they are read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntriesReport<'a> {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The entries, in the order of the files.
    pub entries: Vec<EntryLine<'a>>,
}

/// A bundle entry.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryLine<'a> {
    /// `entry`.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// The file.
    pub path: &'a str,
    /// Its id; nothing for a code object that stands alone.
    pub id: Option<&'a str>,
    /// The target ID that its id names, or, for a code object without an id, its header.
    pub target_id: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// Where it is: `file://path#offset=N&size=M`.
    pub uri: &'a str,
    /// How its bundle is stored, as in `fatbin`.
    pub stored_as: String,
    /// The archive member it lies in.
    pub member: Option<&'a str>,
}
