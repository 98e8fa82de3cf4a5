//! The order in which a find tries solvers: the order of its finders, and within each the order of its list.
//!
//! Source, MIOpen 3.3.0: `src/conv/solver_finders.cpp:199-212` (finders), `src/mlo_dir_conv.cpp:57-205`
//! (lists).

use super::clause::{Algorithm, Solver};

/// Finders in the order of their use.
const FINDERS: [Algorithm; 5] =
    [Algorithm::Winograd, Algorithm::Direct, Algorithm::ImplicitGemm, Algorithm::Gemm, Algorithm::Fft];

/// Solvers whose position in their finder's list differs from the order of numbers: backward weights after
/// the others, because they have separate lists.
const LISTED: [&str; 75] = [
    "ConvBinWinograd3x3U",
    "ConvBinWinogradRxSf3x2",
    "ConvBinWinogradRxSf2x3",
    "ConvBinWinogradRxSf2x3g1",
    "ConvBinWinogradRxS",
    "ConvMPBidirectWinograd<3-3>",
    "ConvMPBidirectWinograd<4-3>",
    "ConvMPBidirectWinograd<5-3>",
    "ConvMPBidirectWinograd<6-3>",
    "ConvMPBidirectWinograd_xdlops<2-3>",
    "ConvMPBidirectWinograd_xdlops<3-3>",
    "ConvMPBidirectWinograd_xdlops<4-3>",
    "ConvMPBidirectWinograd_xdlops<5-3>",
    "ConvMPBidirectWinograd_xdlops<6-3>",
    "ConvWinograd3x3MultipassWrW<3-2>",
    "ConvWinograd3x3MultipassWrW<3-3>",
    "ConvWinograd3x3MultipassWrW<3-4>",
    "ConvWinograd3x3MultipassWrW<3-5>",
    "ConvWinograd3x3MultipassWrW<3-6>",
    "ConvWinograd3x3MultipassWrW<7-2>",
    "ConvWinograd3x3MultipassWrW<7-3>",
    "ConvWinograd3x3MultipassWrW<7-3-1-1>",
    "ConvWinograd3x3MultipassWrW<7-2-1-1>",
    "ConvWinograd3x3MultipassWrW<1-1-7-2>",
    "ConvWinograd3x3MultipassWrW<1-1-7-3>",
    "ConvWinograd3x3MultipassWrW<5-3>",
    "ConvWinograd3x3MultipassWrW<5-4>",
    "ConvWinoFuryRxS<2-3>",
    "ConvAsm3x3U",
    "ConvAsm1x1U",
    "ConvAsm1x1UV2",
    "ConvAsm5x10u2v2f1",
    "ConvAsm7x7c3h224w224k64u2v2p3q3f1",
    "ConvAsm5x10u2v2b1",
    "ConvOclDirectFwd11x11",
    "ConvOclDirectFwdGen",
    "ConvOclDirectFwd1x1",
    "ConvOclDirectFwd",
    "ConvAsmBwdWrW1x1",
    "ConvAsmBwdWrW3x3",
    "ConvOclBwdWrW2<1>",
    "ConvOclBwdWrW2<2>",
    "ConvOclBwdWrW2<4>",
    "ConvOclBwdWrW2<8>",
    "ConvOclBwdWrW2<16>",
    "ConvOclBwdWrW2NonTunable",
    "ConvOclBwdWrW53",
    "ConvOclBwdWrW1x1",
    "ConvHipImplicitGemmForwardV4R5Xdlops",
    "ConvHipImplicitGemmForwardV4R4Xdlops",
    "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
    "ConvHipImplicitGemmBwdDataV4R1Xdlops",
    "ConvHipImplicitGemmBwdDataV1R1Xdlops",
    "ConvHipImplicitGemmWrwV4R4Xdlops",
    "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm",
    "ConvHipImplicitGemmV4R1Fwd",
    "ConvHipImplicitGemmV4R4Fwd",
    "ConvHipImplicitGemmV4R1WrW",
    "ConvHipImplicitGemmV4R4WrW",
    "ConvAsmImplicitGemmV4R1DynamicWrw",
    "ConvMlirIgemmFwdXdlops",
    "ConvMlirIgemmFwd",
    "ConvMlirIgemmBwdXdlops",
    "ConvMlirIgemmBwd",
    "ConvMlirIgemmWrWXdlops",
    "ConvMlirIgemmWrW",
    "ConvHipImplicitGemmBwdDataV1R1",
    "ConvHipImplicitGemmBwdDataV4R1",
    "ConvAsmImplicitGemmV4R1DynamicFwd_1x1",
    "ConvAsmImplicitGemmV4R1DynamicFwd",
    "ConvAsmImplicitGemmV4R1DynamicBwd",
    "ConvAsmImplicitGemmGTCDynamicFwdXdlops",
    "ConvAsmImplicitGemmGTCDynamicBwdXdlops",
    "ConvAsmImplicitGemmGTCDynamicWrwXdlops",
    "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
];

/// The solvers that follow them, in the order of their numbers except for the first.
const LATER: [&str; 3] = [
    "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
    "ConvCkIgemmFwdV6r1DlopsNchw",
    "ConvAsmImplicitGemmGTCDynamicFwdDlopsNCHWC",
];

/// The sort key of a solver.
pub(super) fn place(solver: &Solver, weights: bool) -> (usize, usize, u16) {
    let finder = FINDERS.iter().position(|algorithm| *algorithm == solver.algorithm);
    // The list for backward weights begins with the fifth solver of the other list.
    let first = weights && solver.name == "ConvBinWinogradRxS";
    let listed = if first { Some(0) } else { None };
    let listed = listed.or_else(|| LISTED.iter().position(|name| *name == solver.name));
    let backward_first = solver.algorithm == Algorithm::Gemm && solver.name == "GemmBwd1x1_stride1";
    let later = || LATER.iter().position(|name| *name == solver.name).map(|at| LISTED.len() + at);
    let last = LISTED.len() + LATER.len();
    let number = if backward_first { 0 } else { solver.id };
    (finder.unwrap_or(FINDERS.len()), listed.or_else(later).unwrap_or(last), number)
}
