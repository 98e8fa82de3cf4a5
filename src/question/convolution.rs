//! The solver that MIOpen takes for a convolution.

use super::{Question, Trees};
use crate::answers::{ConvolutionQuestion, findings};
use crate::error::AuditError;
use crate::report;
use crate::report::v1::ConvReport;

impl Question for ConvolutionQuestion {
    type Document = ConvReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ConvReport, AuditError> {
        let answers = trees.listed()?;
        let find_dbs = answers.find_dbs(self, None)?.for_key(&self.key);
        let answer = answers.convolution(self, &find_dbs)?;
        let found = answers.found(findings::of_convolution(&answer));
        Ok(report::conv(&answer, &found))
    }
}
