//! MIOpen's numbering of solvers: a number for every solver of every primitive, never used again.

use serde::Deserialize;

/// Why a number of the registry has no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A solver that was removed. Rows that name it are skipped.
    Retired,
    /// A solver of another primitive, or of a fusion: no plain convolution.
    OtherPrimitive,
    /// A convolution solver whose conditions were not written down.
    NotWritten,
}

/// A number that no rule stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// The number.
    pub id: u16,
    /// The name as databases write it.
    pub name: String,
    /// Why it has no rule.
    pub kind: Kind,
    /// `kind` in a sentence.
    pub because: String,
}
