//! zip files and wheels: the central directory, and members read each by itself.
//!
//! Our own reader, because what libraries smooth over are findings here: two members of one name, members
//! that overlap, sizes and checksums that are not what the directory says. Source: PKWARE's APPNOTE.TXT
//! 6.3.10.
#![deny(clippy::indexing_slicing)]

use super::MemberKind;
use super::spool::{Metered, Spool, no_temporary_file};
use super::stream::{Codec, Packed, Window};
use crate::budget::{DepthShare, MemoryPermit};
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::limits::{MEMBER_PATH_BYTES, PACKAGE_MEMBERS};
use crate::limits::{PACKAGE_MEMORY_EACH, XZ_SMALL_MEMORY, ZSTD_SMALL_WINDOW_LOG};
use amdgpu_object::bytes::le::LeBytes;
use amdgpu_object::source::SourceFile;
use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Packed bytes from which the first ones of a member come, as a rule.
const HEAD_PACKED: u64 = 16 << 10;

/// One member, as the central directory has it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub name: String,
    pub method: u16,
    pub encrypted: bool,
    pub crc: u32,
    /// Bytes in the file.
    pub packed: u64,
    /// Bytes unpacked, as declared.
    pub size: u64,
    /// Where its local header is.
    pub header: u64,
    /// Bytes that it takes there at least, with its local header.
    pub span: u64,
    pub kind: MemberKind,
}

/// Where the central directory is.
struct Directory {
    count: u64,
    start: u64,
    size: u64,
    /// What stands before the archive, to be added to all its offsets.
    shift: u64,
}

fn directory(file: &SourceFile) -> Parsed<Directory> {
    let len = file.len();
    let tail_start = len.saturating_sub(22 + 0xffff);
    let tail = file.range(tail_start, len - tail_start).unwrap_or_default();
    // The record's comment reaches to the end; a comment may itself hold what looks like a record.
    let fits = |at: &usize| {
        let comment = LeBytes(tail.get(*at..).unwrap_or_default()).u16(20);
        at + 22 + usize::from(comment) == tail.len()
    };
    let mut records: Vec<usize> = memchr::memmem::find_iter(tail, b"PK\x05\x06").collect();
    let sound = records.iter().rev().copied().find(|at| fits(at));
    let at = sound.or(records.pop()).map(|at| tail_start + at as u64);
    let missing = || {
        let what = "the zip file has no end-of-directory record: it is cut off, or has been written over";
        ParseError::new(len, what).of_kind(ParseErrorKind::CutEnd)
    };
    let at = at.ok_or_else(missing)?;
    let end = LeBytes(file.range(at, 22).ok_or_else(missing)?);
    let (mut count, mut size, mut start) =
        (u64::from(end.u16(10)), u64::from(end.u32(12)), u64::from(end.u32(16)));
    let mut directory_end = at;
    let locator =
        at.checked_sub(20).and_then(|at| file.range(at, 20)).filter(|l| l.starts_with(b"PK\x06\x07"));
    if let Some(locator) = locator {
        let record_at = LeBytes(locator).u64(8);
        let record = file.range(record_at, 56).filter(|r| r.starts_with(b"PK\x06\x06"));
        let bad =
            || ParseError::new(at - 20, "the 64-bit end-of-directory record is not where its locator says");
        let record = LeBytes(record.ok_or_else(bad)?);
        (count, size, start) = (record.u64(32), record.u64(40), record.u64(48));
        directory_end = record_at;
    }
    let bad = || {
        let what = format!(
            "the central directory is said to be {start:#x}+{size:#x}, which does not end before {directory_end:#x}"
        );
        ParseError::new(at, what)
    };
    let shift = directory_end.checked_sub(size).and_then(|real| real.checked_sub(start)).ok_or_else(bad)?;
    Ok(Directory { count, start: start + shift, size, shift })
}

