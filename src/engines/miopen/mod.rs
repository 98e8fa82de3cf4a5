//! MIOpen: convolution problems, the databases of measured solvers, and the file a device would open.

pub mod census;
pub mod check;
pub mod defects;
pub mod device;
pub mod find_db;
pub mod folder;
pub mod gemm;
pub mod notation;
pub mod perf_db;
pub mod problem;
pub mod retired;
pub mod solver;
pub mod text;
