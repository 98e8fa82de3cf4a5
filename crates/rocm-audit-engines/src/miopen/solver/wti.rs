//! The order of solvers in MIOpen's immediate and FAST modes: an estimate of how close to peak a solver comes
//! (`GetWti` in its sources), which only a few solvers provide. These are MIOpen's estimates, not
//! measurements.
//!
//! Sources, MIOpen 3.3.0: `src/solver/conv/conv_winoRxS.cpp` (ShaderModel), `gemm.cpp`, `gemm_bwd.cpp`,
//! `gemm_wrw.cpp` (GetWti), `gemm_common.cpp` (SlowdownFactor).

use super::bound::Candidates;
use super::clause::Solver;
use super::context::Context;
use super::integer::Integer;
use super::variable::Derived;
use crate::miopen::problem::ConvolutionProblem;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// A solver with MIOpen's estimate.
#[derive(Debug, Clone, Copy)]
pub struct Estimate<'r> {
    /// The solver.
    pub solver: &'r Solver,
    /// The weighted throughput index; 1 would be the peak rate of a direct convolution.
    pub wti: f64,
}

/// Dynamic applicable solvers that have an estimate, best first; equal ones in registry order.
pub fn order<'r>(
    candidates: &Candidates<'r>,
    problem: &ConvolutionProblem<'_>,
    context: &Context,
) -> Vec<Estimate<'r>> {
    let derived = Derived::on(context, problem);
    let mut all: Vec<Estimate<'r>> = candidates
        .dynamic()
        .filter_map(|solver| Some(Estimate { solver, wti: estimate(solver, &derived, context)? }))
        .collect();
    all.sort_rows_by(|a, b| b.wti.total_cmp(&a.wti));
    all
}

/// MIOpen's estimate; `None` if the solver provides none for the problem.
pub fn estimate(solver: &Solver, problem: &Derived, context: &Context) -> Option<f64> {
    let name = solver.name;
    match name {
        "ConvBinWinogradRxSf2x3g1" => winograd_2x3(problem, context),
        _ if name.starts_with("GemmFwd") => Some(gemm_forward(problem)),
        _ if name.starts_with("GemmBwd") => Some(gemm_backward_data(problem)),
        _ if name.starts_with("GemmWrw") => Some(gemm_backward_weights(problem)),
        _ if name.starts_with("ConvDirectNaiveConv") => Some(0.01),
        "ConvHipImplicitGemmFwdXdlops" | "ConvHipImplicitGemmBwdXdlops" => Some(0.02),
        _ if name.starts_with("ConvHipImplicitGemmGroup")
            || name.starts_with("ConvHipImplicitGemm3DGroup")
            || name.starts_with("ConvHipImplicitGemmF16F8F16") =>
        {
            Some(0.02)
        }
        _ => None,
    }
}

/// The slowdown factor for an operation done `times` times.
fn slowdown(times: Integer, once: f64, again: f64) -> f64 {
    if times <= 0 {
        1.0
    } else if times == 1 {
        once
    } else {
        once * again
    }
}

/// 1x1 without padding and with this stride, in every dimension.
fn is_1x1(p: &Derived, stride: i64) -> bool {
    let plain = [p.y(), p.x()].iter().all(|side| *side == 1)
        && [p.ph(), p.pw()].iter().all(|pad| *pad == 0)
        && [p.sh(), p.sw()].iter().all(|steps| *steps == stride);
    plain && (p.dim() == 2 || (p.z() == 1 && p.pd() == 0 && p.sd() == stride))
}

fn gemm_forward(p: &Derived) -> f64 {
    let int8 = p.int8() == 1;
    let cast = if int8 && p.int8_out_int32() == 0 { 0.95 } else { 1.0 };
    let packed = |times: Integer| if int8 { slowdown(times, 0.7, 0.9) } else { 1.0 };
    let batched = slowdown(p.g(), 1.0, 0.95);
    let runs = slowdown(p.n(), 0.9, 0.9);
    if p.dim() == 2 && is_1x1(p, 2) {
        0.7 * 0.7 * 0.9 * batched * packed(Integer(1)) * cast
    } else if is_1x1(p, 1) {
        runs * if int8 { 1.0 } else { batched } * packed(p.n()) * cast
    } else {
        runs * batched * packed(p.n()) * cast * slowdown(p.n(), 0.4, 0.8)
    }
}

fn gemm_backward_data(p: &Derived) -> f64 {
    let batched = slowdown(p.g(), 1.0, 0.95);
    if p.dim() == 2 && is_1x1(p, 2) {
        0.95 * 0.7 * 0.7 * 0.9 * batched
    } else if is_1x1(p, 1) {
        0.9 * slowdown(p.n(), 1.0, 0.95)
    } else {
        slowdown(p.n(), 0.9, 0.9) * batched * slowdown(p.n(), 0.4, 0.8)
    }
}

fn gemm_backward_weights(p: &Derived) -> f64 {
    // 0.7: the memory overhead is larger than in the other directions.
    let runs = 0.7 * slowdown(p.n(), 0.9, 0.9);
    if is_1x1(p, 1) {
        runs * slowdown(p.g(), 1.0, 0.9)
    } else {
        runs * slowdown(p.g(), 1.0, 0.95) * slowdown(p.n(), 0.4, 0.8)
    }
}

/// The cycle model of the F(2,3) shader with stride 1.
#[allow(clippy::cast_precision_loss)]
fn winograd_2x3(p: &Derived, context: &Context) -> Option<f64> {
    let steps = [p.sh(), p.sw(), p.dh(), p.dw(), p.g()];
    if steps.iter().any(|step| *step != 1) {
        return None;
    }
    // For backward weights, the image is the shader's filter and the batch its channels.
    let weights = p.backward_weights() == 1;
    let (r, s, out_h, out_w) =
        if weights { (p.h(), p.w(), p.y(), p.x()) } else { (p.y(), p.x(), p.oh(), p.ow()) };
    let (c, k, n) = if weights { (p.n(), p.c(), p.k()) } else { (p.c(), p.k(), p.n()) };
    let fp16 = p.fp16() == 1;
    let [constant, front, phase, back] = if fp16 { [28561, 872, 327, 1852] } else { [23652, 648, 308, 2039] };
    let units = Integer::from(context.hardware_compute_units()).max(Integer(1));
    let (filter_tile, output_tile) = (Integer(3), Integer(2));
    let single = s <= filter_tile;
    let columns = s.ceil_div(if single { filter_tile } else { filter_tile * 2 });
    let rows = r.ceil_div(filter_tile);
    let channels = c.ceil_div(Integer(if fp16 { 2 } else { 1 }));
    let tiles = n * out_h.ceil_div(output_tile) * out_w.ceil_div(output_tile);
    let per_unit = (k.ceil_div(Integer(32)) * tiles.ceil_div(Integer(32))).ceil_div(units);
    let fronts = per_unit * columns * rows;
    let phases = fronts * channels * if single { 1 } else { 2 };
    let cycles = Integer(constant) + fronts * front + phases * phase + per_unit * back;
    let cycles = cycles.0 as f64 / 1e6;
    if cycles <= 0.1 {
        // Too little work for the model.
        return None;
    }
    let macs = (c * n * k).0 as f64 / 1e6 * ((s * out_w) * (r * out_h)).0 as f64;
    let ideal = macs / (units * if fp16 { 128 } else { 64 }).0 as f64;
    Some(ideal / cycles)
}
