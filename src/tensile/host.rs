//! The library that loads a library folder, and what its bytes say of how it chooses.
#![deny(clippy::indexing_slicing)]

use crate::elf::Elf;
use crate::error::Parsed;
use crate::source::SourceFile;
use std::path::{Path, PathBuf};

/// The environment variable that rocBLAS asks where it was built with hipBLASLt.
const SWITCH: &[u8] = b"ROCBLAS_USE_HIPBLASLT";

/// Most bytes of constants that are searched; a real librocblas has some hundred thousand.
const CONSTANTS: u64 = 64 << 20;

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
    pub fn of(folder: &Path) -> Option<Host> {
        let path = folder.ancestors().skip(1).take(4).find_map(library_in)?;
        let file = SourceFile::open(&path).ok()?;
        let asks_hipblaslt = has_switch(file.bytes()).ok()?;
        file.check_unchanged().ok()?;
        Some(Host { path, asks_hipblaslt })
    }
}

/// The first `librocblas.so*` of a folder by name.
fn library_in(folder: &Path) -> Option<PathBuf> {
    let names =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let name = names.filter(|name| name.starts_with("librocblas.so")).min()?;
    Some(folder.join(name))
}

/// Looks among the constants, not in the gigabyte of code behind them.
fn has_switch(bytes: &[u8]) -> Parsed<bool> {
    let elf = Elf::open(bytes, 0)?;
    for section in elf.sections()? {
        if section.name != b".rodata" {
            continue;
        }
        let (begin, end) = section.file_range();
        let end = end.min(begin.saturating_add(CONSTANTS));
        let range = usize::try_from(begin).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
        if memchr::memmem::find(bytes.get(range).unwrap_or_default(), SWITCH).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
