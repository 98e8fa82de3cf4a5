//! A card's number of multiprocessors: that of the named products, or of all products with its processor.

use super::AskedCard;
use crate::target::product::{Product, products};
use rocm_audit_files::key_map::KeyMap;

impl AskedCard {
    /// The number of multiprocessors, if all meant products have the same.
    pub fn multiprocessors(&self) -> Option<u32> {
        let is_meant = |product: &&Product| self.products.iter().any(|own| is_of(product, own));
        let numbers = numbers(self.alike().filter(is_meant));
        numbers.first_key_value().filter(|_| numbers.len() == 1).map(|(number, _)| *number)
    }

    /// Memory of the card in bytes, if all meant products have the same.
    pub fn memory(&self) -> Option<u64> {
        let mut sizes = self.products.iter().map(|product| product.memory_gib());
        let first = sizes.next()??;
        sizes.all(|size| size == Some(first)).then_some(u64::from(first) << 30)
    }

    /// The number of the largest product with its processor.
    pub fn most_multiprocessors(&self) -> Option<u32> {
        numbers(self.alike()).last_key_value().map(|(number, _)| *number)
    }

    /// Whether all products with its processor have the same number.
    pub fn is_of_one_size(&self) -> bool {
        numbers(self.alike()).len() == 1
    }

    fn alike(&self) -> impl Iterator<Item = &'static Product> {
        products().iter().filter(|product| product.processor() == self.own().processor)
    }
}

/// Groups products by their number of multiprocessors, leaving out unknown numbers.
pub(crate) fn numbers<'p>(products: impl Iterator<Item = &'p Product>) -> KeyMap<u32, Vec<&'p Product>> {
    let mut numbers: KeyMap<u32, Vec<&Product>> = KeyMap::new();
    for product in products {
        if let Some(number) = product.multiprocessors() {
            numbers.entry(number).or_default().push(product);
        }
    }
    numbers
}

/// Whether a product is the named one or a variant of it: one list has `MI50` without compute units, another
/// has `MI50 (16GB)` with them.
pub(crate) fn is_of(product: &Product, named: &Product) -> bool {
    let rest = product.name().strip_prefix(named.name());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}
