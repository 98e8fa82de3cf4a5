//! Why rules do not load.

use std::fmt;

/// Why a rule does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The file, without `.yaml`.
    pub file: String,
    /// The clause, if the error is in one.
    pub clause: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.clause {
            Some(clause) => write!(f, "rule {}, clause {clause}: {}", self.file, self.what),
            None => write!(f, "rule {}: {}", self.file, self.what),
        }
    }
}

impl std::error::Error for LoadError {}
