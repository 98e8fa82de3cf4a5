//! Fingerprints of the machine code of kernels: what two builds of a kernel have in common, told by five numbers.
//!
//! Equal fingerprints mean equal code but for collisions of 64-bit hashes. They are for comparisons within one
//! program run and change from release to release.
#![deny(clippy::indexing_slicing)]

use super::instruction_hashes::{self, Hash, Hashes, Owner, Recent, RecentOfThreads, Renaming};
use super::known_code::KnownCode;
use crate::isa::class::{Class, ClassSet, classes_of_number};
use crate::isa::{Decoder, Instruction, mnemonics};
use std::hint::select_unpredictable;
use std::ops::Range;
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64_with_seed;

answer! {
    /// The fingerprint of a kernel's code, up to its last instruction that ends or leaves it: what fills the
    /// space behind that is no part of it.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct CodeFingerprint {
        /// Of all bytes.
        copy bytes: u64,
        /// Of all instructions, without the distances that are added to the program counter: they change where
        /// only something beside the kernel has another size.
        copy instructions: u64,
        /// Of the same with registers in the order of their first use: equal where registers were only given
        /// other numbers.
        copy renamed: u64,
        /// Of the same without waits for memory and without the distances of branches, which change with them.
        copy unwaited: u64,
        /// Of the same instructions with their waits in any order, without the numbers of registers and the
        /// distances of branches.
        copy unordered: u64,
        /// Bytes of it.
        copy size: u64,
        /// Number of its instructions.
        copy total: u64,
        /// Instructions of each of [`COUNTED`].
        copy counts: [u32; 6],
    }
}

/// The classes that are counted, each under the name of the number.
pub const COUNTED: [(&str, &[&str]); 6] = [
    ("waits", &["wait"]),
    ("matrix", &["mfma", "smfmac", "wmma", "swmmac"]),
    ("vector-memory", &["vmem"]),
    ("lds-instructions", &["lds"]),
    ("scratch-instructions", &["scratch-load", "scratch-store"]),
    ("branches", &["branch"]),
];

impl CodeFingerprint {
    /// The sum of two: of several kernels of one name the order does not matter.
    #[must_use]
    pub fn and(self, other: CodeFingerprint) -> CodeFingerprint {
        let sum = |own: fn(&CodeFingerprint) -> u64| own(&self).wrapping_add(own(&other));
        let mut counts = self.counts;
        counts.iter_mut().zip(other.counts).for_each(|(own, more)| *own = own.saturating_add(more));
        CodeFingerprint {
            bytes: sum(|one| one.bytes),
            instructions: sum(|one| one.instructions),
            renamed: sum(|one| one.renamed),
            unwaited: sum(|one| one.unwaited),
            unordered: sum(|one| one.unordered),
            size: sum(|one| one.size),
            total: sum(|one| one.total),
            counts,
        }
    }
}

/// What was found in the code of a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FoundInCode {
    pub(super) fingerprint: CodeFingerprint,
    /// Bytes from the first on that are instructions only, up to one that ends or leaves it; a symbol inside stands
    /// before one of them.
    pub(super) decoded: usize,
    /// Instructions among them that end a wavefront.
    pub(super) ends: u64,
}

/// Fingerprints that were made in a run: kernels of the same bytes are decoded once, on both sides of a
/// comparison and in all files.
#[derive(Debug, Default)]
pub struct FingerprintCache {
    known: KnownCode<FoundInCode>,
    recent: RecentOfThreads,
}

impl FingerprintCache {
    /// The fingerprint of what is in `range` of the bytes of a section, in waves of `lanes` lanes, with symbols
    /// at the offsets `inside` of it.
    pub(super) fn of_code(
        &self,
        decoder: &'static Decoder,
        text: &[u8],
        range: Range<usize>,
        lanes: u32,
        inside: &[usize],
    ) -> FoundInCode {
        // Decoders are there once for each processor.
        let mut seed = Hash(std::ptr::from_ref(decoder) as u64 ^ u64::from(lanes));
        inside.iter().for_each(|offset| seed.add(*offset as u64));
        let code = text.get(range).unwrap_or_default();
        // The hash of all bytes is also that of the fingerprint where nothing lies behind the last instruction.
        let bytes = xxh3_64_with_seed(code, 0);
        let make = || self.recent.with(|recent| of_code(decoder, (code, bytes), lanes, inside, recent));
        self.known.get_or_make(u128::from(bytes) | u128::from(seed.0) << 64, make)
    }
}

