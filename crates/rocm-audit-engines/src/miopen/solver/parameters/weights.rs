//! The first configurations of the assembly solvers for backward weights.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_asm_dir_BwdWrW1x1.cpp:283-435`,
//! `src/solver/conv/conv_asm_dir_BwdWrW3x3.cpp:131-366`.

use super::super::context::Context;
use super::sizes::Sizes;
use crate::miopen::problem::ConvolutionProblem;

/// Values in the order of the perf-db: chunk_size, c_per_gpr, c_mult, k_per_gpr, k_mult, n_per_gpr,
/// n_part_cnt, read_size, short_store, data_prefetch.
pub(super) fn of_1x1(context: &Context, p: &ConvolutionProblem<'_>, s: &Sizes) -> [i64; 10] {
    let short_store = i64::from(s.in_dword == 2);
    // Channels and filters by 256.
    let [per_gpr, mult, images, parts, read] = match s.outputs * s.inputs / 256 {
        ..2 => [1, 1, 1, 1, 1],
        2..8 => [1, 2, 1, 1, 1],
        8..32 => [2, 2, 2, 2, 2],
        32..128 => [2, 4, 2, 2, 4],
        _ => [2, 4, 4, 4, 4],
    };
    let first = [16 / per_gpr, per_gpr, mult, per_gpr, mult, images, parts, read, short_store, 1];
    if is_valid_1x1(&first, context, p, s) { first } else { [8, 2, 1, 2, 1, 1, 1, 1, short_store, 0] }
}

fn is_valid_1x1(config: &[i64; 10], context: &Context, p: &ConvolutionProblem<'_>, s: &Sizes) -> bool {
    const WAVE: i64 = 64;
    let [chunk, c_per_gpr, c_mult, k_per_gpr, k_mult, images, parts, read, short_store, prefetch] = *config;
    let pixels = WAVE / (c_per_gpr * images * chunk);
    if !matches!(pixels, 1 | 2 | 4)
        || chunk * c_per_gpr < 16
        || (chunk != 1 && c_per_gpr * chunk > 16)
        || k_per_gpr > c_per_gpr
        || c_per_gpr * images * pixels * chunk != WAVE
    {
        return false;
    }
    if s.in_dword == 2 {
        if short_store == 0 && (c_mult % 2 != 0 || s.outputs % 2 != 0) {
            return false;
        }
    } else if short_store == 1 {
        return false;
    }
    let sums = c_mult * k_mult * k_per_gpr;
    let converts = p.data_type == "BF16" && ["gfx8", "gfx9"].iter().any(|name| context.target.contains(name));
    let convert = if converts { (c_mult + k_mult) * read } else { 0 };
    let most = if parts > 4 { 128 } else { 256 };
    sums + 12 + (c_mult + k_mult) * read * (prefetch + 1) + convert <= most
        && (parts <= 1 || (parts - 1) * WAVE * 4 * sums <= 1 << 16)
}

/// Values in the order of the perf-db: limit_wave_cnt, reverse_inout, chunk_size, k_per_wave,
/// pipe_lines_depth, n_per_group; `None` where no attempt is valid.
pub(super) fn of_3x3(context: &Context, p: &ConvolutionProblem<'_>, s: &Sizes) -> Option<[i64; 6]> {
    let valid = |config: [i64; 6]| is_valid_3x3(&config, context, p, s).then_some(config);
    let mut chunk = if s.out_width < 48 { 8 } else { 16 };
    if s.outputs % (64 / chunk) != 0 && s.inputs % (64 / chunk) != 0 {
        chunk = 16;
    }
    let reversed = can_reverse(s) && (s.outputs % 4 != 0 || s.out_width < 8);
    let products = s.outputs * s.inputs / s.groups;
    let mut k_per_wave = match products {
        ..256 => 1,
        256..16384 => 2,
        _ if chunk == 8 => 2,
        _ => 4,
    };
    let filters = if reversed { s.outputs } else { s.inputs };
    while k_per_wave > 1 && filters % k_per_wave != 0 {
        k_per_wave /= 2;
    }
    let mut images = match products {
        ..=512 => 8,
        513..=4096 => 4,
        4097..=8192 => 2,
        _ => 1,
    };
    images = images.min(s.batch);
    if s.out_width >= 256 {
        images = images.min(4);
    }
    let mut lines = if s.out_height <= 1 { 1 } else { 2 };
    if s.out_height < 8 && s.out_width < 64 {
        lines = s.out_height;
    }
    let careful = i64::from(s.outputs % (4 * s.groups) != 0);
    valid([0, i64::from(reversed), chunk, k_per_wave, lines, images])
        .or_else(|| valid([0, careful, 16, 1, 2, 1]))
        .or_else(|| valid([0, careful, 16, 1, 1, 1]))
}

