//! MIOpen's models: they predict solvers (`.tn.model`) or kernel parameters (`.ktn.model`) where no record
//! exists.

use crate::engines::miopen::model_name::ModelName;
use crate::finding::Finding;
use crate::format::Format;
use crate::inventory::{ArtifactKind, DatabaseFacts, DatabaseForm};
use crate::scan::{Candidate, Scanned, Scanner};
use crate::target::TargetId;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "miopen-model",
    of_text: false,
    finds: "MIOpen models (*.tn.model, *.ktn.model): predicted solvers and kernel parameters",
    claims: |candidate| ModelName::parse(candidate.name).is_some(),
    scan: |candidate, _, _| scan(candidate),
};

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let Some(name) = ModelName::parse(candidate.name) else { return Scanned::default() };
    let mut facts = DatabaseFacts {
        form: if name.tunes { DatabaseForm::ParameterModel } else { DatabaseForm::SolverModel },
        ..DatabaseFacts::default()
    };
    if candidate.format == Format::LfsPointer {
        facts.form = DatabaseForm::GitLfsPointer;
    }
    let findings = read(candidate, &name, &mut facts).into_iter().collect();
    let named_target = Some(TargetId::bare(name.processor));
    Scanned { named_target, findings, ..Scanned::from_kind(ArtifactKind::Model(facts)) }
}

/// Reads the file into `facts`, and says what is wrong with it.
#[cfg(feature = "engines")]
fn read(candidate: &Candidate<'_>, name: &ModelName<'_>, facts: &mut DatabaseFacts) -> Option<Finding> {
    use crate::budget::MemoryPermit;
    use crate::engines::miopen::model_files;
    use crate::engines::miopen::model_name::MOST_BYTES;
    use crate::error::ParseError;

    /// Memory that the numbers and the JSON of a file take, as multiples of its size.
    const MEMORY_RATIO: u64 = 4;
    if candidate.format == Format::LfsPointer {
        let error = ParseError::new(0, "a Git LFS pointer stands in place of the model");
        return Some(model_files::unusable(candidate.shown, &error));
    }
    let bytes = candidate.file.bytes();
    let _memory = MemoryPermit::take((bytes.len().min(MOST_BYTES) as u64).saturating_mul(MEMORY_RATIO));
    match model_files::check(candidate.shown, name, bytes) {
        Ok(shape) => {
            facts.model = Some(shape);
            None
        }
        Err(finding) => Some(*finding),
    }
}

/// Without the engines, a model is a name.
#[cfg(not(feature = "engines"))]
fn read(_: &Candidate<'_>, _: &ModelName<'_>, _: &mut DatabaseFacts) -> Option<Finding> {
    None
}
