//! Problems at which MIOpen itself dies: divisions by zero in what a find asks of a solver, and a record of a fusion.
//!
//! Each was seen when the real library (Debian's libmiopen1 6.4.3, MIOpen 3.4.0) was run, and is read in 3.3.0:
//! `src/solver/conv/conv_ocl_dir2Dfwdgen.cpp:77-110`, `conv_asm_implicit_gemm_gtc_bwd_nhwc.cpp:409-470`, and
//! `src/ocl/convolutionocl.cpp:682-762`.

use super::clause::Solver;
use super::integer::Integer;
use super::predicates::span_of_backward;
use super::variable::Derived;

/// What MIOpen dies of in a find that asks a solver for its kernels.
#[derive(Debug, Clone, Copy)]
pub struct Crash<'r> {
    /// The solver that is asked.
    pub solver: &'r Solver,
    /// What is divided by zero, in a clause.
    pub because: &'static str,
}

/// The crash of a solver that takes a problem, if it is one.
pub(super) fn of<'r>(solver: &'r Solver, problem: &Derived) -> Option<Crash<'r>> {
    let because = match solver.name.as_str() {
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

/// Two images are processed together where the batch is even, four where the filter is 3x3, which this solver does not matter to.
fn tile_is_empty(p: &Derived) -> bool {
    let width = if p.n().is_multiple(2) { 32 } else { 16 };
    p.sw() > width
}

fn image_is_empty(p: &Derived) -> bool {
    span_of_backward(p).into_iter().any(|span| span <= Integer(0))
}
