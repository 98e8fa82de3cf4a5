//! PyTorch's `scaled_dot_product_attention` on ROCm: which backend it takes.
//!
//! The rules are those of `aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`, by release. Since PyTorch 2.7 that
//! file has them for each release of AOTriton that PyTorch can be built with, so that this release decides. It is
//! read from the name of AOTriton's library, else it follows from PyTorch's release by AOTriton's table.

use super::aotriton::{self, AotritonRelease};
use super::step::{Environment, Step};
use super::{AttentionCall, AttentionType};

/// Where the rules for a release of AOTriton are written: all in select_sdp_backend and what it calls. Of 2.7 and 2.8
/// no source was read; what holds for 0.9 and 0.10 is what the one of 2.9 says of them.
pub fn source(aotriton: Release) -> &'static str {
    match aotriton {
        own if own >= (0, 12) => {
            "PyTorch 001f694a, aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, select_sdp_backend"
        }
        own if own >= (0, 9) => {
            "PyTorch for AOTriton 0.11 (2.9), aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, select_sdp_backend"
        }
        (0, 8) => "PyTorch 2.6.0, aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, select_sdp_backend",
        _ => {
            "PyTorch 21c3369e (2.5), aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, select_sdp_backend"
        }
    }
}

/// A release: `(2, 9)`.
pub type Release = (u32, u32);

/// The release of AOTriton that a release of PyTorch was built with. Source: AOTriton README.md at 30ae9671,
/// "PyTorch Consumption & Compatibility".
const BUILT_WITH: &[(Release, Release)] = &[
    ((2, 4), (0, 6)),
    ((2, 5), (0, 7)),
    ((2, 6), (0, 8)),
    ((2, 7), (0, 9)),
    ((2, 8), (0, 10)),
    ((2, 9), (0, 11)),
];

/// Cards that are called experimental, by the first release of AOTriton that says so; before 0.9 PyTorch says it
/// itself. Source: check_flash_attention_hardware_support at 21c3369e and in 2.6.0, `isArchExperimentallySupported`
/// in AOTriton's `v2src/util.cc` (0.9.2b) and `v3src/util.cc` (0.10b, 0.11.2b, 0.12.1b, 0.13b).
const EXPERIMENTAL: &[(Release, &[&str])] = &[
    ((0, 7), &["gfx1100"]),
    ((0, 8), &[]),
    ((0, 9), &["gfx950", "gfx1201"]),
    ((0, 10), &["gfx1101", "gfx1150", "gfx1151", "gfx1200", "gfx1250"]),
    (
        (0, 11),
        &["gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1200", "gfx1250"],
    ),
    ((0, 12), &["gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1152", "gfx1153", "gfx1200"]),
];

/// The newest release of AOTriton that the tables know.
pub const NEWEST: (u32, u32) = (0, 13);

/// The release of AOTriton of a PyTorch, `2.9.1+rocm7.2`.
pub fn built_with(pytorch: &str) -> Option<(u32, u32)> {
    let release = two_numbers(pytorch)?;
    BUILT_WITH.iter().find(|(own, _)| *own == release).map(|(_, aotriton)| *aotriton)
}

/// The release in the name of AOTriton's library: `libaotriton_v2.so.0.11.1`.
pub fn release_of_library(name: &str) -> Option<AotritonRelease> {
    let version = name.strip_prefix("libaotriton")?.split_once(".so.")?.1;
    let patch = version.split('.').nth(2).and_then(|patch| patch.parse().ok());
    Some(AotritonRelease { minor: two_numbers(version)?, patch })
}

fn two_numbers(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(['.', '+', '-']);
    let mut next = || numbers.next()?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    Some((next()?, next()?))
}

/// Whether AOTriton, or PyTorch, calls a card experimental.
pub fn is_experimental(processor: &str, release: AotritonRelease) -> bool {
    let aotriton = release.minor;
    // 0.11.0 alone has gfx1100 in its list.
    if processor == "gfx1100" && aotriton == (0, 11) && release.patch == Some(0) {
        return true;
    }
    let known = EXPERIMENTAL.iter().rev().find(|(from, _)| *from <= aotriton);
    known.is_some_and(|(_, processors)| processors.contains(&processor))
}

/// The largest head that PyTorch gives to AOTriton: `aotriton_max_hdim`.
pub fn largest_head(processor: &str, aotriton: (u32, u32)) -> u32 {
    match aotriton {
        (0, 11) if processor.starts_with("gfx11") => 256,
        from if from >= (0, 9) => 512,
        _ => 256,
    }
}

/// What PyTorch tries, in its order. `has_code` says whether AOTriton has an image for the card.
pub fn steps(
    call: &AttentionCall,
    processor: &str,
    release: AotritonRelease,
    has_code: bool,
    environment: &Environment,
) -> Vec<Step> {
    let aotriton = release.minor;
    let prefers_ck = environment.is_on("TORCH_ROCM_FA_PREFER_CK", false);
    let library = Some(if prefers_ck { "Composable Kernel" } else { "AOTriton" });
    let card = || {
        if prefers_ck {
            return None;
        }
        if !has_code {
            return Some(format!("AOTriton has no code for {processor}"));
        }
        if !aotriton::knows(processor, release) {
            return Some(format!("AOTriton {}.{} does not know {processor}", aotriton.0, aotriton.1));
        }
        let is_allowed = environment.is_on("TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", false);
        (is_experimental(processor, release) && !is_allowed).then(|| {
            let who = if aotriton < (0, 9) { "PyTorch with AOTriton" } else { "AOTriton" };
            format!(
                "{who} {}.{} calls {processor} experimental; TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL=1 allows it",
                aotriton.0, aotriton.1
            )
        })
    };
    let most = largest_head(processor, aotriton);
    let is_one_size = call.dim == call.value_dim;
    let unequal = || (!is_one_size).then(|| "queries and values have heads of different sizes".to_owned());
    let too_large = |most: u32| {
        let largest = call.dim.max(call.value_dim);
        (largest > most).then(|| format!("heads of {largest} are above {most}"))
    };
    let flash = unequal()
        .or_else(|| too_large(most))
        .or_else(card)
        .or_else(|| (!call.ty.is_half()).then(|| format!("it is for fp16 and bf16, not {}", call.ty)));
    let alignment = if call.ty.is_half() { 8 } else { 4 };
    let is_aligned = call.dim.is_multiple_of(alignment) && call.value_dim.is_multiple_of(alignment);
    let unaligned = || (!is_aligned).then(|| format!("heads are no multiple of {alignment}"));
    let heads = || match aotriton {
        own if own >= (0, 12) => unaligned().or_else(|| too_large(most)),
        own if own >= (0, 9) => unequal().or_else(|| too_large(most)).or_else(unaligned),
        (0, 8) => unequal().or_else(|| too_large(most)),
        _ => unaligned(),
    };
    let is_taken_by = call.ty.is_half() || (call.ty == AttentionType::Fp32 && !prefers_ck);
    let efficient =
        card().or_else(heads).or_else(|| (!is_taken_by).then(|| format!("it is not for {}", call.ty)));
    let source = source(aotriton);
    vec![
        Step::taken("flash attention", library, source).unless(flash),
        Step::taken("memory-efficient attention", library, source).unless(efficient),
        Step::taken("math", None, source),
    ]
}
