//! The first kernel that a solver launches for its product, and the sizes of the launch, where they follow
//! from the problem and the parameters.
//!
//! Read in MIOpen 3.3.0, `src/solver/conv` (what each `GetSolution` writes into `KernelInfo`), and compared
//! with what the real library (3.4.0) asks HIP for when it compiles for a find. Kernels that only move data
//! before or after are left out.

mod assembly;
mod gridwise;
mod naive;
mod opencl;
mod winograd;

use super::super::context::Context;
use super::super::integer::Integer;
use super::kernel_launch::Launch;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Lanes of a wave, as the kernels count them.
const WAVE: Integer = Integer(64);

/// The launch of a solver's main kernel, which is compiled with `parameters`, as a perf-db writes them;
/// `None` where it is not written down here, or depends on parameters that are not given.
pub fn main_launch(
    solver: &str,
    context: &Context,
    problem: &ConvolutionProblem<'_>,
    parameters: Option<&str>,
) -> Option<Launch> {
    let shape = Shape::of_problem(problem);
    let class = solver.split('<').next().unwrap_or(solver);
    let asked = Asked { solver, class, context, problem, shape, parameters };
    [naive::launch, assembly::launch, winograd::launch, gridwise::launch, opencl::launch, gtc_nhwc]
        .into_iter()
        .find_map(|family| family(&asked))
}

/// The assembly GTC solvers for NHWC, whose kernels are named by their parameters.
fn gtc_nhwc(asked: &Asked<'_>) -> Option<Launch> {
    super::gtc_nhwc::launch(asked.solver, asked.context, asked.problem, asked.parameters)
}

/// What a launch depends on.
struct Asked<'a> {
    solver: &'a str,
    /// The solver without the numbers of its template.
    class: &'a str,
    context: &'a Context,
    problem: &'a ConvolutionProblem<'a>,
    shape: Shape,
    parameters: Option<&'a str>,
}

impl Asked<'_> {
    /// The parameters, if their number is that of the solver.
    fn values<const N: usize>(&self) -> Option<[Integer; N]> {
        let values: Option<Vec<Integer>> = self
            .parameters?
            .split(',')
            .map(|value| Some(Integer(value.parse::<u32>().ok()?.into())))
            .collect();
        values?.try_into().ok()
    }

    /// The same of solvers whose further parameters do not matter here.
    fn first_values<const N: usize>(&self) -> Option<[Integer; N]> {
        let values = self.parameters?.split(',').take(N);
        let values: Option<Vec<Integer>> =
            values.map(|value| Some(Integer(value.parse::<u32>().ok()?.into()))).collect();
        values?.try_into().ok()
    }
}

/// The sizes of a problem. *In* and *out* are those of the key, which are exchanged for backward directions;
/// `x` and `y` are the tensors of the forward convolution.
struct Shape {
    is_forward: bool,
    is_weights: bool,
    inputs: Integer,
    outputs: Integer,
    /// Height, width.
    input: [Integer; 2],
    output: [Integer; 2],
    filter: [Integer; 2],
    stride: [Integer; 2],
    batch: Integer,
    groups: Integer,
    x_channels: Integer,
    y_channels: Integer,
    /// The outermost of depth, height and width.
    x_first: Integer,
    y_first: Integer,
    /// Elements of a channel of y, and of a filter's channel.
    y_pixels: Integer,
    filter_pixels: Integer,
}

impl Shape {
    fn of_problem(p: &ConvolutionProblem<'_>) -> Shape {
        let two = |[_, height, width]: [u32; 3]| [height, width].map(Integer::from);
        let forward = p.forward();
        let first =
            |[depth, height, _]: [u32; 3]| Integer::from(if p.dimensions == 3 { depth } else { height });
        let pixels = |sizes: [u32; 3]| {
            let [depth, height, width] = sizes.map(Integer::from);
            if p.dimensions == 3 { depth * height * width } else { height * width }
        };
        Shape {
            is_forward: p.direction == Direction::Forward,
            is_weights: p.direction == Direction::BackwardWeights,
            inputs: p.channels.into(),
            outputs: p.filters.into(),
            input: two(p.input),
            output: two(p.output),
            filter: two(p.filter),
            stride: two(p.stride),
            batch: p.batch.into(),
            groups: p.groups.max(1).into(),
            x_channels: forward.channels.into(),
            y_channels: forward.filters.into(),
            x_first: first(forward.input),
            y_first: first(forward.output),
            y_pixels: pixels(forward.output),
            filter_pixels: pixels(p.filter),
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
