//! The library that loads a library folder, and what its bytes say of how it chooses.
#![deny(clippy::indexing_slicing)]

use super::version::{self, Version};
use crate::bytes::elf;
use crate::input::folder::Folder;
use std::path::PathBuf;

/// The environment variable that rocBLAS asks where it was built with hipBLASLt.
const SWITCH: &[u8] = b"ROCBLAS_USE_HIPBLASLT";

/// A `librocblas.so` and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The file.
    pub path: PathBuf,
    /// Whether it has the text `ROCBLAS_USE_HIPBLASLT`: whether it can ask hipBLASLt first.
    pub asks_hipblaslt: bool,
    /// Its version: what its code states, else the number behind its name.
    pub version: Option<Version>,
}

impl Host {
    /// The `librocblas.so` that would load a folder: in the folders above it, where rocBLAS looks for its own from.
    pub fn of(folder: &Folder) -> Option<Host> {
        let (folder, name) = near(folder)?;
        let file = folder.open(&name).ok()?;
        // Among the constants, not in the gigabyte of code behind them.
        let constants = elf::named_section(file.bytes(), b".rodata")?;
        let asks_hipblaslt = memchr::memmem::find(constants, SWITCH).is_some();
        let version = version_of(&name, file.bytes());
        file.check_unchanged().ok()?;
        Some(Host { path: folder.path_of(&name), asks_hipblaslt, version })
    }
}

/// The version of the `librocblas.so` that would load a folder; `None` where none lies near or it states none.
pub fn version_near(folder: &Folder) -> Option<Version> {
    let (folder, name) = near(folder)?;
    let file = folder.open(&name).ok()?;
    let version = version_of(&name, file.bytes())?;
    file.check_unchanged().is_ok().then_some(version)
}

/// What a library states of its version: in its code, else behind its name.
fn version_of(name: &str, library: &[u8]) -> Option<Version> {
    let named = || name.split_once(".so.").and_then(|(_, number)| Version::parse(number));
    Version::of_rocblas(library).or_else(named)
}

/// The library in the folders above one, and its folder.
fn near(folder: &Folder) -> Option<(Folder, String)> {
    folder.ancestors().skip(1).take(4).find_map(|folder| {
        let name = version::library_in(&folder, "librocblas.so")?;
        Some((folder, name))
    })
}
