//! The file that a solver's main kernel is compiled from, where the solver alone, or with the problem,
//! decides it.
//!
//! Read in MIOpen 3.3.0, `src/solver/conv` (what each `GetSolution` writes into `kernel_file`), and compared
//! with the files that the real library (3.4.0) names when it compiles for a find. Solvers whose file has the
//! name of a generated kernel are left out, but for those with a configuration.

use super::super::context::Context;
use super::gtc_nhwc;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// Solvers with one file.
static ONE: &[(&str, &str)] = &[
    ("ConvAsm1x1U", "conv1x1u.s"),
    ("ConvAsm1x1UV2", "conv1x1u_stride2.s"),
    ("ConvAsm3x3U", "conv3x3.s"),
    ("ConvAsm5x10u2v2f1", "conv5x10u2v2f1.s"),
    ("ConvAsm7x7c3h224w224k64u2v2p3q3f1", "conv7x7c3h224w224k64u2v2p3q3f1.s"),
    ("ConvAsmBwdWrW1x1", "conv1x1wrw.s"),
    ("ConvAsmBwdWrW3x3", "conv3x3wrw.s"),
    ("ConvAsmImplicitGemmV4R1DynamicBwd", "igemm_bwd_gtc_dynamic.s"),
    ("ConvAsmImplicitGemmV4R1DynamicFwd", "igemm_v4r1_dynamic.s"),
    ("ConvAsmImplicitGemmV4R1DynamicFwd_1x1", "igemm_v4r1_dynamic.s"),
    ("ConvAsmImplicitGemmV4R1DynamicWrw", "igemm_v4r1_wrw_dynamic.s"),
    ("ConvDirectNaiveConvBwd", "naive_conv.cpp"),
    ("ConvDirectNaiveConvFwd", "naive_conv.cpp"),
    ("ConvDirectNaiveConvWrw", "naive_conv.cpp"),
    (
        "ConvHipImplicitGemmBwdDataV4R1Xdlops",
        "static_kernel_gridwise_convolution_backward_data_implicit_gemm_v4r1_xdlops_nchw_kcyx_nkhw.cpp",
    ),
    (
        "ConvHipImplicitGemmForwardV4R4Xdlops",
        "static_kernel_gridwise_convolution_forward_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw.cpp",
    ),
    (
        "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
        "static_kernel_gridwise_convolution_forward_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw_padded_gemm.cpp",
    ),
    (
        "ConvHipImplicitGemmForwardV4R5Xdlops",
        "static_kernel_gridwise_convolution_forward_implicit_gemm_v4r5_xdlops_nchw_kcyx_nkhw.cpp",
    ),
    (
        "ConvHipImplicitGemmWrwV4R4Xdlops",
        "static_kernel_gridwise_convolution_backward_weights_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw.cpp",
    ),
    (
        "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm",
        "static_kernel_gridwise_convolution_backward_weights_implicit_gemm_v4r4_xdlops_nchw_kcyx_nkhw_padded_gemm.cpp",
    ),
    ("ConvOclBwdWrW1x1", "MIOpenConvBwdWrW1x1_PAD_read4.cl"),
    ("ConvOclBwdWrW2NonTunable", "MIOpenConvBwdWrWS2.cl"),
    ("ConvOclDirectFwd", "MIOpenConvDirUni.cl"),
    ("ConvOclDirectFwd11x11", "MIOpenConvFwd_LxL_11.cl"),
    ("ConvOclDirectFwdGen", "MIOpenConvDirGenFwd.cl"),
    ("fft", "MIOpenConvFFT.cl"),
];

