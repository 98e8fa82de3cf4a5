//! MIOpen: convolution problems, the databases of measured solvers, and the file a device would open.

#[cfg(feature = "engines")]
pub mod census;
#[cfg(feature = "engines")]
pub mod check;
pub mod database_kind;
#[cfg(feature = "engines")]
pub mod defects;
pub mod device;
pub mod find_db;
#[cfg(feature = "engines")]
pub mod folder;
#[cfg(feature = "engines")]
pub mod gemm;
pub mod kernel_db;
pub mod line_index;
#[cfg(feature = "engines")]
pub mod model_files;
pub mod model_name;
#[cfg(not(feature = "sqlite"))]
mod no_sqlite_perf_db;
#[cfg(feature = "engines")]
pub mod notation;
pub mod perf_db;
pub mod problem;
pub mod release_text;
#[cfg(feature = "engines")]
pub mod retired;
#[cfg(feature = "engines")]
pub mod solver;
#[cfg(feature = "sqlite")]
mod sqlite_perf_db;
pub mod text;
