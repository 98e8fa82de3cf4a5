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

/// The head size of the kernel that AOTriton takes for a call, of the sizes that its build has: the next one
/// not below both of the call's. On gfx950 it takes 32 in place of 16.
pub fn block(call: &AttentionCall, processor: &str, sizes: impl IntoIterator<Item = u32>) -> Option<u32> {
    let wanted = call.dim.max(call.value_dim);
    let least = if processor == "gfx950" { wanted.max(17) } else { wanted };
    sizes.into_iter().filter(|size| *size >= least).min()
}

/// Whether a kernel is the one for a call, once the size of the block is known.
pub fn fits(kernel: &AttentionKernel, call: &AttentionCall, block: u32) -> bool {
    let is_padded = call.dim != block || call.value_dim != block;
    kernel.dim == block && kernel.padded.is_none_or(|padded| padded == is_padded)
}
