//! The result of finding something at one position of a file.

use super::Bundle;
use crate::budget::ObjectBudget;
use crate::error::{ParseErrors, Parsed};
use alloc::vec;
use alloc::vec::Vec;

/// A bundle, a code object, or the images of an OffloadBinary, found at one position.
#[derive(Debug)]
pub struct FoundContainer {
    /// In file order.
    pub bundles: Vec<Bundle>,
    /// Bytes that all of it occupies.
    pub span: u64,
    /// Bytes of these that belong to no bundle.
    pub headers: u64,
    /// What is malformed in it and leaves its entries readable.
    pub problems: ParseErrors,
}

impl FoundContainer {
    /// One bundle.
    pub(super) fn one(bundle: Bundle) -> Self {
        FoundContainer {
            span: bundle.span,
            headers: 0,
            bundles: vec![bundle],
            problems: ParseErrors::default(),
        }
    }

    /// Charges all of it to the budget.
    ///
    /// # Errors
    ///
    /// As `ObjectBudget::pay`.
    pub fn pay(self, budget: &mut ObjectBudget) -> Parsed<Self> {
        self.bundles
            .iter()
            .try_for_each(|bundle| budget.pay(bundle.offset, bundle.entries.len()))
            .map(|()| self)
    }

    pub(super) fn is_plausible(&self) -> bool {
        !self.bundles.is_empty() && self.bundles.iter().all(Bundle::is_plausible)
    }
}
