//! The sieve of long logs: which blocks can matter at all.
//!
//! Most of a long log is not about a GPU. A block of it is squeezed roughly, in one pass over its bytes, and
//! searched for the literals of all patterns at once; only what has one, and what stands beside it, is read
//! as the rest of the module reads. What a log repeats is no news either: a block is also skipped once its
//! literals were all read in many blocks and its processors are all known. Its messages are not counted then.
//! How a log begins and ends is always read.

use super::facts::Reads;
use super::pattern::{PATTERNS, Says};
use crate::target::Processor;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Bytes of a log that are let through or left out together.
pub(super) const BLOCK: usize = 1 << 16;
/// Bytes at the beginning of a log that are always read: what is pasted, and how a program began.
pub(super) const HEAD: u64 = 1 << 18;
/// Squeezed bytes that two blocks share: no literal is longer.
const SHARED: usize = 128;

/// Words that say whose device a log is about, or decide between causes, beside the literals of the patterns;
/// and the words of those patterns whose literal is in [`COMMON`].
#[rustfmt::skip]
const WORDS: [&str; 59] = [
    "gfx", "geforce", "nvidia", "quadro", "nvcc", "cudaerror", "cudadevices", "cudacapability", "cublas", "cudart", "cudnn",
    "radeon", "rocm", "rocblas", "hipblas", "miopen", "amdhip", "amdgpu", "amdgcn", "amd_comgr", "instinct", "hiprtc",
    "hsa_", "hsa-runtime", "hiperr", "hipmodule", "hipdevice", "hipcapable", "ggml-hip", "ggml_hip", "hip_launch",
    "visible_devices", "wsl2", "wslenvironment", "microsoft-standard", "dxgkrnl", "linux-firmware", "strix", "symlink", "xnack", "tritonamd",
    "/dev/kfd", "kfdkfd", "[drm", "vk::", "levelzero", "level_zero", "sycl", "outofmemory", "gttmemory", "vrammemory",
    "signal11", "signal:killed", "oom-kill", "oomkill", "code137", "code:137", "status137", "status:137",
];

/// Literals that most logs have, so that they say nothing.
const COMMON: [&str; 12] = [
    "error", "device", "timeout", "memory", "signal", "exit", "kill", "lib", ".dll", "level", "runtime",
    "support",
];

/// Blocks with a literal that are read; further ones have nothing new of it.
const ENOUGH: u16 = 16;
/// What a name of a processor begins with.
const PROCESSOR: &str = "gfx";

/// The literals, looked for together.
struct Literals {
    all: AhoCorasick,
    /// Which of them is [`PROCESSOR`].
    processor: usize,
}

static LITERALS: LazyLock<Option<Literals>> = LazyLock::new(|| {
    let own = PATTERNS.iter().filter(|pattern| counts_alone(pattern.says) && !pattern.has_target());
    let own = own.map(|pattern| pattern.literal.as_slice());
    let own = own.filter(|literal| !COMMON.iter().any(|common| common.as_bytes() == *literal));
    let mut all: Vec<&[u8]> = own.chain(WORDS.iter().map(|word| word.as_bytes())).collect();
    all.sort_unstable();
    all.dedup();
    let processor = all.iter().position(|literal| *literal == PROCESSOR.as_bytes())?;
    let all = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(all).ok()?;
    Some(Literals { all, processor })
});

/// Whether what a pattern says means something without the name of a processor, which [`WORDS`] have.
fn counts_alone(says: Says) -> bool {
    !matches!(says, Says::Fact(Reads::Device | Reads::Current | Reads::List | Reads::Frame | Reads::Release))
}

/// The state of the sieve between two blocks.
#[derive(Default)]
pub(super) struct Sieve {
    squeezed: Vec<u8>,
    /// In how many blocks that were read each literal stood, up to [`ENOUGH`].
    read: Vec<u16>,
    /// The last block that each literal was counted in, from 1.
    last: Vec<u64>,
    blocks: u64,
    /// The processors whose names stood in the log so far.
    processors: BTreeSet<&'static str>,
}

/// Letters and digits of a processor's name behind its beginning.
const NAME: usize = 4;
/// Different names of processors that are kept.
const MOST_NAMES: usize = 256;

