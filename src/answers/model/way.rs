//! The ways that operations of a model go.

use crate::engines::ggml::Route;
use std::fmt;

/// How operations are made, as far as a user cares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    /// What kind of way.
    pub kind: WayKind,
    /// ggml's route.
    pub route: Route,
    /// Whether weights become halves or floats first.
    pub dequantizes: bool,
    /// Of BLAS, the types in rocBLAS's letters.
    pub types: String,
}

/// Kinds of ways, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WayKind {
    /// A kernel of ggml's.
    OwnKernel,
    /// A kernel of rocBLAS that was tuned for the target.
    BlasTuned,
    /// rocBLAS; which kernel is not known without an install.
    Blas,
    /// A kernel of rocBLAS for every target.
    BlasFallback,
    /// The host loops over experts.
    ExpertLoop,
    /// rocBLAS has nothing for the call.
    BlasNothing,
    /// The CPU, since the backend refuses.
    Cpu,
    /// Whether the library has the kernel is not known: it could not be read in full.
    NotKnown,
    /// The library has the kernel's name, and its body traps.
    TrapStub,
    /// The library has no such kernel.
    Absent,
    /// The library has no code for the target.
    NoCode,
}

impl WayKind {
    /// Those for which there is no code.
    pub const MISSING: [WayKind; 4] =
        [WayKind::NoCode, WayKind::Absent, WayKind::TrapStub, WayKind::BlasNothing];

    /// Its word.
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
