//! Files that accompany code: library folders, databases, firmware.

use super::Evidence;
pub use crate::capability::shipped::DatabaseKind;
pub use crate::capability::shipped::FirmwareCount;
pub use crate::inventory::DatabaseForm;
use serde::Serialize;
use std::collections::BTreeMap;

/// Files of one processor in a Tensile library folder. A file counts for the processor in its name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TensileRow {
    /// rocBLAS or hipBLASLt.
    pub library: String,
    /// The processor; `null` for files that name none.
    pub processor: Option<String>,
    /// Number of files that name it.
    pub files: u64,
    /// Size of these files in bytes.
    pub bytes: u64,
    /// Code files among them (`.co`, `.hsaco`), including fallbacks.
    pub code_files: u64,
    /// Catalogs among them, including the lazy one.
    pub catalogs: u64,
    /// Fallback files among them.
    pub fallback_files: u64,
    /// Solutions in its catalogs.
    pub solutions: u64,
    /// Files by type code.
    pub types: BTreeMap<String, u64>,
    /// One of the files, as evidence.
    pub first: String,
}

/// MIOpen databases of one processor and number of compute units.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MiopenRow {
    /// The processor.
    pub processor: String,
    /// Compute units in the names.
    pub compute_units: Option<u32>,
    /// Purpose of the database.
    pub kind: DatabaseKind,
    /// `HIP` or `OpenCL`, if the name says so.
    pub backend: Option<String>,
    /// Storage form.
    pub form: DatabaseForm,
    /// Number of lines or records; `null` if they could not be counted.
    pub records: Option<u64>,
    /// The file.
    pub path: String,
}

/// The find-dbs and perf-dbs of one processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseLines {
    /// The processor.
    pub processor: String,
    /// Number of databases.
    pub databases: u64,
    /// Number of lines in them.
    pub lines: u64,
}

/// Firmware of one codename.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirmwareRow {
    /// `vega10`.
    pub codename: String,
    /// The processor, if the name leads to one.
    pub processor: Option<String>,
    /// Files.
    pub files: u64,
    /// Links to such files.
    pub links: u64,
    /// Bytes.
    pub bytes: u64,
    /// Files for the micro engine scheduler (MES), each with its release.
    pub mes: Vec<MesFirmware>,
    /// One of the files, as evidence.
    pub first: String,
}

/// A firmware file for the micro engine scheduler.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MesFirmware {
    /// The file.
    pub file: String,
    /// Release of the firmware, as the driver reports it.
    pub release: u32,
    /// How the release is known: published numbers suggest that this field is the release.
    pub evidence: Evidence,
}
