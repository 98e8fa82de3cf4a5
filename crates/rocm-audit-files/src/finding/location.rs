//! Where a finding shows.

/// A place where a finding shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Location {
    /// The file as reports show it; empty where the place is no file.
    pub path: String,
    /// Offset in bytes, where it is known.
    pub offset: Option<u64>,
    /// True where the offset counts inflated bytes.
    pub unpacked: bool,
    /// Line of a text, counted from 1.
    pub line: Option<u64>,
    /// Row of a table in SQLite.
    pub row: Option<u64>,
    /// What is there: a sentence, a kernel, a key. Empty where the place says all.
    pub what: String,
}

impl Location {
    /// A file as a whole.
    pub fn file(path: impl Into<String>, what: impl Into<String>) -> Self {
        Location { path: path.into(), what: what.into(), ..Location::default() }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        match self.offset {
            Some(offset) if self.unpacked => write!(f, ", unpacked offset {offset:#x}")?,
            Some(offset) => write!(f, ", offset {offset:#x}")?,
            None => {}
        }
        match (self.what.as_str(), self.path.is_empty()) {
            ("", _) => Ok(()),
            (what, true) => f.write_str(what),
            (what, false) => write!(f, ": {what}"),
        }
    }
}
