//! Reads AMD ROCm installs, bundles and wheels from their bytes alone.

pub mod audit;
pub mod capability;
pub mod codeobject;
pub mod container;
pub mod elf;
pub mod error;
pub mod fatbin;
pub mod inventory;
pub mod library;
pub mod limits;
pub mod locator;
pub mod msgpack;
pub mod report;
pub mod scan;
pub mod source;
pub mod target;
pub mod tensile;
pub mod walk;
