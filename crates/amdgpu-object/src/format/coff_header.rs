//! Recognises a COFF object, which has no magic.

use crate::bytes::le::LeBytes;

/// Machines that ROCm supports as hosts.
const MACHINES: [u16; 2] = [0x8664, 0xaa64];

/// Whether bytes begin like a COFF object: since there is no magic, a known machine, no optional header, and
/// a first section with a printable name.
pub fn is_object(head: &[u8]) -> bool {
    if is_big_object(head) {
        return true;
    }
    let fields = LeBytes(head);
    let name = head.get(20..28).unwrap_or_default().split(|&b| b == 0).next().unwrap_or_default();
    MACHINES.contains(&fields.u16(0))
        && fields.u16(2) > 0
        && fields.u16(16) == 0
        && !name.is_empty()
        && name.iter().all(u8::is_ascii_graphic)
}

/// Whether this is the header that `/bigobj` writes for objects with more than 65,279 sections: an anonymous
/// object of version 2.
pub(crate) fn is_big_object(head: &[u8]) -> bool {
    head.starts_with(&[0, 0, 0xff, 0xff, 2, 0]) && head.get(12..28) == Some(&CLASS)
}

/// Whether this is such a header in which bits were changed: chance gives no other class most of these bytes.
pub(super) fn is_damaged_big_object(head: &[u8]) -> bool {
    const MOST: usize = 12;
    let class = head.get(12..28).unwrap_or_default();
    let same = class.iter().zip(CLASS).filter(|(is, was)| **is == *was).count();
    !is_big_object(head) && same >= MOST
}

/// The class of objects that `/bigobj` writes, {D1BAA1C7-BAEE-4BA9-AF20-FAF66AA4DCB8}.
const CLASS: [u8; 16] =
    [0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8];
