//! The configuration that a solver begins with where no perf-db has one, for the solvers whose heuristic is
//! written down here.
//!
//! The texts were compared with those that the real library (3.4.0) gives when it compiles for a find.

use super::super::context::Context;
use super::super::predicates::first_tile;
use super::super::variable::Derived;
use super::sizes::Sizes;
use super::{blocks, direct_1x1, direct_1x1_stride2, gtc_nhwc, tiles, weights, winograd};
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::tuning_model::TuningModel;

/// Where a solver's first configuration is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Its heuristic.
    Heuristic(String),
    /// A model that chooses the parameters (KernelTuningNet).
    Model(String),
}

impl Begun {
    /// As a perf-db would write it.
    pub fn text(&self) -> &str {
        match self {
            Begun::Heuristic(text) | Begun::Model(text) => text,
        }
    }
}

/// The configuration with which a solver begins; `None` where its heuristic is not written down here, or asks
/// a model that is not there.
pub fn first(
    solver: &str,
    context: &Context,
    problem: &ConvolutionProblem<'_>,
    model: Option<&TuningModel>,
) -> Option<Begun> {
    let sizes = Sizes::of_problem(problem);
    let joined = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let heuristic = |values: &[i64]| Some(Begun::Heuristic(joined(values)));
    match solver {
        "ConvAsm1x1U" => {
            if direct_1x1::asks_model(context, problem)
                && let Some(chosen) = direct_1x1::by_model(model?, problem, &sizes)
            {
                return Some(Begun::Model(joined(&chosen)));
            }
            heuristic(&direct_1x1::static_heuristic(problem, &sizes)?)
        }
        "ConvAsm1x1UV2" => heuristic(&direct_1x1_stride2::first(problem, &sizes)?),
        "ConvAsm3x3U" => {
            let even = sizes.outputs % (2 * sizes.groups) == 0;
            heuristic(&[0, if even { 2 } else { 1 }, 2])
        }
        "ConvAsmBwdWrW1x1" => heuristic(&weights::of_1x1(context, problem, &sizes)),
        "ConvAsmBwdWrW3x3" => heuristic(&weights::of_3x3(context, problem, &sizes)?),
        "ConvBinWinogradRxSf2x3" | "ConvBinWinogradRxSf2x3g1" => {
            heuristic(&[winograd::groups(context, problem, &sizes, [2, 3])])
        }
        "ConvBinWinogradRxSf3x2" => heuristic(&[winograd::groups(context, problem, &sizes, [3, 2])]),
        "ConvOclDirectFwd" | "ConvOclDirectFwd1x1" => heuristic(&tiles::of_direct(problem, &sizes)),
        "ConvHipImplicitGemmV4R1Fwd" | "ConvHipImplicitGemmV4R1WrW" => heuristic(&blocks::of_v4r1(problem)?),
        "ConvHipImplicitGemmV4R4Fwd" | "ConvHipImplicitGemmV4R4WrW" | "ConvHipImplicitGemmBwdDataV1R1" => {
            heuristic(&blocks::of_v4r4(solver, problem)?)
        }
        "ConvHipImplicitGemmBwdDataV4R1" => {
            heuristic(&blocks::of_backward_v4r1(&Derived::on(context, problem))?)
        }
        "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC"
        | "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC"
        | "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC" => {
            Some(Begun::Heuristic(gtc_nhwc::first(solver, context, problem)?))
        }
        _ => {
            let tile = first_tile(solver, &Derived::on(context, problem))?;
            if solver == "ConvHipImplicitGemmBwdDataV4R1Xdlops" {
                let [m, n, k, wave_m, wave_n, pack] = tile;
                return heuristic(&[n, m, k, pack, wave_m, wave_n, 1, 1]);
            }
            let rest: &[i64] = match solver {
                "ConvHipImplicitGemmWrwV4R4Xdlops" => &[0, 1],
                "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm" => &[16, 64, 16, 0, 1],
                "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm" => &[16, 64, 16, 0, 1, 8],
                // Elements of B that are read at once: the most that the heuristic tries.
                "ConvHipImplicitGemmForwardV4R4Xdlops" if problem.data_type == "FP32" => &[0, 1, 4],
                _ => &[0, 1, 8],
            };
            heuristic(&[&tile, rest].concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miopen::solver::tuning;

    /// What the real library (3.4.0) began with on a stand-in for the HIP runtime.
    const RECORDED: &[(&str, u32, &str, &str, &str)] = &[
        (
            "gfx1010",
            20,
            "80-40-40-1x1-160-40-40-256-0x0-1x1-1x1-0-NCHW-FP32-W",
            "ConvBinWinogradRxSf3x2",
            "40",
        ),
        (
            "gfx1010",
            20,
            "116-14-14-3x3-116-14-14-256-1x1-1x1-1x1-0-NCHW-FP32-F_g116",
            "ConvBinWinogradRxSf3x2",
            "1",
        ),
        (
            "gfx1010",
            20,
            "144-56-56-5x5-144-28-28-256-2x2-2x2-1x1-0-NCHW-FP32-F_g144",
            "ConvBinWinogradRxSf2x3",
            "5",
        ),
        (
            "gfx1010",
            20,
            "232-7-7-1x1-232-7-7-64-0x0-1x1-1x1-0-NCHW-FP32-W_g2",
            "ConvBinWinogradRxSf2x3",
            "16",
        ),
        ("gfx803", 36, "2560-24-16-3x3-1280-24-16-32-1x1-1x1-1x1-0-NCHW-FP32-F", "ConvAsm3x3U", "0,2,2"),
        ("gfx803", 36, "64-224-224-3x3-3-224-224-8-1x1-1x1-1x1-0-NCHW-FP32-B", "ConvAsm3x3U", "0,1,2"),
        (
            "gfx803",
            36,
            "32-28-28-1x1-256-28-28-1-0x0-1x1-1x1-0-NCHW-BF16-W",
            "ConvAsmBwdWrW1x1",
            "8,2,4,2,4,2,2,4,1,1",
        ),
        (
            "gfx803",
            36,
            "160-14-14-1x1-528-14-14-64-0x0-1x1-1x1-0-NCHW-FP32-W",
            "ConvAsmBwdWrW1x1",
            "8,2,4,2,4,4,4,4,0,1",
        ),
        (
            "gfx803",
            36,
            "80-73-73-1x1-64-73-73-16-0x0-1x1-1x1-0-NCHW-FP16-W",
            "ConvAsmBwdWrW1x1",
            "8,2,2,2,2,2,2,2,1,1",
        ),
        (
            "gfx803",
            36,
            "1280-24-16-3x3-640-24-16-2-1x1-1x1-1x1-0-NCHW-FP32-W",
            "ConvAsmBwdWrW3x3",
            "0,0,8,2,2,1",
        ),
        (
            "gfx803",
            36,
            "16-416-416-3x3-3-416-416-1-1x1-1x1-1x1-0-NCHW-FP32-W",
            "ConvAsmBwdWrW3x3",
            "0,1,16,1,2,1",
        ),
        (
            "gfx803",
            36,
            "512-15-15-3x3-512-15-15-128-1x1-1x1-1x1-0-NCHW-FP32-W_g32",
            "ConvAsmBwdWrW3x3",
            "0,0,8,2,2,2",
        ),
        (
            "gfx900",
            56,
            "58-28-28-1x1-58-28-28-16-0x0-1x1-1x1-0-NCHW-FP16-F",
            "ConvAsm1x1U",
            "1,4,8,1,1,2,1,1",
        ),
        ("gfx900", 56, "58-28-28-1x1-58-28-28-2-0x0-1x1-1x1-0-NCHW-FP32-B", "ConvAsm1x1U", "1,1,4,1,1,2,1,1"),
        (
            "gfx900",
            56,
            "512-28-28-1x1-256-14-14-32-0x0-2x2-1x1-0-NCHW-FP32-F",
            "ConvAsm1x1U",
            "4,16,4,16,2,1,1,1",
        ),
        ("gfx900", 56, "1280-1-1-1x1-1000-1-1-1-0x0-1x1-1x1-0-NCHW-FP32-F", "ConvAsm1x1U", "1,1,1,1,1,1,1,1"),
        ("gfx900", 56, "33-57-57-1x1-1-57-57-8-0x0-1x1-1x1-0-NCHW-FP32-B", "ConvAsm1x1U", "1,1,2,1,1,1,1,1"),
        (
            "gfx1030",
            36,
            "512-128-128-3x3-512-128-128-2-1x1-1x1-1x1-0-NCHW-FP32-B",
            "ConvOclDirectFwd",
            "16,16,32,32,2,2,8,2,1",
        ),
        (
            "gfx1030",
            36,
            "232-7-7-1x1-232-7-7-2-0x0-1x1-1x1-0-NCHW-FP32-F_g2",
            "ConvOclDirectFwd",
            "8,8,8,8,1,1,8,2,1",
        ),
        (
            "gfx803",
            36,
            "256-56-56-1x1-512-56-56-1-0x0-1x1-1x1-0-NCHW-BF16-F",
            "ConvOclDirectFwd1x1",
            "16,64,32,32,0,2,16,4,1",
        ),
        (
            "gfx803",
            36,
            "384-14-14-1x1-1536-14-14-8-0x0-1x1-1x1-0-NCHW-FP32-F",
            "ConvOclDirectFwd1x1",
            "8,8,16,16,1,0,32,128,1",
        ),
        (
            "gfx1030",
            36,
            "1024-7-7-3x3-1024-7-7-64-1x1-1x1-1x1-0-NCHW-BF16-F_g32",
            "ConvHipImplicitGemmV4R1Fwd",
            "16,16,4,2,2,2,2,4,2,4,4,1,16,1,4,16",
        ),
        (
            "gfx1030",
            36,
            "128-282-282-3x3-64-284-284-32-0x0-1x1-1x1-0-NCHW-FP16-W",
            "ConvHipImplicitGemmV4R1WrW",
            "8,128,8,2,4,4,4,4,4,2,8,1,8,2,2,64",
        ),
        (
            "gfx1030",
            36,
            "192-17-17-7x1-192-17-17-128-3x0-1x1-1x1-0-NCHW-FP16-W",
            "ConvHipImplicitGemmV4R1WrW",
            "16,16,4,2,2,2,2,4,2,4,4,1,16,1,4,16",
        ),
        (
            "gfx1030",
            36,
            "1-700-161-5x20-32-348-71-32-0x0-2x2-1x1-0-NCHW-FP32-F",
            "ConvHipImplicitGemmV4R4Fwd",
            "64,32,64,4,2,4",
        ),
        (
            "gfx1030",
            36,
            "32-32-32-32-1x1x1-32-64-64-64-1-0x0x0-2x2x2-1x1x1-0-NCDHW-FP32-W",
            "ConvHipImplicitGemmV4R4WrW",
            "64,32,32,16,2,2",
        ),
        (
            "gfx1030",
            36,
            "32-64-64-64-1x1x1-32-64-64-64-2-0x0x0-1x1x1-1x1x1-0-NCDHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV1R1",
            "64,32,64,16,2,4",
        ),
        (
            "gfx900",
            64,
            "512-28-28-1x1-1024-14-14-4-0x0-2x2-1x1-0-NCHW-FP32-F",
            "ConvAsm1x1UV2",
            "16,1,8,2,1,1,1,4,1,1",
        ),
        (
            "gfx908",
            120,
            "320-64-64-1x1-640-64-64-1-0x0-1x1-1x1-0-NCHW-FP16-B",
            "ConvHipImplicitGemmBwdDataV4R1Xdlops",
            "256,128,4,8,128,64,1,1",
        ),
        (
            "gfx908",
            120,
            "240-17-17-1x1-768-15-15-32-1x1-1x1-1x1-0-NCHW-BF16-B",
            "ConvHipImplicitGemmBwdDataV4R1Xdlops",
            "32,256,2,8,64,32,1,1",
        ),
        (
            "gfx908",
            120,
            "640-8-96-2x7-10-13-96-16-3x3-1x1-1x1-0-NCHW-FP16-F",
            "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
            "16,256,4,16,64,8,16,64,16,0,1,8",
        ),
        (
            "gfx90a",
            104,
            "128-56-56-3x3-128-56-56-4-1x1-1x1-1x1-0-NCHW-FP32-F_g16",
            "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
            "16,256,4,16,64,4,16,64,16,0,1,8",
        ),
        (
            "gfx90a",
            110,
            "16-1-1-1x1-960-1-1-32-0x0-3x3-1x1-0-NCHW-BF16-F",
            "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
            "64,64,2,64,32,8,16,64,16,0,1,8",
        ),
        (
            "gfx1030",
            36,
            "192-7-7-1x1-2016-7-7-128-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,32,64,16,2,4",
        ),
        (
            "gfx1030",
            36,
            "128-7-7-1x1-1536-7-7-256-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "256-33-33-3x3-256-33-33-32-4x4-1x1-4x4-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,64,32,16,4,2",
        ),
        (
            "gfx1030",
            36,
            "48-28-28-3x3-192-28-28-512-1x1-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,64,64,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "64-80-80-1x1-128-80-80-1-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "768-17-17-1x1-128-17-17-256-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "384-8-8-3x1-384-8-8-64-1x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "320-7-7-1x1-960-7-7-128-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,64,64,16,4,4",
        ),
        (
            "gfx1030",
            36,
            "512-56-56-1x1-256-56-56-1-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "128,128,64,16,4,4",
        ),
        (
            "gfx900",
            64,
            "128-8-28-28-1x1x1-128-8-28-28-128-0x0x0-1x1x1-1x1x1-0-NCDHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx900",
            64,
            "160-7-7-1x1-832-7-7-1024-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,64,64,16,4,4",
        ),
        (
            "gfx900",
            64,
            "768-7-7-1x1-3072-7-7-64-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "128,128,64,16,4,4",
        ),
        (
            "gfx900",
            64,
            "192-28-28-1x1-32-28-28-512-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,32,64,16,2,4",
        ),
        (
            "gfx900",
            64,
            "64-40-40-9x9-224-48-48-32-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "64,32,64,16,2,4",
        ),
        (
            "gfx900",
            64,
            "1280-8-8-1x1-1280-8-8-256-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx906",
            60,
            "512-10-10-1x1-1024-10-10-256-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx90a",
            104,
            "768-22-22-6x6-2048-65-65-4-3x3-3x3-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx90a",
            104,
            "32-28-28-3x3-128-28-28-8-1x1-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
        (
            "gfx90a",
            104,
            "128-278-278-3x3-128-280-280-4-0x0-1x1-1x1-0-NCHW-FP32-B",
            "ConvHipImplicitGemmBwdDataV4R1",
            "256,128,128,16,4,4",
        ),
    ];

    #[test]
    fn solvers_begin_with_what_the_library_begins_with() {
        for (target, units, key, solver, expected) in RECORDED {
            let context = Context::new(*target, *units);
            let problem = ConvolutionProblem::parse(key).unwrap();
            let begun = first(solver, &context, &problem, None);
            assert_eq!(begun, Some(Begun::Heuristic((*expected).to_owned())), "{solver} {key}");
        }
    }

    #[test]
    fn where_a_model_is_asked_and_is_not_there_nothing_is_said() {
        let problem =
            ConvolutionProblem::parse("58-28-28-1x1-58-28-28-16-0x0-1x1-1x1-0-NCHW-FP32-F").unwrap();
        let context = Context::new("gfx908", 120);
        assert_eq!(first("ConvAsm1x1U", &context, &problem, None), None);
        let off = Context { environment: [(tuning::SWITCH.to_owned(), "0".to_owned())].into(), ..context };
        assert!(first("ConvAsm1x1U", &off, &problem, None).is_some());
    }
}
