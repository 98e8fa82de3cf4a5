//! What a log means on a tree: its diagnosis, with what is wrong in library folders.

use super::Answers;
use crate::diagnosis::{self, Diagnosis};
use crate::engines::tensile::consistency;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::messages::recognise::Recognised;
use crate::target::TargetId;
use std::path::PathBuf;

/// What the messages of a log mean, decided on the files below `roots`, for `targets`.
///
/// # Errors
/// Where a library folder cannot be listed.
pub fn on_files(log: &Recognised, roots: &[PathBuf], targets: &[TargetId]) -> Result<Diagnosis, AuditError> {
    diagnosis::on_files(log, roots, targets, &in_library_folders)
}

/// What is wrong in the library folders of rocBLAS and hipBLASLt.
fn in_library_folders(roots: &[PathBuf], targets: &[TargetId]) -> Result<Vec<Finding>, AuditError> {
    let opened = Answers::open(roots);
    let processors: Vec<String> = targets.iter().map(|target| target.processor.clone()).collect();
    let mut all = Vec::new();
    for whole in &opened.facts().tensile_folders {
        let found = consistency::check(&whole.folder, whole.owner, &processors);
        let found = found.map_err(|source| AuditError::io("list", whole.folder.path(), source))?;
        all.extend(found.findings);
        all.extend(opened.facts().release_conflict(whole));
    }
    Ok(all)
}
