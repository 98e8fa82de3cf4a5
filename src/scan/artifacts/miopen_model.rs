//! MIOpen's models: they predict solvers (`.tn.model`) or kernel parameters (`.ktn.model`) where no record
//! exists.

use crate::inventory::{ArtifactKind, DatabaseFacts, DatabaseForm};
use crate::scan::{Candidate, Scanned, Scanner};
use crate::target::{Processor, TargetId};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "miopen-model",
    of_text: false,
    finds: "MIOpen models (*.tn.model, *.ktn.model): predicted solvers and kernel parameters",
    claims: |candidate| target(candidate.name).is_some(),
    scan: |candidate, _, _| scan(candidate),
};

/// The target of `gfx942.tn.model`, `gfx942_metadata.tn.model`, `gfx908_<solver>_encoder.ktn.model`.
fn target(name: &str) -> Option<TargetId> {
    let stem = name.strip_suffix(".ktn.model").or_else(|| name.strip_suffix(".tn.model"))?;
    let (processor, rest) = Processor::longest_prefix(stem)?;
    (rest.is_empty() || rest.starts_with('_')).then(|| TargetId::bare(processor.name()))
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let form = match candidate.name.ends_with(".ktn.model") {
        true => DatabaseForm::ParameterModel,
        false => DatabaseForm::SolverModel,
    };
    let facts = DatabaseFacts { backend: None, compute_units: None, form, records: None };
    Scanned { named_target: target(candidate.name), ..Scanned::from_kind(ArtifactKind::Model(facts)) }
}
