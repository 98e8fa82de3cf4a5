//! From paths to files: walking trees, leaving out what is not wanted, opening packages and databases.

pub mod device_file;
#[cfg(feature = "digest")]
pub mod digest;
pub mod disk_size;
pub mod exclude;
pub mod folder;
mod image_folder;
pub mod install;
pub mod keeper;
mod only_members;
pub mod package;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod walk;
