//! The ways in which a device computes operations of a model.

use crate::engines::ggml::Route;
use std::fmt;

/// How a device computes an operation, in as much detail as a user needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    /// The kind of way.
    pub kind: WayKind,
    /// ggml's route.
    pub route: Route,
    /// Whether weights are first converted to halves or floats.
    pub dequantizes: bool,
    /// The types in rocBLAS's letters; empty unless BLAS computes it.
    pub types: String,
}

/// Kinds of ways, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WayKind {
    /// One of ggml's own kernels.
    OwnKernel,
    /// A rocBLAS kernel tuned for the target.
    BlasTuned,
    /// rocBLAS; without an install it is unknown which kernel.
    Blas,
    /// A rocBLAS kernel made for every target.
    BlasFallback,
    /// The host loops over experts.
    ExpertLoop,
    /// rocBLAS has no kernel for the call.
    BlasNothing,
    /// The CPU, since the backend refuses the operation.
    Cpu,
    /// The library could not be read in full, so it is unknown whether it has the kernel.
    NotKnown,
    /// The library has a kernel of this name whose body only traps.
    TrapStub,
    /// The library lacks the kernel.
    Absent,
    /// The library has no code for the target.
    NoCode,
}

impl WayKind {
    /// The kinds for which code is missing.
    pub const MISSING: [WayKind; 4] =
        [WayKind::NoCode, WayKind::Absent, WayKind::TrapStub, WayKind::BlasNothing];

    /// The kind as a word in documents.
    pub fn name(self) -> &'static str {
        match self {
            WayKind::OwnKernel => "own-kernel",
            WayKind::BlasTuned => "rocblas-tuned",
            WayKind::Blas => "rocblas",
            WayKind::BlasFallback => "rocblas-fallback",
            WayKind::ExpertLoop => "expert-loop",
            WayKind::BlasNothing => "rocblas-nothing",
            WayKind::Cpu => "cpu",
            WayKind::NotKnown => "not-known",
            WayKind::TrapStub => "trap-stub",
            WayKind::Absent => "absent",
            WayKind::NoCode => "no-code-object",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.kind {
            WayKind::Cpu => return f.write_str("the CPU"),
            WayKind::ExpertLoop => {
                return write!(f, "a loop over experts on the host ({} each)", self.route.name());
            }
            WayKind::OwnKernel | WayKind::Blas => "",
            WayKind::BlasTuned => " (tuned)",
            WayKind::BlasFallback => " (fallback)",
            WayKind::BlasNothing => " (no kernel)",
            WayKind::TrapStub => " (kernel only traps)",
            WayKind::NotKnown => " (not known: the library could not be read in full)",
            WayKind::Absent => " (kernel absent)",
            WayKind::NoCode => " (no code for the target)",
        };
        match self.route {
            Route::Blas(_) => {
                let after = if self.dequantizes { " after dequantising" } else { "" };
                write!(f, "rocBLAS {}{after}{state}", self.types)
            }
            route => write!(f, "{}{state}", route.name()),
        }
    }
}
