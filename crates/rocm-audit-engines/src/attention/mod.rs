//! Attention outside of llama.cpp: which kernels libraries hold, by the names that these have in files, and
//! which of them PyTorch, vLLM and AITER take, by their own rules.
//!
//! A kernel is known by what its library says of it where the bytes are: the member of AOTriton's images that
//! it is in, AITER's list of its assembly, the template arguments of Composable Kernel's. What a framework
//! takes is a rule of a release, in [`pytorch`], [`vllm`] and [`aiter`]; each rule names its source.

pub mod aiter;
pub mod aotriton;
pub mod composable_kernel;
pub mod pytorch;
pub mod step;
pub mod vllm;

use std::fmt;

/// Types of queries, keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttentionType {
    /// IEEE half precision.
    Fp16,
    /// bfloat16.
    Bf16,
    /// Single precision.
    Fp32,
    /// FP8 with one scale for a tensor or a head.
    Fp8,
    /// FP8 with a scale for each block of 32.
    Mxfp8,
}

impl AttentionType {
    /// All, in the order of help.
    pub const ALL: [AttentionType; 5] = [
        AttentionType::Fp16,
        AttentionType::Bf16,
        AttentionType::Fp32,
        AttentionType::Fp8,
        AttentionType::Mxfp8,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AttentionType::Fp16 => "fp16",
            AttentionType::Bf16 => "bf16",
            AttentionType::Fp32 => "fp32",
            AttentionType::Fp8 => "fp8",
            AttentionType::Mxfp8 => "mxfp8",
        }
    }

    /// The type of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether it has 16 bits.
    pub fn is_half(self) -> bool {
        matches!(self, AttentionType::Fp16 | AttentionType::Bf16)
    }
}

impl fmt::Display for AttentionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Attention that is asked about: a forward pass without bias, dropout or window, queries and keys of one
/// length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttentionCall {
    /// Type of queries, keys and values.
    pub ty: AttentionType,
    /// Elements of a head's query and key.
    pub dim: u32,
    /// Elements of a head's value.
    pub value_dim: u32,
    /// Whether a query sees only the keys before it.
    pub causal: bool,
}

/// What a kernel of attention computes, as far as its library says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttentionKernel {
    /// Type of queries, keys and values.
    pub ty: AttentionType,
    /// Elements of a head's query and key that it is made for.
    pub dim: u32,
    /// Elements of a head's value that it is made for.
    pub value_dim: u32,
    /// Whether it masks.
    pub causal: bool,
    /// For heads smaller than it is made for; `None` if the kernel takes both.
    pub padded: Option<bool>,
    /// Sequences of different lengths behind each other.
    pub is_group: bool,
}

/// What a library's kernels lack for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// None is for the card.
    Card,
    /// None has the type.
    Type,
    /// None has the head size; the sizes that are there.
    HeadSize(Vec<(u32, u32)>),
    /// None has the mask, or is without it.
    Mask,
}

/// The kernel that a call takes, of those for one card.
///
/// # Errors
/// What is lacking: the first of card, type, head size and mask that leaves no kernel.
pub fn serving(
    call: &AttentionCall,
    kernels: &[AttentionKernel],
    fits: impl Fn(&AttentionKernel) -> bool,
) -> Result<AttentionKernel, Lack> {
    let mut left: Vec<AttentionKernel> = kernels.iter().copied().filter(|one| !one.is_group).collect();
    if left.is_empty() {
        return Err(Lack::Card);
    }
    left.retain(|one| one.ty == call.ty);
    if left.is_empty() {
        return Err(Lack::Type);
    }
    let mut sizes: Vec<(u32, u32)> = left.iter().map(|one| (one.dim, one.value_dim)).collect();
    left.retain(|one| fits(one));
    if left.is_empty() {
        sizes.sort_unstable();
        sizes.dedup();
        return Err(Lack::HeadSize(sizes));
    }
    left.into_iter().find(|one| one.causal == call.causal).ok_or(Lack::Mask)
}

#[cfg(test)]
mod tests;
