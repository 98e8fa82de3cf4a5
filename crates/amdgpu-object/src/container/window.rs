//! The kept parts of an inflated entry: its beginning and, if it was read that far, its end.

use crate::bytes::ByteSource;
use alloc::vec::Vec;

/// The kept parts of `size` bytes. Reading outside of them is an error, never a wrong byte.
#[derive(Debug, Default)]
pub struct Window {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes, contiguous, ending at `size`; empty if the end was not read.
    pub tail: Vec<u8>,
    /// Total size in bytes.
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

impl<'a> ByteSource<'a> for &'a Window {
    fn size(self) -> u64 {
        self.size
    }

    fn range(self, offset: u64, size: u64) -> Option<&'a [u8]> {
        self.get(offset, size)
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

    /// In a code object with many symbols, the section names lie between the kept parts; this is not damage.
    #[test]
    fn names_that_were_not_kept_are_no_damage() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/rocm/lib/codeobject/v4_gfx906.hsaco");
        let Ok(whole) = std::fs::read(path) else { return };
        let number = |at: usize, len: usize| {
            whole[at..at + len].iter().rev().fold(0usize, |number, byte| number << 8 | usize::from(*byte))
        };
        let (headers, names) = (number(0x28, 8), number(0x3e, 2));
        let header = headers + 64 * names;
        let (offset, size) = (number(header + 24, 8), number(header + 32, 8));
        let problems = |whole: &[u8], end: usize, begin: usize| {
            let window = Window {
                head: whole[..end].to_vec(),
                tail: whole[begin..].to_vec(),
                size: whole.len() as u64,
            };
            let elf = crate::bytes::elf::Elf::open(&window, 0).unwrap();
            crate::bytes::section_headers::problems(&elf.sections().unwrap(), 0).count()
        };
        assert_eq!(problems(&whole, offset, headers), 0, "the names are between head and tail");
        let mut erased = whole.clone();
        erased[offset..offset + size].fill(0);
        assert_eq!(problems(&erased, whole.len(), whole.len()), 1, "the names were written over");
    }
}
