//! The members of an `ar` archive, as GNU, BSD and COFF tools write it, plain or thin.
//!
//! Sources: `ar(5)`, binutils' `bfd/archive.c`, LLVM's `Object/Archive.cpp`.
#![deny(clippy::indexing_slicing)]

use super::ar_index::ArIndex;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::ARCHIVE_NAME_BYTES;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

/// The first bytes of an archive.
pub const MAGIC: &[u8; 8] = b"!<arch>\n";

/// The first bytes of a thin archive, whose members are files next to it.
pub const THIN_MAGIC: &[u8; 8] = b"!<thin>\n";

/// Size of a member's header in bytes.
const HEADER: usize = 60;

/// A member that is a file, not one of the archive's own tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArMember<'d> {
    /// Its name, at most [`ARCHIVE_NAME_BYTES`] long.
    pub name: &'d [u8],
    /// Absolute offset of its content in bytes; 0 in a thin archive.
    pub offset: u64,
    /// Size of its content in bytes, according to its header.
    pub size: u64,
    /// Its content; `None` in a thin archive.
    pub content: Option<&'d [u8]>,
}

/// Iterates over the members. Ends after the first unreadable header, which is an error; after the last member,
/// members that the archive's own tables name and that are not there are one, too.
#[derive(Debug)]
pub struct ArMembers<'d> {
    bytes: &'d [u8],
    at: usize,
    /// The table of long names.
    names: &'d [u8],
    /// Where in it the last name begins that a member has.
    last_name: Option<usize>,
    /// The symbol index, until it was compared with the members.
    index: Option<ArIndex<'d>>,
    thin: bool,
}

impl<'d> ArMembers<'d> {
    /// Opens an archive.
    ///
    /// # Errors
    ///
    /// If the bytes do not begin like one.
    pub fn open(bytes: &'d [u8]) -> Parsed<Self> {
        let thin = bytes.starts_with(THIN_MAGIC);
        if !thin && !bytes.starts_with(MAGIC) {
            return Err(ParseError::new(0, "the file does not begin like an archive"));
        }
        Ok(ArMembers { bytes, at: MAGIC.len(), names: &[], last_name: None, index: None, thin })
    }

