//! The target, processor or card that a user's word means. The command line, files and other languages all
//! read the word in the same way.

pub mod multiprocessors;
pub mod override_value;
mod speed;
pub mod words;

pub use speed::CardSpeed;

use crate::error::NotUnderstood;
use crate::target::product::{Meant, Product};
use crate::target::{PROCESSORS, TargetId};

/// What the user asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCard {
    /// The target whose code is loaded: the claimed processor, if one is claimed.
    pub target: TargetId,
    /// The products that the word means; empty if it named a target.
    pub products: Vec<&'static Product>,
    /// The card's real processor, if it claims another one.
    pub card: Option<TargetId>,
}

/// How many cards a message lists.
const SUGGESTED: usize = 8;

impl AskedCard {
    /// Reads a word: a target ID (`gfx90a:xnack+`), a processor, also by number (`mach_0x54`) or the abstract
    /// `amdgcnspirv`, a card's name in any spelling (`RX 6600`, `780m`), or a PCI id (`0x73ff`).
    ///
    /// # Errors
    ///
    /// A clause that suggests what the word could mean.
    pub fn from_word(word: &str) -> Result<Self, NotUnderstood> {
        let lower = word.trim().to_ascii_lowercase();
        let is_one = |target: &TargetId| {
            let name = &target.processor;
            target.known().is_some() || name.starts_with("mach_0x") || name == "amdgcnspirv"
        };
        if let Some(target) = TargetId::parse(&lower).filter(is_one) {
            return Ok(AskedCard::unnamed(target));
        }
        match Product::meant(word) {
            Meant::Products(products) => {
                let first = products.first().map_or("", |product| product.processor());
                Ok(AskedCard { target: TargetId::bare(first), products, card: None })
            }
            Meant::Several(products) => {
                Err(format!("several cards have this in their names: {}", list(&products)).into())
            }
            Meant::Nothing(near) if !near.is_empty() => {
                Err(format!("no such card; near are {}", list(&near)).into())
            }
            Meant::Nothing(_) => {
                let processor = lower.split(':').next().unwrap_or_default();
                match words::similar(processor, PROCESSORS.iter().map(|p| p.name())) {
                    near if near.is_empty() && !lower.starts_with("gfx") => {
                        Err("no such target or card; `rocm-audit list arches` and `list gpus` have them"
                            .into())
                    }
                    near => Err(format!(
                        "no such target{}; `rocm-audit list arches` has them all",
                        words::meant(&near)
                    )
                    .into()),
                }
            }
        }
    }

    /// A target without a product.
    pub fn unnamed(target: TargetId) -> Self {
        AskedCard { target, products: Vec::new(), card: None }
    }

    /// The same card with another claimed processor; it keeps its name and compute units.
    pub fn claiming(&self, claimed: TargetId) -> Self {
        AskedCard { target: claimed, products: self.products.clone(), card: Some(self.own().clone()) }
    }

    /// The target of the card itself.
    pub fn own(&self) -> &TargetId {
        self.card.as_ref().unwrap_or(&self.target)
    }

    /// Moves the products that the user named to the front of a list of products.
    pub fn name_first(&self, products: &mut Vec<String>) {
        let named: Vec<String> = self.products.iter().map(|product| product.name().to_owned()).collect();
        // Cards with the claimed processor are not the card the user asked about.
        products.retain(|name| self.card.is_none() && !named.contains(name));
        products.splice(0..0, named);
    }

    /// Like [`AskedCard::from_word`], but only for cards and for processors that cards have.
    ///
    /// # Errors
    ///
    /// As [`AskedCard::from_word`], and for targets that no card has.
    pub fn card(word: &str) -> Result<Self, NotUnderstood> {
        let asked = AskedCard::from_word(word)?;
        match asked.target.known() {
            Some(_) => Ok(asked),
            None => Err(format!("{} is no processor of a card", asked.target).into()),
        }
    }
}

/// Lists cards with their processors.
fn list(products: &[&Product]) -> String {
    let name = |product: &&Product| format!("{} ({})", product.name(), product.processor());
    let more = products.len().saturating_sub(SUGGESTED);
    let mut text = products.iter().take(SUGGESTED).map(name).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Processors according to AMD's own pages and LLVM's AMDGPUUsage.
    #[test]
    fn targets_and_cards_are_one_question() {
        for (word, target) in [
            ("gfx90a:xnack+", "gfx90a:xnack+"),
            (" GFX1030 ", "gfx1030"),
            ("RX 6600", "gfx1032"),
            ("780m", "gfx1103"),
            ("0x73ff", "gfx1032"),
            ("amdgcnspirv", "amdgcnspirv"),
            ("mach_0x54", "mach_0x54"),
        ] {
            assert_eq!(
                AskedCard::from_word(word).map(|asked| asked.target.to_string()).as_deref(),
                Ok(target),
                "{word}"
            );
        }
        assert!(
            AskedCard::from_word("RX 6600").unwrap().products.iter().any(|p| p.name() == "Radeon RX 6600")
        );
        assert!(AskedCard::from_word("gfx1032").unwrap().products.is_empty());
        assert!(AskedCard::card("780m").is_ok() && AskedCard::card("amdgcnspirv").is_err());
    }

    #[test]
    fn a_word_for_nothing_is_answered_with_what_is_near() {
        for (word, expected) in [
            ("gfx10300", "no such target (is gfx1030 meant?)"),
            ("gfx9999", "no such target"),
            ("banana", "no such target or card"),
            ("RX 6666", "no such card; near are Radeon RX 6600 (gfx1032)"),
        ] {
            let error = AskedCard::from_word(word).unwrap_err();
            assert!(error.contains(expected), "{word}: {error}");
        }
    }
}
