//! Tables that map calls to code objects: AITER's manifests of its assembly kernels, hipDNN's kernel
//! descriptors, comgr's metadata of what HotSwap translated.

use crate::locator::without_dots;

/// A table next to code objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelManifest {
    /// The path as reports show it.
    pub shown: String,
    /// Whose it is.
    pub of: ManifestOf,
    /// Its rows, up to a limit.
    pub rows: Vec<ManifestRow>,
}

/// Whose a table of kernels is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestOf {
    /// AITER's, in CSV. Its code objects may lie in another package.
    Aiter,
    /// hipDNN's kernel descriptors, in JSON. The archives that they name are installed with them.
    HipDnn,
    /// comgr's metadata of a code object that HotSwap translated, which lies beside it.
    HotSwap,
}

/// A row of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestRow {
    /// Line number, from 1.
    pub line: u64,
    /// Offset of the row in the file, in bytes.
    pub offset: u64,
    /// Name of the kernel.
    pub kernel: String,
    /// The code object's file or the archive, relative to the table's folder.
    pub file: String,
    /// The entry in the archive's table, where the file is an archive.
    pub entry: Option<String>,
}

impl KernelManifest {
    /// Path of a row's code object, as reports show paths.
    pub fn place(&self, row: &ManifestRow) -> String {
        let folder = self.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = if folder.is_empty() { row.file.clone() } else { format!("{folder}/{}", row.file) };
        let root = if path.starts_with('/') { "/" } else { "" };
        match without_dots(&path).filter(|_| path.contains("..")) {
            Some(plain) => format!("{root}{plain}"),
            None => path,
        }
    }
}
