//! The library that loads a library folder, and what its bytes say of how it chooses.
#![deny(clippy::indexing_slicing)]

use super::version::{self, Version};
use amdgpu_object::bytes::elf;
use rocm_audit_files::input::folder::Folder;
use std::collections::HashSet;
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
    /// The `librocblas.so` that would load a folder: in the folders above it, where rocBLAS looks for its own
    /// from.
    pub fn find_for_folder(folder: &Folder) -> Option<Host> {
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

/// The version of the `librocblas.so` that would load a folder; `None` where none lies near or it states
/// none.
pub fn version_near(folder: &Folder) -> Option<Version> {
    let (folder, name) = near(folder)?;
    let file = folder.open(&name).ok()?;
    let version = version_of(&name, file.bytes())?;
    file.check_unchanged().is_ok().then_some(version)
}

/// The name of the `librocblas.so` that would load a folder, and the kernels for products with vectors that
/// it has.
pub(super) fn vector_kernels_near(folder: &Folder) -> Option<(String, HashSet<String>)> {
    let (folder, name) = near(folder)?;
    let file = folder.open(&name).ok()?;
    // Names of kernels stand among the constants, since the host's code registers them.
    let constants = elf::named_section(file.bytes(), b".rodata").unwrap_or_default();
    let mut kernels = HashSet::new();
    for at in memchr::memmem::find_iter(constants, b"rocblas_gemv") {
        let text = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let (before, behind) = constants.split_at_checked(at).unwrap_or_default();
        let begin = at - before.iter().rev().take_while(text).count();
        let end = at + behind.iter().take_while(text).count();
        let kernel = constants.get(begin..end).and_then(|name| str::from_utf8(name).ok());
        kernels.extend(kernel.filter(|name| name.starts_with("_ZL")).map(str::to_owned));
    }
    file.check_unchanged().ok()?;
    Some((name, kernels))
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
