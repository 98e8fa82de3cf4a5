//! Offload bundles, `__CLANG_OFFLOAD_BUNDLE__`: a header table with the position of each target's code
//! object.
//!
//! Magic (24 bytes), number of entries (u64), then for each entry its offset from the magic, size, length of
//! the id (u64 each) and the id; bodies follow anywhere. Alignment is an option of the writer: none is
//! required here. Source: clang's ClangOffloadBundler documentation and llvm/Object/OffloadBundle.h.
#![deny(clippy::indexing_slicing)]

use super::entry_id::EntryId;
use super::found::FoundContainer;
use super::{Bundle, BundleForm, Storage, StorageKind};
use crate::bytes::le::clamped;
use crate::bytes::order::sort_by_place;
use crate::bytes::zeros::leading_zeros;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::format::Format;
use crate::limits::{BUNDLE_ENTRIES, BUNDLE_ID_BYTES};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use crate::format::OFFLOAD_BUNDLE_MAGIC as MAGIC;

/// How bundles are found and read.
pub(super) static FORM: BundleForm = BundleForm {
    format: Format::OffloadBundle,
    magic: MAGIC,
    is_plausible: |_| true,
    read: |bytes, base, _| {
        let header = read_whole_header(bytes, base)?;
        let unowned = header.unowned(bytes, base);
        let mut found = FoundContainer::one(Bundle {
            span: header.end(),
            storage: Storage::uncompressed(StorageKind::Plain),
            header_size: header.size,
            entries: header.entries,
            ..Bundle::bare(base)
        });
        found.problems.extend(unowned);
        Ok(found)
    },
    in_images: true,
};

/// Bytes between two bodies that are looked at: zeros up to a page, and what begins there. Many headers may
/// have the same zeros between their bodies.
const GAP_BYTES: u64 = 2 * 4096;

answer! {
    /// One entry of a bundle.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Entry {
        /// Its id; `None` for a code object outside of bundles.
        maybe id: EntryId,
        /// Offset in bytes from the bundle's magic.
        copy offset: u64,
        /// Size in bytes.
        copy size: u64,
    }
}

answer! {
    /// The header table of a bundle.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Header {
        /// The entries in file order.
        list entries: Entry,
        /// Size of magic and table in bytes.
        copy size: u64,
    }
}

impl Header {
    /// End of the last body, in bytes from the magic.
    pub fn end(&self) -> u64 {
        self.entries.iter().map(|e| e.offset.saturating_add(e.size)).fold(self.size, u64::max)
    }

    /// The error for content between the bodies, which writers separate by zeros alone: the place or size of
    /// an entry was overwritten, most often by zeros. `bytes` begin with the magic, at the absolute offset
    /// `base`. What is shorter than the bodies are aligned to is not looked at: a list of entries would read
    /// a page for each of them.
    fn unowned(&self, bytes: &[u8], base: u64) -> Option<ParseError> {
        let mut bodies: Vec<&Entry> = self.entries.iter().filter(|entry| entry.size > 0).collect();
        sort_by_place(&mut bodies, |entry| (entry.offset, entry.size));
        let places = self.entries.iter().fold(0, |places, entry| places | entry.offset);
        let alignment = 1 << places.trailing_zeros().min(12);
        let mut read_to = self.size;
        for body in bodies {
            let gap = body.offset.saturating_sub(read_to);
            let looked_at = if gap < alignment { 0 } else { gap.min(GAP_BYTES) };
            let begin = clamped(bytes, read_to, looked_at);
            let zeros = leading_zeros(begin);
            if zeros < begin.len() {
                let what = format!(
                    "{} bytes of the bundle belong to none of its entries and are not zero: the size or place \
                     of an entry was overwritten",
                    gap - zeros as u64
                );
                let at = base.saturating_add(read_to).saturating_add(zeros as u64);
                return Some(ParseError::new(at, what));
            }
            read_to = read_to.max(body.offset.saturating_add(body.size));
        }
        None
    }
}

