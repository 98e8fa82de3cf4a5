//! Bytes that are there and need not be. They overlap: debug information of a code object that is there twice counts in
//! both rows.

use serde::Serialize;

/// Bytes that are there and need not be.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waste {
    /// Code objects that are the same byte for byte.
    pub identical_code_objects: Copies,
    /// Machine code (`.text`) that is the same in code objects of different targets, which are not the same as a whole.
    pub shared_machine_code: Copies,
    /// Code objects that were not compared byte by byte, since their compressed bundle was not inflated to its end; those
    /// of bundles with the same hash count as the same. `--verify` and `fatbin` compare all.
    pub not_compared: u64,
    /// Zero bytes between bundles, between their entries, and between the sections of code objects.
    pub padding_bytes: u64,
    /// Debug information of code objects, inflated.
    pub debug_bytes: u64,
    /// Bundles that are not compressed.
    pub uncompressed_bundles: Uncompressed,
}

/// Things that are there more than once.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Copies {
    /// How many different things there are several of.
    pub groups: u64,
    /// Copies beyond the first of each.
    pub extra: u64,
    /// Their bytes, inflated.
    pub bytes: u64,
    /// The groups with most bytes.
    pub largest: Vec<CopyGroup>,
}

/// Things that are the same.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyGroup {
    /// How many.
    pub count: u64,
    /// Bytes of each.
    pub bytes: u64,
    /// Target IDs of the code objects.
    pub target_ids: Vec<String>,
    /// The first.
    pub first: String,
    /// Another.
    pub second: String,
}

/// Bundles that are not compressed.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uncompressed {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// About how many bytes they would have with `clang --offload-compress`, by pieces of them that were compressed; nothing
    /// where they are too small for that.
    pub estimated_packed_bytes: Option<u64>,
}
