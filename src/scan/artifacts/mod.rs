//! One scanner for each kind of artifact.

pub(super) mod aotriton;
pub(super) mod blobs;
pub(super) mod code_objects;
pub(crate) mod firmware;
pub(super) mod miopen;
pub(super) mod miopen_find_db;
pub(super) mod miopen_kernel_db;
pub(super) mod miopen_model;
pub(super) mod miopen_perf_db;
pub(super) mod rocfft_cache;
pub(super) mod sqlite;
pub(super) mod tensile;
pub(super) mod version;
