//! Multiprocessors of the card that is asked about: given, or those of the products that were named.

use super::global::{GlobalArgs, note};
use crate::asked::multiprocessors::{is_of, numbers};
use crate::error::AuditError;
use crate::target::TargetId;
use crate::target::product::{Product, products};

impl GlobalArgs {
    /// Multiprocessors as HIP counts them: those that `--cu` gives, else those of the card that `--gpu`
    /// names, else those that all cards with the processor of `--arch` have.
    ///
    /// # Errors
    /// Where they are not known, or several numbers are meant: with the cards and their numbers.
    pub fn multiprocessors(&self, given: Option<u32>, operation: &str) -> Result<u32, AuditError> {
        if let Some(given) = given {
            return Ok(given);
        }
        let named = self.products();
        // Of a card that claims another processor, its own one counts.
        let claims: Vec<&TargetId> = self.gpu.iter().filter_map(|gpu| gpu.card.as_ref()).collect();
        let cards: Vec<&TargetId> = if claims.is_empty() { self.arch.iter().collect() } else { claims };
        let of_processor =
            |product: &&Product| cards.iter().any(|target| target.processor == product.processor());
        let is_meant = |product: &&Product| named.is_empty() || named.iter().any(|own| is_of(product, own));
        let by_number = numbers(products().iter().filter(of_processor).filter(is_meant));
        let alike = numbers(products().iter().filter(of_processor));
        let name = |(number, products): (&u32, &Vec<&Product>)| {
            format!("{number} ({})", products.first().map_or("", |product| product.name()))
        };
        match by_number.first_key_value() {
            Some((number, products)) if by_number.len() == 1 => {
                let product = products.first().map_or("", |product| product.name());
                note(&format!("--cu {number}, as {product} has"));
                Ok(*number)
            }
            Some(_) => Err(AuditError::Usage(format!(
                "{operation}: name the card with --gpu, or its multiprocessors with --cu: {}",
                by_number.iter().map(name).collect::<Vec<_>>().join(", ")
            ))),
            None => {
                let others = match alike.iter().map(name).collect::<Vec<_>>() {
                    others if others.is_empty() => String::new(),
                    others => format!("; others with its processor have {}", others.join(", ")),
                };
                Err(AuditError::Usage(format!(
                    "{operation}: how many multiprocessors the card has is not known: give with --cu what hipDeviceProp_t's multiProcessorCount states{others}"
                )))
            }
        }
    }

    /// The products that `--gpu` names.
    fn products(&self) -> Vec<&'static Product> {
        self.gpu.iter().flat_map(|gpu| gpu.products.iter().copied()).collect()
    }

    /// Multiprocessors of the card that `--gpu` names, where all that are meant have as many.
    pub fn card_multiprocessors(&self) -> Option<u32> {
        let [gpu] = &self.gpu[..] else { return None };
        gpu.multiprocessors()
    }
}
