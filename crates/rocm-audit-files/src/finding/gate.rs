//! Which rules, and which changes between two sides, make a run fail, as its caller has asked.

use super::rule::Rule;
use super::rules::RULES;

/// Words of 64 bits; the registry has fewer rules than these have bits.
const WORDS: usize = 4;
const _: () = assert!(RULES.len() <= 64 * WORDS);

/// Kinds of changes that a set has room for.
const CHANGES: usize = 16;

/// A set of rules of the registry, and of words for what gets worse between two sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gate {
    rules: [u64; WORDS],
    changes: [Option<&'static str>; CHANGES],
}

impl Gate {
    /// The rules for which `fails` says so.
    pub fn from_condition(fails: impl Fn(&Rule) -> bool) -> Self {
        let mut gate = Gate::default();
        for (at, _) in RULES.iter().enumerate().filter(|(_, (_, rule))| fails(rule)) {
            if let Some(word) = gate.rules.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
        gate
    }

    /// The same, and what changes in one of these ways: `lost-target`.
    #[must_use]
    pub fn and_changes(mut self, words: impl IntoIterator<Item = &'static str>) -> Self {
        let free = self.changes.iter_mut().filter(|place| place.is_none());
        free.zip(words).for_each(|(place, word)| *place = Some(word));
        self
    }

    /// Whether findings of the rule with this id, or changes of this word, make the run fail.
    pub fn has(self, id: &str) -> bool {
        let at = RULES.iter().position(|(_, rule)| rule.id == id);
        at.is_some_and(|at| self.rules.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0))
            || self.changes.contains(&Some(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_has_what_was_put_in() {
        let gate = Gate::from_condition(|rule| rule.id.starts_with('w'));
        for (_, rule) in RULES {
            assert_eq!(gate.has(rule.id), rule.id.starts_with('w'), "{}", rule.id);
        }
        let both = gate.and_changes(["lost-target", "bigger"]);
        assert!(both.has("lost-target") && both.has("bigger") && !both.has("lost-file"));
        assert!(
            !gate.has("lost-target")
                && both.has("wrong-hash")
                && !gate.has("no such rule")
                && !Gate::default().has(RULES[0].1.id)
        );
    }
}
