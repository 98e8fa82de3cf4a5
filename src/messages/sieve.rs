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
use rayon::prelude::*;
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

/// Literals, looked for together.
struct Literals {
    all: AhoCorasick,
    /// The place of each of them in the first list.
    places: Vec<usize>,
}

impl Literals {
    fn of(all: &[&[u8]], places: Vec<usize>) -> Option<Self> {
        let own = places.iter().filter_map(|place| all.get(*place));
        let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(own).ok()?;
        Some(Literals { all: automaton, places })
    }
}

/// The literals of all patterns that count alone, and [`WORDS`]: each once.
static WORDS_OF_ALL: LazyLock<Vec<&[u8]>> = LazyLock::new(|| {
    let own = PATTERNS.iter().filter(|pattern| counts_alone(pattern.says) && !pattern.has_target());
    let own = own.map(|pattern| pattern.literal.as_slice());
    let own = own.filter(|literal| !COMMON.iter().any(|common| common.as_bytes() == *literal));
    let mut all: Vec<&[u8]> = own.chain(WORDS.iter().map(|word| word.as_bytes())).collect();
    all.sort_unstable();
    all.dedup();
    all
});

static LITERALS: LazyLock<Option<Literals>> =
    LazyLock::new(|| Literals::of(&WORDS_OF_ALL, (0..WORDS_OF_ALL.len()).collect()));

/// Whether what a pattern says means something without the name of a processor, which [`WORDS`] have.
fn counts_alone(says: Says) -> bool {
    !matches!(says, Says::Fact(Reads::Device | Reads::Current | Reads::List | Reads::Frame | Reads::Release))
}

/// The state of the sieve between blocks.
#[derive(Default)]
pub(super) struct Sieve {
    /// How the last block ended, squeezed.
    end: Vec<u8>,
    /// In how many blocks that were read each literal stood, up to [`ENOUGH`].
    read: Vec<u16>,
    /// The processors whose names stood in the log so far.
    processors: BTreeSet<&'static str>,
    /// The literals that can still be news, where those are much fewer.
    left: Option<Literals>,
    /// How often literals were found that are no news any more, since `left` was made.
    in_vain: u64,
    /// How often `left` was made.
    made: u32,
}

/// Letters and digits of a processor's name behind its beginning.
const NAME: usize = 4;
/// Different names of processors that are kept.
const MOST_NAMES: usize = 256;
/// Finds in vain after which the literals that are no news any more are not looked for. It doubles each time.
const IN_VAIN: u64 = 1 << 17;

/// What of the sieve's literals is in a block.
struct BlockWords {
    /// The places of the literals, each once, and how often each was found.
    literals: Vec<(usize, u64)>,
    /// The names of processors.
    processors: Vec<&'static str>,
}

impl Sieve {
    /// Which of some blocks can matter. They are searched side by side.
    pub(super) fn let_through(&mut self, blocks: &[Vec<u8>]) -> Vec<bool> {
        // A short log needs neither the literals nor threads.
        if blocks.is_empty() {
            return Vec::new();
        }
        let Some(literals) = self.left.as_ref().or(LITERALS.as_ref()) else {
            return vec![true; blocks.len()];
        };
        let mut squeezed: Vec<Vec<u8>> = blocks.par_iter().map(|block| squeeze(block)).collect();
        for block in &mut squeezed {
            let Some((shared, own)) = block.split_at_mut_checked(SHARED) else { continue };
            shared.iter_mut().rev().zip(self.end.iter().rev()).for_each(|(to, from)| *to = *from);
            self.end.extend_from_slice(own);
            self.end.drain(..self.end.len().saturating_sub(SHARED));
        }
        let words: Vec<BlockWords> = squeezed.par_iter().map(|block| words(literals, block)).collect();
        let through = words.iter().map(|words| self.has_news(words)).collect();
        if self.in_vain > IN_VAIN << self.made.min(20) {
            let is_left = |place: &usize| {
                let is_processor = WORDS_OF_ALL.get(*place) == Some(&PROCESSOR.as_bytes());
                is_processor || self.read.get(*place).is_none_or(|read| *read < ENOUGH)
            };
            let left = (0..WORDS_OF_ALL.len()).filter(is_left).collect();
            self.left = Literals::of(&WORDS_OF_ALL, left);
            (self.in_vain, self.made) = (0, self.made + 1);
        }
        through
    }

