//! Arrays of texts in a host file whose pointers the loader relocates: `const std::string_view kSupported[] =
//! {"gfx908", ...}`.

use crate::bytes::elf::{Elf, Segment};
use crate::bytes::le::{self, LeBytes};
use alloc::vec;
use alloc::vec::Vec;

/// `R_X86_64_RELATIVE`: the loader adds its base to the address.
const RELATIVE: u64 = 8;

/// Type of loaded program headers.
const LOADED: u32 = 1;

/// Size of a pointer, and of a pointer with a length.
const STEPS: [u64; 2] = [8, 16];

/// Longest text in bytes.
const TEXT_BYTES: u64 = 256;

/// The arrays in an x86-64 host file in which every text is wanted, in the order of addresses. Calls `wanted`
/// for each text that a relocated pointer leads to, with the length next to the pointer, or up to its NUL.
/// Empty for other files.
pub fn text_arrays<T>(bytes: &[u8], wanted: impl Fn(&str) -> Option<T>) -> Vec<Vec<T>> {
    let Ok(elf) = Elf::open(bytes, 0) else { return Vec::new() };
    let (Ok(sections), Ok(segments)) = (elf.sections(), elf.segments()) else { return Vec::new() };
    let place = AddressMap(segments.into_iter().filter(|segment| segment.kind == LOADED).collect());
    let Some(relocations) = sections.iter().find(|section| section.name == b".rela.dyn") else {
        return Vec::new();
    };
    let relocations = elf.section_bytes(relocations).unwrap_or_default().chunks_exact(24).map(LeBytes);
    let mut texts: Vec<(u64, T)> = relocations
        .filter(|one| one.u64(8) == RELATIVE)
        .filter_map(|one| Some((one.u64(0), text(bytes, &place, one.u64(0), one.u64(16), &wanted)?)))
        .collect();
    texts.sort_by_key(|(slot, _)| *slot);
    let mut arrays: Vec<Vec<T>> = Vec::new();
    let (mut last, mut step) = (None, None);
    for (slot, text) in texts {
        let from_last = last.map(|last| slot - last).filter(|way| STEPS.contains(way));
        // The distance to the second text shows the step.
        match arrays.last_mut() {
            Some(array) if from_last.is_some() && (array.len() == 1 || from_last == step) => {
                array.push(text);
                step = from_last;
            }
            _ => {
                arrays.push(vec![text]);
                step = None;
            }
        }
        last = Some(slot);
    }
    arrays
}

/// Maps addresses to file offsets.
struct AddressMap(Vec<Segment>);

impl AddressMap {
    fn file_offset(&self, address: u64) -> Option<u64> {
        let holds = |segment: &&Segment| {
            address.checked_sub(segment.address).is_some_and(|within| within < segment.size)
        };
        let segment = self.0.iter().find(holds)?;
        segment.offset.checked_add(address - segment.address)
    }
}

/// The wanted text that the pointer at `slot` leads to.
fn text<T>(
    bytes: &[u8],
    place: &AddressMap,
    slot: u64,
    address: u64,
    wanted: &impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let at = place.file_offset(address)?;
    let near = le::clamped(bytes, at, TEXT_BYTES);
    let of_length = |length: usize| core::str::from_utf8(near.get(..length)?).ok().and_then(wanted);
    let number = |at: Option<u64>| {
        let bytes = le::range(bytes, at?, 8)?;
        usize::try_from(LeBytes(bytes).get_u64(0)?).ok()
    };
    // libc++ and Abseil store the length after the pointer, libstdc++ before it.
    let slot = place.file_offset(slot)?;
    let behind = number(slot.checked_add(8));
    let before = number(slot.checked_sub(8));
    let zero = near.iter().position(|byte| *byte == 0);
    [behind, before, zero].into_iter().flatten().find_map(of_length)
}
