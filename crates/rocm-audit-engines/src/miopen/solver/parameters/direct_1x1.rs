//! The first configuration of `ConvAsm1x1U`, by its heuristic or by the model that gfx908 has.
//!
//! Source, MIOpen 3.3.0: `src/solver/conv/conv_asm_1x1u.cpp:239-384` (what is valid), `:386-408` and
//! `:411-430` (the model), `:433-473` (the heuristic), `:476-500` (who asks the model).

use super::super::context::Context;
use super::super::tuning;
use super::sizes::Sizes;
use crate::miopen::problem::{ConvolutionProblem, Direction};
use crate::miopen::solver::tuning_model::TuningModel;

/// Values in the order of the perf-db: read_size, k_mult, chunks_per_wave, chunk_size, n_mult, c_mult,
/// waves_c_in_group, waves_k_in_group.
pub(super) type Config = [i64; 8];

/// What each field is before anything is set.
const UNSET: Config = [1, 8, 1, 16, 1, 1, 1, 1];

/// Whether the library asks the model.
pub(super) fn asks_model(context: &Context, p: &ConvolutionProblem<'_>) -> bool {
    context.target == tuning::PROCESSOR && !context.is_disabled(tuning::SWITCH) && p.stride[1] == 1
}

/// What the model chooses; `None` where it ends early, after which the heuristic decides.
pub(super) fn by_model(model: &TuningModel, p: &ConvolutionProblem<'_>, s: &Sizes) -> Option<Config> {
    let mut config = UNSET;
    let mut is_valid = |place: usize, value: &str| {
        let (Some(field), Ok(value)) = (config.get_mut(place), value.parse()) else { return false };
        *field = value;
        is_valid(&config, place + 1, p, s)
    };
    let direction = if p.direction == Direction::Forward { "fwd" } else { "bwd" };
    model.choose(&features(p, s), direction, &mut is_valid).then_some(config)
}

/// A matrix of 8 by 8 with the numbers on its diagonal.
#[expect(clippy::cast_precision_loss, reason = "the library casts sizes to single precision")]
fn features(p: &ConvolutionProblem<'_>, s: &Sizes) -> Vec<f32> {
    const SIDE: usize = 8;
    let forward = p.direction == Direction::Forward;
    let (channels, filters) = if forward { (s.inputs, s.outputs) } else { (s.outputs, s.inputs) };
    let direction = if forward { [1, 0] } else { [0, 1] };
    let precision = if p.data_type == "FP32" { 2 } else { 1 };
    let [is_forward, is_backward] = direction;
    let diagonal = [precision, is_forward, is_backward, channels, filters, s.in_height, s.in_width, s.batch];
    let mut matrix = vec![0.0; SIDE * SIDE];
    for (place, value) in diagonal.into_iter().enumerate() {
        if let Some(cell) = matrix.get_mut(place * (SIDE + 1)) {
            *cell = value as f32;
        }
    }
    matrix
}

/// What is taken without a model; `None` where every attempt is invalid, at which the library stops in a
/// debug build.
pub(super) fn static_heuristic(p: &ConvolutionProblem<'_>, s: &Sizes) -> Option<Config> {
    let per_dword = s.in_dword;
    let [mut read, mut k, mut chunks, mut chunk, mut n, mut c] = [4, 16, 4 * per_dword, 16, 2, per_dword];
    let valid = |config: Config| is_valid(&config, config.len(), p, s).then_some(config);
    let first = valid([read, k, chunks, chunk, n, c, 1, 1]);
    (read, k, chunk, n) = (1, 4, 1, 1);
    let second = first.or_else(|| valid([read, k, chunks, chunk, n, c, 1, 1]));
    (k, c) = (if per_dword == 1 { 1 } else { 4 }, 2);
    let third = second.or_else(|| valid([read, k, chunks, chunk, n, c, 1, 1]));
    (chunks, c) = (2, per_dword);
    let fourth = third.or_else(|| valid([read, k, chunks, chunk, n, c, 1, 1]));
    chunks = per_dword;
    fourth.or_else(|| valid([read, k, chunks, chunk, n, c, 1, 1]))
}

fn is_power_to(value: i64, most: i64) -> bool {
    (1..=most).contains(&value) && value & (value - 1) == 0
}

/// Whether the first `length` values are ones that the solver takes for the problem.
fn is_valid(config: &Config, length: usize, p: &ConvolutionProblem<'_>, s: &Sizes) -> bool {
    let [read, k, chunks, chunk, n, c, waves_c, waves_k] = *config;
    let backward = p.direction == Direction::BackwardData;
    let per_dword = s.in_dword;
    let area = s.out_height * s.out_width;
    let gprs = || {
        let inputs = (chunks * n * c + per_dword - 1) / per_dword;
        4 + 2 * inputs + chunks * n * k + i64::from(area % per_dword != 0) + 1
    };
    let checks: [&dyn Fn() -> bool; 8] = [
        &|| (1..=4).contains(&read),
        &|| {
            (k == 1 || (k % 4 == 0 && (1..=8).contains(&(k / 4))))
                && k % per_dword == 0
                && (!backward || s.outputs % k == 0)
        },
        &|| (1..=16).contains(&chunks) && read * per_dword <= chunks && chunks % per_dword == 0,
        &|| is_power_to(chunk, 64) && chunks <= (area + chunk - 1) / chunk,
        &|| {
            let blocks = 64 / chunk;
            (1..=8).contains(&n) && n <= (s.batch + blocks - 1) / blocks
        },
        &|| is_power_to(c, 32) && c % per_dword == 0 && gprs() < 256 && 25 + 2 * k * c < 102,
        &|| {
            let per_wave = (s.inputs + waves_c - 1) / waves_c.max(1);
            (1..=8).contains(&waves_c)
                && waves_c <= s.inputs
                && per_wave % c == 0
                && (s.inputs - per_wave * (waves_c - 1)) % c == 0
        },
        &|| {
            is_power_to(waves_k, 8)
                && k * waves_k <= s.outputs
                && waves_c * waves_k <= 16
                && (256 / gprs()) * 4 >= waves_c * waves_k
        },
    ];
    checks.iter().take(length).all(|check| check())
}
