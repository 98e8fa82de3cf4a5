//! Bytes or files that could not be read as what they are said to be.

use crate::error::{ParseError, ParseErrors};
use serde::Serialize;
use std::fmt;

/// How bad a problem is for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A file or folder could not be read.
    #[serde(rename = "unreadable-file")]
    Unreadable,
    /// Bytes are not what their format says.
    #[serde(rename = "malformed-bytes")]
    Malformed,
    /// A file changed while it was read.
    #[serde(rename = "changed-while-read")]
    Changed,
    /// A symbolic link leads nowhere.
    DanglingLink,
}

impl FaultKind {
    /// The kebab-case id that reports show.
    pub fn id(self) -> &'static str {
        match self {
            FaultKind::Unreadable => "unreadable-file",
            FaultKind::Malformed => "malformed-bytes",
            FaultKind::Changed => "changed-while-read",
            FaultKind::DanglingLink => "dangling-link",
        }
    }

    /// Whether the report lacks something because of it.
    pub fn makes_incomplete(self) -> bool {
        self != FaultKind::DanglingLink
    }
}

/// Something that went wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFault {
    /// What kind.
    pub kind: FaultKind,
    /// The path as reports show it.
    pub shown: String,
    /// Offset in bytes, where there is one.
    pub offset: Option<u64>,
    /// True where the offset counts inflated bytes.
    pub unpacked: bool,
    /// A sentence.
    pub what: String,
}

impl ReadFault {
    /// A problem of a whole file.
    pub fn file(kind: FaultKind, shown: &str, what: impl Into<String>) -> Self {
        ReadFault { kind, shown: shown.to_owned(), offset: None, unpacked: false, what: what.into() }
    }

    /// All malformed bytes of a file; where there are too many, the last says how many more.
    pub fn all(shown: &str, errors: &ParseErrors) -> Vec<Self> {
        let mut all: Vec<Self> = errors.iter().map(|e| Self::malformed(shown, e.clone())).collect();
        if errors.more() > 0 {
            let what = format!("{} more problems in this file are not listed", errors.more());
            all.push(Self::file(FaultKind::Malformed, shown, what));
        }
        all
    }

    /// Malformed bytes of a file.
    pub fn malformed(shown: &str, error: ParseError) -> Self {
        ReadFault {
            kind: FaultKind::Malformed,
            shown: shown.to_owned(),
            offset: Some(error.offset),
            unpacked: error.unpacked,
            what: error.what,
        }
    }
}

impl fmt::Display for ReadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.shown, self.what)?;
        match self.offset {
            Some(offset) if self.unpacked => write!(f, " (in the unpacked bytes, at offset {offset:#x})"),
            Some(offset) => write!(f, " (at offset {offset:#x})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::FaultKind;

    #[test]
    fn json_and_sentences_name_kinds_alike() {
        use FaultKind::{Changed, DanglingLink, Malformed, Unreadable};
        for kind in [Unreadable, Malformed, Changed, DanglingLink] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.id());
        }
    }
}
