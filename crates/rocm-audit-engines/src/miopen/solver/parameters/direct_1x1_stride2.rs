//! The first configuration of `ConvAsm1x1UV2`.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_asm_1x1u_stride2.cpp:115-146` (sizes), `:314-421` (what is valid), `:423-460` (the
//! heuristic).

use super::super::integer::Integer;
use super::sizes::Sizes;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Work groups from which on positions are divided in 64 bits, which takes a register more.
const WIDE: i64 = 1 << 16;
/// The end of what a buffer's offset reaches, in bytes.
const REACH: i64 = 1 << 31;

/// Values in the order of the perf-db: chunk_size, dwords_per_ld, k_mult, c_mult, n_mult, w_mult, h_mult,
/// h_per_chunk, waves_k_in_group, waves_c_in_group. `None` where every attempt is invalid, at which the
/// library stops in a debug build.
pub(super) fn first(p: &ConvolutionProblem<'_>, s: &Sizes) -> Option<[i64; 10]> {
    const CHUNK: i64 = 16;
    let is_forward = p.direction == Direction::Forward;
    // Of the direction that is not asked 0 is checked, which everything divides.
    let (c, k) = if is_forward { (s.inputs, 0) } else { (0, s.inputs) };
    let c_mult = [2, 3].into_iter().find(|by| c % by == 0).unwrap_or(1);
    let k_mult = [8, 4, 3].into_iter().find(|by| k % by == 0).unwrap_or(1);
    let tries = [(k_mult, c_mult, 4), (k_mult, c_mult, CHUNK), (1, 1, CHUNK), (1, 1, 1)];
    let (k_mult, c_mult, rows) =
        tries.into_iter().find(|(k_mult, c_mult, rows)| is_valid(*k_mult, *c_mult, [CHUNK, *rows], p, s))?;
    Some([CHUNK, 1, k_mult, c_mult, 1, 1, 1, rows, 1, 1])
}

/// Whether the solver takes them, with one wave, one dword and one image at a time.
fn is_valid(
    k_mult: i64,
    c_mult: i64,
    [chunk, rows]: [i64; 2],
    p: &ConvolutionProblem<'_>,
    s: &Sizes,
) -> bool {
    let is_forward = p.direction == Direction::Forward;
    let own = |[height, width]: [i64; 2]| [Integer(height), Integer(width)];
    let [stride_h, stride_w] = if is_forward { own(s.stride) } else { [Integer::ONE; 2] };
    let is_spread = !is_forward && s.stride[1] > 1;
    let (height, width) = (Integer(s.in_height).ceil_div(stride_h), Integer(s.in_width).ceil_div(stride_w));
    let of_wave = Integer::ONE.ceil_div(stride_w) * (chunk / rows);
    // As the source has it: the width by rows.
    let groups = width.ceil_div(Integer(rows)) * height.ceil_div(of_wave);
    let inputs = 2 * c_mult;
    let sums = Integer(s.in_dword).ceil_div(stride_w) * k_mult;
    let stored = if is_spread { (2 - (inputs - 1)).max(0) } else { 0 };
    let registers = sums + 5 + inputs + i64::from(groups >= WIDE) + stored + 1;
    let images = 64 / chunk - 1;
    let fits = |channels: i64, height: i64, width: i64| {
        let channels = Integer(channels);
        (channels + images) * channels * height * width * (4 / s.in_dword) < REACH
    };
    k_mult <= s.outputs
        && registers < 256
        && 25 + 2 * k_mult * c_mult < 102
        && (is_forward || s.outputs % k_mult == 0)
        && fits(s.inputs, s.in_height, s.in_width)
        && fits(s.outputs, s.out_height, s.out_width)
        && s.inputs % c_mult == 0
}
