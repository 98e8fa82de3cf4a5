//! Wrappers, `__CudaFatBinaryWrapper` in `.hipFatBinSegment`: what a program registers with the HIP runtime. Each is 24
//! bytes: magic, version 1, pointer to a bundle, reserved.
#![deny(clippy::indexing_slicing)]

use super::Bundle;
use crate::bytes::le::LeBytes;
use std::collections::{BTreeMap, BTreeSet};

/// Size of a wrapper in bytes.
const SIZE: usize = 24;

answer! {
    /// The wrappers of `.hipFatBinSegment`: what the program hands to the HIP runtime.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Wrappers {
        /// Number of wrappers.
        copy count: u64,
        /// How many carry each magic: `HIPF` for a bundle, `HIPK` for a kpack reference, hexadecimal for others.
        part magics: BTreeMap<String, u64>,
        /// How many different places they point at.
        copy distinct: u64,
        /// Places pointed at where no bundle begins, as virtual addresses.
        list dangling: u64,
        /// Bundles of the device sections that no wrapper points at, as file offsets.
        list unreferenced: u64,
    }
}

impl Wrappers {
    /// Reads the wrappers in `bytes`, the content of their section at the virtual address `address`, and holds them
    /// against the bundles that were found. `relocated` are pointers by the address of their field, where the bytes
    /// in the file do not have them; `file_offset` translates a virtual address.
    pub(super) fn read(
        bytes: &[u8],
        address: u64,
        relocated: &BTreeMap<u64, u64>,
        bundles: &[Bundle],
        file_offset: impl Fn(u64) -> Option<u64>,
    ) -> Self {
        let mut result = Wrappers::default();
        let mut places = BTreeSet::new();
        for (index, wrapper) in bytes.chunks_exact(SIZE).enumerate() {
            result.count += 1;
            let magic = match wrapper {
                [b'F', b'P', b'I', b'H', ..] => "HIPF".to_owned(),
                [b'H', b'I', b'P', b'K', ..] => "HIPK".to_owned(),
                other => format!("{:#010x}", LeBytes(other).u32(0)),
            };
            // What a HIPK wrapper points at is the marker of kpack, no bundle.
            let bundle = magic != "HIPK";
            *result.magics.entry(magic).or_default() += 1;
            if !bundle {
                continue;
            }
            let field = address.wrapping_add((SIZE * index) as u64 + 8);
            let stored = LeBytes(wrapper).get_u64(8);
            places.extend(relocated.get(&field).copied().or(stored));
        }
        result.distinct = places.len() as u64;
        let starts: BTreeSet<u64> = bundles.iter().map(|b| b.offset).collect();
        let mut pointed = BTreeSet::new();
        for place in places {
            match file_offset(place).filter(|at| starts.contains(at)) {
                Some(at) => drop(pointed.insert(at)),
                None => result.dangling.push(place),
            }
        }
        result.unreferenced = starts.difference(&pointed).copied().collect();
        result
    }
}
