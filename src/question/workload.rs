//! Asks what libraries do with a list of products, convolutions and attentions on a card.

use super::{Question, Trees};
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::{ConvolutionQuestion, findings};
use crate::asked::AskedCard;
use crate::engines::ggml::Version;
use crate::engines::miopen::device::Device;
use crate::engines::workload;
use crate::error::AuditError;
use crate::report;
use crate::report::v1::WorkloadReport;
use crate::report::workload::LoadedWorkload;
use crate::source::SourceFile;
use std::collections::BTreeMap;

/// Asks about the problems of a file on a card. The trees contain rocBLAS, MIOpen's databases and ggml's
/// library; without trees the rules alone answer.
#[derive(Debug)]
pub struct WorkloadQuestion {
    /// Lines of JSON, or a log.
    pub file: SourceFile,
    /// The card.
    pub card: AskedCard,
    /// Multiprocessors of the card as HIP counts them; `None` takes the card's own.
    pub multiprocessors: Option<u32>,
    /// The version of ggml; if `None`, the library's, else the latest with known rules.
    pub ggml: Option<Version>,
    /// Variables that MIOpen would see.
    pub environment: BTreeMap<String, String>,
}

impl Question for WorkloadQuestion {
    type Document = WorkloadReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<WorkloadReport, AuditError> {
        let found = workload::read(self.file.bytes());
        let shown = self.file.locator().shown();
        if found.entries.is_empty() {
            let first = findings::wrong_lines(&shown, &found).into_iter().next();
            let what = first.map_or_else(
                || "expected lines of JSON, or of logs of rocBLAS, MIOpen or hipBLASLt; see rocm-audit workload --help".to_owned(),
                |finding| format!("the first that begins as one: {finding}"),
            );
            return Err(AuditError::Unreadable(format!("workload: no line of {shown} is a problem; {what}")));
        }
        let known = self.multiprocessors.or_else(|| self.card.multiprocessors());
        let compute_units = known.or_else(|| self.card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
        let target = &self.card.target;
        let device = Device { target: target.clone(), compute_units };
        let answers = trees.listed()?;
        let library = answers.ggml()?;
        let usual = ConvolutionQuestion::usual(String::new(), device.clone());
        let convolution = ConvolutionQuestion { environment: self.environment.clone(), ..usual };
        let (rows, libraries) =
            answers.workload(found.entries.clone(), &convolution, self.ggml, library.as_ref())?;
        let own = findings::of_workload(&shown, &found, &rows, target);
        let of_library = library.as_ref().map(findings::of_library).unwrap_or_default();
        let faults = answers.found([own, of_library].concat());
        let loaded =
            LoadedWorkload { file: shown, workload: &found, multiprocessors_assumed: known.is_none() };
        Ok(report::workload::workload(&loaded, &convolution, &rows, &libraries, &faults))
    }
}
