//! The library folders of rocBLAS and hipBLASLt: catalogs, tuned and fallback code objects, helpers.

use super::{Candidate, Lines, Scanned, Scanner, Settings, code_objects};
use crate::container::Read;
use crate::inventory::{ArtifactKind, Problem, TensileFacts};
use crate::tensile::catalog;
use crate::tensile::name::Name;

pub(super) static SCANNER: Scanner = Scanner {
    id: "tensile",
    finds: "rocBLAS and hipBLASLt library folders: Tensile catalogs, tuned and fallback code objects per target and type",
    claims: |candidate| Name::parse(candidate.name).is_some(),
    scan,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, lines: &mut Lines<'_>) -> Scanned {
    let Some(name) = Name::parse(candidate.name) else { return Scanned::default() };
    let mut facts = TensileFacts { type_code: name.type_code, solutions: None };
    let mut scanned = Scanned::default();
    if name.code {
        if candidate.format.read() == Read::Yes {
            scanned = code_objects::read(candidate, settings, name.target.as_ref(), lines);
        } else {
            let what = format!("the name says code object, the content is {}", candidate.format.name());
            let error = crate::error::ParseError::new(0, what);
            scanned.problems.push(Problem::malformed(candidate.shown, error));
        }
    } else if candidate.name.ends_with(".dat") {
        match catalog::solutions(candidate.file.bytes()) {
            Ok(solutions) => facts.solutions = solutions,
            Err(error) => scanned.problems.push(Problem::malformed(candidate.shown, error)),
        }
    }
    scanned.named_target = name.target;
    scanned.kind = Some(ArtifactKind::Tensile(name.role, facts));
    scanned
}
