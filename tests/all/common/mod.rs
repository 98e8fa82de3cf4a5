//! Code that several tests share: makers of inputs, the program, and the project's folder.
#![cfg_attr(not(feature = "cli"), allow(dead_code))]

pub mod audited;
pub mod bundles;
pub mod elf;
pub mod folders;
pub mod packages;
#[cfg(feature = "cli")]
pub mod program;
pub mod seen;
pub mod shared;
pub mod tensile;
#[cfg(feature = "cli")]
pub mod trees;

use std::path::{Path, PathBuf};

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file or folder below `fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    project().join("fixtures").join(path)
}
