//! What becomes of a find whose solver asks a model for the parameters of its kernel, and the model is not
//! there.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_asm_1x1u.cpp:396-460` (which problems the model is asked
//! about), `src/conv/heuristics/ai_heuristics.cpp` (a file that cannot be opened is an exception), seen when
//! the real library (3.4.0) was run without the files: the exception ends the finder, so that no solver of
//! its algorithm is searched.

use super::clause::{Algorithm, Solver};
use super::context::{BuildPart, Context};
use super::variable::Derived;

/// The solver that asks a model.
pub const SOLVER: &str = "ConvAsm1x1U";
/// The processor that has one.
pub const PROCESSOR: &str = "gfx908";
/// What turns the model off where it is 0.
pub(super) const SWITCH: &str = "MIOPEN_DEBUG_CONV_DIRECT_ASM_1X1U_AI_HEUR";

/// The files of the model for a processor, in the folder of the databases; none where it has no model.
pub fn files_of(processor: &str) -> Option<[String; 3]> {
    let file = |part: &str| format!("{PROCESSOR}_{SOLVER}_{part}.ktn.model");
    (processor == PROCESSOR).then(|| ["metadata", "encoder", "decoder"].map(file))
}

/// The algorithm whose finder ends with an exception, where the files of the model are not there.
pub(super) fn ended_finder(
    applicable: &[&Solver],
    context: &Context,
    problem: &Derived,
) -> Option<Algorithm> {
    if context.target != PROCESSOR || context.has(BuildPart::TuningModels) || context.is_disabled(SWITCH) {
        return None;
    }
    let asks = problem.sh() == 1 && (problem.fp32() != 0 || problem.fp16() != 0);
    let solver = applicable.iter().find(|solver| solver.name == SOLVER);
    solver.filter(|_| asks).map(|solver| solver.algorithm)
}
