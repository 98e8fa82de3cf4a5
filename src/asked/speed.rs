//! How fast a card is at best.

use super::AskedCard;
use super::multiprocessors::is_of;
use crate::target::product::{Product, products};

/// Bandwidth, clock and compute units of a card; of several products that a name means, the most of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardSpeed {
    /// Peak bandwidth of its memory in bytes a second, without caches.
    pub bandwidth: u64,
    /// Peak clock of its compute units in MHz; `None` if it is unknown.
    pub clock_mhz: Option<u32>,
    /// Compute units of one device; `None` if the number is unknown.
    pub compute_units: Option<u32>,
}

impl CardSpeed {
    /// Clocks of all compute units in a second.
    pub fn clocks_of_units(&self) -> Option<f64> {
        Some(f64::from(self.compute_units?) * f64::from(self.clock_mhz?) * 1e6)
    }
}

impl AskedCard {
    /// Compute units of the largest product that the word means, as the number of multiprocessors is known.
    fn compute_units(&self) -> Option<u32> {
        let variants = products().iter().filter(|one| self.products.iter().any(|own| is_of(one, own)));
        variants.filter_map(Product::compute_units).max()
    }

    /// The most that a product of the word has; `None` if it is unknown for one of them.
    fn most<T: Ord>(&self, of: impl Fn(&Product) -> Option<T>) -> Option<T> {
        let all: Option<Vec<T>> = self.products.iter().map(|product| of(product)).collect();
        all?.into_iter().max()
    }

    /// The speed of the card; `None` if the word names a processor, or a product whose bandwidth is unknown.
    pub fn speed(&self) -> Option<CardSpeed> {
        Some(CardSpeed {
            bandwidth: self.most(Product::bandwidth)?,
            clock_mhz: self.most(Product::clock_mhz),
            compute_units: self.compute_units(),
        })
    }
}
