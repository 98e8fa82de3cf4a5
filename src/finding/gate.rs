//! Which rules make a run fail, as its caller has asked.

use super::rule::Rule;
use super::rules::RULES;

/// Words of 64 bits; the registry has fewer rules than these have bits.
const WORDS: usize = 4;
const _: () = assert!(RULES.len() <= 64 * WORDS);

/// A set of rules of the registry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gate([u64; WORDS]);

impl Gate {
    /// The rules for which `fails` says so.
    pub fn of(fails: impl Fn(&Rule) -> bool) -> Self {
        let mut gate = Gate::default();
        for (at, _) in RULES.iter().enumerate().filter(|(_, (_, rule))| fails(rule)) {
            if let Some(word) = gate.0.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
        gate
    }

    /// Whether findings of the rule with this id make the run fail.
    pub fn has(self, id: &str) -> bool {
        let at = RULES.iter().position(|(_, rule)| rule.id == id);
        at.is_some_and(|at| self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_has_what_was_put_in() {
        let gate = Gate::of(|rule| rule.id.starts_with('w'));
        for (_, rule) in RULES {
            assert_eq!(gate.has(rule.id), rule.id.starts_with('w'), "{}", rule.id);
        }
        assert!(!gate.has("no such rule") && !Gate::default().has(RULES[0].1.id));
    }
}
