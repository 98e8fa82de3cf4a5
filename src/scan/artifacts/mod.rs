//! One scanner for each kind of artifact.

pub(super) mod aiter_manifest;
pub(super) mod aotriton;
#[cfg(feature = "sqlite")]
mod blob_rows;
pub(super) mod blobs;
pub(super) mod byte_array;
pub(super) mod code_objects;
pub(crate) mod firmware;
pub(super) mod hotswap_cache;
pub(super) mod kernel_descriptor;
pub(in crate::scan) mod kernel_source;
pub(super) mod miopen;
pub(super) mod miopen_find_db;
pub(super) mod miopen_kernel_db;
pub(super) mod miopen_model;
pub(super) mod miopen_perf_db;
pub(super) mod package_list;
pub(super) mod package_statement;
pub(super) mod rocfft_cache;
pub(super) mod searched;
pub(super) mod sqlite;
pub(super) mod tensile;
pub(super) mod triton_cache;
pub(super) mod version;

use super::Scanner;

/// All scanners; the first that claims a file has it.
pub static SCANNERS: &[&Scanner] = &[
    &firmware::SCANNER,
    &version::SCANNER,
    &package_list::SCANNER,
    &package_statement::SCANNER,
    &triton_cache::SCANNER,
    &miopen_find_db::SCANNER,
    &miopen_perf_db::SCANNER,
    &miopen_kernel_db::SCANNER,
    &miopen_model::SCANNER,
    &rocfft_cache::SCANNER,
    &aiter_manifest::SCANNER,
    &hotswap_cache::SCANNER,
    &kernel_descriptor::SCANNER,
    &byte_array::SCANNER,
    &aotriton::SCANNER,
    &tensile::SCANNER,
    &code_objects::SCANNER,
    &kernel_source::SCANNER,
    &searched::SCANNER,
];
