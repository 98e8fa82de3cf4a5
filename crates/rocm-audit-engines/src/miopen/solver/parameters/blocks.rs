//! First configurations of the implicit products that are compiled for each problem without matrix
//! instructions: of a list the first whose block divides the product.
//!
//! Sources, MIOpen 3.3.0, `src/solver/conv`: `conv_hip_implicit_gemm_fwd_v4r4.cpp:477-532` (the lists of
//! `wrw_v4r4`, `bwd_v1r1` and `bwd_v4r1` are the same), `conv_hip_implicit_gemm_nonxdlops_common.cpp:62-180` and
//! `:284-415`. What they check beyond these sizes holds for every row of the lists.

use super::super::predicates::backward_v4r1_products;
use super::super::variable::Derived;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Block size, rows, columns and depth of a block, rows and columns of a thread. Three of MIOpen's list, with
/// 64 rows by 128 columns, never pass, as their threads do not make two clusters each way.
const BLOCKS: [[i64; 6]; 18] = {
    let sizes = [
        [256, 128, 128, 4, 4],
        [128, 128, 64, 4, 4],
        [64, 64, 64, 4, 4],
        [64, 64, 32, 4, 2],
        [64, 32, 64, 2, 4],
        [64, 32, 32, 2, 2],
    ];
    let depths = [16, 8, 4];
    let mut all = [[0; 6]; 18];
    let mut at = 0;
    while at < all.len() {
        let [group, rows, columns, thread_rows, thread_columns] = sizes[at / 3];
        all[at] = [group, rows, columns, depths[at % 3], thread_rows, thread_columns];
        at += 1;
    }
    all
};

/// The configurations that V4R1 tries, as a perf-db has them.
const V4R1: [[i64; 16]; 6] = [
    [16, 128, 8, 2, 4, 4, 4, 4, 4, 4, 8, 2, 16, 1, 2, 128],
    [8, 128, 8, 2, 4, 4, 4, 4, 4, 2, 8, 1, 8, 2, 2, 64],
    [8, 64, 8, 2, 4, 4, 4, 2, 2, 4, 8, 1, 8, 1, 4, 16],
    [16, 32, 4, 2, 4, 4, 1, 4, 4, 4, 4, 1, 16, 1, 4, 16],
    [16, 16, 4, 2, 2, 2, 2, 4, 2, 4, 4, 1, 16, 1, 4, 16],
    [8, 32, 4, 2, 2, 2, 2, 4, 4, 2, 4, 2, 8, 1, 4, 16],
];

/// Sizes of the forward convolution.
struct Forward {
    batch: i64,
    /// Channels of x and y.
    channels: [i64; 2],
    /// Elements of a channel of y, and of a filter's channel.
    pixels: [i64; 2],
    groups: i64,
}

impl Forward {
    fn of_problem(p: &ConvolutionProblem<'_>) -> Forward {
        let forward = p.forward();
        let pixels = |[depth, rest @ ..]: [u32; 3]| {
            let depth = if p.dimensions == 3 { depth } else { 1 };
            rest.iter().map(|size| i64::from(*size)).fold(i64::from(depth), i64::saturating_mul)
        };
        Forward {
            batch: p.batch.into(),
            channels: [forward.channels, forward.filters].map(i64::from),
            pixels: [pixels(forward.output), pixels(p.filter)],
            groups: i64::from(p.groups.max(1)),
        }
    }
}

fn product(values: &[i64]) -> i64 {
    values.iter().copied().fold(1, i64::saturating_mul)
}

fn divides(block: i64, whole: i64) -> bool {
    whole % block == 0
}

/// Of V4R4 forward and weights, and V1R1 backward; `None` where no block divides the product, so that the
/// solver does not take the problem.
pub(super) fn of_v4r4(solver: &str, problem: &ConvolutionProblem<'_>) -> Option<[i64; 6]> {
    let Forward { batch, channels: [x, y], pixels: [y_pixels, filter], .. } = Forward::of_problem(problem);
    let (outer, inner) = (product(&[batch, y_pixels]), product(&[x, filter]));
    let (rows, columns, depth) = match solver {
        "ConvHipImplicitGemmV4R4Fwd" => (y, outer, inner),
        "ConvHipImplicitGemmV4R4WrW" => (y, inner, outer),
        "ConvHipImplicitGemmBwdDataV1R1" => (inner, outer, y / packed(problem)),
        _ => return None,
    };
    let fits = |[_, of_rows, of_columns, of_depth, ..]: &&[i64; 6]| {
        divides(*of_rows, rows) && divides(*of_columns, columns) && divides(*of_depth, depth)
    };
    BLOCKS.iter().find(fits).copied()
}

/// Of V4R1 backward data, whose parts all have to divide.
pub(super) fn of_backward_v4r1(p: &Derived) -> Option<[i64; 6]> {
    let (m, n, depths) = backward_v4r1_products(p);
    let fits = |[_, of_rows, of_columns, of_depth, ..]: &&[i64; 6]| {
        divides(*of_rows, m.0)
            && divides(*of_columns, n.0)
            && depths.iter().all(|depth| divides(*of_depth, depth.0))
    };
    BLOCKS.iter().find(fits).copied()
}

/// Elements that are packed in one: two of half precision.
fn packed(problem: &ConvolutionProblem<'_>) -> i64 {
    if matches!(problem.data_type, "FP16" | "BF16") { 2 } else { 1 }
}

/// Of V4R1; `None` where none fits.
pub(super) fn of_v4r1(problem: &ConvolutionProblem<'_>) -> Option<[i64; 16]> {
    let Forward { batch, channels: [x, y], pixels: [y_pixels, filter], groups } =
        Forward::of_problem(problem);
    let is_weights = problem.direction == Direction::BackwardWeights;
    // As the kernel sees them: for weights, dy is a filter that goes over x.
    let (n, k, c, pixels, filter) = match is_weights {
        true => (x / groups, y, batch, filter, y_pixels),
        false => (batch, y, x / groups, y_pixels, filter),
    };
    let depth = product(&[c / packed(problem), filter]);
    let fits = |row: &&[i64; 16]| {
        let [b, of_k, e, repeats, _, thread, _, _, _, _, _, _, _, _, wei_e, _] = **row;
        let at_once = repeats * thread;
        divides(at_once, n)
            && divides(of_k, k)
            && divides(b, product(&[n / at_once, pixels]))
            && divides(2 * e, depth)
            && divides(groups, k / of_k)
            && (!is_weights || divides(e / wei_e, filter))
    };
    V4R1.iter().find(fits).copied()
}