/// Why a header was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum UnreadHeader {
    /// The given bytes end inside the table; more bytes may make it readable.
    Short,
    /// The table is malformed.
    Malformed(ParseError),
}

/// Reads the header table of the bundle at the beginning of `bytes`.
///
/// `base` is the absolute offset of the magic, `extent` the number of bytes from the magic that the bundle
/// may span.
///
/// # Errors
///
/// [`UnreadHeader::Short`] if `bytes` end inside the table, [`UnreadHeader::Malformed`] if a length or a body reaches
/// beyond its limit.
pub fn read_header(bytes: &[u8], base: u64, extent: u64) -> Result<Header, UnreadHeader> {
    let bad = |offset: u64, what: String| UnreadHeader::Malformed(ParseError::new(base + offset, what));
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or(if bytes.len() < MAGIC.len() {
        UnreadHeader::Short
    } else {
        bad(0, "expected the magic of an offload bundle".into())
    })?;
    let mut cursor = Cursor { rest, at: MAGIC.len() as u64 };
    let count = cursor.u64()?;
    if count == 0 || count > BUNDLE_ENTRIES {
        let what = format!("the bundle names {count} entries; 1 to {BUNDLE_ENTRIES} are expected");
        let error = ParseError::new(base + 24, what);
        let many = count > BUNDLE_ENTRIES;
        return Err(UnreadHeader::Malformed(if many {
            error.of_kind(ParseErrorKind::TooMany)
        } else {
            error
        }));
    }
    let mut entries = Vec::new();
    for index in 0..count {
        let at = cursor.at;
        let (offset, size, length) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
        if length > BUNDLE_ID_BYTES {
            let what = format!(
                "the id of bundle entry {index} is said to be {length} bytes long, at most {BUNDLE_ID_BYTES} are expected"
            );
            return Err(bad(at + 16, what));
        }
        if length == 0 {
            return Err(bad(at + 16, format!("bundle entry {index} has no id")));
        }
        let id = cursor.take(length as usize)?;
        let graphic = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let Some(id) = core::str::from_utf8(id).ok().filter(graphic) else {
            return Err(bad(
                at + 24,
                format!("the id of bundle entry {index} holds bytes that are not printable ASCII"),
            ));
        };
        if offset.checked_add(size).is_none_or(|end| end > extent) {
            let what = format!(
                "bundle entry {index} spans {offset:#x}+{size:#x}, beyond the {extent:#x} bytes that are there"
            );
            let error = ParseError::new(base + at, what).of_kind(ParseErrorKind::CutEnd);
            return Err(UnreadHeader::Malformed(error));
        }
        entries.push(Entry { id: Some(EntryId::new(id)), offset, size });
    }
    if goes_on(cursor.rest) {
        let what =
            format!("the table of the bundle goes on behind the {count} entries that it is said to have");
        return Err(bad(24, what));
    }
    Ok(Header { entries, size: cursor.at })
}

/// Whether a further entry follows the table, so that the number of entries was overwritten. A complete table
/// is followed by zeros or a code object.
fn goes_on(rest: &[u8]) -> bool {
    const KINDS: [&[u8]; 6] = [b"hip-", b"hipv4-", b"host-", b"hcc-", b"openmp-", b"sycl-"];
    let length =
        rest.get(16..).and_then(|rest| rest.first_chunk::<8>()).map(|bytes| u64::from_le_bytes(*bytes));
    let id = length
        .filter(|length| *length <= BUNDLE_ID_BYTES)
        .and_then(|length| rest.get(24..24 + length as usize));
    id.is_some_and(|id| id.iter().all(u8::is_ascii_graphic) && KINDS.iter().any(|kind| id.starts_with(kind)))
}

/// [`read_header`] if all bytes are available: a short table is malformed.
///
/// # Errors
///
/// See [`read_header`].
pub fn read_whole_header(bytes: &[u8], base: u64) -> Parsed<Header> {
    read_header(bytes, base, bytes.len() as u64).map_err(|unread| match unread {
        UnreadHeader::Malformed(error) => error,
        UnreadHeader::Short => ParseError::new(
            base,
            "the header table of the offload bundle reaches beyond the bytes that are there",
        )
        .of_kind(ParseErrorKind::CutEnd),
    })
}

