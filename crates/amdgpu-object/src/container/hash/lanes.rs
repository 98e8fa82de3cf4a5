//! MD5 of up to eight contents in step.
//!
//! One MD5 is a chain: every step waits for the one before it, and a core has nothing else to do meanwhile. Eight
//! contents in the eight parts of a register take hardly longer than one. Where a processor's registers have four parts,
//! each step is done for two of them.
//!
//! Source: RFC 1321.

use core::hint::black_box;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u32x8};

/// Most contents that are hashed in step.
pub const MOST: usize = 8;

/// What MD5 works at: 64 bytes.
pub type Block = [u8; 64];

/// The state of one MD5 between two blocks.
pub type State = [u32; 4];

/// The state before the first block.
pub const BEGIN: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// The number of each of the 64 steps: the whole part of 2^32 * |sin(i + 1)|.
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// Hashes the next `count` blocks of each content, and writes what follows to the states. A content that has fewer
/// gets a wrong state; contents beyond [`MOST`] are left alone.
pub fn hash(contents: &mut [(State, &[Block])], count: usize) {
    if let [(state, blocks)] = contents {
        let blocks = blocks.get(..count).unwrap_or(blocks);
        let sines = black_box(&SINES);
        for block in blocks {
            let mut words = [0; 16];
            for (at, word) in words.iter_mut().enumerate() {
                *word = word_of(block, at);
            }
            *state = hash_block(*state, &words, sines);
        }
        return;
    }
    // Which instructions there are is asked of the processor once.
    let level = Level::new();
    dispatch!(level, simd => simd.vectorize(
        #[inline(always)]
        || hash_eight(simd, contents, count)
    ));
}

/// Hashes a content that has no more than its last blocks left: `rest` of `size` bytes. Gives the first eight bytes of
/// its MD5, as a little-endian number.
pub fn finish(state: State, rest: &[u8], size: u64) -> u64 {
    let mut padded = alloc::vec::Vec::with_capacity(rest.len() + 72);
    padded.extend_from_slice(rest);
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(size << 3).to_le_bytes());
    let (blocks, _) = padded.as_chunks();
    let mut last = [(state, blocks)];
    hash(&mut last, blocks.len());
    let [([low, high, ..], _)] = last;
    u64::from(low) | u64::from(high) << 32
}

/// The same for eight contents at once. Where there are fewer, the last parts of the registers hash the first content
/// again. Closures are avoided where words are read: compilers call them, since they are not made for the same
/// processor, and that halves the speed.
#[inline(always)]
fn hash_eight<S: Simd>(simd: S, contents: &mut [(State, &[Block])], count: usize) {
    static NOTHING: Block = [0; 64];
    let Some(first) = contents.first().copied() else { return };
    let mut lanes = [first; MOST];
    for (lane, content) in lanes.iter_mut().zip(contents.iter()) {
        *lane = *content;
    }
    let mut state = [u32x8::splat(simd, 0); 4];
    for (at, words) in state.iter_mut().enumerate() {
        *words = u32x8::simd_from(simd, lanes.map(|(state, _)| state[at]));
    }
    let sines = black_box(&SINES);
    for at in 0..count {
        let mut blocks = [&NOTHING; MOST];
        for (block, (_, blocks)) in blocks.iter_mut().zip(&lanes) {
            *block = blocks.get(at).unwrap_or(&NOTHING);
        }
        let [a, b, c, d, e, f, g, h] = blocks;
        let mut words = [u32x8::splat(simd, 0); 16];
        let mut at = 0;
        while at < 16 {
            let of = [
                word_of(a, at),
                word_of(b, at),
                word_of(c, at),
                word_of(d, at),
                word_of(e, at),
                word_of(f, at),
                word_of(g, at),
                word_of(h, at),
            ];
            words[at] = u32x8::simd_from(simd, of);
            at += 1;
        }
        state = hash_block(state, &words, sines);
    }
    for (lane, (own, _)) in contents.iter_mut().enumerate().take(MOST) {
        *own = state.map(|words| words[lane]);
    }
}

/// The word of this number.
#[inline(always)]
fn word_of(block: &Block, number: usize) -> u32 {
    let at = number * 4;
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// The state after a block: 64 steps. Callers hide the numbers in `sines` from the compiler. It would add constants last,
/// in the chain that every step waits for; numbers from memory it adds early, which makes a step a fifth shorter.
#[inline(always)]
fn hash_block<W: Words>(state: [W; 4], words: &[W; 16], sines: &[u32; 64]) -> [W; 4] {
    let [mut a, mut b, mut c, mut d] = state;
    // Sixteen steps, whose words are `$first`, `$first + $apart` and so on, turned by four numbers in turns.
    macro_rules! round {
        ($mix:expr, $from:literal, $first:literal, $apart:literal, $($turn:literal)+) => {
            let mut step = 0;
            while step < 16 {
                $(
                    let word = words[($first + $apart * step) % 16].plus(a.all(sines[$from + step]));
                    let sum = a.plus(word).plus($mix(b, c, d));
                    (a, d, c, b) = (d, c, b, b.plus(sum.turn($turn)));
                    step += 1;
                )+
            }
        };
    }
    round!(|b: W, c: W, d: W| d ^ (b & (c ^ d)), 0, 0, 1, 7 12 17 22);
    round!(|b: W, c: W, d: W| c ^ (d & (b ^ c)), 16, 1, 5, 5 9 14 20);
    round!(|b: W, c: W, d: W| b ^ (c ^ d), 32, 5, 3, 4 11 16 23);
    round!(|b: W, c: W, d: W| c ^ (b | !d), 48, 0, 7, 6 10 15 21);
    let mut sums = [a, b, c, d];
    for (sum, old) in sums.iter_mut().zip(state) {
        *sum = sum.plus(old);
    }
    sums
}

/// The same word of one content or of several.
trait Words:
    Copy
    + core::ops::BitAnd<Output = Self>
    + core::ops::BitOr<Output = Self>
    + core::ops::BitXor<Output = Self>
    + core::ops::Not<Output = Self>
{
    /// This word of all contents.
    fn all(self, word: u32) -> Self;

    /// The sums, without what is carried out of them.
    fn plus(self, other: Self) -> Self;

    /// All words turned left by so many bits: 1 to 31.
    fn turn(self, bits: u32) -> Self;
}

impl Words for u32 {
    #[inline(always)]
    fn all(self, word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn turn(self, bits: u32) -> Self {
        self.rotate_left(bits)
    }
}

impl<S: Simd> Words for u32x8<S> {
    #[inline(always)]
    fn all(self, word: u32) -> Self {
        u32x8::splat(self.simd, word)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn turn(self, bits: u32) -> Self {
        self << bits | self >> (32 - bits)
    }
}
