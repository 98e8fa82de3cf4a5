//! Reports: the frozen, versioned output types, and what turns an inventory into them.

mod conv;
pub mod fatbin;
mod ggml;
mod isa;
mod miopen;
mod select;
mod tensile;
pub mod v1;

pub use conv::{Convolution, conv};
pub use ggml::{RocBlas, families, route, route_table, rules_of};
pub use isa::isa;
pub use miopen::miopen;
pub use select::{gemm, launches};
pub use tensile::tensile;
pub use v1::{FatbinReport, Report};
