//! First configurations of the direct OpenCL solvers.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_ocl_dir2Dfwd_exhaustive_search.cpp:58-132`.

use super::sizes::Sizes;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// As a perf-db has them: groups, input tiles and output pixels (height, width each), outputs, inputs, images.
pub(super) fn of_direct(problem: &ConvolutionProblem<'_>, sizes: &Sizes) -> [i64; 9] {
    let side = |size: i64| match size {
        ..=8 => 8,
        9..=16 => 16,
        _ => 32,
    };
    let tile = |size: i64, stride: i64| {
        let pixels = stride.max(if side(size) == 8 { 1 } else { 2 });
        let group = (side(size) / pixels).max(8);
        [group, group * pixels, pixels]
    };
    let [group1, tile1, mut pixels1] = tile(sizes.in_height, sizes.stride[0]);
    let [mut group0, tile0, mut pixels0] = tile(sizes.in_width, sizes.stride[1]);
    let (mut outputs, mut inputs) = (8, 2);
    let is_forward = problem.direction == Direction::Forward;
    if sizes.filter == [1, 1] && sizes.groups == 1 {
        let whole = sizes.inputs % 16 == 0 && sizes.outputs % 16 == 0;
        if problem.data_type == "FP32" && is_forward && whole {
            (outputs, inputs, pixels0, pixels1) = (32, 128, 0, 1);
        } else {
            let is_moved = sizes.pad[1] > 0 || sizes.stride[1] > 1;
            let is_odd = match (is_moved, is_forward) {
                (false, _) => sizes.out_height * sizes.out_width % 2 != 0,
                (true, true) => sizes.out_width % 2 != 0,
                (true, false) => sizes.out_width % 2 != 0 || sizes.in_width % 2 != 0,
            };
            (outputs, inputs, group0) = (16, 4, 64);
            (pixels0, pixels1) = (if is_odd { 1 } else { 2 }, 0);
        }
    }
    [group1, group0, tile1, tile0, pixels1, pixels0, outputs, inputs, 1]
}
