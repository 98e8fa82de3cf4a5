//! Kernels by the digests of their names.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// A set of kernels.
pub type Kernels = HashSet<KernelId, BuildHasherDefault<Folded>>;

/// Digests are as good as their own hash.
#[derive(Debug, Default)]
pub struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u128(&mut self, digest: u128) {
        self.0 = digest as u64;
    }
}

/// The digest of a kernel's name, which modules are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(u128);

impl KernelId {
    /// Those of this kernel.
    pub fn from_name(name: &[u8]) -> Self {
        KernelId(xxh3_128(name))
    }
}
