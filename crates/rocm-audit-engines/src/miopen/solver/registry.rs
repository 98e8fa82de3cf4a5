//! MIOpen's numbering of solvers: each solver of every primitive has a number that is never reused.

use serde::Deserialize;

/// Why a number in the registry has no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoRuleReason {
    /// A removed solver. Rows that name it are skipped.
    Retired,
    /// A solver of another primitive, or of a fusion, not of a plain convolution.
    OtherPrimitive,
    /// A convolution solver whose conditions have no rule yet.
    NotWritten,
}

/// A number without a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberWithoutRule {
    /// The number.
    pub id: u16,
    /// The name as databases write it.
    pub name: &'static str,
    /// Why it has no rule.
    pub kind: NoRuleReason,
    /// `kind` as a sentence.
    pub because: &'static str,
}
