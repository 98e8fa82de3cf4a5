//! What was kept of an inflated entry: its beginning and, if it was read that far, its end.

use object::ReadRef;

/// The kept parts of `size` bytes. Reading outside of them is an error, never a wrong byte.
#[derive(Debug, Default)]
pub struct Window {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes, contiguous, ending at `size`; empty where the end was not read.
    pub tail: Vec<u8>,
    /// Size of the whole in bytes.
    pub size: u64,
}

impl Window {
    /// The bytes of a range, if they were kept.
    pub fn get(&self, offset: u64, size: u64) -> Option<&[u8]> {
        let end = offset.checked_add(size)?;
        if end <= self.head.len() as u64 {
            return self.head.get(offset as usize..end as usize);
        }
        let tail_start = self.size.checked_sub(self.tail.len() as u64)?;
        let start = offset.checked_sub(tail_start)?;
        self.tail.get(start as usize..usize::try_from(end - tail_start).ok()?)
    }
}

impl<'a> ReadRef<'a> for &'a Window {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.get(offset, size).ok_or(())
    }

    fn read_bytes_at_until(self, range: std::ops::Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let bytes = self.get(range.start, size).ok_or(())?;
        let end = memchr::memchr(delimiter, bytes).ok_or(())?;
        bytes.get(..end).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_kept_is_read() {
        let window = Window { head: vec![1, 2, 3], tail: vec![8, 9], size: 9 };
        assert_eq!(window.get(0, 3), Some([1, 2, 3].as_slice()));
        assert_eq!(window.get(7, 2), Some([8, 9].as_slice()));
        assert_eq!(window.get(2, 2), None);
        assert_eq!(window.get(6, 2), None);
        assert_eq!(window.get(8, 2), None);
        assert_eq!(window.get(u64::MAX, 2), None);
    }
}
