//! Little-endian numbers by offset, and ranges of bytes, both in two forms: one rejects what reaches beyond
//! the bytes, the other clamps it.
#![deny(clippy::indexing_slicing)]

/// The bytes of a record.
#[derive(Debug, Clone, Copy)]
pub struct LeBytes<'a>(pub &'a [u8]);

impl LeBytes<'_> {
    /// The number at an offset; 0 if it reaches beyond the bytes, so callers must check that the record is
    /// complete.
    #[inline]
    pub fn u16(self, at: usize) -> u16 {
        self.get_u16(at).unwrap_or(0)
    }

    /// As [`LeBytes::u16`].
    #[inline]
    pub fn u32(self, at: usize) -> u32 {
        self.get_u32(at).unwrap_or(0)
    }

    /// As [`LeBytes::u16`].
    #[inline]
    pub fn u64(self, at: usize) -> u64 {
        self.get_u64(at).unwrap_or(0)
    }

    /// The number at an offset; `None` if it reaches beyond the bytes.
    #[inline]
    pub fn get_u16(self, at: usize) -> Option<u16> {
        self.0.get(at..)?.first_chunk().map(|b| u16::from_le_bytes(*b))
    }

    /// As [`LeBytes::get_u16`].
    #[inline]
    pub fn get_u32(self, at: usize) -> Option<u32> {
        self.0.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
    }

    /// As [`LeBytes::get_u16`].
    #[inline]
    pub fn get_u64(self, at: usize) -> Option<u64> {
        self.0.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
    }
}

/// `size` bytes at `offset`; `None` if some of them are missing.
#[inline]
pub fn range(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

/// Up to `size` bytes at `offset`, as many as exist.
#[inline]
pub fn clamped(bytes: &[u8], offset: u64, size: u64) -> &[u8] {
    let end_of = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(end_of(offset)..end_of(offset.saturating_add(size))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_bytes_one_form_refuses_and_the_other_clamps() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let le = LeBytes(&bytes);
        assert_eq!((le.u16(7), le.u16(8), le.get_u16(8), le.get_u16(usize::MAX)), (0x0908, 0, None, None));
        assert_eq!((le.u32(0), le.get_u32(5), le.get_u32(6)), (0x0403_0201, Some(0x0908_0706), None));
        assert_eq!((le.u64(1), le.get_u64(2)), (0x0908_0706_0504_0302, None));
        assert_eq!((range(&bytes, 7, 2), range(&bytes, 7, 3)), (Some([8, 9].as_slice()), None));
        assert_eq!((range(&bytes, u64::MAX, 2), range(&bytes, 2, u64::MAX)), (None, None));
        assert_eq!((clamped(&bytes, 7, 3), clamped(&bytes, 20, 3)), ([8, 9].as_slice(), [].as_slice()));
        assert_eq!(clamped(&bytes, 8, u64::MAX), [9]);
    }
}
