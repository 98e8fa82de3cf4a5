//! The header block of a tar member.

use alloc::vec::Vec;

/// Size of a block in bytes; everything is padded to a multiple of it.
pub const BLOCK: u64 = 512;

/// Whether a block is the header of a member: old writers use no magic.
pub fn is_header(block: &[u8]) -> bool {
    block.len() >= BLOCK as usize && block.first().is_some_and(u8::is_ascii_graphic) && {
        let block = block.get(..BLOCK as usize).unwrap_or_default();
        checksum_fits(block)
    }
}

/// The bytes of a field if the block is long enough; otherwise none.
pub fn field(block: &[u8], at: usize, len: usize) -> &[u8] {
    block.get(at..at + len).unwrap_or_default()
}

/// A number in octal digits or, if the top bit is set, in base 256.
pub fn number(field: &[u8]) -> Option<u64> {
    if let Some((first, rest)) = field.split_first()
        && first & 0x80 != 0
    {
        let top = u64::from(first & 0x7f);
        return rest.iter().try_fold(top, |n, &b| n.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits: Vec<u8> = field.iter().copied().filter(|b| !matches!(b, b' ' | 0)).collect();
    digits.iter().try_fold(0u64, |n, &b| {
        let digit = b.checked_sub(b'0').filter(|d| *d < 8)?;
        n.checked_mul(8)?.checked_add(u64::from(digit))
    })
}

/// Compares the sum of all bytes, with the checksum's eight taken as spaces; old writers added signed bytes.
pub fn checksum_fits(block: &[u8]) -> bool {
    let Some(stored) = number(field(block, 148, 8)) else { return false };
    let bytes = || block.iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { b' ' } else { b });
    let unsigned: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|b| i64::from(b.cast_signed())).sum();
    stored == unsigned || i64::try_from(stored) == Ok(signed)
}
