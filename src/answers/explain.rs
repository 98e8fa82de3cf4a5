//! What a log means for a tree: diagnoses the log from one reading of the files.

use super::Answers;
use crate::diagnosis::{self, Diagnosis, causes};
use crate::error::AuditError;
use crate::messages::recognised::Recognised;
use crate::scan::run::{Options, Silent};
use crate::target::TargetId;
use crate::tree::Tree;
use std::path::PathBuf;

/// What the messages of a log mean, decided on the files below `roots`, for `targets`.
///
/// # Errors
/// If the roots cannot be read at all.
pub fn on_files(log: &Recognised, roots: &[PathBuf], targets: &[TargetId]) -> Result<Diagnosis, AuditError> {
    // Unpacks compressed code to its end if damage in it could be a cause.
    let verify = log.first().is_some_and(|hit| hit.causes.contains(&causes::FB_CORRUPT.id));
    let options = Options { targets: targets.to_vec(), verify, ..Options::default() };
    let Tree { install, inventory } = Tree::read(roots, &options, &Silent, None)?;
    let answers = Answers::from_install(install);
    let facts = answers.facts();
    let conflicts = facts.tensile_folders.iter().filter_map(|folder| facts.release_conflict(folder));
    Ok(diagnosis::of_inventory(log, &inventory, targets, conflicts.collect()))
}
