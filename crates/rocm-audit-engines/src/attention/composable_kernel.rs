//! Composable Kernel: what the name of an instance of `FmhaFwdKernel` says.
//!
//! `TileFmhaShape<sequence<M0, N0, K0, N1, K1, K0Max>, …>`: K0Max is the head size of queries and keys, N1 that
//! of values. The type is the first argument of `BlockFmhaPipelineProblem`, the mask a
//! `SimplifiedGenericAttentionMask<B>` or `GenericAttentionMask<B, …>`. Source: composable_kernel
//! `include/ck_tile/ops/fmha/pipeline/tile_fmha_shape.hpp`, `block/block_masking.hpp`.

use super::{AttentionKernel, AttentionType};

/// The kernel of a demangled name; `None` for other kernels, and for names of other forms.
pub fn of_name(demangled: &str) -> Option<AttentionKernel> {
    let kernel = demangled.split_once("FmhaFwdKernel<")?.1;
    let problem = kernel.split_once("BlockFmhaPipelineProblem<")?.1;
    let ty = match problem.split([',', '>']).next()?.trim() {
        "_Float16" | "__half" | "half" | "ck_tile::half_t" => AttentionType::Fp16,
        "__bf16" | "unsigned short" | "ck_tile::bfloat16_t" | "ck_tile::bf16_t" => AttentionType::Bf16,
        "float" => AttentionType::Fp32,
        "unsigned char" | "_BitInt(8)" | "ck_tile::fp8_t" => AttentionType::Fp8,
        _ => return None,
    };
    let tile = problem.split_once("TileFmhaShape<")?.1.split_once("sequence<")?.1.split('>').next()?;
    let tile: Vec<u32> = tile.split(',').map(|word| word.trim().parse().ok()).collect::<Option<_>>()?;
    let [_, _, _, value_dim, _, dim] = tile[..] else { return None };
    let causal =
        problem.split_once("GenericAttentionMask<").is_some_and(|(_, mask)| mask.starts_with("true"));
    Some(AttentionKernel { ty, dim, value_dim, causal, padded: None, is_group: false })
}

/// Whether a kernel of a size that is not smaller serves a call: sizes are padded up.
pub fn fits(kernel: &AttentionKernel, dim: u32, value_dim: u32) -> bool {
    kernel.dim >= dim && kernel.value_dim >= value_dim
}
