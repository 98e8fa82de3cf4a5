//! Wrappers, `__CudaFatBinaryWrapper` in `.hipFatBinSegment`, which a program registers with the HIP runtime.
//! Each has 24 bytes: magic, version 1, pointer to a bundle, reserved.
#![deny(clippy::indexing_slicing)]

use super::Bundle;
use crate::bytes::le::LeBytes;
use crate::bytes::order::sort_by_place;
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Size of a wrapper in bytes.
const SIZE: usize = 24;

answer! {
    /// The wrappers in `.hipFatBinSegment`, which the program passes to the HIP runtime.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Wrappers {
        /// Number of wrappers.
        copy count: u64,
        /// Number of wrappers by magic: `HIPF` for a bundle, `HIPK` for a kpack reference, hexadecimal for
        /// others.
        part magics: BTreeMap<String, u64>,
        /// Number of different addresses they point at.
        copy distinct: u64,
        /// Virtual addresses pointed at that are not the beginning of a bundle.
        list dangling: u64,
        /// Bundles in device sections that no wrapper points at, as file offsets.
        list unreferenced: u64,
    }
}

impl Wrappers {
    /// Reads the wrappers in `bytes`, the content of their section at the virtual address `address`, and
    /// compares them with the bundles found. `relocated` has pointers by the address of their field, if the
    /// file's bytes lack them; `file_offset` translates a virtual address.
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
            // A HIPK wrapper points at the kpack marker, not at a bundle.
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
        let mut starts: Vec<u64> = bundles.iter().map(|b| b.offset).collect();
        sort_by_place(&mut starts, |at| (*at, 0));
        starts.dedup();
        let mut pointed = BTreeSet::new();
        for place in places {
            match file_offset(place).filter(|at| starts.binary_search(at).is_ok()) {
                Some(at) => drop(pointed.insert(at)),
                None => result.dangling.push(place),
            }
        }
        starts.retain(|at| !pointed.contains(at));
        result.unreferenced = starts;
        result
    }
}
