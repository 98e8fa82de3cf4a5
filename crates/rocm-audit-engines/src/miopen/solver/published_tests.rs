//! Convolutions whose candidates others published or recorded.

use super::*;
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::variable::Derived;
use crate::miopen::solver::wti;
use std::collections::BTreeMap;

/// A key, the solvers that accept it, whether only Winograd is searched, and MIOpen's estimates.
type Row<'a> = (&'a str, &'a [&'a str], bool, &'a [(&'a str, f64)]);

pub(super) fn problem(key: &str) -> ConvolutionProblem<'_> {
    ConvolutionProblem::parse(key).expect("a key")
}

/// FP16 on gfx90a: find-db gfx90a68 of ROCm/MIOpen 2d1fd997a6fc records ConvAsm1x1U 394 times and
/// ConvBinWinogradRxSf2x3g1 3,219 times forward in FP16, and neither once backward
/// (`IsGfx90aFp16altRequired`).
#[test]
fn backward_fp16_on_gfx90a_needs_the_other_implementation() {
    let rules = SolverRules::miopen().expect("rules");
    let takes = |solver: &str, direction: &str, value: Option<&str>| {
        let mut context = Context::new("gfx90a", 104);
        let variable = "MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL";
        context.environment.extend(value.map(|value| (variable.to_owned(), value.to_owned())));
        let key = format!("64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-FP16-{direction}");
        let index = rules.index_of(solver).expect(solver);
        rules.for_context(&context).judge(index, &Derived::from(&problem(&key))).is_ok()
    };
    for solver in ["ConvAsm1x1U", "ConvBinWinogradRxSf2x3g1"] {
        assert!(takes(solver, "F", None) && !takes(solver, "B", None), "{solver}");
        assert!(takes(solver, "B", Some("0")) && !takes(solver, "F", Some("1")), "{solver}");
    }
}

/// Values from MIOpen's log for GemmFwd1x1_0_1_int8 in a published study (64 channels, 56 by 56, INT8 to
/// INT32), and from the find-dbs of ROCm/MIOpen (gfx900_56 and gfx906_60); `cargo oracle miopen-rules`
/// compares all of their entries.
#[test]
fn workspaces_are_those_that_were_recorded() {
    let rules = SolverRules::miopen().expect("rules");
    let bytes = |solver: &str, key: &str| {
        let solver = rules.index_of(solver).and_then(|at| rules.solvers().get(at)).expect(solver);
        solver.workspace_for(&Derived::from(&problem(key)))
    };
    for (solver, key, expected) in [
        ("GemmFwd1x1_0_1_int8", "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F", Some(200_704)),
        ("ConvBinWinograd3x3U", "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F", Some(0)),
        ("GemmFwd1x1_0_1", "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-FP32-F", Some(0)),
        ("ConvHipImplicitGemmGroupFwdXdlops", "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F", None),
        ("ConvMlirIgemmWrWXdlops", "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-W", None),
        // What the real library (3.4.0) answered.
        ("ConvWinoFuryRxS<2-3>", "4-96-64-3x3-320-96-64-1-1x1-1x1-1x1-0-NCHW-FP16-B", Some(2_048)),
        (
            "ConvAsmImplicitGemmV4R1DynamicWrw",
            "256-56-56-3x3-256-56-56-8-1x1-1x1-1x1-0-NCHW-FP32-W",
            Some(18_874_368),
        ),
        ("ConvAsmImplicitGemmV4R1DynamicWrw", "384-8-8-3x1-384-8-8-1-1x0-1x1-1x1-0-NCHW-FP32-W", Some(0)),
        (
            "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
            "3-224-224-7x7-64-112-112-2-3x3-2x2-1x1-0-NCHW-FP16-F",
            Some(10_254_848),
        ),
        (
            "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
            "320-32-32-1x1-640-32-32-16-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F",
            Some(0),
        ),
        (
            "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC",
            "96-56-56-1x1-384-56-56-128-0x0-1x1-1x1-0-NCHW-FP32-W",
            Some(770_703_360),
        ),
        (
            "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
            "1280-8-8-1x1-1280-8-8-1-0x0-1x1-1x1-0-NCHW-FP32-B",
            Some(655_360),
        ),
        (
            "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
            "1-1-65537-1x512-1-1-65536-1-0x256-1x1-1x1-0-NCHW-FP32-B",
            Some(0),
        ),
    ] {
        assert_eq!(bytes(solver, key), expected, "{solver}");
    }
    let known = rules.solvers().iter().filter(|solver| solver.workspace.is_some()).count();
    assert_eq!((known, rules.solvers().len()), (90, 103));
}

