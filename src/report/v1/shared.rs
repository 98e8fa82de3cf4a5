//! What several documents have in common.

use super::FaultKind;
use serde::Serialize;

/// Bytes of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteClass {
    /// What they are.
    pub class: String,
    /// How many.
    pub bytes: u64,
}

/// A number of things and their bytes.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Count {
    /// How many.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Code objects whose names disagree in the same way.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// The target of `e_flags`.
    pub e_flags: String,
    /// The target of the bundle entry's id, where that is another.
    pub bundle_id: Option<String>,
    /// The target of the kernel metadata, where that is another.
    pub metadata: Option<String>,
    /// The target of the file's name, where that is another.
    pub file_name: Option<String>,
    /// How many code objects.
    pub code_objects: u64,
    /// The files that they are in.
    pub files: Vec<DisagreementFile>,
}

/// A file with code objects whose names disagree.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisagreementFile {
    /// The file.
    pub path: String,
    /// How many code objects.
    pub code_objects: u64,
    /// The first of them.
    pub first: String,
}

/// Something that went wrong.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// What kind.
    pub kind: FaultKind,
    /// The file.
    pub path: String,
    /// Offset in bytes.
    pub offset: Option<u64>,
    /// True where the offset counts inflated bytes of a compressed bundle.
    pub unpacked: bool,
    /// A sentence.
    pub what: String,
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

/// How many findings there are of each severity.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeverityCounts {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}
