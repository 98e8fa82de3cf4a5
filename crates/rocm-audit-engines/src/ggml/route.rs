//! The answers of the selector.

use super::kernel::Kernel;
use super::rules::{Question, Rule};
use super::version::Version;
use std::fmt;

/// How ggml computes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Vector kernels for floats.
    Mmvf,
    /// Small float matrices, on matrix instructions.
    Mmf,
    /// Vector kernels for quantized weights.
    Mmvq,
    /// Vector kernels for quantized weights, for several tokens through experts.
    MmvqMoe,
    /// Matrix kernels for quantized weights.
    Mmq,
    /// hipBLAS.
    Blas(BlasFunction),
    /// Attention by tiles.
    Tile,
    /// Attention for few queries.
    Vec,
    /// Attention on matrix instructions.
    Mma,
    /// The backend refuses it; another backend, ultimately the CPU, computes it.
    Unsupported,
}

/// A function of hipBLAS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum BlasFunction {
    Sgemm,
    GemmEx,
}

impl BlasFunction {
    /// Name of the function.
    pub fn name(self) -> &'static str {
        match self {
            BlasFunction::Sgemm => "hipblasSgemm",
            BlasFunction::GemmEx => "hipblasGemmEx",
        }
    }
}

impl Route {
    /// Name of the route, without the function of BLAS.
    pub fn name(self) -> &'static str {
        match self {
            Route::Mmvf => "MMVF",
            Route::Mmf => "MMF",
            Route::Mmvq => "MMVQ",
            Route::MmvqMoe => "MMVQ-moe",
            Route::Mmq => "MMQ",
            Route::Blas(_) => "BLAS",
            Route::Tile => "TILE",
            Route::Vec => "VEC",
            Route::Mma => "MMA",
            Route::Unsupported => "UNSUPPORTED",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Route::Blas(function) = self {
            write!(f, ":{}", function.name())?;
        }
        Ok(())
    }
}

/// A route, and the reason for it.
#[derive(Debug, Clone)]
pub struct Answer<'r> {
    /// The route.
    pub route: Route,
    /// The deciding rule: the one that accepted the product, or by which the last stage before BLAS rejected
    /// it.
    pub rule: Option<&'r Rule>,
    /// The main kernel; for BLAS, the kernel that prepares operands, if any.
    pub kernel: Option<Kernel>,
    /// The version whose rules answer.
    pub version: Version,
    /// Whether the deciding rule was read or observed for that version, not carried over from another.
    pub is_documented: bool,
    /// For BLAS, the rule that determines the types of the call.
    pub operands: Option<&'r Rule>,
    /// Whether the host loops over experts; then the route is that of an expert that gets all tokens.
    pub sliced: bool,
}

impl<'r> Answer<'r> {
    pub(super) fn new(
        route: Route,
        rule: Option<&'r Rule>,
        kernel: Option<Kernel>,
        question: &Question,
    ) -> Self {
        let version = question.version;
        let is_documented = rule.is_some_and(|rule| rule.is_documented_for(version));
        Answer { route, rule, kernel, version, is_documented, operands: None, sliced: false }
    }
}
