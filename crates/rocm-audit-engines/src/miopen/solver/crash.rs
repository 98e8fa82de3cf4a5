//! Problems that crash MIOpen itself: divisions by zero when a find asks a solver for its kernels, and a
//! record of a fusion.
//!
//! Each was observed with the real library (Debian's libmiopen1 6.4.3, MIOpen 3.4.0), and read in 3.3.0:
//! `src/solver/conv/conv_ocl_dir2Dfwdgen.cpp:77-110`, `conv_asm_implicit_gemm_gtc_bwd_nhwc.cpp:409-470`, and
//! `src/ocl/convolutionocl.cpp:682-762`.

use super::clause::Solver;
use super::integer::Integer;
use super::predicates::span_of_backward;
use super::variable::Derived;

/// A crash of MIOpen in a find that asks a solver for its kernels.
#[derive(Debug, Clone, Copy)]
pub struct Crash<'r> {
    /// The solver that the find asks.
    pub solver: &'r Solver,
    /// The value divided by zero, as a clause.
    pub because: &'static str,
}

/// The crash caused by a solver that accepts a problem, if any.
pub(super) fn crash_of_solver<'r>(solver: &'r Solver, problem: &Derived) -> Option<Crash<'r>> {
    let because = match solver.name {
        "ConvOclDirectFwdGen" if tile_is_empty(problem) => {
            "the stride is wider than the tile of a work group, whose width becomes 0, and it is divided by"
        }
        "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC" if image_is_empty(problem) => {
            "no output position reaches the image, which is padded along a side of length 1, and its size is divided by"
        }
        _ => return None,
    };
    Some(Crash { solver, because })
}

/// Two images are processed together if the batch is even, four for a 3x3 filter, which does not matter here.
fn tile_is_empty(p: &Derived) -> bool {
    let width = if p.n().is_multiple(2) { 32 } else { 16 };
    p.sw() > width
}

fn image_is_empty(p: &Derived) -> bool {
    span_of_backward(p).into_iter().any(|span| span <= Integer(0))
}
