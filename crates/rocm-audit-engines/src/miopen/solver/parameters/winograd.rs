//! The first configuration of the Winograd solvers with a number of work groups for each group of channels.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_winoRxS.cpp:115-190` (`GetBestNGroupParam`), `:329-383`
//! (`HeuristicInit`).

use super::super::context::Context;
use super::sizes::Sizes;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Most work groups that are tried, as the library's own limit for compute units.
const MOST_UNITS: u32 = 512;

/// How many work groups one group of channels gets. `tile` are the lengths of the output's and of the
/// filter's tile.
pub(super) fn groups(context: &Context, p: &ConvolutionProblem<'_>, s: &Sizes, tile: [u64; 2]) -> i64 {
    let units = context.hardware_compute_units();
    if s.groups == 1 {
        return units.into();
    }
    let of = |[height, width]: [i64; 2]| [height, width].map(i64::unsigned_abs);
    let (inputs, outputs) = (s.inputs / s.groups, s.outputs / s.groups);
    let shape = if p.direction == Direction::BackwardWeights {
        Shape {
            filter: of([s.in_height, s.in_width]),
            stride: of(s.dilation),
            channels: s.batch.unsigned_abs(),
            filters: inputs.unsigned_abs(),
            output: of(s.filter),
            pad: of([s.pad[1], s.pad[0]]),
            batch: outputs.unsigned_abs(),
            dilation: of([s.stride[1], s.stride[0]]),
        }
    } else {
        Shape {
            filter: of(s.filter),
            stride: of(s.stride),
            channels: inputs.unsigned_abs(),
            filters: outputs.unsigned_abs(),
            output: of([s.out_height, s.out_width]),
            pad: of([s.pad[1], s.pad[0]]),
            batch: s.batch.unsigned_abs(),
            dilation: of([s.dilation[1], s.dilation[0]]),
        }
    };
    best(&shape, units.min(MOST_UNITS), s.groups.unsigned_abs(), tile)
}

/// A product in the kernel's terms; pairs are height and width, but for pad and dilation, which callers of
/// the original hand over the other way around.
struct Shape {
    filter: [u64; 2],
    stride: [u64; 2],
    channels: u64,
    filters: u64,
    output: [u64; 2],
    pad: [u64; 2],
    batch: u64,
    dilation: [u64; 2],
}

#[expect(clippy::cast_precision_loss, reason = "the library compares in double precision")]
fn best(shape: &Shape, units: u32, groups: u64, [output_tile, filter_tile]: [u64; 2]) -> i64 {
    let up = |value: u64, factor: u64| value.div_ceil(factor.max(1)).saturating_mul(factor.max(1));
    let [r, s] = shape.filter;
    let [r_stride, s_stride] = shape.stride;
    let [pad_h, pad_w] = shape.pad;
    let [dilation_w, dilation_h] = shape.dilation;
    let w_factor = output_tile.saturating_mul(dilation_w).saturating_mul(s_stride);
    let h_factor = output_tile.saturating_mul(dilation_h).saturating_mul(r_stride);
    let narrow = s_stride == 1 && dilation_w == 1 && s <= filter_tile;
    let s_factor = if narrow { filter_tile } else { 2 * filter_tile };
    let short = (r_stride == 1 && dilation_h == 1) || r % (filter_tile * 2) == 1;
    let r_factor = if short { filter_tile } else { 2 * filter_tile };
    let by_two = s_stride == 2 || r_stride == 2 || dilation_w == 2 || dilation_h == 2;
    let c_factor = if by_two { 1 } else { 2 };
    let macs = up(shape.channels, c_factor).saturating_mul(up(s, s_factor)).saturating_mul(up(r, r_factor));
    let filters = up(shape.filters, 32);
    let [mut height, mut width] = shape.output;
    if pad_w % 2 == 0 && (dilation_w > 1 || s_stride > 1) {
        width += 1;
    }
    if pad_h % 2 == 1 && (dilation_h > 1 || r_stride > 1) {
        height += 1;
    }
    let area = up(width, w_factor).saturating_mul(up(height, h_factor)).saturating_mul(shape.batch);
    let block = 32u64.saturating_mul(w_factor).saturating_mul(h_factor);
    let area = up(area, block).saturating_mul(filters);
    let (mut best, mut least) = (1, 0.0);
    for count in 1..u64::from(units) {
        let granulated = up(area, block.saturating_mul(32).saturating_mul(count)).saturating_mul(macs);
        let per_unit = count.saturating_mul(groups).div_ceil(u64::from(units));
        let mut cost = per_unit as f64 * granulated as f64 / count as f64;
        let step = if granulated as f64 / count as f64 > 1.0e7 { 0.003 } else { 0.04 };
        cost *= 1.0 + count as f64 * step;
        if count == 1 {
            least = cost;
        }
        if least > cost {
            (best, least) = (count, cost);
        }
    }
    i64::try_from(best).unwrap_or(i64::MAX)
}
