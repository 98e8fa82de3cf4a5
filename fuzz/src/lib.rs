//! Code that fuzz targets share: a fuzzer's bytes as choices, and containers made from them that are valid
//! except for fields that a choice bends to a limit and beyond.

pub mod choices;
pub mod elf;
pub mod gpu;
pub mod packages;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder for this process, in memory if the system supports it.
///
/// # Panics
///
/// If it cannot be created.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = temporary.join(format!("rocm-audit-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    })
}

/// The fixtures of the project.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}
