//! The symbol index of an `ar` archive: for each symbol, where the header of the member is that defines it. It
//! shows which members an archive had when it was written.
//!
//! Sources: binutils' `bfd/archive.c`, Microsoft's specification of PE, LLVM's `Object/Archive.cpp`.
#![deny(clippy::indexing_slicing)]

/// An index: its numbers are of one size and byte order.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArIndex<'d> {
    /// The numbers in which the offsets are.
    rows: &'d [u8],
    /// Size of a number in bytes.
    width: usize,
    /// Numbers of a row; the last is the offset.
    numbers: usize,
    /// Whether the most significant byte is first.
    big_endian: bool,
}

impl<'d> ArIndex<'d> {
    /// Reads the index from a member of this name; `None` for other members, and where its count is beyond its
    /// size.
    pub fn from_member(name: &[u8], content: &'d [u8]) -> Option<Self> {
        let (width, numbers, big_endian) = match name {
            // GNU, and the first of COFF's two: a count, and as many offsets.
            b"/" => (4, 1, true),
            b"/SYM64/" => (8, 1, true),
            // BSD: the size of the pairs that follow in bytes; each is a name and an offset.
            b"__.SYMDEF_64" | b"__.SYMDEF_64 SORTED" => (8, 2, false),
            b"__.SYMDEF" | b"__.SYMDEF SORTED" => (4, 2, false),
            _ => return None,
        };
        let (count, rows) = content.split_at_checked(width)?;
        let count = usize::try_from(number(count, big_endian)).ok()?;
        let size = if big_endian { count.checked_mul(width)? } else { count };
        Some(ArIndex { rows: rows.get(..size)?, width, numbers, big_endian })
    }

    /// Offsets of members' headers in the archive, in the order of the symbols.
    pub fn offsets(self) -> impl Iterator<Item = u64> + 'd {
        let rows = self.rows.chunks_exact(self.width * self.numbers);
        rows.map(move |row| {
            number(row.get(self.width * (self.numbers - 1)..).unwrap_or_default(), self.big_endian)
        })
    }
}

/// A number of at most eight bytes.
fn number(bytes: &[u8], big_endian: bool) -> u64 {
    let add = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    if big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_all_forms_are_read() {
        let offsets = |name: &[u8], content: &[u8]| -> Option<Vec<u64>> {
            Some(ArIndex::from_member(name, content)?.offsets().collect())
        };
        assert_eq!(offsets(b"/", b"\0\0\0\x02\0\0\0\x44\0\x01\0\0ab\0"), Some(vec![0x44, 0x10000]));
        assert_eq!(offsets(b"/SYM64/", b"\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x58a\0"), Some(vec![0x58]));
        let pairs = b"\x10\0\0\0\0\0\0\0\x44\0\0\0\x02\0\0\0\x80\0\0\0\x04\0\0\0a\0b\0";
        assert_eq!(offsets(b"__.SYMDEF SORTED", pairs), Some(vec![0x44, 0x80]));
        // A count beyond the member, no count, and a member that is none.
        assert_eq!(offsets(b"/", b"\xff\xff\xff\xff\0\0\0\x44"), None);
        assert_eq!(offsets(b"/", b""), None);
        assert_eq!(offsets(b"a.o", b"\0\0\0\0"), None);
    }
}
