//! Random instruction words, most of them near to what is an instruction.

use super::reference::Family;
use amdgpu_samples::Random;

/// Values of source fields that stand for other encodings or for literals: SDWA, DPP8, DPP, literals of one
/// and two dwords.
const MARKERS: [u128; 7] = [0xf9, 0xfa, 0xe9, 0xea, 0xff, 0xfe, 0x1ff];

/// Where source fields stand, in all encodings: bit and width.
const SOURCES: [(u32, u32); 8] = [(0, 9), (0, 8), (8, 8), (32, 9), (41, 9), (50, 9), (32, 8), (41, 8)];

/// Endless random words of a family, each of up to 20 bytes.
#[derive(Debug)]
pub struct RandomWords<'f> {
    family: &'f Family,
    random: Random,
}

impl<'f> RandomWords<'f> {
    /// The same words for the same seed.
    pub fn new(family: &'f Family, seed: u64) -> Self {
        RandomWords { family, random: Random::new(seed) }
    }

    fn random(&mut self) -> u64 {
        self.random.number()
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.random()) << 64 | u128::from(self.random())
    }

    /// Operands: of all values, of few bits, registers of small numbers, or none.
    fn operands(&mut self) -> u128 {
        match self.below(8) {
            0..4 => self.wide(),
            4 => self.wide() & self.wide() & self.wide(),
            5 => self.wide() & self.wide() & 0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f,
            6 => self.wide() & 0xff << self.below(121),
            _ => 0,
        }
    }
}

impl Iterator for RandomWords<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut word = self.operands();
        if self.below(4) == 0 {
            word = self.wide();
        } else if let Some(rule) = self.family.rules.get(self.below(self.family.rules.len())) {
            word = word & !rule.mask | rule.value;
            if self.below(16) == 0 {
                // A neighbour of an encoding: one of its bits is wrong.
                word ^= 1 << self.below(rule.bits as usize);
            }
        }
        for _ in 0..[0, 0, 0, 1, 1, 2, 3][self.below(7)] {
            let (bit, width) = SOURCES[self.below(SOURCES.len())];
            let field = ((1 << width) - 1) << bit;
            word = word & !field | MARKERS[self.below(MARKERS.len())] << bit & field;
        }
        let mut bytes = word.to_le_bytes().to_vec();
        bytes.extend((self.random() as u32).to_le_bytes());
        if self.below(4) == 0 {
            bytes.truncate(4 * (1 + self.below(5)));
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{TABLES, reference};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn words_come_back_with_their_seed_and_have_all_lengths() {
        let families = reference::read(Path::new(TABLES)).unwrap();
        let some = |seed| RandomWords::new(&families[6], seed).take(1000).collect::<Vec<_>>();
        assert_eq!(some(1), some(1));
        assert_ne!(some(1), some(2));
        let lengths: BTreeSet<usize> = some(3).iter().map(Vec::len).collect();
        assert_eq!(lengths, BTreeSet::from([4, 8, 12, 16, 20]));
        let legal = some(4).iter().filter(|bytes| families[6].decode(bytes, true).is_some()).count();
        assert!(legal > 200, "{legal} of 1000 are instructions");
    }
}
