//! What the libraries know about the convolutions and products of an ONNX graph on a card.

use super::{Question, Trees};
use crate::answers::findings::{of_graph, together};
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::onnx::{DATA, GraphQuestion};
use crate::asked::AskedCard;
use crate::engines::miopen::device::Device;
use crate::engines::onnx;
use crate::engines::onnx::shape::Sizes;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::report;
use crate::report::model_graph::Graphed;
use crate::report::v1::{Claim, ModelGraphReport};
use crate::source::SourceFile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Asks about an ONNX file on a card. The trees contain MIOpen's databases and rocBLAS.
#[derive(Debug, Clone)]
pub struct OnnxQuestion {
    /// The file.
    pub file: PathBuf,
    /// The card.
    pub card: AskedCard,
    /// Multiprocessors of the card as HIP counts them; `None` takes the card's own.
    pub multiprocessors: Option<u32>,
    /// The batch size, in place of first dimensions of inputs that are open, 0 or 1.
    pub batch: Option<u64>,
    /// Sizes for named dimensions.
    pub dimensions: Vec<(String, u64)>,
    /// Index of the data type in [`DATA`].
    pub data: usize,
    /// Variables that MIOpen would see.
    pub environment: BTreeMap<String, String>,
    /// The processor that the card claims.
    pub claim: Option<Claim>,
}

impl Question for OnnxQuestion {
    type Document = ModelGraphReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ModelGraphReport, AuditError> {
        let path = &self.file;
        let file = SourceFile::open(path).map_err(|error| AuditError::io("read", path, error))?;
        let read = onnx::graph::read(file.bytes());
        let sizes = Sizes { batch: self.batch, named: self.dimensions.iter().cloned().collect() };
        let (asked, problems) = onnx::problem::problems(&read, &sizes);
        let shown = file.locator().shown();
        let known = self.multiprocessors.or_else(|| self.card.multiprocessors());
        let compute_units = known.or_else(|| self.card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
        let (data, letters) = DATA.get(self.data).copied().unwrap_or(("FP32", "SS"));
        let device = Device { target: self.card.target.clone(), compute_units };
        let question = GraphQuestion { device, data, letters, environment: self.environment.clone() };
        let answers = trees.listed()?;
        let rows = answers.graph(asked, &question)?;
        let found = answers.found(together([
            Finding::all_of_bytes(&shown, &problems),
            of_graph(&shown, &rows, &question.device.target),
        ]));
        let graphed = Graphed {
            file: shown,
            graph: &read,
            batch: self.batch,
            multiprocessors_assumed: known.is_none(),
        };
        let report = report::model_graph::model_graph(&graphed, &question, &rows, &found);
        Ok(ModelGraphReport { claim: self.claim.clone(), ..report })
    }
}
