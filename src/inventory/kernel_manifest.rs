//! Tables that say which code object serves which call: AITER's manifests of its assembly kernels.

/// A table beside code objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelManifest {
    /// The path as reports show it.
    pub shown: String,
    /// Its rows, up to a bound.
    pub rows: Vec<ManifestRow>,
}

/// A row of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestRow {
    /// The line, counted from 1.
    pub line: u64,
    /// The kernel.
    pub kernel: String,
    /// The file that it is looked for in, below the folder of the table.
    pub file: String,
}

impl KernelManifest {
    /// Where the code object of a row lies, as reports show paths.
    pub fn place(&self, row: &ManifestRow) -> String {
        let folder = self.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.is_empty() { row.file.clone() } else { format!("{folder}/{}", row.file) }
    }
}
