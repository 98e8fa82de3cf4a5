//! What a kind of finding is: a row of the registry, with its page.

use super::confidence::Confidence;
use super::evidence::Evidence;
use super::severity::Severity;

/// A kind of finding. Rules are listed in [`RULES`](super::rules::RULES), each in a file of its own.
#[derive(Debug)]
pub struct Rule {
    /// Its name, unique and in kebab-case: `catalog-missing`. It does not change between releases.
    pub id: &'static str,
    /// How much such a finding matters.
    pub severity: Severity,
    /// How sure one is, where the finding itself does not say less.
    pub confidence: Confidence,
    /// How one is known.
    pub known: Evidence,
    /// Whether something could not be read, so that an answer lacks what it holds.
    pub is_damage: bool,
    /// What is so, in a clause.
    pub what: &'static str,
    /// What follows from it, in a clause.
    pub effect: &'static str,
    /// How the effect is known.
    pub effect_known: Evidence,
    /// What to do about it, in a clause.
    pub advice: &'static str,
    /// Its page in Markdown, without a title: what it means, how it is found, what it is not.
    pub page: &'static str,
}

/// Rules are one static each.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// Makes a rule of its fields; the documentation of the static is the rule's page. A rule without
/// documentation is no match for this macro and does not compile, so that every rule that is registered has a
/// page.
macro_rules! rule {
    (
        $(#[doc = $page:literal])+
        $name:ident {
            id: $id:literal,
            severity: $severity:ident,
            confidence: $confidence:ident,
            known: $known:ident,
            $(damage: $damage:literal,)?
            what: $what:literal,
            effect: $effect:literal,
            effect_known: $effect_known:ident,
            advice: $advice:literal,
        }
    ) => {
        $(#[doc = $page])+
        pub static $name: $crate::finding::rule::Rule = $crate::finding::rule::Rule {
            id: $id,
            severity: $crate::finding::severity::Severity::$severity,
            confidence: $crate::finding::confidence::Confidence::$confidence,
            known: $crate::finding::evidence::Evidence::$known,
            is_damage: false $(|| $damage)?,
            what: $what,
            effect: $effect,
            effect_known: $crate::finding::evidence::Evidence::$effect_known,
            advice: $advice,
            page: concat!($($page, "\n"),+),
        };
    };
}

pub(crate) use rule;
