//! The library that loads a library folder, and what its bytes say of how it chooses.
#![deny(clippy::indexing_slicing)]

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
}

impl Host {
    /// The `librocblas.so` that would load a folder: in the folders above it, where rocBLAS looks for its own from.
    pub fn of(folder: &Folder) -> Option<Host> {
        let (folder, name) = folder.ancestors().skip(1).take(4).find_map(library_in)?;
        let file = folder.open(&name).ok()?;
        // Among the constants, not in the gigabyte of code behind them.
        let constants = elf::named_section(file.bytes(), b".rodata")?;
        let asks_hipblaslt = memchr::memmem::find(constants, SWITCH).is_some();
        file.check_unchanged().ok()?;
        Some(Host { path: folder.path_of(&name), asks_hipblaslt })
    }
}

/// The `librocblas.so*` of a folder with the longest name: the file itself, to which the shorter ones are links.
fn library_in(folder: Folder) -> Option<(Folder, String)> {
    let name = folder
        .names()
        .into_iter()
        .filter(|name| name.starts_with("librocblas.so"))
        .max_by_key(|name| (name.len(), name.clone()))?;
    Some((folder, name))
}
