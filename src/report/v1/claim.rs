//! An override that is taken as set.

use super::{Evidence, OverrideAnswer};
use serde::Serialize;

/// The processor that `HSA_OVERRIDE_GFX_VERSION` makes the runtime claim, if the user asks for an answer as
/// if it were set: the answer is that of the claimed processor, for the card with its own name and compute
/// units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The processor of the card.
    pub card: String,
    /// The processor that is claimed.
    pub claimed: String,
    /// The value of the variable.
    pub value: String,
    /// Whether the value is safe.
    pub answer: OverrideAnswer,
    /// The reason, as a clause.
    pub because: String,
    /// How the answer is known: by LLVM's tables or from the decoded code; it was never tried.
    pub evidence: Evidence,
}

impl Claim {
    /// The claim in one line.
    pub fn line(&self) -> String {
        format!("{} as {} by HSA_OVERRIDE_GFX_VERSION={}", self.card, self.claimed, self.value)
    }

    /// The claim, and whether it is safe.
    pub fn sentences(&self) -> String {
        format!("{}. {} [{}]", self.line(), self.answer.sentence(&self.because), self.evidence.name())
    }
}
