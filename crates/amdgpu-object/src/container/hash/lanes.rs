//! MD5 of up to eight contents in step.
//!
//! One MD5 is a chain: every step waits for the one before it, and a core has nothing else to do meanwhile. Four
//! contents in the four parts of a register take hardly longer than one, and eight in two registers a third longer.
//!
//! Source: RFC 1321.

use wide::u32x4;

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
    for contents in contents.chunks_mut(MOST).take(1) {
        match contents.len() <= 4 {
            true => hash_groups::<1>(contents, count),
            false => hash_groups::<2>(contents, count),
        }
    }
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

/// The same for `G` times four contents. Where there are fewer, the last parts of the registers hash the first content
/// again.
fn hash_groups<'c, const G: usize>(contents: &mut [(State, &'c [Block])], count: usize) {
    static NOTHING: Block = [0; 64];
    let Some(first) = contents.first().copied() else { return };
    let of = |at: usize| *contents.get(at).unwrap_or(&first);
    let lanes: [[(State, &[Block]); 4]; G] =
        core::array::from_fn(|group| core::array::from_fn(|at| of(group * 4 + at)));
    let mut state = [Fours([u32x4::ZERO; G]); 4];
    for (group, [a, b, c, d]) in lanes.iter().enumerate() {
        let words = u32x4::transpose([u32x4::new(a.0), u32x4::new(b.0), u32x4::new(c.0), u32x4::new(d.0)]);
        for (word, state) in words.into_iter().zip(&mut state) {
            state.0[group] = word;
        }
    }
    for at in 0..count {
        let mut words = [Fours([u32x4::ZERO; G]); 16];
        for (group, [a, b, c, d]) in lanes.iter().enumerate() {
            let block = |lane: &(State, &'c [Block])| lane.1.get(at).unwrap_or(&NOTHING);
            let (a, b, c, d) = (block(a), block(b), block(c), block(d));
            for four in 0..4 {
                let rows = [words_of(a, four), words_of(b, four), words_of(c, four), words_of(d, four)];
                for (word, column) in u32x4::transpose(rows).into_iter().enumerate() {
                    words[four * 4 + word].0[group] = column;
                }
            }
        }
        hash_block(&mut state, &words);
    }
    let [a, b, c, d] = state;
    for (group, contents) in contents.chunks_mut(4).enumerate().take(G) {
        let states = u32x4::transpose([a.0[group], b.0[group], c.0[group], d.0[group]]);
        for ((state, _), new) in contents.iter_mut().zip(states) {
            *state = new.to_array();
        }
    }
}

/// Four words of a block.
#[inline(always)]
fn words_of(block: &Block, four: usize) -> u32x4 {
    let word = |at: usize| u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    let at = four * 16;
    u32x4::new([word(at), word(at + 4), word(at + 8), word(at + 12)])
}

/// The 64 steps of a block.
#[inline(always)]
fn hash_block<const G: usize>(state: &mut [Fours<G>; 4], words: &[Fours<G>; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    // Sixteen steps, whose words are `$first`, `$first + $apart` and so on, turned by four numbers in turns.
    macro_rules! round {
        ($mix:expr, $from:literal, $first:literal, $apart:literal, $($turn:literal)+) => {
            let mut step = 0;
            while step < 16 {
                $(
                    let word = words[($first + $apart * step) % 16].add(Fours::splat(SINES[$from + step]));
                    let sum = a.add(word).add($mix(b, c, d));
                    (a, d, c, b) = (d, c, b, b.add(sum.turn($turn)));
                    step += 1;
                )+
            }
        };
    }
    type F<const G: usize> = Fours<G>;
    round!(|b: F<G>, c: F<G>, d: F<G>| d.xor(b.and(c.xor(d))), 0, 0, 1, 7 12 17 22);
    round!(|b: F<G>, c: F<G>, d: F<G>| c.xor(d.and(b.xor(c))), 16, 1, 5, 5 9 14 20);
    round!(|b: F<G>, c: F<G>, d: F<G>| b.xor(c.xor(d)), 32, 5, 3, 4 11 16 23);
    round!(|b: F<G>, c: F<G>, d: F<G>| c.xor(b.or(d.xor(Fours::splat(!0)))), 48, 0, 7, 6 10 15 21);
    for (old, new) in state.iter_mut().zip([a, b, c, d]) {
        *old = old.add(new);
    }
}

/// The same word of `G` times four contents.
#[derive(Clone, Copy)]
struct Fours<const G: usize>([u32x4; G]);

impl<const G: usize> Fours<G> {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        Fours([u32x4::splat(word); G])
    }

    #[inline(always)]
    fn zip(mut self, other: Self, make: impl Fn(u32x4, u32x4) -> u32x4) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = make(*own, other);
        }
        self
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |own, other| own + other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |own, other| own & other)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |own, other| own | other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |own, other| own ^ other)
    }

    #[inline(always)]
    fn turn(self, bits: u32) -> Self {
        self.zip(self, |own, _| own << bits | own >> (32 - bits))
    }
}
