//! An override that is taken as set.

use super::{Evidence, OverrideAnswer};
use serde::Serialize;

/// What `HSA_OVERRIDE_GFX_VERSION` has the runtime claim, where an answer is asked for as if it were set: the answer is that of
/// the claimed processor, for the card with its own name and compute units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The processor of the card.
    pub card: String,
    /// The processor that is claimed.
    pub claimed: String,
    /// The value of the variable.
    pub value: String,
    /// Whether it is safe.
    pub answer: OverrideAnswer,
    /// Why, as a clause.
    pub because: String,
    /// How that is known: by LLVM's tables or from the decoded code, never tried.
    pub evidence: Evidence,
}

impl Claim {
    /// What is claimed, in a line.
    pub fn line(&self) -> String {
        format!("{} as {} by HSA_OVERRIDE_GFX_VERSION={}", self.card, self.claimed, self.value)
    }

    /// That, and whether it is safe.
    pub fn sentences(&self) -> String {
        format!("{}. {} [{}]", self.line(), self.answer.sentence(&self.because), self.evidence.name())
    }
}