/// Reads the central directory. Members that overlap others, or whose names are not sound, are among the
/// errors.
///
/// # Errors
/// Without a directory.
pub(super) fn members(file: &SourceFile) -> Parsed<(Vec<Member>, ParseErrors)> {
    let directory = directory(file)?;
    let mut problems = ParseErrors::default();
    let mut members: Vec<Member> = Vec::new();
    let mut at = directory.start;
    let end = directory.start + directory.size;
    let mut names = HashSet::new();
    while at < end {
        if members.len() >= PACKAGE_MEMBERS {
            let what = format!("more than {PACKAGE_MEMBERS} members; the rest is not read");
            problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::TooMany));
            break;
        }
        let Some(record) = file.range(at, 46).filter(|r| r.starts_with(b"PK\x01\x02")) else {
            problems.push(ParseError::new(at, "a central directory record is expected and not there"));
            break;
        };
        let fields = LeBytes(record);
        let (name_len, extra_len, comment_len) =
            (u64::from(fields.u16(28)), u64::from(fields.u16(30)), u64::from(fields.u16(32)));
        let name = file.range(at + 46, name_len).unwrap_or_default();
        let extra = file.range(at + 46 + name_len, extra_len).unwrap_or_default();
        let (packed, size, header) = sizes(fields, extra);
        // Only Unix writers mean the upper half as a mode, and a link's content is a path.
        let unix = matches!(fields.u16(4) >> 8, 3 | 19);
        let link = unix && fields.u32(38) >> 28 == 0o12 && size <= MEMBER_PATH_BYTES as u64;
        let kind = match (name.ends_with(b"/"), link) {
            (true, _) => MemberKind::Folder,
            (false, true) => MemberKind::Link,
            (false, false) => MemberKind::File,
        };
        let plain = name.strip_prefix(b"./").unwrap_or(name);
        if !names.insert(xxhash_rust::xxh3::xxh3_64(plain)) {
            let what = format!("two members are named {}; what installs them keeps the last", lossy(name));
            problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::DoubledName));
        }
        // The packed size of ZIP64 is any number.
        let span = packed.saturating_add(30 + name_len);
        let header = header.saturating_add(directory.shift);
        let name = lossy(name);
        let (method, crc, encrypted) = (fields.u16(10), fields.u32(16), fields.u16(8) & 1 != 0);
        members.push(Member { name, method, encrypted, crc, packed, size, header, span, kind });
        at += 46 + name_len + extra_len + comment_len;
    }
    if problems.is_empty() && members.len() as u64 != directory.count {
        let what =
            format!("the directory is said to list {} members and lists {}", directory.count, members.len());
        problems.push(ParseError::new(directory.start, what));
    }
    drop_overlapping(&mut members, &mut problems);
    // Each byte of such a source costs, and this reads some of every member.
    if !file.is_fetched() {
        unlisted(file, &members, &directory, &mut problems);
    }
    Ok((members, problems))
}

/// What Android's signatures end with, which stand between the members and the directory.
const SIGNATURES: &[u8] = b"APK Sig Block 42";

/// Fewest bytes that a member takes: its local header and a name.
const LEAST: u64 = 31;

/// Most bytes of a record of the central directory: three texts of 65,535 bytes behind its fields.
const LONGEST_RECORD: usize = 46 + 3 * 0xffff;

/// Bytes that no member covers and that a local header begins: members that the directory leaves out, which
/// other tools may read, and a zip file before this one. What a program has in front of its archive is its
/// own.
fn unlisted(file: &SourceFile, members: &[Member], directory: &Directory, problems: &mut ParseErrors) {
    let mut spans: Vec<(u64, u64)> = members.iter().map(|member| (member.header, member.end(file))).collect();
    spans.push((directory.start, u64::MAX));
    spans.sort_unstable();
    let mut covered = 0;
    for (start, end) in spans {
        let gap = file.range(covered, start.saturating_sub(covered)).unwrap_or_default();
        let is_own = gap.len() >= SIGNATURES.len() && gap.ends_with(SIGNATURES);
        let is_first = covered == 0;
        let header = memchr::memmem::find(gap, b"PK\x03\x04").filter(|at| !is_first || *at == 0);
        if let Some(at) = header.filter(|at| (gap.len() - at) as u64 >= LEAST && !is_own) {
            let what = match memchr::memmem::find(gap, b"PK\x05\x06") {
                Some(_) => "another zip file stands before this one, and its members are not read",
                None => "a member stands here that the central directory does not list, and is not read",
            };
            problems.push(ParseError::new(covered + at as u64, what));
        }
        if start == directory.start && ends_with_record(gap) {
            let what = "the central directory begins before the place that its end-of-directory record names, \
                        and these members are not read";
            problems.push(ParseError::new(start, what));
        }
        covered = covered.max(end);
    }
}