fn can_reverse(s: &Sizes) -> bool {
    s.stride == [1, 1]
}

fn is_valid_3x3(config: &[i64; 6], context: &Context, p: &ConvolutionProblem<'_>, s: &Sizes) -> bool {
    let [limit, reverse, chunk, k_per_wave, lines, images] = *config;
    let reversed = reverse != 0;
    let c_per_wave = 64 / chunk;
    let (by_c, by_k) = if reversed { (s.inputs, s.outputs) } else { (s.outputs, s.inputs) };
    let fits = (1..=16).contains(&lines)
        && (1..=8).contains(&images)
        && by_c % (c_per_wave * s.groups) == 0
        && by_k % (k_per_wave * s.groups) == 0
        && (s.outputs % c_per_wave == 0 || s.inputs % c_per_wave == 0)
        && by_c % c_per_wave == 0
        && chunk * k_per_wave <= 64
        && by_k % k_per_wave == 0
        && images <= s.batch
        && lines <= s.out_height.min(16)
        && (!reversed || can_reverse(s));
    fits && registers_fit([limit, chunk, k_per_wave, lines, images], reversed, context, p, s)
}

/// Whether registers, LDS and the length of the code are within the bounds of the kernel.
fn registers_fit(
    [limit, chunk, k_per_wave, lines, images]: [i64; 5],
    reversed: bool,
    context: &Context,
    p: &ConvolutionProblem<'_>,
    s: &Sizes,
) -> bool {
    let per_dword = if p.data_type == "FP16" { 2 } else { 1 };
    let c_per_wave = 64 / chunk;
    let ([high, wide], [stride_h, stride_w], [_, pad_w]) = (s.filter, s.stride, s.pad);
    let sums = wide * high * c_per_wave * k_per_wave * chunk / 64;
    let out_width = (s.out_width + per_dword - 1) / per_dword;
    let usable = if chunk == 16 { chunk } else { chunk - pad_w };
    if usable <= 0 || stride_h == 0 || stride_w == 0 {
        return false;
    }
    let mut line_in = (out_width + usable - 1) / usable;
    line_in += line_in % stride_w;
    let line_out = if line_in > 1 { line_in / stride_w } else { 1 };
    let for_in = (lines + high - 1) * per_dword * line_in;
    let for_out = (lines + stride_h - 1) / stride_h * per_dword * line_out;
    let (in_division, out_division) = (if for_in >= 4 { 0 } else { 4 }, if for_out >= 3 { 0 } else { 3 });
    let group = s.inputs / (if reversed { c_per_wave } else { k_per_wave }) / s.groups;
    let is_power = group & (group - 1) == 0;
    let for_division = if is_power { 0 } else { in_division + out_division };
    let registers = sums + for_in + for_out + for_division + 6 + (per_dword - 1);
    let most = if images > 4 { 128 } else { 256 };
    let lds = (images - 1) * 64 * 4 * sums;
    if registers > most || (limit != 0 && limit * 4 < images) || lds > 65536 {
        return false;
    }
    let unrolled = lines * (lines + 2);
    let steps = (s.out_height - 1 - lines).max(0);
    let loops = lines + unrolled + steps % unrolled + 1;
    let loads = 3 + (line_in + 3) / 4;
    let emulates = !matches!(context.target.as_str(), "gfx906" | "gfx908") && per_dword == 2;
    let times = if emulates { 2 } else { 1 };
    let sums_code = (k_per_wave * high * line_out * wide * 4 * times) / 3 * per_dword;
    let exchange = if per_dword == 2 { 3 * loads } else { 0 };
    loops * (loads + sums_code + exchange) * per_dword < 32000
}
