//! What the selector answers.

use super::kernel::Kernel;
use super::rules::{Question, Rule};
use super::version::Version;
use std::fmt;

/// A way to make a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Vectors times floats.
    Mmvf,
    /// Small matrices of floats, on matrix instructions.
    Mmf,
    /// Vectors times quantized weights.
    Mmvq,
    /// Vectors times quantized matrices for several tokens through experts.
    MmvqMoe,
    /// Quantized matrices.
    Mmq,
    /// hipBLAS.
    Blas(BlasFunction),
    /// Attention by tiles.
    Tile,
    /// Attention for few queries.
    Vec,
    /// Attention on matrix instructions.
    Mma,
    /// The backend refuses; another one, in the end the CPU, makes it.
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
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            BlasFunction::Sgemm => "hipblasSgemm",
            BlasFunction::GemmEx => "hipblasGemmEx",
        }
    }
}

impl Route {
    /// Its name, without the function of BLAS.
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

/// A route, and why.
#[derive(Debug, Clone)]
pub struct Answer<'r> {
    /// The route.
    pub route: Route,
    /// The rule that decided: the one that took the product, or kept it from the last stage before BLAS.
    pub rule: Option<&'r Rule>,
    /// The main kernel; for BLAS the one that prepares operands, if any.
    pub kernel: Option<Kernel>,
    /// The version whose rules were asked.
    pub version: Version,
    /// Whether the deciding rule was read or observed for that version, not carried over from another.
    pub is_documented: bool,
    /// Of BLAS, the rule that says what types the call has.
    pub operands: Option<&'r Rule>,
    /// Whether the host loops over experts, and the route is that of one that gets all tokens.
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
