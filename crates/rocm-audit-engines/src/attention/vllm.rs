//! vLLM on ROCm: which backend of attention its engine V1 takes for a decoder.
//!
//! The order is that of `_get_backend_priorities` in `vllm/platforms/rocm.py` at 001eda31, head sizes are those of
//! each backend's `get_supported_head_sizes`. vLLM changes both often; no release but this commit was read.

use super::AttentionCall;
use super::step::{Environment, Step};

/// Where the order is written.
pub const SOURCE: &str = "vLLM 001eda31, vllm/platforms/rocm.py, _get_backend_priorities";

/// Where the head sizes of AITER's backend are written.
const AITER_HEADS: &str =
    "vLLM 002d0eb6, vllm/v1/attention/backends/rocm_aiter_fa.py, get_supported_head_sizes";

/// Processors that vLLM takes AITER on: those of CDNA 3 and newer.
const WITH_AITER: &[&str] = &["gfx942", "gfx950"];

/// Head sizes of ROCM_ATTN.
const ROCM_ATTN: &[u32] = &[32, 64, 80, 96, 128, 160, 192, 224, 256];

/// Head sizes of ROCM_AITER_FA.
const AITER_FA: &[u32] = &[64, 128, 256];

/// What vLLM tries, in its order. `has_aiter` says whether the package is here.
pub fn steps(call: &AttentionCall, processor: &str, has_aiter: bool, environment: &Environment) -> Vec<Step> {
    let of_type = || (call.ty.name().contains("fp8")).then(|| format!("queries are not in {}", call.ty));
    let of_one_size =
        || (call.dim != call.value_dim).then(|| "heads of queries and values differ".to_owned());
    let of_size =
        |sizes: &[u32]| (!sizes.contains(&call.dim)).then(|| format!("it is for heads of {}", listed(sizes)));
    let of_aiter = || {
        if !WITH_AITER.contains(&processor) {
            return Some(format!("vLLM takes AITER on {} only", WITH_AITER.join(" and ")));
        }
        (!has_aiter).then(|| "the package aiter is not here".to_owned())
    };
    let is_on =
        environment.is_on("VLLM_ROCM_USE_AITER", false) && environment.is_on("VLLM_ROCM_USE_AITER_MHA", true);
    let fa = of_aiter()
        .or_else(|| (!is_on).then(|| "it is off without VLLM_ROCM_USE_AITER=1".to_owned()))
        .or_else(|| (!call.ty.is_half()).then(|| format!("it is for fp16 and bf16, not {}", call.ty)))
        .or_else(|| of_size(AITER_FA))
        .or_else(of_one_size);
    let small = || (call.dim < 32).then(|| "it is for heads of 32 and more".to_owned());
    vec![
        Step::taken("ROCM_ATTN", Some("Triton"), SOURCE)
            .unless(of_type().or_else(|| of_size(ROCM_ATTN)).or_else(of_one_size)),
        Step::taken("ROCM_AITER_FA", Some("AITER"), AITER_HEADS).unless(fa),
        Step::taken("ROCM_AITER_UNIFIED_ATTN", Some("Triton"), SOURCE)
            .unless(of_aiter().or_else(of_type).or_else(of_one_size)),
        Step::taken("TRITON_ATTN", Some("Triton"), SOURCE)
            .unless(of_type().or_else(small).or_else(of_one_size)),
    ]
}

fn listed(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
