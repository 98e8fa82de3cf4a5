//! What several documents have in common.

pub use crate::inventory::Tally as Count;
use serde::Serialize;

/// Bytes of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteClass {
    /// What they are: `code`, `kernel-metadata`, `host`.
    pub class: String,
    /// The same in words.
    pub title: String,
    /// How many.
    pub bytes: u64,
}

/// Code objects of one target ID.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetIdRow {
    /// `gfx90a:xnack+`.
    pub target_id: String,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Which database of a kind MIOpen opens for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseChoice {
    /// The device's own.
    Exact,
    /// That of the nearest number of compute units.
    Nearest,
    /// The processor's, for any number of compute units.
    Processor,
    /// The nearest, which MIOpen looks for and cannot find.
    Unreachable,
    /// A Git LFS pointer in place of the file: it is opened, and nothing is in it.
    Pointer,
    /// None.
    None,
}

impl DatabaseChoice {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            DatabaseChoice::Exact => "exact",
            DatabaseChoice::Nearest => "nearest",
            DatabaseChoice::Processor => "of the processor",
            DatabaseChoice::Unreachable => "unreachable",
            DatabaseChoice::Pointer => "LFS pointer",
            DatabaseChoice::None => "none",
        }
    }
}