    /// Whether a block has what was not read often enough.
    fn has_news(&mut self, words: &BlockWords) -> bool {
        self.read.resize(WORDS_OF_ALL.len(), 0);
        let mut has_news = false;
        for (place, count) in &words.literals {
            match self.read.get_mut(*place) {
                Some(read) if *read < ENOUGH => {
                    has_news = true;
                    *read += 1;
                }
                _ => self.in_vain += count,
            }
        }
        for name in &words.processors {
            has_news |= self.processors.len() < MOST_NAMES && self.processors.insert(name);
        }
        has_news
    }
}

/// Looks for the literals in a squeezed block.
fn words(literals: &Literals, squeezed: &[u8]) -> BlockWords {
    let mut counts = vec![0; literals.places.len()];
    let mut processors = Vec::new();
    let is_processor = |at: usize| {
        let literal = literals.places.get(at).and_then(|place| WORDS_OF_ALL.get(*place));
        literal == Some(&PROCESSOR.as_bytes())
    };
    let processor_at = (0..counts.len()).find(|at| is_processor(*at));
    let mut last: &[u8] = b"";
    for found in literals.all.find_overlapping_iter(squeezed) {
        let literal = found.pattern().as_usize();
        if let Some(count) = counts.get_mut(literal) {
            *count += 1;
        }
        if Some(literal) == processor_at {
            let behind = squeezed.get(found.end()..).unwrap_or_default();
            let name = behind.get(..(NAME + STRICT.len()).min(behind.len())).unwrap_or_default();
            // Most lines that name one name that of the line before.
            if name != last {
                last = name;
                processors.extend(processor(name).filter(|name| !processors.contains(name)));
            }
        }
    }
    let literals = literals.places.iter().copied().zip(counts).filter(|(_, count)| *count > 0).collect();
    BlockWords { literals, processors }
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

/// The bytes of a block, squeezed, without sequences that colour them; before them [`SHARED`] bytes of zeros,
/// which no literal has, for what it shares with the block before.
fn squeeze(block: &[u8]) -> Vec<u8> {
    let mut length = SHARED;
    let mut squeezed = vec![0; SHARED + block.len()];
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
    squeezed
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

    fn lets_through(sieve: &mut Sieve, block: &str) -> bool {
        sieve.let_through(&[block.as_bytes().to_vec()]) == [true]
    }

    #[test]
    fn what_a_pattern_finds_is_let_through() {
        for text in [
            "2025-07-28 INFO hip\x1b[31mErrorNoBinaryForGpu",
            "the device is gfx1032",
            "Segmentation fault (core dumped)",
            "Memory access fault by\nGPU node-1",
        ] {
            assert!(lets_through(&mut Sieve::default(), text), "{text}");
        }
        // What was read often enough is no news; another processor is.
        let mut sieve = Sieve::default();
        let line = "ROCm error: invalid device function, gfx1032\n";
        let read = (0..200).filter(|_| lets_through(&mut sieve, line)).count();
        assert_eq!(read, usize::from(ENOUGH));
        assert!(lets_through(&mut sieve, &line.replace("1032", "1101")));
        assert!(!lets_through(&mut sieve, line));
        assert!(lets_through(&mut sieve, &format!("{line}Memory access fault by GPU node-1")));
        let mut sieve = Sieve::default();
        assert!(!lets_through(
            &mut sieve,
            "2025-07-28 15:04:05 INFO POST /v1/chat 200 OK tokens=12 memory acce"
        ));
        assert!(lets_through(&mut sieve, "ss fault by GPU node-1"), "a literal that two blocks share");
    }
}
