//! Whether a find-db was written with height and width swapped.
//!
//! Only solvers with a fixed, non-square filter shape show it. An entry whose solver fits in only one
//! orientation is evidence for that orientation.

use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Entries needed to prove that a file is swapped.
const ENOUGH: u64 = 10;

/// Filters (height, width) that a solver accepts.
type Accepts = fn(&ConvolutionProblem<'_>, [u32; 2]) -> bool;

/// Solvers whose filters decide, by the beginning of their names. Sources, MIOpen 3.3.0, `src/solver/conv/`:
/// `conv_asm_5x10u2v2f1.cpp:42-110`, `conv_asm_5x10u2v2b1.cpp:42-109`,
/// `conv_multipass_wino3x3WrW.cpp:374-561`, `conv_ocl_dir2D_bwdWrW_2.cpp` (filter height 2 to 11),
/// `conv_ocl_dir2Dfwd.cpp` (square, or 5x10 and 5x20).
const DECIDE: &[(&str, Accepts)] = &[
    ("ConvAsm5x10u2v2f1", |_, filter| filter == [5, 10]),
    ("ConvAsm5x10u2v2b1", |_, filter| filter == [5, 10]),
    ("ConvWinograd3x3MultipassWrW<7-2-1-1>", |_, filter| filter == [7, 1]),
    ("ConvWinograd3x3MultipassWrW<7-3-1-1>", |_, filter| filter == [7, 1]),
    ("ConvWinograd3x3MultipassWrW<1-1-7-2>", |_, filter| filter == [1, 7]),
    ("ConvWinograd3x3MultipassWrW<1-1-7-3>", |_, filter| filter == [1, 7]),
    ("ConvOclBwdWrW2<", |_, [height, _]| (2..=11).contains(&height)),
    ("ConvOclDirectFwd", |problem, [height, width]| {
        problem.groups != 1
            || problem.direction == Direction::BackwardWeights
            || height == width
            || (height == 5 && matches!(width, 10 | 20))
    }),
];

/// What a find-db's entries show about the order of height and width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Orientation {
    /// Records whose problem changes if height and width are swapped.
    pub not_square: u64,
    /// Entries that fit only as written.
    pub only_as_is: u64,
    /// Entries that fit only with height and width swapped.
    pub only_swapped: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Proven,
    Likely,
    No,
}

impl Orientation {
    /// Examines the problem of a record; true if its entries can be evidence.
    pub fn look_at_problem(&mut self, problem: &ConvolutionProblem<'_>) -> bool {
        let differs = |e: &[u32; 3]| e[1] != e[2];
        let sides = [&problem.input, &problem.filter, &problem.output, &problem.pad, &problem.stride];
        let not_square = sides.into_iter().chain([&problem.dilation]).any(differs);
        self.not_square += u64::from(not_square);
        problem.dimensions == 2 && differs(&problem.filter)
    }

    /// Examines an entry of a problem with a non-square filter; true if it is evidence for a swap.
    pub fn look_at_solver(&mut self, problem: &ConvolutionProblem<'_>, solver: &str) -> bool {
        // `ConvOclDirectFwdGen` also begins with `ConvOclDirectFwd`.
        let known = |name: &str| if name.ends_with('<') { solver.starts_with(name) } else { solver == name };
        let Some((_, accepts)) = DECIDE.iter().find(|(name, _)| known(name)) else { return false };
        let [_, height, width] = problem.filter;
        match (accepts(problem, [height, width]), accepts(problem, [width, height])) {
            (true, false) => self.only_as_is += 1,
            (false, true) => {
                self.only_swapped += 1;
                return true;
            }
            _ => {}
        }
        false
    }

    pub(super) fn verdict(self) -> Verdict {
        match self.only_swapped {
            // Even a correct file may have a few odd entries, so counter-evidence must be rare.
            swapped if self.only_as_is * 20 > swapped => Verdict::No,
            0 => Verdict::No,
            swapped if swapped >= ENOUGH => Verdict::Proven,
            _ => Verdict::Likely,
        }
    }

    /// Whether to read the file with height and width swapped.
    pub fn is_swapped(self) -> bool {
        self.verdict() != Verdict::No
    }
}