/// Whether bytes end with a whole record of a central directory.
fn ends_with_record(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(LONGEST_RECORD)..).unwrap_or_default();
    let is_last = |at: usize| {
        let fields = LeBytes(tail.get(at..).unwrap_or_default());
        let lengths = [28, 30, 32].map(|field| usize::from(fields.u16(field)));
        at + 46 + lengths.iter().sum::<usize>() == tail.len()
    };
    memchr::memmem::find_iter(tail, b"PK\x01\x02").any(is_last)
}

fn lossy(name: &[u8]) -> String {
    super::path_text(name)
}

/// Packed and unpacked size and header offset: 32-bit fields that are full are in the ZIP64 extra field, in
/// this order.
fn sizes(fields: LeBytes<'_>, extra: &[u8]) -> (u64, u64, u64) {
    let mut numbers = [fields.u32(24), fields.u32(20), fields.u32(42)].map(u64::from);
    let mut rest = extra;
    while let Some((head, behind)) = rest.split_at_checked(4) {
        let field = LeBytes(head);
        let (body, behind) = behind.split_at_checked(usize::from(field.u16(2))).unwrap_or((behind, &[]));
        if field.u16(0) == 1 {
            let mut wide = body.chunks_exact(8).map(|b| LeBytes(b).u64(0));
            for number in &mut numbers {
                if *number == 0xffff_ffff
                    && let Some(wide) = wide.next()
                {
                    *number = wide;
                }
            }
        }
        rest = behind;
    }
    let [size, packed, header] = numbers;
    (packed, size, header)
}

/// Overlapping members are how a small zip file holds the same gigabyte a thousand times.
fn drop_overlapping(members: &mut Vec<Member>, problems: &mut ParseErrors) {
    let mut order: Vec<(u64, u64, usize)> =
        members.iter().enumerate().map(|(i, m)| (m.header, m.header.saturating_add(m.span), i)).collect();
    order.sort_unstable();
    let mut end = 0;
    let mut overlapping = HashSet::new();
    for (start, behind, index) in order {
        if start < end {
            let what = "a member overlaps the one before it and is not read";
            problems.push(ParseError::new(start, what).of_kind(ParseErrorKind::Overlap));
            overlapping.insert(index);
        } else {
            end = behind;
        }
    }
    if !overlapping.is_empty() {
        let mut index = 0;
        members.retain(|_| {
            index += 1;
            !overlapping.contains(&(index - 1))
        });
    }
}

impl Member {
    /// Where it ends, as its local header has it; what may stand behind it, its sizes once more, is not
    /// counted.
    fn end(&self, file: &SourceFile) -> u64 {
        let local = file.range(self.header, 30).filter(|local| local.starts_with(b"PK\x03\x04"));
        let lengths =
            local.map(LeBytes).map_or(0, |local| u64::from(local.u16(26)) + u64::from(local.u16(28)));
        self.header.saturating_add(30 + lengths).saturating_add(self.packed)
    }

