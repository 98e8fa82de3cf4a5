//! Compares two sides (saved reports, kernels, choices) and checks requirements.
//!
//! One side can be a document that an earlier release wrote: [`audited`] is what of either is compared.
//! Tables and renderers show the result.

pub mod audited;
pub mod baseline;
pub mod candidates;
pub mod check;
pub mod choose;
pub mod diff;
pub mod instruction_mix;
mod kernel_changes;
pub mod kernel_pairs;
pub mod kernel_table;
mod listed;
mod manifest_check;
mod merged_names;
mod regressions;
pub mod saved;
#[cfg(feature = "engines")]
pub mod selections;
pub mod size_budget;
pub mod snapshot;
