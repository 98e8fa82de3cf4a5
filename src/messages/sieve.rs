//! The sieve of long logs: which blocks can matter at all.
//!
//! Most of a long log is not about a GPU. A block of it is squeezed roughly, in one pass over its bytes, and searched for the
//! literals of all patterns at once; only what has one, and what stands beside it, is read as the rest of the module reads.

use super::facts::Reads;
use super::pattern::{PATTERNS, Says};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;

/// Bytes of a log that are let through or left out together.
pub(super) const BLOCK: usize = 1 << 16;
/// Bytes at the beginning of a log that are always read: what is pasted, and how a program began.
pub(super) const HEAD: u64 = 1 << 18;
/// Squeezed bytes that two blocks share: no literal is longer.
const SHARED: usize = 128;

/// Words that say whose device a log is about, or decide between causes, beside the literals of the patterns; and the words of
/// those patterns whose literal is in [`COMMON`].
#[rustfmt::skip]
const WORDS: [&str; 58] = [
    "gfx", "geforce", "nvidia", "quadro", "nvcc", "cudaerror", "cudadevices", "cudacapability", "cublas", "cudart", "cudnn",
    "radeon", "rocm", "rocblas", "hipblas", "miopen", "amdhip", "amdgpu", "amdgcn", "amd_comgr", "instinct", "hiprtc",
    "hsa_", "hsa-runtime", "hiperr", "hipmodule", "hipdevice", "hipcapable", "ggml-hip", "ggml_hip", "hip_launch",
    "visible_devices", "wsl2", "microsoft-standard", "dxgkrnl", "linux-firmware", "strix", "symlink", "xnack", "tritonamd",
    "/dev/kfd", "kfdkfd", "[drm", "vk::", "levelzero", "level_zero", "sycl", "outofmemory", "gttmemory", "vrammemory",
    "signal11", "signal:killed", "oom-kill", "oomkill", "code137", "code:137", "status137", "status:137",
];

/// Literals that most logs have, so that they say nothing.
const COMMON: [&str; 12] = [
    "error", "device", "timeout", "memory", "signal", "exit", "kill", "lib", ".dll", "level", "runtime",
    "support",
];

/// The literals, looked for together.
static LITERALS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let own = PATTERNS.iter().filter(|pattern| counts_alone(pattern.says) && !pattern.has_target());
    let own = own.map(|pattern| pattern.literal.as_slice());
    let own = own.filter(|literal| !COMMON.iter().any(|common| common.as_bytes() == *literal));
    let all = own.chain(WORDS.iter().map(|word| word.as_bytes()));
    AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(all).ok()
});

/// Whether what a pattern says means something without the name of a processor, which [`WORDS`] have.
fn counts_alone(says: Says) -> bool {
    !matches!(says, Says::Fact(Reads::Device | Reads::Current | Reads::List))
}

/// The state of the sieve between two blocks.
#[derive(Default)]
pub(super) struct Sieve {
    squeezed: Vec<u8>,
}

impl Sieve {
    /// Whether a block can matter.
    pub(super) fn lets_through(&mut self, block: &[u8]) -> bool {
        let shared = self.squeezed.len().saturating_sub(SHARED);
        self.squeezed.drain(..shared);
        squeeze(block, &mut self.squeezed);
        LITERALS.as_ref().is_none_or(|literals| literals.is_match(&self.squeezed))
    }
}

/// What a byte becomes: a small letter, or nothing.
const TABLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'"' | b'\'' | b'`' | b'*' | b'\\' | 0..=b' ' | 0x7f => 0,
            letter => letter.to_ascii_lowercase(),
        };
        byte += 1;
    }
    table
};

/// Adds the bytes of a block, squeezed, without sequences that colour them.
fn squeeze(block: &[u8], squeezed: &mut Vec<u8>) {
    squeezed.reserve(block.len());
    let mut rest = block;
    while !rest.is_empty() {
        let escape = memchr::memchr(0x1b, rest).unwrap_or(rest.len());
        let (plain, behind) = rest.split_at(escape);
        squeezed.extend(plain.iter().map(|byte| TABLE[usize::from(*byte)]).filter(|byte| *byte != 0));
        let ends = behind.iter().take(24).position(u8::is_ascii_alphabetic).unwrap_or(0);
        rest = behind.get(ends + 1..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pattern_finds_is_let_through() {
        for text in [
            "2025-07-28 INFO hip\x1b[31mErrorNoBinaryForGpu",
            "the device is gfx1032",
            "Segmentation fault (core dumped)",
            "Memory access fault by\nGPU node-1",
        ] {
            assert!(Sieve::default().lets_through(text.as_bytes()), "{text}");
        }
        let mut sieve = Sieve::default();
        assert!(!sieve.lets_through(b"2025-07-28 15:04:05 INFO POST /v1/chat 200 OK tokens=12 memory acce"));
        assert!(sieve.lets_through(b"ss fault by GPU node-1"), "a literal that two blocks share");
    }
}
