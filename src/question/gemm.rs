//! The solution that rocBLAS takes for a product.

use super::{Question, Trees};
use crate::answers::findings;
use crate::engines::tensile::call::GemmCall;
use crate::error::AuditError;
use crate::report;
use crate::report::v1::GemmReport;
use crate::target::TargetId;

impl Question for GemmCall {
    type Document = GemmReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<GemmReport, AuditError> {
        let processor = TargetId::parse(&self.target).map(|target| target.processor).unwrap_or_default();
        let answers = trees.listed_for(&processor)?;
        let answer = answers.gemm(self)?;
        let found = answers.found(findings::of_gemm(&answer));
        Ok(report::gemm(&answer, &found))
    }
}
