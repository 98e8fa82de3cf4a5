//! Reads AMD ROCm installs, bundles and wheels from their bytes alone.

pub mod audit;
pub mod capability;
#[cfg(feature = "cli")]
pub mod cli;
pub mod codeobject;
pub mod container;
pub mod duplicate;
pub mod elf;
pub mod error;
mod examine;
pub mod exclusion;
pub mod extract;
pub mod fatbin;
mod fields;
pub mod ggml;
pub mod inventory;
pub mod isa;
pub mod kpack;
pub mod library;
pub mod limits;
pub mod locator;
pub mod miopen;
pub mod msgpack;
pub mod package;
#[cfg(feature = "cli")]
pub mod render;
pub mod report;
pub mod scan;
pub mod select;
pub mod severity;
pub mod source;
mod sqlite;
pub mod target;
pub mod tensile;
pub mod walk;
