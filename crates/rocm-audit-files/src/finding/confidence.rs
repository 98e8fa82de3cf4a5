//! How sure a finding is.

use serde::Serialize;

/// How sure a finding is. Severity is another question: a note can be certain, and an error likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// What was read allows no other reading.
    Certain,
    /// What was read speaks for it, and is too little to exclude chance.
    Likely,
}

impl Confidence {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
        }
    }
}
