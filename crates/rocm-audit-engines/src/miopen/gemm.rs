//! The matrix product that a GEMM solver requests from rocBLAS.
//!
//! MIOpen's products are row-major, rocBLAS's column-major, so the operands are swapped. Sizes are inferred
//! from the descriptors in `src/gemm_v2.cpp` (`CreateGemmDescriptorConvFwd` and similar), not compared with a
//! run.

use super::device::Device;
use super::problem::ConvolutionProblem;
use crate::tensile::call::{GemmCall, Transpose};

/// The call; `None` for solvers, types and groups without a rule here.
pub fn call(solver: &str, problem: &ConvolutionProblem<'_>, device: &Device) -> Option<GemmCall> {
    let types = match problem.data_type {
        "FP32" => "SS",
        "FP16" => "HHS",
        "BF16" => "BBS",
        _ => return None,
    };
    if problem.groups != 1 || problem.dimensions != 2 {
        return None;
    }
    let forward = problem.forward();
    let pixels = |extent: [u32; 3]| extent.iter().map(|e| u64::from(*e)).product::<u64>();
    let patch = u64::from(forward.channels) * pixels(problem.filter);
    let (c, k) = (u64::from(forward.channels), u64::from(forward.filters));
    let (hw, out) = (pixels(forward.input), pixels(forward.output));
    // m, n, k for rocBLAS, transpositions of its operands, and the number of images for each call.
    let (m, n, sum, trans, batch) = match solver {
        "GemmFwd1x1_0_1" => (hw, k, c, "NN", problem.batch),
        "GemmFwdRest" => (out, k, patch, "NN", 1),
        "GemmBwd1x1_stride1" => (hw, c, k, "NT", problem.batch),
        "GemmBwdRest" => (out, patch, k, "NT", 1),
        "GemmWrw1x1_stride1" => (c, k, hw, "TN", problem.batch),
        "GemmWrwUniversal" => (patch, k, out, "TN", 1),
        _ => return None,
    };
    let mut letters = trans.chars();
    let (ta, tb) = (Transpose::of_letter(letters.next()?)?, Transpose::of_letter(letters.next()?)?);
    let mut call = GemmCall::new(&device.target, device.compute_units, types, [ta, tb], [m, n, sum]);
    call.batch = u64::from(batch);
    call.stride = [m.saturating_mul(sum), 0, m.saturating_mul(n), m.saturating_mul(n)];
    if batch > 1 {
        call.api = "gemm_strided_batched_ex".to_owned();
    }
    Some(call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_object::target::TargetId;

    #[test]
    fn a_pointwise_convolution_is_a_batch_of_products() {
        let key = "64-56-56-1x1-256-56-56-32-0x0-1x1-1x1-0-NCHW-FP32-F";
        let problem = ConvolutionProblem::parse(key).unwrap();
        let device = Device { target: TargetId::bare("gfx900"), compute_units: 64 };
        let call = call("GemmFwd1x1_0_1", &problem, &device).unwrap();
        assert_eq!((call.m, call.n, call.k, call.batch), (3136, 256, 64, 32));
        assert_eq!(call.ld, [3136, 64, 3136, 3136]);
        assert!(super::call("GemmFwd1x1_0_1_int8", &problem, &device).is_none());
    }
}
