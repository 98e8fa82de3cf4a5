//! Asks which libraries the files need, and which of them are in the trees.

use super::{Question, Trees};
use crate::error::AuditError;
use crate::report;
use crate::report::v1::NeedsReport;

/// Asks what the trees' shared libraries need, as if all trees were installed together.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct NeedsQuestion {}

impl Question for NeedsQuestion {
    type Document = NeedsReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<NeedsReport, AuditError> {
        trees.inventory().map(|inventory| report::needs(&inventory))
    }
}
