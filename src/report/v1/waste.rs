//! Bytes that could be saved. The rows overlap: debug information of a duplicated code object counts in two
//! rows.

use serde::Serialize;

/// Bytes that could be saved.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waste {
    /// Code objects that are identical byte for byte.
    pub identical_code_objects: Copies,
    /// Machine code (`.text`) shared by code objects of different targets that are otherwise different.
    pub shared_machine_code: Copies,
    /// Code objects that were not compared byte by byte because their compressed bundle was not inflated to
    /// its end; those of bundles with the same hash count as identical. `--verify` and `fatbin` compare all.
    pub not_compared: u64,
    /// Zero bytes between bundles, between their entries, and between the sections of code objects.
    pub padding_bytes: u64,
    /// Debug information of code objects, inflated.
    pub debug_bytes: u64,
    /// Uncompressed bundles.
    pub uncompressed_bundles: Uncompressed,
}

/// Duplicates of one kind.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Copies {
    /// Number of groups of duplicates.
    pub groups: u64,
    /// Number of copies beyond the first of each group.
    pub extra: u64,
    /// Inflated size of these copies in bytes.
    pub bytes: u64,
    /// The groups with the most bytes.
    pub largest: Vec<CopyGroup>,
}

/// A group of duplicates.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyGroup {
    /// Number of copies.
    pub count: u64,
    /// Size of each copy in bytes.
    pub bytes: u64,
    /// Target IDs of the code objects.
    pub target_ids: Vec<String>,
    /// Location of the first copy.
    pub first: String,
    /// Location of another copy.
    pub second: String,
}

/// Uncompressed bundles.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uncompressed {
    /// Number of bundles.
    pub count: u64,
    /// Size of the bundles in bytes.
    pub bytes: u64,
    /// Estimated size after `clang --offload-compress`, from compressed samples; `null` if the bundles are
    /// too small for an estimate.
    pub estimated_packed_bytes: Option<u64>,
}