/// The file, by its name in MIOpen's `src/kernels`; `None` where it is not written down here, or is named by
/// `parameters`, as a perf-db writes them, that are not given.
pub fn main_source(
    solver: &str,
    context: &Context,
    p: &ConvolutionProblem<'_>,
    parameters: Option<&str>,
) -> Option<String> {
    if let Some((_, file)) = ONE.iter().find(|(name, _)| *name == solver) {
        return Some((*file).to_owned());
    }
    let grouped = p.groups > 1;
    let gridwise = |stem: &str, two: &str, three: &str| {
        format!(
            "static_kernel_gridwise_convolution_{stem}_{}.cpp",
            if p.dimensions == 3 { three } else { two }
        )
    };
    let two = "nchw_kcyx_nkhw";
    let three = "ncdhw_kczyx_nkdhw";
    let class = solver.split('<').next().unwrap_or(solver);
    Some(match class {
        "ConvOclBwdWrW2" => format!("MIOpen{}ConvBwdWrWS2.cl", if grouped { "Group" } else { "" }),
        "ConvOclBwdWrW53" => format!("MIOpen{}ConvBwdWrW_LxG_P53.cl", if grouped { "Group" } else { "" }),
        "ConvWinograd3x3MultipassWrW" => "xform_data.s".to_owned(),
        "ConvHipImplicitGemmBwdDataV1R1" => gridwise("backward_data_implicit_gemm_v1r1", two, three),
        "ConvHipImplicitGemmV4R4Fwd" => gridwise("implicit_gemm_v4r4", two, three),
        "ConvHipImplicitGemmV4R4WrW" => gridwise("backward_weights_implicit_gemm_v4r4", two, three),
        "ConvHipImplicitGemmV4R1Fwd" | "ConvHipImplicitGemmV4R1WrW" => {
            let layout = if grouped { "gnchw_gkcyx_gnkhw" } else { two };
            format!("static_kernel_gridwise_convolution_implicit_gemm_v4r1_{layout}_lds_double_buffer.cpp")
        }
        "ConvOclDirectFwd1x1" => direct_1x1(p).to_owned(),
        "ConvBinWinograd3x3U" => {
            let version = if context.target == "gfx803" { "v3_0b" } else { "v7_0_3b" };
            format!("conv_3x3_wheel_alpha_{version}.s")
        }
        "ConvBinWinogradRxSf2x3" | "ConvBinWinogradRxSf2x3g1" => winograd(context, p, "f2x3"),
        "ConvBinWinogradRxSf3x2" => winograd(context, p, "f3x2"),
        _ => return Some(gtc_nhwc::launch(solver, context, p, parameters)?.kernel + ".s"),
    })
}

/// The products of matrices in OpenCL: of floats, forward and with channels in sixteens, another kernel.
fn direct_1x1(p: &ConvolutionProblem<'_>) -> &'static str {
    let by_16 = p.channels.is_multiple_of(16) && p.filters.is_multiple_of(16);
    let strides = p.stride.iter().any(|stride| *stride > 1);
    match p.direction == Direction::Forward && by_16 && p.data_type == "FP32" {
        true if strides => "MIOpenConv1x1J1_stride.cl",
        true => "MIOpenConv1x1J1.cl",
        false => "MIOpenConv1x1S.cl",
    }
}

/// The file of the solvers with a number of work groups.
fn winograd(context: &Context, p: &ConvolutionProblem<'_>, tile: &str) -> String {
    let version = winograd_version(context, p, tile);
    let kind = if p.data_type == "FP32" { "fp32" } else { "fp16_dot2" };
    format!("Conv_Winograd_{version}_{kind}_{tile}_{}.s", winograd_way(p))
}

/// Version 21 on gfx900 and gfx906 but for F(3,2) with stride 2, version 30 elsewhere.
pub(super) fn winograd_version(context: &Context, p: &ConvolutionProblem<'_>, tile: &str) -> &'static str {
    let [_, _, stride] = p.stride;
    let old = matches!(context.target.as_str(), "gfx900" | "gfx906") && !(tile == "f3x2" && stride == 2);
    if old { "v21_1_3" } else { "v30_3_1" }
}

/// How the kernel takes a stride.
pub(super) fn winograd_way(p: &ConvolutionProblem<'_>) -> &'static str {
    let [_, _, stride] = p.stride;
    match p.direction {
        // The gradient of weights takes the stride for a dilation.
        Direction::BackwardWeights | Direction::BackwardData if stride == 2 => "dilation2",
        Direction::Forward if stride == 2 => "stride2",
        _ => "stride1",
    }
}
