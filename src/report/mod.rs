//! Reports: the frozen, versioned output types, and what turns an inventory into them.

mod audit;
mod conv;
pub mod fatbin;
mod ggml;
mod instructions;
mod isa;
mod miopen;
mod rows;
mod select;
mod tensile;
pub mod v1;
mod waste;

pub use audit::audit;
pub use conv::{Convolution, conv};
pub use ggml::{RocBlas, families, route, route_table, rules_of};
pub use isa::isa;
pub use miopen::miopen;
pub use select::{gemm, launches};
pub use tensile::tensile;
pub use v1::{FatbinReport, Report};