/// Instructions behind one that reads the program counter in which a distance is added to it.
const NEAR: u8 = 8;

/// What is asked of mnemonics, by their numbers: one bit for each of [`COUNTED`] that it counts for, and those
/// below.
struct Known(Vec<u16>);

/// The bit of mnemonics that end a kernel or leave the place where they stand.
const LEAVES: u16 = 1 << COUNTED.len();
/// The bit of mnemonics that read the program counter.
const READS_COUNTER: u16 = LEAVES << 1;
/// The bit of mnemonics that may add a distance to it.
const ADDS: u16 = LEAVES << 2;
/// The bits of the first and the last of [`COUNTED`].
const WAITS: u16 = 1;
const BRANCHES: u16 = 1 << (COUNTED.len() - 1);
/// What adds a distance to the program counter.
const ADDING: [&str; 6] =
    ["s_add_u32", "s_addc_u32", "s_add_co_u32", "s_add_co_ci_u32", "s_add_nc_u64", "s_add_u64"];

/// Whether a mnemonic waits for memory, messages or exports: not for a number of cycles, and not for results of
/// its own unit, as compilers for gfx12 do where a hazard is.
fn waits_for_memory(name: &str) -> bool {
    name.starts_with("s_wait") && !matches!(name, "s_wait_alu" | "s_waitcnt_depctr" | "s_wait_idle")
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let set = |ids: &[&str]| -> ClassSet {
            ids.iter().filter_map(|id| Class::by_id(id)).fold(0, |set, (bit, _)| set | 1 << bit)
        };
        let counted = COUNTED.map(|(_, ids)| set(ids));
        let leaves = set(&["end", "branch"]);
        let traits = |(number, name): (usize, &str)| {
            let classes = classes_of_number(number as u16);
            let is_in = |(bit, of): (usize, &ClassSet)| {
                let counts = classes & of != 0 && (bit > 0 || waits_for_memory(name));
                u16::from(counts) << bit
            };
            let own = counted.iter().enumerate().map(is_in).fold(0, |all, bit| all | bit);
            // gfx1250 has another name for it.
            let reads = matches!(name, "s_getpc_b64" | "s_get_pc_i64");
            [(LEAVES, classes & leaves != 0), (READS_COUNTER, reads), (ADDS, ADDING.contains(&name))]
                .into_iter()
                .fold(own, |all, (bit, has)| if has { all | bit } else { all })
        };
        Known(mnemonics().enumerate().map(traits).collect())
    })
}

/// The fingerprint of code, with the hash of its bytes, in waves of `lanes` lanes, with symbols at these offsets
/// of it.
fn of_code(
    decoder: &'static Decoder,
    (code, hash): (&[u8], u64),
    lanes: u32,
    inside: &[usize],
    recent: &mut Recent,
) -> FoundInCode {
    let known = known();
    let mut found = Sums::default();
    let mut kept = Sums::default();
    let (mut ends, mut decoded, mut is_plain) = (0, 0, true);
    let mut symbols = inside.iter().copied();
    let mut symbol = symbols.next().unwrap_or(usize::MAX);
    let mut registers = Renaming::new();
    let (mut near, mut at, mut last) = (0u8, 0, 0);
    let owner = Owner::new(decoder, lanes);
    let mut instructions = decoder.instructions(code);
    let mut next = recent.next_of(&instructions, owner);
    loop {
        let met = next.and_then(|(place, length)| Some((recent.at(place)?, length)));
        let (start, length, traits, hashes) = match met {
            // A number that may be a distance is looked at anew.
            Some((known, length)) if near == 0 || known.traits() & ADDS == 0 => {
                let start = instructions.pass(length);
                next = recent.next_of(&instructions, owner);
                let traits = known.traits();
                let hashes = known.hashes(traits & BRANCHES != 0, &mut registers);
                (start, length, traits, hashes)
            }
            _ => {
                let Some((start, instruction)) = instructions.next_alone() else { break };
                let number = instruction.mnemonic_number();
                let traits = known.0.get(usize::from(number)).copied().unwrap_or_default();
                let is_distance = near > 0 && traits & ADDS != 0;
                let hashes = new_hashes(
                    &instruction.in_wave(lanes),
                    owner,
                    (traits, is_distance),
                    recent,
                    &mut registers,
                );
                next = recent.next_of(&instructions, owner);
                (start, instruction.length(), traits, hashes)
            }
        };
        if at < start {
            found.add_words(code.get(at..start));
            is_plain = false;
        }
        at = start + length;
        while symbol < at {
            is_plain &= symbol == start;
            symbol = symbols.next().unwrap_or(usize::MAX);
        }
        near = if traits & READS_COUNTER != 0 { NEAR } else { near.saturating_sub(1) };
        let is_branch = traits & BRANCHES != 0;
        found.add(hashes, traits);
        if traits & LEAVES != 0 {
            (kept, last) = (found, at);
            if is_plain {
                decoded = at;
                ends += u64::from(!is_branch);
            }
        }
    }
    // Code without an end is all of it.
    if last == 0 {
        found.add_words(code.get(at..));
        (kept, last) = (found, code.len());
    }
    let bytes = match code.get(..last) {
        Some(own) if own.len() < code.len() => xxh3_64_with_seed(own, 0),
        _ => hash,
    };
    FoundInCode { fingerprint: kept.into_fingerprint(bytes, last as u64), decoded, ends }
}

