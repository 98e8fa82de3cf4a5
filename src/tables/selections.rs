//! What libraries of an artifact choose for the reference problems, on every processor that it has data for.

use super::rows::Chosen;
use crate::engines::miopen::device::Device;
use crate::error::AuditError;
use crate::report::selections::answer;
use crate::stack::model::MULTIPROCESSORS;
use crate::stack::{Stack, reference};
use crate::target::TargetId;
use std::path::PathBuf;

/// Hands on what is chosen, for `targets`, or where none are named for all that code, catalogs or databases are here for, of which
/// `processors` have the code.
pub(super) fn of(
    roots: &[PathBuf],
    targets: &[TargetId],
    processors: &[&str],
    each: &mut dyn FnMut(&Chosen<'_>) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    let stack = Stack::open(roots);
    // Of several libraries of ggml none is meant: then it is not asked.
    let ggml = stack.ggml().ok().flatten();
    let here = stack.libraries(ggml.as_ref());
    let mut asked = targets.to_vec();
    if asked.is_empty() {
        asked.extend(stack.processors().into_iter().map(TargetId::bare));
        asked.extend(processors.iter().map(|processor| TargetId::bare(*processor)));
    }
    asked.retain(|target| target.known().is_some() && !here.is_empty());
    asked.sort();
    asked.dedup();
    for target in asked {
        let compute_units =
            stack.database_units(&target.processor).last().copied().unwrap_or(MULTIPROCESSORS);
        let device = Device { target, compute_units };
        let (rows, _) = stack.workload(reference::problems().entries, &device, None, ggml.as_ref())?;
        let name = device.target.to_string();
        for row in rows.iter().filter(|row| here.contains(row.entry.problem.library())) {
            each(&Chosen {
                target: &name,
                multiprocessors: u64::from(compute_units),
                library: row.entry.problem.library(),
                problem: row.entry.problem.words(),
                answer: answer(row),
            })?;
        }
    }
    Ok(())
}
