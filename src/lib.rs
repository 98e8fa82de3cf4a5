//! Reads AMD ROCm installs, bundles and wheels from their bytes alone.

pub mod codeobject;
pub mod container;
pub mod elf;
pub mod error;
pub mod limits;
pub mod locator;
pub mod msgpack;
pub mod source;
pub mod target;