impl Sieve {
    /// Whether a block can matter.
    pub(super) fn lets_through(&mut self, block: &[u8]) -> bool {
        let shared = self.squeezed.len().saturating_sub(SHARED);
        self.squeezed.drain(..shared);
        squeeze(block, &mut self.squeezed);
        let Some(literals) = LITERALS.as_ref() else { return true };
        self.read.resize(literals.all.patterns_len(), 0);
        self.last.resize(literals.all.patterns_len(), 0);
        self.blocks += 1;
        let mut has_news = false;
        for found in literals.all.find_overlapping_iter(&self.squeezed) {
            let literal = found.pattern().as_usize();
            let (Some(read), Some(last)) = (self.read.get_mut(literal), self.last.get_mut(literal)) else {
                continue;
            };
            if *read < ENOUGH {
                has_news = true;
                *read += u16::from(*last != self.blocks);
                *last = self.blocks;
            }
            if literal == literals.processor && self.processors.len() < MOST_NAMES {
                let behind = self.squeezed.get(found.end()..).unwrap_or_default();
                has_news |= processor(behind).is_some_and(|name| self.processors.insert(name));
            }
        }
        has_news
    }
}

/// The processor whose name goes on with these bytes behind [`PROCESSOR`]; a number that stands behind a name
/// is no other name.
fn processor(rest: &[u8]) -> Option<&'static str> {
    let letters = rest.iter().take(NAME).take_while(|byte| byte.is_ascii_alphanumeric());
    let name: String = PROCESSOR.chars().chain(letters.map(|byte| char::from(*byte))).collect();
    let (known, _) = Processor::longest_prefix(&name)?;
    // The first silicon of a GPU goes by its name and a word more.
    let digits = known.name().len() - PROCESSOR.len();
    let is_strict = rest.get(digits..).is_some_and(|more| more.starts_with(STRICT.as_bytes()));
    let strict = is_strict.then(|| Processor::by_name(&format!("{}{STRICT}", known.name()))).flatten();
    Some(strict.unwrap_or(known).name())
}

/// What stands behind the name of a GPU for its first silicon.
const STRICT: &str = "-strict";

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
    let mut length = squeezed.len();
    squeezed.resize(length + block.len(), 0);
    let mut rest = block;
    while !rest.is_empty() {
        let escape = memchr::memchr(0x1b, rest).unwrap_or(rest.len());
        let (plain, behind) = rest.split_at(escape);
        // Every byte is written, and what stays is counted: that is several times as fast as to ask each byte
        // first.
        for byte in plain {
            let small = TABLE[usize::from(*byte)];
            if let Some(place) = squeezed.get_mut(length) {
                *place = small;
            }
            length += usize::from(small != 0);
        }
        let ends = behind.iter().take(24).position(u8::is_ascii_alphabetic).unwrap_or(0);
        rest = behind.get(ends + 1..).unwrap_or_default();
    }
    squeezed.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_silicon_of_a_gpu_is_named() {
        assert_eq!(processor(b"1250-strict:xnack+"), Some("gfx1250-strict"));
        assert_eq!(processor(b"1250:sramecc+"), Some("gfx1250"));
        assert_eq!(processor(b"90a-strict"), Some("gfx90a"));
        assert_eq!(processor(b"-strict"), None);
    }

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
        // What was read often enough is no news; another processor is.
        let mut sieve = Sieve::default();
        let line = "ROCm error: invalid device function, gfx1032\n";
        let read = (0..200).filter(|_| sieve.lets_through(line.as_bytes())).count();
        assert_eq!(read, usize::from(ENOUGH));
        assert!(sieve.lets_through(line.replace("1032", "1101").as_bytes()));
        assert!(!sieve.lets_through(line.as_bytes()));
        assert!(sieve.lets_through(format!("{line}Memory access fault by GPU node-1").as_bytes()));
        let mut sieve = Sieve::default();
        assert!(!sieve.lets_through(b"2025-07-28 15:04:05 INFO POST /v1/chat 200 OK tokens=12 memory acce"));
        assert!(sieve.lets_through(b"ss fault by GPU node-1"), "a literal that two blocks share");
    }
}
