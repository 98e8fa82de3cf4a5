//! What an artifact's libraries choose for the reference problems, on every processor it has data for.

use super::artifact::Origin;
use super::batch::Batch;
use super::column::{Column, ColumnType, Table};
use super::rows::{table, word};
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::{Answers, ConvolutionQuestion, reference};
use crate::comparison::selections::answer;
use crate::engines::miopen::device::Device;
use crate::error::AuditError;
use crate::finding::rules::read::WORK_LIMIT;
use crate::input::install::Install;
use crate::inventory::Inventory;
use crate::report::v1::SelectionAnswer;
use crate::scan::run::Options;
use crate::target::TargetId;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The choice for a reference problem.
pub(super) struct ReferenceChoice<'a> {
    pub target: &'a str,
    pub multiprocessors: u64,
    pub library: &'a str,
    pub problem: String,
    pub answer: SelectionAnswer,
}

table! {
    /// Selections: what libraries choose for reference problems.
    SELECTIONS, selection, "selections", "what a library chooses for a reference problem on a target", row: ReferenceChoice<'_>;
    "target_id" Text "the target that is asked for" row.target;
    "multiprocessors" Number "the multiprocessors that are assumed" row.multiprocessors;
    "library" Text "the library" row.library;
    "problem" Text "the problem, in words" row.problem.as_str();
    "kind" Text "the kind of the answer, as in `workload`" row.answer.kind.as_str();
    "way" Text "the same in words" row.answer.way.as_str();
    "taken" Text "kernels or solvers that are taken, with spaces" row.answer.taken.join(" ");
    "evidence" Text "how that is known" word(&row.answer.evidence);
}

/// Hands on what the libraries read with `options` choose: for the targets in the options or, without any,
/// for all that have code (`processors`), catalogs or databases here.
pub(super) fn write_selections(
    install: Install,
    inventory: &Inventory,
    options: &Options,
    processors: &[&str],
    each: &mut dyn FnMut(&ReferenceChoice<'_>) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    // If some files were skipped, the libraries would choose differently, so the choices say nothing.
    if inventory.findings.iter().any(|fault| *fault.rule == WORK_LIMIT) {
        return Ok(());
    }
    let stack = Answers::from_install(install);
    // If there are several ggml libraries, it is unclear which one is meant; then none is asked.
    let ggml = stack.ggml().ok().flatten();
    let here = stack.libraries(ggml.as_ref());
    let mut asked = options.targets.clone();
    if asked.is_empty() {
        asked.extend(stack.processors().into_iter().map(TargetId::bare));
        asked.extend(processors.iter().map(|processor| TargetId::bare(*processor)));
    }
    asked.retain(|target| target.known().is_some() && !here.is_empty());
    asked.sort_rows();
    asked.dedup();
    for target in asked {
        if options.stop.is_stopped() {
            return Err(AuditError::Stopped);
        }
        let compute_units =
            stack.database_units(&target.processor).last().copied().unwrap_or(MULTIPROCESSORS);
        let device = Device { target, compute_units };
        let entries = reference::problems().entries;
        let convolution = ConvolutionQuestion::usual(String::new(), device.clone());
        let (rows, _) = stack.workload(entries, &convolution, None, ggml.as_ref())?;
        let name = device.target.to_string();
        for row in rows.iter().filter(|row| here.contains(row.entry.problem.library())) {
            each(&ReferenceChoice {
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