    /// Reads the header at the current position and moves past its member. `None` for one of the archive's
    /// own tables.
    fn step(&mut self) -> Parsed<Option<ArMember<'d>>> {
        let at = self.at;
        let wrong = |what: String| ParseError::new(at as u64, what);
        let rest = self.bytes.get(at..).unwrap_or_default();
        let Some((header, behind)) = rest.split_at_checked(HEADER) else {
            let what = format!("{} bytes are left of the header of a member of the archive", rest.len());
            return Err(wrong(what).of_kind(ParseErrorKind::CutEnd));
        };
        if header.get(58..) != Some(b"`\n") {
            return Err(wrong("the header of a member of the archive is not valid".to_owned()));
        }
        let size = header.get(48..58).and_then(decimal);
        let size =
            size.ok_or_else(|| wrong("the size of a member of the archive is no number".to_owned()))?;
        let field = header.get(..16).unwrap_or_default();
        let own = ["/ ", "// ", "/SYM64/ ", "/<ECSYMBOLS>/ "];
        let is_table = own.iter().any(|name| field.starts_with(name.as_bytes()));
        let begin = at + HEADER;
        if self.thin && !is_table {
            self.at = begin;
            let name = self.name(field).ok_or_else(|| wrong(no_name(field)))?;
            return Ok(Some(ArMember { name, offset: 0, size, content: None }));
        }
        let Some(content) = usize::try_from(size).ok().and_then(|size| behind.get(..size)) else {
            let what = format!("a member of {size} bytes reaches beyond the archive");
            return Err(ParseError::new(begin as u64, what).of_kind(ParseErrorKind::CutEnd));
        };
        // Members begin at even offsets; after the last one the padding may be missing.
        self.at = (begin + content.len()).next_multiple_of(2);
        if is_table {
            match field.split(|&byte| byte == b' ').next().unwrap_or_default() {
                b"//" => self.names = content,
                // COFF has a second one in another form.
                name => self.index = self.index.or_else(|| ArIndex::from_member(name, content)),
            }
            return Ok(None);
        }
        let (name, offset, content) = match field.strip_prefix(b"#1/").map(decimal) {
            Some(length) => {
                let length = length.ok_or_else(|| wrong(no_name(field)))?;
                let split = usize::try_from(length).ok().and_then(|length| content.split_at_checked(length));
                let (name, content) = split.ok_or_else(|| wrong(no_name(field)))?;
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                (cut(name), begin as u64 + length, content)
            }
            None => (self.name(field).ok_or_else(|| wrong(no_name(field)))?, begin as u64, content),
        };
        if name == b"__.SYMDEF" || name.starts_with(b"__.SYMDEF ") || name.starts_with(b"__.SYMDEF_64") {
            self.index = self.index.or_else(|| ArIndex::from_member(name, content));
            return Ok(None);
        }
        Ok(Some(ArMember { name, offset, size: content.len() as u64, content: Some(content) }))
    }

    /// The name in the header, or in the table that the header refers to.
    fn name(&mut self, field: &'d [u8]) -> Option<&'d [u8]> {
        if let Some(place) = field.strip_prefix(b"/").and_then(decimal) {
            let place = usize::try_from(place).ok()?;
            self.last_name = self.last_name.max(Some(place));
            // Reads no more than the kept length, since many members can refer to one place.
            let near = cut(self.names.get(place..)?);
            let name = near.get(..memchr::memchr2(b'\n', 0, near).unwrap_or(near.len()))?;
            return Some(name.strip_suffix(b"/").unwrap_or(name));
        }
        let end = [b'/', b' '].iter().find_map(|end| field.iter().position(|byte| byte == end));
        field.get(..end.unwrap_or(field.len()))
    }

    /// Leaves nothing to read or to compare.
    fn end(&mut self) {
        (self.at, self.index, self.names) = (self.bytes.len(), None, &[]);
    }

    /// The error for members that the symbol index or the table of names has and that are not there.
    fn lost_members(&self) -> Option<ParseError> {
        let begins = |at: &u64| {
            let at = usize::try_from(*at).ok()?;
            let end = self.bytes.get(at..at.checked_add(HEADER)?)?.get(58..)?;
            Some(end == b"`\n")
        };
        if let Some(at) = self.index.and_then(|index| index.offsets().find(|at| begins(at) != Some(true))) {
            let what = format!(
                "the symbol index names a member at offset {at}, where none begins: members are lost, or were moved"
            );
            return Some(ParseError::new(self.bytes.len() as u64, what).of_kind(ParseErrorKind::CutEnd));
        }
        let rest = self.names.get(self.last_name.unwrap_or(0)..).unwrap_or_default();
        let behind = match self.last_name {
            Some(_) => rest.get(memchr::memchr2(b'\n', 0, rest).unwrap_or(rest.len())..).unwrap_or_default(),
            None => rest,
        };
        let name = behind.split(|byte| b"\n\0/ ".contains(byte)).find(|name| !name.is_empty())?;
        let what = format!(
            "the table of names has {}, and no member has this name: members are lost",
            String::from_utf8_lossy(cut(name))
        );
        Some(ParseError::new(self.bytes.len() as u64, what).of_kind(ParseErrorKind::CutEnd))
    }
}

impl<'d> Iterator for ArMembers<'d> {
    type Item = Parsed<ArMember<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.bytes.len() {
            match self.step() {
                Ok(None) => {}
                Ok(Some(member)) => return Some(Ok(member)),
                Err(error) => {
                    self.end();
                    return Some(Err(error));
                }
            }
        }
        let lost = self.lost_members();
        self.end();
        lost.map(Err)
    }
}

fn cut(name: &[u8]) -> &[u8] {
    name.get(..ARCHIVE_NAME_BYTES).unwrap_or(name)
}

fn no_name(field: &[u8]) -> String {
    format!("the name of a member of the archive is not there: {}", String::from_utf8_lossy(field).trim_end())
}