/// What an instruction is that is not among the recent ones, and is from now on where it can be.
#[inline(never)]
fn new_hashes(
    instruction: &Instruction,
    owner: Owner,
    (traits, is_distance): (u16, bool),
    recent: &mut Recent,
    registers: &mut Renaming,
) -> Hashes {
    let is_branch = traits & BRANCHES != 0;
    if !is_distance && let Some(kept) = recent.keep(instruction, owner, traits, is_branch) {
        return kept.hashes(is_branch, registers);
    }
    instruction_hashes::of_operands(instruction, is_distance, is_branch, registers)
}

/// What becomes a fingerprint. Hashes do not stand beside each other: compilers would compute two of them in one
/// vector, and what moves their halves to the multiplier and back takes longer than the multiplication.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Sums {
    instructions: Hash,
    unordered: u64,
    renamed: Hash,
    total: u64,
    unwaited: Hash,
    /// What was counted since `counts` were: [`LANE`] bits for each.
    recent: u64,
    counts: [u32; COUNTED.len()],
}

/// Bits of a number in [`Sums::recent`]: all numbers are in 64 bits.
const LANE: u32 = 10;
/// So many instructions are counted there: a power of two below what a number has room for.
const RECENT: u64 = 1 << (LANE - 1);
/// The lowest bit of each number.
const ONE_IN_EACH: u64 = lowest_bits(LANE);
/// What makes as many copies of the bits of [`COUNTED`], each one place nearer to the one before than numbers
/// are: so the bit of each lies where its number begins.
const COPIES: u64 = lowest_bits(LANE - 1);

const fn lowest_bits(apart: u32) -> u64 {
    let (mut all, mut lane) = (0, 0);
    while lane < COUNTED.len() as u32 {
        all |= 1 << (lane * apart);
        lane += 1;
    }
    all
}

impl Sums {
    /// Words that are no instructions count as they are.
    fn add_words(&mut self, words: Option<&[u8]>) {
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            self.add(Hashes::all(Hash(xxh3_64_with_seed(words, 0))), 0);
        }
    }

    #[inline(always)]
    fn add(&mut self, hashes: Hashes, traits: u16) {
        let Hashes { exact, renamed, unwaited, plain } = hashes;
        self.instructions.add_hash(exact);
        self.renamed.add_hash(renamed);
        let before = self.unwaited;
        self.unwaited.add_hash(unwaited);
        self.unwaited = select_unpredictable(traits & WAITS != 0, before, self.unwaited);
        self.unordered = self.unordered.wrapping_add(plain.0);
        let counted = u64::from(traits & (LEAVES - 1));
        self.recent += counted.wrapping_mul(COPIES) & ONE_IN_EACH;
        self.total += 1;
        if self.total.is_multiple_of(RECENT) {
            self.count_recent();
        }
    }

    #[inline(never)]
    fn count_recent(&mut self) {
        for (lane, count) in self.counts.iter_mut().enumerate() {
            *count += (self.recent >> (lane as u32 * LANE)) as u32 & ((1 << LANE) - 1);
        }
        self.recent = 0;
    }

    fn into_fingerprint(mut self, bytes: u64, size: u64) -> CodeFingerprint {
        self.count_recent();
        let Sums { instructions, renamed, unwaited, unordered, total, counts, .. } = self;
        let [instructions, renamed, unwaited] = [instructions, renamed, unwaited].map(|hash| hash.0);
        CodeFingerprint { bytes, instructions, renamed, unwaited, unordered, size, total, counts }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