/// Problems from a published study of MIOpen on a Vega 64 (gfx900, 64 CU): the solvers that may accept each
/// by their `IsApplicable`, and the estimates by their `GetWti`.
#[test]
fn published_problems_have_their_candidates_and_estimates() {
    let rules = SolverRules::miopen().expect("rules");
    let context = Context::new("gfx900", 64);
    let bound = rules.for_context(&context);
    let rows: [Row<'_>; 5] = [
        (
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F",
            &[
                "ConvAsm3x3U",
                "ConvOclDirectFwd",
                "ConvBinWinograd3x3U",
                "ConvBinWinogradRxS",
                "ConvHipImplicitGemmV4R1Fwd",
                "ConvBinWinogradRxSf3x2",
                "ConvHipImplicitGemmV4R4Fwd",
                "ConvAsmImplicitGemmV4R1DynamicFwd",
                "ConvBinWinogradRxSf2x3g1",
                "ConvDirectNaiveConvFwd",
                "GemmFwdRest",
            ],
            true,
            &[
                ("ConvBinWinogradRxSf2x3g1", 1.5475),
                ("GemmFwdRest", 0.2592),
                ("ConvDirectNaiveConvFwd", 0.01),
            ],
        ),
        (
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F_g2",
            &[
                "ConvAsm3x3U",
                "ConvOclDirectFwd",
                "ConvHipImplicitGemmV4R1Fwd",
                "ConvBinWinogradRxSf3x2",
                "ConvBinWinogradRxSf2x3",
                "ConvDirectNaiveConvFwd",
                "GemmFwdRest",
            ],
            false,
            &[("GemmFwdRest", 0.2462), ("ConvDirectNaiveConvFwd", 0.01)],
        ),
        (
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F",
            &["ConvOclDirectFwd", "ConvHipImplicitGemmV4R1Fwd", "ConvDirectNaiveConvFwd", "GemmFwdRest"],
            false,
            &[("GemmFwdRest", 0.2592), ("ConvDirectNaiveConvFwd", 0.01)],
        ),
        (
            "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F",
            &["ConvDirectNaiveConvFwd", "GemmFwd1x1_0_1_int8"],
            false,
            &[("GemmFwd1x1_0_1_int8", 0.5103), ("ConvDirectNaiveConvFwd", 0.01)],
        ),
        ("64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8-F_coFP32", &[], false, &[]),
    ];
    for (key, applicable, only_winograd, estimates) in rows {
        let problem = problem(key);
        let candidates = bound.candidates(&problem);
        let names: Vec<&str> = candidates.applicable.iter().map(|s| s.name).collect();
        assert_eq!(names, applicable, "{key}");
        assert_eq!(candidates.only_winograd, only_winograd, "{key}");
        let order: Vec<(String, f64)> = wti::order(&candidates, &problem, &context)
            .iter()
            .map(|e| (e.solver.name.to_owned(), (e.wti * 1e4).round() / 1e4))
            .collect();
        let wanted: Vec<(String, f64)> =
            estimates.iter().map(|(name, wti)| ((*name).to_owned(), *wti)).collect();
        assert_eq!(order, wanted, "{key}");
    }
}

/// Solvers that a published study forced on gfx900 (`miopen-driver -S`) and that failed there, with the
/// clause of their `IsApplicable` that refuses each.
#[test]
fn solvers_that_failed_when_forced_are_refused() {
    let rules = SolverRules::miopen().expect("rules");
    let bound = rules.for_context(&Context::new("gfx900", 64));
    for (solver, key, clause) in [
        ("ConvMlirIgemmFwd", "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F", "not-gfx900"),
        (
            "ConvAsmImplicitGemmV4R1DynamicFwd_1x1",
            "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8-F",
            "type",
        ),
        ("ConvCkIgemmFwdV6r1DlopsNchw", "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-INT8-F", "environment"),
        (
            "ConvHipImplicitGemmForwardV4R5Xdlops",
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F",
            "xdlops",
        ),
        ("GemmFwd1x1_0_1", "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8-F_coFP32", "not-cast"),
    ] {
        let index = rules.index_of(solver).expect(solver);
        let rejection = bound.judge(index, &Derived::from(&problem(key))).expect_err(solver);
        assert_eq!(rejection.clause.id, clause, "{rejection}");
    }
}

#[test]
fn the_environment_and_the_build_turn_solvers_off() {
    let rules = SolverRules::miopen().expect("rules");
    let problem = problem("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F");
    let mut context = Context::new("gfx900", 64);
    let has = |context: &Context, algorithm| {
        rules.for_context(context).candidates(&problem).applicable.iter().any(|s| s.algorithm == algorithm)
    };
    assert!(has(&context, Algorithm::Winograd));
    context.environment = BTreeMap::from([("MIOPEN_DEBUG_CONV_WINOGRAD".into(), "0".into())]);
    assert!(!has(&context, Algorithm::Winograd));
    context.environment = BTreeMap::from([("MIOPEN_DEBUG_GCN_ASM_KERNELS".into(), "off".into())]);
    assert!(!has(&context, Algorithm::Winograd) && has(&context, Algorithm::Gemm));
    context.without.push(crate::miopen::solver::BuildPart::Gemm);
    assert!(!has(&context, Algorithm::Gemm));
    context = Context::new("gfx900", 64);
    context.xnack = Some(true);
    assert!(!has(&context, Algorithm::Winograd));
    context = Context::new("gfx900", 64);
    context.version = crate::miopen::solver::Version(3, 6, 0);
    let candidates = rules.for_context(&context).candidates(&problem);
    let retired = candidates.rejected.iter().find(|r| r.solver.name == "ConvOclDirectFwd");
    assert_eq!(retired.map(|r| r.clause.id), Some("retired"));
}