/// A decimal number followed by spaces.
fn decimal(field: &[u8]) -> Option<u64> {
    let digits = field.split(|&byte| byte == b' ').next().filter(|digits| !digits.is_empty())?;
    let behind = field.get(digits.len()..)?;
    let all = digits.iter().all(u8::is_ascii_digit) && behind.iter().all(|&byte| byte == b' ');
    if all { str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut all =
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len()).into_bytes();
        all.extend(content);
        if all.len() % 2 == 1 {
            all.push(b'\n');
        }
        all
    }

    fn read(bytes: &[u8]) -> Vec<Result<(String, Vec<u8>), ParseErrorKind>> {
        let shown = |member: Parsed<ArMember<'_>>| {
            let text = |member: ArMember<'_>| {
                (
                    String::from_utf8_lossy(member.name).into_owned(),
                    member.content.unwrap_or_default().to_vec(),
                )
            };
            member.map(text).map_err(|error| error.kind)
        };
        ArMembers::open(bytes).unwrap().map(shown).collect()
    }

    #[test]
    fn names_of_all_tools_are_read() {
        let gnu = [
            &MAGIC[..],
            &member("/", b"\0\0\0\0"),
            &member("//", b"a long name.o/\n"),
            &member("a.o/", b"123"),
            &member("/0", b"4"),
        ]
        .concat();
        let bsd =
            [&MAGIC[..], &member("__.SYMDEF", b"xx"), &member("#1/6", b"b c.o\x00789"), &member("d.o", b"0")]
                .concat();
        let ok = |name: &str, content: &[u8]| Ok((name.to_owned(), content.to_vec()));
        assert_eq!(read(&gnu), [ok("a.o", b"123"), ok("a long name.o", b"4")]);
        assert_eq!(read(&bsd), [ok("b c.o", b"789"), ok("d.o", b"0")]);
    }

    #[test]
    fn what_ends_anywhere_is_cut() {
        let whole = [&MAGIC[..], &member("/", &[0; 40]), &member("a.o/", b"1234")].concat();
        assert_eq!(read(&whole).len(), 1);
        for end in MAGIC.len() + 1..whole.len() {
            let last = read(&whole[..end]).pop();
            // Directly after the symbol table, the archive is complete and has no members.
            assert!(last.is_some_and(|last| last.is_err()) || end == MAGIC.len() + 100, "{end}");
        }
    }

    #[test]
    fn members_that_the_own_tables_name_and_that_are_not_there_are_lost() {
        let names = member("//", b"the first long name.o/\nthe second long name.o/\n");
        let index = |second: u32| {
            let offsets = [2u32, 8 + 72 + 108, second];
            member("/", &offsets.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>())
        };
        let first = member("/0", b"12");
        let start = [&MAGIC[..], &index(8 + 72 + 108 + 62), &names].concat();
        assert_eq!(start.len(), 8 + 72 + 108, "the first member begins where the index says");
        let whole = [&start[..], &first, &member("/23", b"34")].concat();
        assert!(read(&whole).iter().all(Result::is_ok), "{:?}", read(&whole));
        let ends = |bytes: &[u8]| read(bytes).into_iter().map(Result::err).collect::<Vec<_>>();
        // Cut between two members, and in front of both.
        assert_eq!(ends(&[&start[..], &first].concat()), [None, Some(ParseErrorKind::CutEnd)]);
        assert_eq!(ends(&start), [Some(ParseErrorKind::CutEnd)]);
        // The first taken out, so that the second stands elsewhere.
        assert_eq!(ends(&[&start[..], &member("/23", b"3")].concat()), [None, Some(ParseErrorKind::CutEnd)]);
        // By the names alone, and by the index alone.
        assert_eq!(ends(&[&MAGIC[..], &names, &first].concat()), [None, Some(ParseErrorKind::CutEnd)]);
        assert_eq!(ends(&[&MAGIC[..], &names, &first, &member("/23", b"34")].concat()), [None, None]);
        let short = [&MAGIC[..], &index(8 + 72 + 62), &member("a.o/", b"12")].concat();
        assert_eq!(ends(&short), [None, Some(ParseErrorKind::CutEnd)]);
    }

    #[test]
    fn a_name_without_an_end_is_looked_at_as_far_as_it_is_kept() {
        let mut bytes = [&MAGIC[..], &member("//", &[b'n'; 1 << 20])].concat();
        (0..1000).for_each(|_| bytes.extend(member("/0", b"")));
        let members: Vec<_> = ArMembers::open(&bytes).unwrap().map(Result::unwrap).collect();
        assert_eq!(members.len(), 1000);
        assert_eq!(members.iter().map(|member| member.name.len()).sum::<usize>(), 1000 * ARCHIVE_NAME_BYTES);
    }
}
