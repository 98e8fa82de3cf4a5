//! Asks what can be removed when only some cards must be served.

use super::{Question, Trees};
use crate::error::AuditError;
use crate::inventory::Inventory;
use crate::report;
use crate::report::v1::SlimReport;
use crate::target::TargetId;

/// Asks which files serve none of the GPUs to keep.
#[derive(Debug, Clone)]
pub struct SlimQuestion {
    /// The targets of the GPUs. Everything that loads on one of them stays.
    pub keep: Vec<TargetId>,
}

impl SlimQuestion {
    /// Makes the document from what was read.
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
