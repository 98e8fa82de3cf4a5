//! Reports: the frozen, versioned output types, and the code that makes them from an inventory.

mod audit;
#[cfg(feature = "engines")]
mod beside;
mod code_places;
#[cfg(feature = "engines")]
mod conv;
mod error;
pub mod explain;
pub mod fatbin;
pub(crate) mod findings;
#[cfg(feature = "engines")]
mod gemm;
#[cfg(feature = "engines")]
mod ggml;
mod inside;
mod instruction_parts;
mod instructions;
mod isa;
pub mod kernel_line;
mod manifest;
#[cfg(feature = "engines")]
mod matmul;
#[cfg(feature = "engines")]
mod miopen;
#[cfg(feature = "engines")]
pub mod model;
#[cfg(feature = "engines")]
pub mod model_graph;
mod needs;
mod override_value;
mod rows;
mod slim;
#[cfg(feature = "engines")]
mod survey;
#[cfg(feature = "engines")]
mod tensile;
pub mod v1;
mod verdict;
mod verdicts;
#[cfg(feature = "engines")]
mod verify;
mod waste;
#[cfg(feature = "engines")]
pub mod workload;

pub use crate::capability::compiles_at_run_time;
pub use audit::audit;
#[cfg(feature = "engines")]
pub use beside::{gemm_beside, matmul_beside};
pub use code_places::code_places;
#[cfg(feature = "engines")]
pub use conv::{conv, conv_line};
pub use error::{UNUSABLE, error, of_text as error_of_text};
pub use findings::found;
#[cfg(feature = "engines")]
pub use gemm::{gemm, gemm_line, gemm_line_of};
#[cfg(feature = "engines")]
pub use ggml::{families, route, route_table};
pub use instructions::body_state;
pub use isa::isa;
pub use manifest::manifest;
#[cfg(feature = "engines")]
pub use matmul::{matmul, matmul_coverage, matmul_line, matmul_map};
pub use needs::needs;
pub use override_value::{
    Overriding, claim, differ_in_instructions, gpus_asked, legal_values, needs_decoding, override_value,
};
pub use slim::slim;
#[cfg(feature = "engines")]
pub use survey::{Surveyed, survey};
pub use v1::{FatbinReport, Report};
pub use verdicts::verdicts;
#[cfg(feature = "engines")]
pub use verify::{tuning_file, verify};
