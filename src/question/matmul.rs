//! The algorithms that hipBLASLt gives for a product.

use super::{Question, Trees};
use crate::answers::{findings, matmul_crashes};
use crate::engines::tensile::lite::call::MatmulCall;
use crate::error::AuditError;
use crate::report;
use crate::report::v1::MatmulReport;
use crate::target::TargetId;

impl Question for MatmulCall {
    type Document = MatmulReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<MatmulReport, AuditError> {
        let processor = TargetId::parse(&self.target).map(|target| target.processor).unwrap_or_default();
        let answers = trees.listed_for(&processor)?;
        let library = answers.library_of(self)?;
        let answer = library.answer(self).map_err(matmul_crashes)?;
        let found = answers.found(findings::of_matmul(&answer));
        Ok(report::matmul(&answer, &found))
    }
}
