//! What changed between two sides, and whether what was asked for is there: saved reports, kernels, choices, requirements.
//!
//! Both sides of a comparison are documents, of which one can have been written by an older release: they are read as JSON
//! ([`saved`], [`snapshot`]). Tables and renderers show what comes of it.

pub mod baseline;
pub mod check;
pub mod diff;
pub mod kernel_pairs;
pub mod kernel_table;
pub mod saved;
#[cfg(feature = "engines")]
pub mod selections;
pub mod snapshot;
