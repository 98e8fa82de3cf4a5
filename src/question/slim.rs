//! What can be left out for the cards that are kept.

use super::{Question, Trees};
use crate::error::AuditError;
use crate::inventory::Inventory;
use crate::report;
use crate::report::v1::SlimReport;
use crate::target::TargetId;

/// Which files serve none of the GPUs that are kept.
#[derive(Debug, Clone)]
pub struct SlimQuestion {
    /// The GPUs, by their targets. What loads on one of them stays.
    pub keep: Vec<TargetId>,
}

impl SlimQuestion {
    /// The document for what was read.
    pub fn document(&self, inventory: &Inventory) -> SlimReport {
        report::slim(inventory, &self.keep)
    }
}

impl Question for SlimQuestion {
    type Document = SlimReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<SlimReport, AuditError> {
        trees.inventory().map(|inventory| self.document(&inventory))
    }
}
