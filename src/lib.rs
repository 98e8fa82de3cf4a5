//! Reads AMD ROCm installs, bundles and wheels from their bytes alone.

pub mod budget;
pub mod bytes;
pub mod capability;
#[cfg(feature = "cli")]
pub mod cli;
pub mod codeobject;
pub mod container;
pub mod engines;
pub mod error;
pub mod finding;
pub mod format;
pub mod input;
pub mod inventory;
pub mod isa;
pub mod limits;
pub mod locator;
#[cfg(feature = "cli")]
pub mod render;
pub mod report;
pub mod scan;
pub mod source;
pub mod stack;
pub mod target;
