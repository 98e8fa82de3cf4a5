//! MIOpen's numbering of solvers: each solver of every primitive has a number that is never reused.

pub use super::written::NoRuleReason;

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
