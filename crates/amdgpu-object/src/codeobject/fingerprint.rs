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
    let mut likely = instructions.likely_bits();
    let mut place = likely.and_then(|likely| recent.find(likely, owner));
    loop {
        let met = likely.and_then(|likely| Some((recent.at(place?)?, likely.1)));
        let (start, length, traits, hashes) = match met {
            // A number that may be a distance is looked at anew.
            Some((known, length)) if near == 0 || known.traits() & ADDS == 0 => {
                let start = instructions.pass(length);
                likely = instructions.likely_bits();
                place = likely.and_then(|likely| recent.find(likely, owner));
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
                likely = instructions.likely_bits();
                place = likely.and_then(|likely| recent.find(likely, owner));
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
mod tests {
    use super::*;
    use crate::isa::Mode;

    fn alone(decoder: &'static Decoder, code: &[u8], lanes: u32, inside: &[usize]) -> FoundInCode {
        RecentOfThreads::default().with(|recent| with_recent(decoder, code, lanes, inside, recent))
    }

    fn with_recent(
        decoder: &'static Decoder,
        code: &[u8],
        lanes: u32,
        inside: &[usize],
        recent: &mut Recent,
    ) -> FoundInCode {
        of_code(decoder, (code, xxh3_64_with_seed(code, 0)), lanes, inside, recent)
    }

    /// Of words as llvm-mc 22 encodes them for gfx900.
    fn of_words(words: &[u32]) -> CodeFingerprint {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
        alone(decoder, &code, 64, &[]).fingerprint
    }

    /// Of bytes as llvm-mc 22 encodes them for gfx1030.
    fn of_bytes(bytes: &[u8]) -> CodeFingerprint {
        let decoder = Decoder::for_processor("gfx1030", Mode::Correct).unwrap();
        alone(decoder, bytes, 32, &[]).fingerprint
    }

    #[test]
    fn registers_of_an_instruction_with_many_are_renamed_too() {
        // image_sample_c_d_cl_o v[20:23], [v0, v2, v4, v6, v8, v10, v12, v14, v16], s[0:7], s[8:11] dmask:0xf
        // dim:SQ_RSRC_IMG_2D; v_add_f32_e32 v1, v20, v21; s_endpgm.
        let one = of_bytes(&[
            0x0c, 0x0f, 0xec, 0xf0, 0x00, 0x14, 0x40, 0x00, 0x02, 0x04, 0x06, 0x08, 0x0a, 0x0c, 0x0e, 0x10,
            0x14, 0x2b, 0x02, 0x06, 0x00, 0x00, 0x81, 0xbf,
        ]);
        // The same with v[60:63], [v40, v42, ..., v54, LAST], s[16:23], s[24:27]; v_add_f32_e32 v41, v60, v61.
        let other = |last: u8| {
            of_bytes(&[
                0x0c, 0x0f, 0xec, 0xf0, 0x28, 0x3c, 0xc4, 0x00, 0x2a, 0x2c, 0x2e, 0x30, 0x32, 0x34, 0x36,
                last, 0x3c, 0x7b, 0x52, 0x06, 0x00, 0x00, 0x81, 0xbf,
            ])
        };
        // v56, and v54 for the second time.
        let (same, twice) = (other(0x38), other(0x36));
        assert_eq!((one.total(), one.size()), (3, 24));
        assert_eq!(one.renamed(), same.renamed());
        assert_ne!(one.instructions(), same.instructions());
        assert_ne!(one.renamed(), twice.renamed());
        assert_eq!(one.unordered(), twice.unordered());
    }

    #[test]
    fn what_was_met_before_changes_nothing() {
        let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
        // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 0x100; s_addc_u32 s5, s5, 0; v_mov_b32 v0, s0;
        // v_add_f32 v1, v0, v0; s_cbranch_scc1 back to the move; s_endpgm, and what is behind it from the third
        // and the fourth word on.
        let words: [u32; 8] = [
            0xbe84_1c00,
            0x8004_ff04,
            0x100,
            0x8205_8005,
            0x7e00_0200,
            0x0202_0100,
            0xbf85_fffd,
            0xbf81_0000,
        ];
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parts = [0, 12, 16].map(|start| code.get(start..).unwrap());
        let each = parts.map(|code| alone(decoder, code, 64, &[]));
        for (found, code) in each.iter().zip(parts) {
            assert_eq!((found.decoded, found.ends), (code.len(), 1));
        }
        let one_for_all = RecentOfThreads::default();
        for _ in 0..2 {
            for (code, alone) in parts.iter().zip(&each) {
                let found = one_for_all.with(|recent| with_recent(decoder, code, 64, &[], recent));
                assert_eq!(found, *alone);
            }
        }
    }

    #[test]
    fn what_is_left_to_count_is_said() {
        let decoded = |words: &[u32], inside: &[usize]| {
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
            let found = alone(decoder, &code, 64, inside);
            (found.decoded, found.ends)
        };
        let [mov, add, end] = PLAIN;
        assert_eq!(decoded(&PLAIN, &[]), (12, 1));
        // Two ends, and zeros behind them; a word that is none before the end, and between two.
        assert_eq!(decoded(&[mov, end, add, end, 0, 0], &[]), (16, 2));
        assert_eq!(decoded(&[mov, 0x7e0b_fe80, end], &[]), (0, 0));
        assert_eq!(decoded(&[mov, end, 0x7e0b_fe80, end], &[]), (8, 1));
        assert_eq!(decoded(&[mov, add], &[]), (0, 0));
        // Symbols before instructions, and before the literal of s_add_u32 s4, s4, 0x100.
        let literal = [end, 0x8004_ff04, 0x100, end];
        assert_eq!(decoded(&literal, &[4, 12]), (16, 2));
        assert_eq!(decoded(&literal, &[4, 8, 12]), (4, 1));
    }

    /// v_mov_b32 v0, s0; v_add_f32 v1, v0, v0; s_endpgm.
    const PLAIN: [u32; 3] = [0x7e00_0200, 0x0202_0100, 0xbf81_0000];

    #[test]
    fn what_fills_the_space_behind_the_end_does_not_count() {
        let padded = [&PLAIN[..], &[0xbf80_0000, 0xbf80_0000, 0]].concat();
        assert_eq!(of_words(&PLAIN), of_words(&padded));
        let plain = of_words(&PLAIN);
        assert_eq!((plain.counts(), plain.total(), plain.size()), ([0; 6], 3, 12));
    }

    #[test]
    fn other_registers_are_told_from_other_code() {
        let plain = of_words(&PLAIN);
        // v_mov_b32 v2, s0; v_add_f32 v3, v2, v2; s_endpgm.
        let renamed = of_words(&[0x7e04_0200, 0x0206_0502, 0xbf81_0000]);
        assert_ne!(plain.instructions(), renamed.instructions());
        assert_eq!(plain.renamed(), renamed.renamed());
        // v_mov_b32 v0, s0; v_add_f32 v1, v0, v1: another register in one place only.
        let other = of_words(&[0x7e00_0200, 0x0202_0300, 0xbf81_0000]);
        assert_ne!(plain.renamed(), other.renamed());
        assert_eq!(plain.unordered(), other.unordered());
        // v_sub_f32 in place of v_add_f32.
        let changed = of_words(&[0x7e00_0200, 0x0402_0100, 0xbf81_0000]);
        assert_ne!(plain.unordered(), changed.unordered());
    }

    #[test]
    fn distances_from_the_program_counter_do_not_count() {
        // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, LITERAL; s_addc_u32 s5, s5, 0; s_endpgm.
        let near = |distance: u32| of_words(&[0xbe84_1c00, 0x8004_ff04, distance, 0x8205_8005, 0xbf81_0000]);
        assert_eq!(near(0x100).instructions(), near(0x2340).instructions());
        assert_ne!(near(0x100).bytes(), near(0x2340).bytes());
        // The same constants elsewhere do.
        let other = |value: u32| of_words(&[0x8004_ff04, value, 0xbf81_0000]);
        assert_ne!(other(0x100).instructions(), other(0x2340).instructions());
    }

    #[test]
    fn distances_from_the_program_counter_of_gfx1250_do_not_count() {
        // s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], LITERAL; s_endpgm.
        let near = |distance: u32| {
            let words = [0xbe84_4700, 0xa984_ff04, distance, 0xbfb0_0000];
            let code: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
            let decoder = Decoder::for_processor("gfx1250", Mode::Correct).unwrap();
            alone(decoder, &code, 32, &[]).fingerprint
        };
        assert_eq!(near(0x100).instructions(), near(0x2340).instructions());
        assert_ne!(near(0x100).bytes(), near(0x2340).bytes());
    }

    #[test]
    fn other_waits_are_told_from_other_instructions() {
        // s_waitcnt vmcnt(0); v_mov_b32 v0, s0; s_cbranch_scc1 back to the wait; s_endpgm.
        let loops = |wait: &[u32]| {
            let back = 0xbf85_0000 | u32::from((-2i16 - wait.len() as i16) as u16);
            of_words(&[wait, &[0x7e00_0200, back, 0xbf81_0000]].concat())
        };
        let (strict, looser, none) = (loops(&[0xbf8c_0f70]), loops(&[0xbf8c_0f71]), loops(&[]));
        for other in [looser, none] {
            assert_eq!(strict.unwaited(), other.unwaited());
            assert_ne!(strict.unordered(), other.unordered());
        }
        assert_eq!((strict.counts()[0], none.counts()[0]), (1, 0));
        // Another register, and then another one at one place only.
        assert_eq!(
            strict.unwaited(),
            of_words(&[0xbf8c_0f70, 0x7e02_0200, 0xbf85_fffd, 0xbf81_0000]).unwaited()
        );
        assert_ne!(
            strict.unwaited(),
            of_words(&[0xbf8c_0f70, 0x7e00_0280, 0xbf85_fffd, 0xbf81_0000]).unwaited()
        );
    }

    #[test]
    fn order_and_waits_are_seen() {
        // s_waitcnt vmcnt(0); v_mov_b32 v0, s0; v_mov_b32 v1, s1; s_endpgm, and the moves the other way round.
        let one = of_words(&[0xbf8c_0f70, 0x7e00_0200, 0x7e02_0201, 0xbf81_0000]);
        let other = of_words(&[0xbf8c_0f70, 0x7e02_0201, 0x7e00_0200, 0xbf81_0000]);
        assert_ne!(one.instructions(), other.instructions());
        assert_eq!(one.unordered(), other.unordered());
        assert_eq!(one.counts()[0], 1);
        assert_eq!(one.and(other), other.and(one));
    }

    /// The fingerprint of code that ends with `s_endpgm`s, each instruction looked at for itself.
    fn one_by_one(decoder: &'static Decoder, code: &[u8], lanes: u32) -> CodeFingerprint {
        let (mut sums, mut registers) = (Sums::default(), Renaming::new());
        let (mut at, mut near) = (0, 0u8);
        for (start, instruction) in decoder.instructions(code) {
            if at < start {
                sums.add_words(code.get(at..start));
            }
            at = start + instruction.length();
            let traits = known().0[usize::from(instruction.mnemonic_number())];
            let is_distance = near > 0 && traits & ADDS != 0;
            near = if traits & READS_COUNTER != 0 { NEAR } else { near.saturating_sub(1) };
            let (instruction, is_branch) = (instruction.in_wave(lanes), traits & BRANCHES != 0);
            let hashes =
                instruction_hashes::of_operands(&instruction, is_distance, is_branch, &mut registers);
            sums.add(hashes, traits);
        }
        sums.into_fingerprint(xxh3_64_with_seed(code, 0), code.len() as u64)
    }

    /// For gfx90a, by llvm-mc 22: v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]; v_mfma_f32_16x16x4f32 a[0:3], v2, v3,
    /// a[4:7]; v_mfma_f32_32x32x8f16 v[0:15], v[16:17], v[18:19], v[32:47].
    const MATRIX: [[u32; 2]; 3] =
        [[0xd3c0_8000, 0x0402_0300], [0xd3c5_8000, 0x0412_0702], [0xd3cc_0000, 0x0482_2510]];

    #[test]
    fn recent_instructions_are_what_they_are_one_by_one() {
        let (mut state, mut counted) = (0x9e37_79b9_7f4a_7c15_u64, [0; COUNTED.len()]);
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for (processor, lanes, end) in [
            ("gfx900", 64, 0xbf81_0000_u32),
            ("gfx90a", 64, 0xbf81_0000),
            ("gfx1030", 32, 0xbf81_0000),
            ("gfx1100", 32, 0xbfb0_0000),
            ("gfx1100", 64, 0xbfb0_0000),
            ("gfx1250", 32, 0xbfb0_0000),
        ] {
            let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
            // Few words, so that most instructions come again, and enough of them that the decoder makes its index.
            let mut words: Vec<[u32; 2]> = (0..600).map(|_| [random() as u32, random() as u32]).collect();
            if processor == "gfx90a" {
                words.extend(MATRIX);
            }
            let recent = RecentOfThreads::default();
            for _ in 0..4 {
                let picked = (0..4_000).flat_map(|_| words[random() as usize % words.len()]);
                let code: Vec<u8> = picked.chain([end; 5]).flat_map(u32::to_le_bytes).collect();
                let found = recent.with(|recent| with_recent(decoder, &code, lanes, &[], recent));
                assert_eq!(found.fingerprint, one_by_one(decoder, &code, lanes), "{processor}");
                counted.iter_mut().zip(found.fingerprint.counts).for_each(|(all, own)| *all += own);
            }
        }
        assert!(counted.iter().all(|count| *count > 0), "{counted:?}");
    }

    #[test]
    fn instructions_are_counted_however_many_there_are() {
        // s_waitcnt vmcnt(0), s_cbranch_scc1 to the next instruction, v_mov_b32 v0, s0; s_endpgm.
        let words: Vec<u32> =
            [(0xbf8c_0f70, 1_500), (0xbf85_0000, 700), (0x7e00_0200, 900), (0xbf81_0000, 1)]
                .into_iter()
                .flat_map(|(word, count)| vec![word; count])
                .collect();
        let fingerprint = of_words(&words);
        assert_eq!((fingerprint.counts(), fingerprint.total()), ([1_500, 0, 0, 0, 0, 700], 3_101));
    }
}
