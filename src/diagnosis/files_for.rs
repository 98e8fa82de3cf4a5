//! Files that are of one target by their names.

use crate::inventory::Artifact;

/// Files without which a program does not serve a target, where those are files of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesFor {
    /// rocBLAS's catalogs.
    RocblasCatalogs,
    /// hipBLASLt's catalogs.
    HipblasltCatalogs,
    /// MIOpen's libraries of grouped convolutions.
    MiopenConvolutions,
    /// Blender's kernels.
    BlenderKernels,
}

impl FilesFor {
    /// Whose they are.
    pub(super) fn library(self) -> &'static str {
        match self {
            FilesFor::RocblasCatalogs => "rocBLAS",
            FilesFor::HipblasltCatalogs => "hipBLASLt",
            FilesFor::MiopenConvolutions => "MIOpen",
            FilesFor::BlenderKernels => "Blender",
        }
    }

    /// Whether a file is of this library.
    pub(super) fn is_of(self, artifact: &Artifact) -> bool {
        match self {
            FilesFor::BlenderKernels => artifact.shown.contains("kernel_gfx"),
            _ => artifact.library == self.library(),
        }
    }

    /// Whether they lie in a library folder.
    pub(super) fn is_tensile(self) -> bool {
        matches!(self, FilesFor::RocblasCatalogs | FilesFor::HipblasltCatalogs)
    }

    /// Their names for a processor; one of them is enough.
    pub(super) fn names(self, processor: &str) -> Vec<String> {
        match self {
            FilesFor::RocblasCatalogs | FilesFor::HipblasltCatalogs => ["lazy_", ""]
                .iter()
                .flat_map(|lazy| ["dat", "yaml"].map(|end| format!("TensileLibrary_{lazy}{processor}.{end}")))
                .collect(),
            FilesFor::MiopenConvolutions => vec![format!("libMIOpenCKGroupedConv_{processor}.so")],
            FilesFor::BlenderKernels => {
                ["fatbin", "fatbin.zst", "hipfb"].map(|end| format!("kernel_{processor}.{end}")).to_vec()
            }
        }
    }
}
