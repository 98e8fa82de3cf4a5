//! Types that several documents share.

pub use crate::inventory::CountAndBytes as Count;
use serde::Serialize;

/// Bytes of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteClass {
    /// The class: `code`, `kernel-metadata`, `host`.
    pub class: String,
    /// The class in words.
    pub title: String,
    /// Number of bytes.
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

/// How MIOpen chooses a database of one kind for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseChoice {
    /// The device's own.
    Exact,
    /// The one with the nearest number of compute units.
    Nearest,
    /// The processor's, for any number of compute units.
    Processor,
    /// The nearest, which MIOpen looks for but cannot find.
    Unreachable,
    /// A Git LFS pointer instead of the database: MIOpen opens it and finds nothing.
    Pointer,
    /// None.
    None,
}

impl DatabaseChoice {
    /// The choice in words.
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