struct Cursor<'a> {
    rest: &'a [u8],
    at: u64,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], UnreadHeader> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(UnreadHeader::Short)?;
        self.rest = rest;
        self.at += count as u64;
        Ok(taken)
    }

    fn u64(&mut self) -> Result<u64, UnreadHeader> {
        let (taken, rest) = self.rest.split_first_chunk::<8>().ok_or(UnreadHeader::Short)?;
        self.rest = rest;
        self.at += 8;
        Ok(u64::from_le_bytes(*taken))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::budget::ObjectBudget;
    use proptest::prelude::*;

    fn write(entries: &[(u64, u64, String)]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend((entries.len() as u64).to_le_bytes());
        for (offset, size, id) in entries {
            for number in [*offset, *size, id.len() as u64] {
                out.extend(number.to_le_bytes());
            }
            out.extend(id.as_bytes());
        }
        out
    }

    proptest! {
        #[test]
        fn reads_what_was_written_and_asks_for_more_when_short(
            entries in proptest::collection::vec((0u64..1000, 0u64..1000, "[!-~]{1,60}"), 1..30),
        ) {
            let bytes = write(&entries);
            let header = read_header(&bytes, 0, 5000).unwrap();
            prop_assert_eq!(header.size, bytes.len() as u64);
            let read: Vec<_> = header.entries.iter()
                .map(|e| (e.offset, e.size, e.id.as_ref().unwrap().as_str().to_owned())).collect();
            prop_assert_eq!(read, entries);
            for end in 0..bytes.len() {
                prop_assert!(matches!(read_header(&bytes[..end], 0, 5000), Err(UnreadHeader::Short)));
            }
        }

        #[test]
        fn never_panics(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let bytes = [MAGIC.as_slice(), &tail].concat();
            let _ = read_whole_header(&bytes, u64::MAX / 2);
        }
    }

    #[test]
    fn content_that_no_entry_has_is_said() {
        let entries = |sizes: [u64; 3]| {
            let places = [512, 1024, 2048];
            let row = |n: usize| (places[n], sizes[n], format!("hipv4-amdgcn-amd-amdhsa--gfx90{n}"));
            let mut bytes = write(&[row(0), row(1), row(2)]);
            bytes.resize(2048, 0);
            bytes[512..600].fill(7);
            bytes[1024..2000].fill(7);
            bytes.extend([7; 100]);
            let found = (FORM.read)(&bytes, 0x1000, &mut ObjectBudget::for_size(bytes.len())).unwrap();
            found.problems.iter().map(ParseError::offset).collect::<Vec<_>>()
        };
        assert_eq!(entries([88, 976, 100]), Vec::<u64>::new());
        assert_eq!(entries([0, 976, 100]), [0x1000 + 512], "the first");
        assert_eq!(entries([88, 0, 100]), [0x1000 + 1024], "ends at an aligned place");
        assert_eq!(entries([88, 500, 100]), [0x1000 + 1524], "half");
    }

    #[test]
    fn lengths_are_bounded_and_the_offset_names_the_number() {
        let far = write(&[(u64::MAX, 2, "hip-x".into())]);
        let error = read_whole_header(&far, 0x1000).unwrap_err();
        assert_eq!(error.offset, 0x1000 + 32);
        let mut many = MAGIC.to_vec();
        many.extend(u64::MAX.to_le_bytes());
        assert_eq!(read_whole_header(&many, 0).unwrap_err().offset, 24);
        let mut fewer = write(&[(0, 0, "host-x86_64".into()), (0, 0, "hipv4-amdgcn".into())]);
        fewer[24] = 1;
        assert_eq!(read_whole_header(&fewer, 0).unwrap_err().offset, 24);
    }
}