    /// Its bytes in the file, as they are packed, and where they begin.
    ///
    /// # Errors
    /// Where its local header is not there, or the bytes reach beyond the file.
    pub fn packed_bytes<'a>(&self, file: &'a SourceFile) -> Parsed<(u64, &'a [u8])> {
        self.first_packed(file, self.packed)
    }

    /// The same, of the first `count` of them.
    fn first_packed<'a>(&self, file: &'a SourceFile, count: u64) -> Parsed<(u64, &'a [u8])> {
        let bad = |what: &str| ParseError::new(self.header, format!("{}: {what}", self.name));
        let local = file.range(self.header, 30).filter(|l| l.starts_with(b"PK\x03\x04"));
        let local = LeBytes(local.ok_or_else(|| bad("a local header is expected here and not there"))?);
        let name_len = u64::from(local.u16(26));
        let name = file.range(self.header + 30, name_len).unwrap_or_default();
        if lossy(name) != self.name {
            return Err(bad("the local header has another name than the central directory"));
        }
        if local.u16(8) != self.method {
            return Err(bad("the local header has another method than the central directory"));
        }
        let start = self.header + 30 + name_len + u64::from(local.u16(28));
        let cut = || bad("its bytes reach beyond the end of the file").of_kind(ParseErrorKind::CutEnd);
        // What a member is said to have has to be there, whatever is asked of it.
        let end = start.checked_add(self.packed).filter(|end| *end <= file.len());
        end.ok_or_else(cut)?;
        Ok((start, file.range(start, count.min(self.packed)).ok_or_else(cut)?))
    }

    /// Its codec.
    ///
    /// # Errors
    /// Where it is encrypted or packed by a method that is not read.
    pub fn codec(&self) -> Parsed<Codec> {
        if self.encrypted {
            let error = ParseError::new(self.header, format!("{}: is encrypted", self.name));
            return Err(error.of_kind(ParseErrorKind::Encrypted));
        }
        Codec::of_zip(self.method).ok_or_else(|| {
            let what = format!("{}: is packed by method {}, which is not read", self.name, self.method);
            ParseError::new(self.header, what).of_kind(ParseErrorKind::UnknownMethod)
        })
    }

    /// The first bytes, at most `count`, unpacked.
    ///
    /// # Errors
    /// As [`Member::packed_bytes`] and [`Member::codec`], and where the stream is broken at its beginning.
    pub fn head(&self, file: &SourceFile, count: usize, allowance: DepthShare<'_>) -> Parsed<Vec<u8>> {
        // What is wrong with the headers is said before what is wrong with the method.
        self.first_packed(file, 0)?;
        // Where each byte costs, the beginning of a member is read first.
        if file.is_fetched() && self.packed > HEAD_PACKED && self.codec()? == Codec::Deflate {
            let (start, packed) = self.first_packed(file, HEAD_PACKED)?;
            if let Ok(head) = self.head_of(start, packed, count) {
                return Ok(head);
            }
        }
        let (start, packed) = match self.codec()? {
            Codec::Stored => self.first_packed(file, count as u64)?,
            _ => self.packed_bytes(file)?,
        };
        // For these a whole block is inflated before the first byte comes.
        if matches!(self.codec()?, Codec::Bzip2 | Codec::Xz | Codec::ZipLzma) {
            let spent = |what| ParseError::new(start, what).of_kind(ParseErrorKind::InflatesTooFar);
            allowance.take(900_000).map_err(spent)?;
        }
        self.head_of(start, packed, count)
    }

    fn head_of(&self, start: u64, packed: &[u8], count: usize) -> Parsed<Vec<u8>> {
        let bad = |e: std::io::Error| {
            let kind = ParseErrorKind::of_stream(&e);
            ParseError::new(start, format!("{}: {e}", self.name)).of_kind(kind)
        };
        let _memory = self.memory_permit(packed)?;
        let mut head = Vec::with_capacity(count);
        self.codec()?.open(packed).map_err(bad)?.take(count as u64).read_to_end(&mut head).map_err(bad)?;
        Ok(head)
    }

    /// A share of the memory for inflating, where its codec takes much. Nothing else is waited for while it
    /// is held.
    fn memory_permit(&self, packed: &[u8]) -> Parsed<Option<MemoryPermit>> {
        let codec = self.codec()?;
        let most = match codec {
            Codec::Xz | Codec::ZipLzma => XZ_SMALL_MEMORY,
            _ => 1 << ZSTD_SMALL_WINDOW_LOG,
        };
        let memory = codec.memory(packed).min(most);
        Ok((memory > PACKAGE_MEMORY_EACH).then(|| MemoryPermit::take(memory)))
    }

    /// All bytes, unpacked, and what is wrong with their size or checksum.
    ///
    /// # Errors
    /// As [`Member::head`].
    pub fn unpack(
        &self,
        file: &SourceFile,
        allowance: DepthShare<'_>,
    ) -> Parsed<(Spool, Option<ParseError>)> {
        let (start, packed) = self.packed_bytes(file)?;
        let bad = |what: String| ParseError::new(start, format!("{}: {what}", self.name));
        let _memory = self.memory_permit(packed)?;
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Packed { rest: packed, taken: Some(Arc::clone(&taken)) };
        let stream = self.codec()?.open_counted(counted, Window::Small).map_err(|e| bad(e.to_string()))?;
        let mut stream = Metered::new(stream, allowance);
        let mut spool = Spool::begin(&[], Some(self.size.min(allowance.left())))
            .map(Spool::with_crc)
            .map_err(|e| bad(no_temporary_file(&e)))?;
        let filled = spool.fill(&mut stream, self.size);
        let mut problem = filled.err().map(|failure| {
            let kind = failure.kind();
            bad(failure.what()).of_kind(kind)
        });
        if problem.is_none() {
            let more = stream.read(&mut [0]).is_ok_and(|n| n > 0);
            let wrong = self.check(spool.len(), spool.crc(), more);
            problem = wrong.map(|(what, kind)| bad(what).of_kind(kind));
            let behind = packed.len() as u64 - taken.load(Ordering::Relaxed).min(packed.len() as u64);
            if problem.is_none() && behind > 0 {
                problem = Some(bad(format!("{behind} bytes stand behind the end of its compressed stream")));
            }
        }
        Ok((spool, problem))
    }

    /// What is wrong with size and checksum.
    pub fn check(&self, len: u64, crc: u32, more: bool) -> Option<(String, ParseErrorKind)> {
        if more || len != self.size {
            let than = if more { "more than " } else { "" };
            let what = format!("unpacks to {than}{len} bytes, the directory says {}", self.size);
            return Some((what, ParseErrorKind::WrongSize));
        }
        (crc != self.crc).then(|| {
            let what = format!("its CRC-32 is {crc:08x}, the directory says {:08x}", self.crc);
            (what, ParseErrorKind::WrongHash)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory record of a ZIP64 member of one letter, with its sizes and the place of its local header.
    fn record(name: u8, [size, packed, header]: [u64; 3]) -> Vec<u8> {
        let mut record = b"PK\x01\x02".to_vec();
        record.extend([0; 16]);
        record.extend([0xff; 8]); // packed and unpacked size: see the extra field
        record.extend([1, 0, 28, 0]); // lengths of name and extra field
        record.extend([0; 10]);
        record.extend([0xff; 4]); // the place likewise
        record.push(name);
        record.extend([1, 0, 24, 0]);
        [size, packed, header].into_iter().for_each(|number| record.extend(number.to_le_bytes()));
        record
    }

    #[test]
    fn a_packed_size_without_bound_overlaps_all_that_follows() {
        let directory = [record(b'a', [1, u64::MAX - 30, 0]), record(b'b', [1, 1, 40])].concat();
        let mut bytes = directory.clone();
        bytes.extend(b"PK\x05\x06\0\0\0\0\x02\0\x02\0");
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend([0; 6]);
        let file = SourceFile::in_memory(
            amdgpu_object::locator::Locator::file(std::path::Path::new("x.zip")),
            bytes,
        );
        let (members, problems) = members(&file).unwrap();
        let names: Vec<_> = members.iter().map(|member| (member.name.as_str(), member.span)).collect();
        assert_eq!(names, [("a", u64::MAX)]);
        let whats: Vec<_> = problems.iter().map(|problem| (problem.offset(), problem.what())).collect();
        assert_eq!(whats, [(40, "a member overlaps the one before it and is not read")]);
    }
}
