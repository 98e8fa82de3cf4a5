//! Checks that the fixed fields of an ELF header agree: a file with another class, byte order or machine
//! contains no HIP code, and a damaged header looks like one.

use crate::bytes::le::LeBytes;
use crate::format::EM_AMDGPU;

/// OS ABIs of AMD GPUs: HSA, PAL, Mesa.
const AMDGPU_ABIS: core::ops::RangeInclusive<u8> = 64..=66;

/// Machine number of NVIDIA's GPUs.
const EM_CUDA: u16 = 190;

/// A value that no ELF file has in its header: the offset of the field, and a sentence. `bytes` begin with
/// ELF's magic.
pub fn fault(bytes: &[u8]) -> Option<(u64, &'static str)> {
    const CUT: (u64, &str) = (0, "the ELF file ends before its header does");
    let Some(&[class, order, version, abi]) = bytes.get(4..8).and_then(<[u8]>::first_chunk) else {
        return Some(CUT);
    };
    if !(1..=2).contains(&class) || !(1..=2).contains(&order) || version != 1 {
        return Some((4, "the class, byte order or version of the ELF file is none that exists"));
    }
    let wide = class == 2;
    if bytes.len() < if wide { 64 } else { 52 } {
        return Some(CUT);
    }
    let half = |at: usize| {
        let field = LeBytes(bytes).u16(at);
        if order == 2 { field.swap_bytes() } else { field }
    };
    // Cubins have CUDA's own OS ABIs and versions.
    if half(18) == EM_CUDA {
        return None;
    }
    let word = |at: usize| {
        let field = LeBytes(bytes).u32(at);
        if order == 2 { field.swap_bytes() } else { field }
    };
    if word(20) != 1 {
        return Some((20, "the version in the ELF header is not 1"));
    }
    let (size_at, size) = if wide { (52, 64) } else { (40, 52) };
    if half(size_at) != size {
        return Some((size_at as u64, "the size of the ELF header is not what its class says"));
    }
    if wide && AMDGPU_ABIS.contains(&abi) && half(18) != EM_AMDGPU {
        return Some((18, "the ELF file has an OS ABI of AMD GPUs and another machine"));
    }
    if wide && LeBytes(bytes).u64(40) == 0 && half(60) != 0 {
        return Some((40, "the ELF header counts section headers and says not where they are"));
    }
    None
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn header(class: u8, order: u8) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order, 1]);
        let number = |value: u16| if order == 1 { value.to_le_bytes() } else { value.to_be_bytes() };
        let (size_at, size) = if class == 2 { (52, 64) } else { (40, 52) };
        bytes[size_at..size_at + 2].copy_from_slice(&number(size));
        bytes[if order == 1 { 20 } else { 23 }] = 1;
        bytes
    }

    #[test]
    fn each_class_and_order_is_sound_and_a_changed_field_is_not() {
        for (class, order) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            let sound = header(class, order);
            assert_eq!(fault(&sound), None, "{class} {order}");
            for (at, value) in [(4, 0), (4, 3 - class), (5, 3), (6, 0), (20, 9)] {
                let mut bytes = sound.clone();
                bytes[at] = value;
                assert!(fault(&bytes).is_some(), "{class} {order}: {at}");
            }
        }
        // The header of a cubin: version 8, and CUDA's OS ABI.
        let mut cubin = header(2, 1);
        (cubin[7], cubin[18], cubin[20]) = (0x41, 190, 8);
        assert_eq!(fault(&cubin), None);
        let mut bytes = header(2, 1);
        bytes[7] = 64;
        assert_eq!(fault(&bytes).map(|(at, _)| at), Some(18));
        bytes[18] = 224;
        assert_eq!(fault(&bytes), None);
        bytes[60] = 3;
        assert_eq!(fault(&bytes).map(|(at, _)| at), Some(40));
        assert!(fault(&bytes[..40]).is_some() && fault(&bytes[..4]).is_some());
    }
}
