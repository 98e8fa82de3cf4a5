//! From paths to files: walking trees, leaving out what nobody wants, opening packages and databases.

pub mod device_file;
#[cfg(any(feature = "cli", feature = "packages", feature = "parquet"))]
pub mod digest;
pub mod exclude;
pub mod folder;
mod image_folder;
pub mod install;
pub(crate) mod keeper;
pub mod package;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
pub mod walk;
