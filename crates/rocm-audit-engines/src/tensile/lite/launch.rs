//! What a solution of hipBLASLt launches.
//!
//! Source: hipBLASLt, `tensilelite/src/ContractionSolution.cpp` (`generateSingleCall`,
//! `generateOutputConversionCall`, `generateReductionCall` and the names of their kernels); compared with the
//! library of 7.1.1.
#![deny(clippy::indexing_slicing)]

use super::epilogue::BiasSource;
use super::problem::Problem;
use super::problem_type::{ProblemType, Scaled};
use super::solution::Solution;
use super::stream_k;
use crate::tensile::data_type::DataType;
use crate::tensile::launch::{Launch, Role};
use amdgpu_object::target::GfxVersion;
use std::borrow::Cow;

/// Work items in a work group of a conversion.
const CONVERSION_ITEMS: u64 = 256;

/// The launches of a solution in their order, their files not yet found.
pub fn launches<'l>(
    solution: &Solution,
    of: &ProblemType,
    kernel: &'l str,
    problem: &Problem,
    processor: &str,
) -> Vec<Launch<'l>> {
    let mut launches = vec![main(solution, kernel, problem, processor)];
    if solution.mapping.split(problem) > 1 && solution.mapping.global_accumulation == 2 {
        launches.push(conversion(solution, of, problem));
    }
    if let (true, Some((bias, BiasSource::D))) = (problem.gradient, problem.bias) {
        launches.push(reduction(bias, problem));
    }
    launches
}

fn main<'l>(solution: &Solution, kernel: &'l str, problem: &Problem, processor: &str) -> Launch<'l> {
    let mapping = &solution.mapping;
    let [m, n, batch, _] = problem.sizes;
    let [tile0, tile1] = mapping.macro_tile.map(|tile| u64::from(tile).max(1));
    let (x, y) = (m.div_ceil(tile0), n.div_ceil(tile1));
    let split = mapping.split(problem).max(1);
    let grid = if mapping.stream_k.streams() {
        [stream_k::streamed(mapping, problem).map_or(0, |streamed| streamed.groups), 1, 1]
    } else if GfxVersion::from_name(processor).is_some_and(|version| version.major == 12) {
        [x, y.wrapping_mul(split), batch]
    } else {
        [x.wrapping_mul(y).wrapping_mul(batch).wrapping_mul(split), 1, 1]
    };
    Launch {
        kernel: Cow::Borrowed(kernel),
        role: Role::Main,
        grid,
        work_group: [mapping.work_group, 1, 1],
        file: None,
    }
}

/// Sums up the partial sums of work groups that share a part of D.
fn conversion<'l>(solution: &Solution, of: &ProblemType, problem: &Problem) -> Launch<'l> {
    let [m, ..] = problem.sizes;
    let total = problem.outputs();
    let [.., d] = of.types;
    let vector: u64 = if total <= 2048 {
        1
    } else if m.is_multiple_of(4) {
        if d == DataType::Double { 2 } else { 4 }
    } else if m.is_multiple_of(2) {
        2
    } else {
        1
    };
    let split = solution.mapping.split(problem).next_power_of_two().min(16);
    let name = format!("{}_PostGSU{split}_VW{vector}", conversion_stem(of, problem));
    Launch {
        kernel: Cow::Owned(name),
        role: Role::PostGsu,
        grid: [total.div_ceil(vector * CONVERSION_ITEMS), 1, 1],
        work_group: [CONVERSION_ITEMS as u32, 1, 1],
        file: None,
    }
}

/// The name of a conversion without its last parts.
fn conversion_stem(of: &ProblemType, problem: &Problem) -> String {
    let short = DataType::abbreviation;
    let [.., d] = of.types;
    let mut name = format!("Cijk_{}{}", short(of.compute), short(d));
    if of.use_bias {
        let bias = problem.bias.map_or(DataType::Float, |(ty, _)| ty);
        name.push_str(&format!("_Bias{}", short(bias)));
    }
    if of.use_aux {
        let what = if of.gradient { "Grad" } else { "Aux" };
        name.push_str(&format!("_{what}{}", short(of.aux)));
    }
    if of.activation {
        name.push_str(&format!("_HA{}", short(of.compute)));
    }
    match of.scale_ab {
        Scaled::No => {}
        Scaled::Scalar => name.push_str("_ScaleAB"),
        Scaled::Vector => name.push_str("_ScaleABVec"),
    }
    for (has, what) in [(of.scale_cd, "_ScaleCD"), (of.scale_alpha_vec, "_ScaleAlphaVec")] {
        if has {
            name.push_str(what);
        }
    }
    name
}

/// Sums up the gradient of the bias.
fn reduction<'l>(bias: DataType, problem: &Problem) -> Launch<'l> {
    let [m, n, ..] = problem.sizes;
    let (threads, columns, vector) = match n {
        8192.. => (1024, 32, 4),
        32.. => (256, 32, 1),
        _ => (256, (n / 2 * 2).max(1), 1),
    };
    let rows: u64 = threads / columns;
    let (bias, compute) = (bias.abbreviation(), problem.compute.abbreviation());
    Launch {
        kernel: Cow::Owned(format!("Dijk_{bias}{compute}_MT{rows}x{columns}_VW{vector}_Reduction")),
        role: Role::Reduction,
        grid: [m.div_ceil((rows * vector).max(1)), 1, 1],
        work_group: [threads as u32, 1, 1],
        file: None,
    }
}
