//! The first configuration of the assembly GTC solvers for NHWC, and what is launched with one.
//!
//! Source, MIOpen 3.3.0, `src/solver/conv/conv_asm_implicit_gemm_gtc_{fwd,bwd,wrw}_nhwc.cpp`: `HeuristicInit`, `IsValid` and
//! `GetSolution` of each; `conv_asm_implicit_gemm_gtc_perf_config.cpp:251-301` (text, name and work group);
//! `src/include/miopen/conv/asm_implicit_gemm.hpp:112-290` (tiles, splits). Environment variables are as if none were set.

mod configuration;
mod precision;
mod problem;
mod table;

use super::super::context::Context;
use super::kernel_launch::Launch;
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::integer::Integer;
use configuration::{Configuration, Way};
use problem::Problem;

/// The first configuration, as a perf-db would write it; `None` for other solvers and problems that these do
/// not take.
pub(super) fn first(solver: &str, context: &Context, p: &ConvolutionProblem<'_>) -> Option<String> {
    let way = Way::of_solver(solver)?;
    Some(Problem::new(way, context, p)?.first()?.text(way))
}

/// The launch of the product. Kernels that turn tensors of NCHW around are left out.
pub(super) fn launch(
    solver: &str,
    context: &Context,
    p: &ConvolutionProblem<'_>,
    parameters: Option<&str>,
) -> Option<Launch> {
    let way = Way::of_solver(solver)?;
    let own = Configuration::parse(parameters?, way)?;
    let problem = Problem::new(way, context, p)?;
    let parts = problem.batches()?;
    let (groups, group) = (problem.work_groups(&own, parts), own.work_group());
    let depth = if way == Way::Weights { problem.parts_of_depth(&own, parts, groups) } else { Integer::ONE };
    Launch::new(
        own.kernel(way, &context.target),
        [groups * group, parts, depth],
        [group, Integer::ONE, Integer::ONE],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the real library (3.4.0) began with and launched on a stand-in for the HIP runtime: target, compute
    /// units, key, solver, parameters, kernel, work items, work items of a group.
    static RECORDED: &str = include_str!("recorded.txt");

    fn rows() -> impl Iterator<Item = [&'static str; 8]> {
        RECORDED.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            words.try_into().unwrap()
        })
    }

    #[test]
    fn solvers_begin_with_what_the_library_begins_with_and_launch_it() {
        for [target, units, key, solver, parameters, kernel, items, group] in rows() {
            let context = Context::new(target, units.parse().unwrap());
            let problem = ConvolutionProblem::parse(key).unwrap();
            assert_eq!(first(solver, &context, &problem).as_deref(), Some(parameters), "{solver} {key}");
            let own = launch(solver, &context, &problem, Some(parameters)).unwrap();
            let joined = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join(",");
            let own = [own.kernel, joined(own.work_items), joined(own.work_group)];
            assert_eq!(own, [kernel, items, group], "{solver} {key}");
        }
    }

    /// Rows of a perf-db are anybody's text, and keys anybody's numbers.
    #[test]
    fn what_fits_nothing_launches_nothing_and_ends() {
        let most = "4294967295-4294967295-4294967295-1x1-4294967295-4294967295-4294967295-4294967295-0x0-1x1-1x1-0-NHWC-FP16-";
        for [target, units, key, solver, parameters, ..] in rows() {
            let context = Context::new(target, units.parse().unwrap());
            let problem = ConvolutionProblem::parse(key).unwrap();
            let last = parameters.rsplit_once(',').unwrap().0;
            let longer = format!("{parameters},0");
            let zeros = parameters.split(',').take(3).chain(["0"; 34]).collect::<Vec<_>>().join(",");
            let large = zeros.replace(",0", ",65535");
            for wrong in ["", "fwd", "fwd,nhwc,fp64", last, &longer, &zeros] {
                assert_eq!(launch(solver, &context, &problem, Some(wrong)), None, "{solver} {wrong}");
            }
            let _ = launch(solver, &context, &problem, Some(&large));
            let letter = key.rsplit_once('-').unwrap().1;
            if let Ok(large) = ConvolutionProblem::parse(&format!("{most}{letter}")) {
                assert_eq!(first(solver, &context, &large), None, "{solver}");
            }
        }
    }
}
