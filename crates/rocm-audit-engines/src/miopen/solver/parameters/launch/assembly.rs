//! Direct convolutions in assembly. Source, MIOpen 3.3.0, `src/solver/conv`: `conv_asm_3x3u.cpp`,
//! `conv_asm_1x1u.cpp`, `conv_asm_1x1u_stride2.cpp`, `conv_asm_dir_BwdWrW1x1.cpp`,
//! `conv_asm_dir_BwdWrW3x3.cpp`, in each `GetSolution`.

use super::super::super::integer::Integer;
use super::{Asked, Launch, WAVE};

pub(super) fn launch(asked: &Asked<'_>) -> Option<Launch> {
    match asked.class {
        "ConvAsm3x3U" => of_3x3(asked),
        "ConvAsm1x1U" => of_1x1(asked),
        "ConvAsm1x1UV2" => of_1x1_stride2(asked),
        "ConvAsmBwdWrW1x1" => weights_1x1(asked),
        "ConvAsmBwdWrW3x3" => weights_3x3(asked),
        _ => None,
    }
}

/// A row is cut into equal chunks of at most a wave, and a work group has the lanes of one.
fn of_3x3(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [_, filters_per_wave, lines_per_wave] = asked.values()?;
    let [height, width] = s.input;
    let lanes = width.ceil_div(width.ceil_div(WAVE));
    let items = [lanes * s.outputs.ceil_div(filters_per_wave), height.ceil_div(lines_per_wave), s.batch];
    Launch::new("miopenGcnAsmConv3x3U", items, [lanes, Integer::ONE, Integer::ONE])
}

fn of_1x1(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [_, k_mult, chunks, chunk, n_mult, _, waves_c, waves_k] = asked.values()?;
    // A stride is taken by a kernel of its own, before or after.
    let [_, stride] = s.stride;
    let [height, width] = if s.is_forward && stride > Integer::ONE { s.output } else { s.input };
    let group = WAVE * waves_c * waves_k;
    let items = [
        group * (height * width).ceil_div(chunks * chunk),
        s.outputs.ceil_div(k_mult * waves_k),
        s.batch.ceil_div(n_mult * (WAVE / chunk)),
    ];
    Launch::new("miopenGcnAsmConv1x1U", items, [group, Integer::ONE, Integer::ONE])
}

fn of_1x1_stride2(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [chunk, dwords, k_mult, _, n_mult, w_mult, h_mult, h_per_chunk, waves_k, waves_c] = asked.values()?;
    let [stride_h, stride_w] = if s.is_forward { s.stride } else { [Integer::ONE, Integer::ONE] };
    let [height, width] = s.input;
    let width_per_wave = dwords.ceil_div(stride_w) * w_mult * (chunk / h_per_chunk);
    let height_per_wave = h_per_chunk * h_mult;
    let group = WAVE * waves_c * waves_k;
    let items = [
        group
            * width.ceil_div(stride_w).ceil_div(width_per_wave)
            * height.ceil_div(stride_h).ceil_div(height_per_wave),
        s.outputs.ceil_div(k_mult * waves_k),
        s.batch.ceil_div(n_mult * (WAVE / chunk)),
    ];
    Launch::new("miopenGcnAsmConv1x1U_stride2", items, [group, Integer::ONE, Integer::ONE])
}

fn weights_1x1(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [_, c_per_gpr, c_mult, k_per_gpr, k_mult, _, parts, ..]: [Integer; 10] = asked.values()?;
    let group = WAVE * parts;
    let items = [group, s.outputs.ceil_div(c_per_gpr * c_mult), s.inputs.ceil_div(k_per_gpr * k_mult)];
    Launch::new("miopenGcnAsmConv1x1WrW", items, [group, Integer::ONE, Integer::ONE])
}

fn weights_3x3(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [_, is_reversed, chunk, k_per_wave, _, n_per_group] = asked.values()?;
    let c_per_wave = WAVE / chunk;
    let (of_outputs, of_inputs) =
        if is_reversed == 0 { (c_per_wave, k_per_wave) } else { (k_per_wave, c_per_wave) };
    let group = WAVE * n_per_group;
    let items = [group, s.outputs / of_outputs / s.groups, s.inputs / of_inputs];
    Launch::new("miopenGcnAsmConv3x3WrW", items, [group, Integer::ONE, Integer::ONE])
}
