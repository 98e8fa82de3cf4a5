//! Reports: the frozen, versioned output types, and what turns an inventory into them.

pub mod v1;

pub use v1::{FatbinReport, Report};
