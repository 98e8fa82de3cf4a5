//! A quick hash with a seed of its own for each kernel, so that no file can be made whose states all meet.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes [`SeededHasher`]s with one seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Seeded(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    fn build_hasher(&self) -> SeededHasher {
        SeededHasher { state: self.0, seed: self.0 | 1 }
    }
}

/// Folds numbers into one by products of twice their size.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeededHasher {
    state: u64,
    seed: u64,
}

impl SeededHasher {
    #[inline]
    fn fold(&mut self, number: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.state ^ number) * u128::from(self.seed ^ ODD);
        self.state = product as u64 ^ (product >> 64) as u64 ^ number.rotate_left(23);
    }
}

impl Hasher for SeededHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..eight.len()].copy_from_slice(eight);
            self.fold(u64::from_le_bytes(number));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.fold(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.fold(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.fold(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.fold(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.fold(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.fold(number as u64);
    }
}
