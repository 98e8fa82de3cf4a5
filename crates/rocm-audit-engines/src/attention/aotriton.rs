//! AOTriton: what the path of an image says of its kernel.
//!
//! Images stand below `amd-ARCH/flash/attn_fwd`. Until 0.12 a functional is a file whose name has its values
//! in the order of the kernel's arguments, `FONLY__^fp16@16,128,False,False,0,0___gfx942` (to 0.10) or
//! `FONLY__＊fp16@16_128_F_F_0_0___gfx942`: type, BLOCK_DMODEL, PADDED_HEAD, ENABLE_DROPOUT, CAUSAL_TYPE,
//! BIAS_TYPE. Since 0.13 it is a member of `attn_fwd.zip` whose name has names and values:
//! `Q='*fp16:16';BLOCK_DMODEL=128;PADDED_HEAD=False;…`. Before 0.9 the mask stood before BLOCK_DMODEL.
//!
//! Sources: AOTriton `v2python/kernel_signature.py` (0.9.2b), `v3python/base/functional.py` (0.11.2b),
//! `python/template_instantiation/ir/functional.py` (30ae9671); heads: `modules/flash/csrc/attn_fwd.cc:60`.

use super::{AttentionCall, AttentionKernel, AttentionType};

/// The kernel of a forward pass without dropout and bias whose image this path names; `None` for other images
/// and names of other forms.
pub fn of_path(path: &str) -> Option<AttentionKernel> {
    if !path.contains("attn_fwd") || !path.contains("flash") {
        return None;
    }
    let name = path.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".aks2").or_else(|| name.strip_suffix(".hsaco")).unwrap_or(name);
    let values = if name.contains("BLOCK_DMODEL=") { named(name) } else { in_order(name) }?;
    (!values.dropout && !values.bias).then_some(AttentionKernel {
        ty: values.ty,
        dim: values.dim,
        value_dim: values.dim,
        causal: values.causal,
        padded: Some(values.padded),
        is_group: false,
    })
}

struct Values {
    ty: AttentionType,
    dim: u32,
    padded: bool,
    dropout: bool,
    causal: bool,
    bias: bool,
}

/// Names and values: `Q='*fp16:16';BLOCK_DMODEL=128;…`.
fn named(name: &str) -> Option<Values> {
    let value = |wanted: &str| {
        name.split(';')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == wanted)
            .map(|(_, v)| v)
    };
    Some(Values {
        ty: ty(value("Q")?)?,
        dim: value("BLOCK_DMODEL")?.parse().ok()?,
        padded: flag(value("PADDED_HEAD")?)?,
        dropout: flag(value("ENABLE_DROPOUT")?)?,
        causal: flag(value("CAUSAL_TYPE")?)?,
        bias: flag(value("BIAS_TYPE")?)?,
    })
}

/// Values in the order of the kernel's arguments.
fn in_order(name: &str) -> Option<Values> {
    let values = name.strip_prefix("FONLY__")?.split("___").next()?.trim_end_matches('_');
    let values: Vec<&str> = values.split([',', '_']).collect();
    let [first, dim, padded, dropout, causal, bias] = values[..] else { return None };
    // Before 0.9 the mask stood second, and what was asked of the head third: its size is the number above 4.
    if let (Some(causal), Ok(dim)) = (flag(dim), padded.parse::<u32>()) {
        let values = Values {
            ty: ty(first)?,
            dim,
            causal,
            dropout: flag(dropout)?,
            padded: flag(values[4])?,
            bias: flag(bias)?,
        };
        return (dim >= 16).then_some(values);
    }
    Some(Values {
        ty: ty(first)?,
        dim: dim.parse().ok()?,
        padded: flag(padded)?,
        dropout: flag(dropout)?,
        causal: flag(causal)?,
        bias: flag(bias)?,
    })
}

/// `*fp16:16` as it is written in names, where `*` is `^` or `＊` and `:` is `@`.
fn ty(word: &str) -> Option<AttentionType> {
    let word = word.trim_matches('\'').trim_start_matches(['*', '^', '＊']);
    AttentionType::of_name(word.split([':', '@']).next()?)
}

