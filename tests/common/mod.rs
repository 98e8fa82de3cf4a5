//! Makers of inputs that several tests share.
#![allow(dead_code)]

pub mod audited;
pub mod bundles;
pub mod elf;
pub mod packages;
pub mod program;
pub mod seen;
pub mod shared;
pub mod tensile;
pub mod trees;

use std::path::{Path, PathBuf};

/// A file or folder below `fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}
