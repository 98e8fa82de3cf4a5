//! Multiprocessors of a card: those of the products that were named, or of all with its processor.

use super::Asked;
use crate::target::product::{Product, products};
use std::collections::BTreeMap;

impl Asked {
    /// Multiprocessors, where all products that are meant have as many.
    pub fn multiprocessors(&self) -> Option<u32> {
        let is_meant = |product: &&Product| self.products.iter().any(|own| is_of(product, own));
        let numbers = numbers(self.alike().filter(is_meant));
        numbers.first_key_value().filter(|_| numbers.len() == 1).map(|(number, _)| *number)
    }

    /// Those of the largest product with its processor.
    pub fn most_multiprocessors(&self) -> Option<u32> {
        numbers(self.alike()).last_key_value().map(|(number, _)| *number)
    }

    /// Whether all products with its processor have as many.
    pub fn is_of_one_size(&self) -> bool {
        numbers(self.alike()).len() == 1
    }

    fn alike(&self) -> impl Iterator<Item = &'static Product> {
        products().iter().filter(|product| product.processor() == self.own().processor)
    }
}

/// Products by their number of multiprocessors, where that is known.
pub(crate) fn numbers<'p>(products: impl Iterator<Item = &'p Product>) -> BTreeMap<u32, Vec<&'p Product>> {
    let mut numbers: BTreeMap<u32, Vec<&Product>> = BTreeMap::new();
    for product in products {
        if let Some(number) = product.multiprocessors() {
            numbers.entry(number).or_default().push(product);
        }
    }
    numbers
}

/// Whether a product is one that was named, or a variant of it: one list has `MI50` without a number of compute units, another
/// `MI50 (16GB)` with one.
pub(crate) fn is_of(product: &Product, named: &Product) -> bool {
    let rest = product.name().strip_prefix(named.name());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}