/// A boolean or a kind: zero is none.
fn flag(word: &str) -> Option<bool> {
    match word {
        "0" | "F" | "False" => Some(false),
        "1" | "2" | "3" | "T" | "True" => Some(true),
        _ => None,
    }
}

/// A release of AOTriton; `patch` is `None` where only `0.11` is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AotritonRelease {
    /// Major and minor number.
    pub minor: (u32, u32),
    /// The third number.
    pub patch: Option<u32>,
}

/// Processors that AOTriton knows a card by, with the first release that does. A card that it does not know gets
/// `hipErrorNoBinaryForGpu`, whatever images are there: some releases were built with images for cards that their
/// library does not know yet. Source: `string_to_classifier` in `v2src/util.cc` (0.7.3b, 0.8.2b, 0.9.2b) and
/// `v3src/util.cc` (0.10b to 0.13b, 30ae9671).
const KNOWN: &[(&str, (u32, u32), u32)] = &[
    ("gfx90a", (0, 0), 0),
    ("gfx942", (0, 0), 0),
    ("gfx1100", (0, 0), 0),
    ("gfx1101", (0, 0), 0),
    ("gfx950", (0, 9), 0),
    ("gfx1201", (0, 9), 0),
    ("gfx1102", (0, 11), 0),
    ("gfx1150", (0, 11), 0),
    ("gfx1151", (0, 11), 0),
    ("gfx1200", (0, 11), 0),
    ("gfx1103", (0, 11), 1),
    ("gfx1152", (0, 11), 2),
    ("gfx1153", (0, 11), 2),
    ("gfx1250", (0, 11), 50),
];

/// Whether a release takes images for a card. Without its patch, it is asked about the last one.
pub fn knows(processor: &str, release: AotritonRelease) -> bool {
    let patch = release.patch.unwrap_or(u32::MAX);
    // 0.12.0 was made before the branch of 0.11.50 was merged.
    if processor == "gfx1250" && release.minor == (0, 12) && patch == 0 {
        return false;
    }
    KNOWN.iter().any(|(own, minor, first)| *own == processor && (*minor, *first) <= (release.minor, patch))
}

/// The head size of the kernel that AOTriton takes for a call, of the sizes that its build has: the next one not below
/// the call's. Since 0.12 queries and values may differ, and on gfx950 it takes 32 in place of 16, which it no
/// longer makes there (`attn_fwd` in `attn_fwd.cc`, 0.11.2b and 0.12b). Where the release is not known, an image of
/// 16 for gfx950, `has_16`, tells the older ones.
pub fn block(
    call: &AttentionCall,
    processor: &str,
    release: Option<(u32, u32)>,
    has_16: bool,
    sizes: impl IntoIterator<Item = u32>,
) -> Option<u32> {
    if call.dim != call.value_dim && release.is_some_and(|release| release < (0, 12)) {
        return None;
    }
    let wanted = call.dim.max(call.value_dim);
    let skips_16 = processor == "gfx950" && release.map_or(!has_16, |release| release >= (0, 12));
    let least = if skips_16 { wanted.max(17) } else { wanted };
    sizes.into_iter().filter(|size| *size >= least).min()
}

/// Whether AOTriton fails though its image is there: in 0.12 the table that chooses between images and AITER's
/// assembly is gfx942's on gfx1250 too, which has no assembly. Without a mask that is so at each length that was
/// asked about (100 to 8192), with one only at some. Source: `op_attn_fwd` as 0.12.1b generates it; 0.13b has it no more.
pub fn fails(call: &AttentionCall, processor: &str, release: (u32, u32), block: u32) -> bool {
    let is_given_away = call.ty == AttentionType::Bf16 && block == 128 && !call.causal;
    processor == "gfx1250" && release == (0, 12) && is_given_away
}

/// Whether a kernel is the one for a call, once the size of the block is known.
pub fn fits(kernel: &AttentionKernel, call: &AttentionCall, block: u32) -> bool {
    let is_padded = call.dim != block || call.value_dim != block;
    kernel.dim == block && kernel.padded.is_none_or(|padded| padded == is_padded)
}
