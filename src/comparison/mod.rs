//! Compares two sides (saved reports, kernels, choices) and checks requirements.
//!
//! Either side can be a document written by an older release, so both are read as JSON ([`saved`],
//! [`snapshot`]). Tables and renderers show the result.

pub mod baseline;
pub mod check;
pub mod diff;
pub mod kernel_pairs;
pub mod kernel_table;
pub mod saved;
#[cfg(feature = "engines")]
pub mod selections;
pub mod snapshot;
