//! Tables that map calls to code objects: AITER's manifests of its assembly kernels.

/// A table next to code objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelManifest {
    /// The path as reports show it.
    pub shown: String,
    /// Its rows, up to a limit.
    pub rows: Vec<ManifestRow>,
}

/// A row of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestRow {
    /// Line number, from 1.
    pub line: u64,
    /// Name of the kernel.
    pub kernel: String,
    /// The code object's file, relative to the table's folder.
    pub file: String,
}

impl KernelManifest {
    /// Path of a row's code object, as reports show paths.
    pub fn place(&self, row: &ManifestRow) -> String {
        let folder = self.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.is_empty() { row.file.clone() } else { format!("{folder}/{}", row.file) }
    }
}
