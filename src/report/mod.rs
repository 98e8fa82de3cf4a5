//! Reports: the frozen, versioned output types, and what turns an inventory into them.

mod audit;
mod conv;
pub mod fatbin;
mod findings;
mod gemm;
mod ggml;
mod instructions;
mod isa;
mod miopen;
mod rows;
mod tensile;
pub mod v1;
mod waste;

pub use audit::audit;
pub use conv::{conv, conv_line};
pub use gemm::{gemm, gemm_line};
pub use ggml::{families, route, route_table};
pub use instructions::body_state;
pub use isa::isa;
pub use miopen::miopen;
pub use tensile::tensile;
pub use v1::{FatbinReport, Report};
