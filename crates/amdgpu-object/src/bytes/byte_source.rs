//! Bytes that readers access by range: a whole file, or the part of it that was kept.

use object::ReadRef;

/// Bytes accessed by position. A slice is one implementation; another is a partly kept larger object, which
/// has a size but not every range.
pub trait ByteSource<'d>: Copy {
    /// Size of the whole in bytes, including parts that were not kept.
    fn size(self) -> u64;

    /// The bytes of a range, if they are available.
    fn range(self, offset: u64, size: u64) -> Option<&'d [u8]>;
}

impl<'d> ByteSource<'d> for &'d [u8] {
    fn size(self) -> u64 {
        self.len() as u64
    }

    fn range(self, offset: u64, size: u64) -> Option<&'d [u8]> {
        super::le::range(self, offset, size)
    }
}

/// The same for the `object` crate. Its types appear in no public signature, so its major versions are
/// independent of ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct AsReadRef<R>(pub(super) R);

impl<'d, R: ByteSource<'d>> ReadRef<'d> for AsReadRef<R> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.0.size())
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'d [u8], ()> {
        self.0.range(offset, size).ok_or(())
    }

    fn read_bytes_at_until(self, range: core::ops::Range<u64>, delimiter: u8) -> Result<&'d [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let bytes = self.0.range(range.start, size).ok_or(())?;
        bytes.get(..memchr::memchr(delimiter, bytes).ok_or(())?).ok_or(())
    }
}
