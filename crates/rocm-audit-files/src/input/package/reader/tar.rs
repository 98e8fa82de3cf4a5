//! tar: members one after the other, each behind a header block of 512 bytes.
//!
//! Source: POSIX.1-2024 pax (ustar and its extended headers) and GNU tar's manual (long names, base-256
//! numbers).
#![deny(clippy::indexing_slicing)]

use super::MemberKind;
use super::archive::{Archive, Behind, Fault, Header, Link, MOST_BYTES, Next, cut, malformed, read_full};
use crate::limits::TAR_EXTENSION_BYTES;
use amdgpu_object::format::tar_header::{BLOCK, checksum_fits, field, number};
use std::io::Read;

/// Names and sizes that extended headers give to the member behind them.
#[derive(Default)]
struct Extended {
    name: Option<String>,
    link: Option<String>,
    size: Option<u64>,
    sparse: bool,
}

/// A tar; each header says all of its member.
pub(super) struct Tar;

impl Archive for Tar {
    fn next(&mut self, stream: &mut dyn Read) -> Result<Next, Fault> {
        next(stream)
    }

    fn padding(&self, size: u64) -> u64 {
        padding(size)
    }

    fn behind(&self) -> Behind {
        Behind::Record
    }

    fn no_end(&self) -> &'static str {
        "the tar ends without a block of zeros: it may be cut off"
    }
}

/// As [`Archive::next`].
fn next(stream: &mut dyn Read) -> Result<Next, Fault> {
    let mut extended = Extended::default();
    loop {
        let mut block = [0u8; BLOCK as usize];
        match read_full(stream, &mut block)? {
            0 => return Ok(Next::Cut),
            512 => {}
            read => {
                return Err(cut(format!(
                    "the tar stream ends inside a header, after {read} of its 512 bytes"
                )));
            }
        }
        if block.iter().all(|&b| b == 0) {
            return Ok(Next::End);
        }
        if !checksum_fits(&block) {
            return Err(malformed("a tar header is expected and its checksum does not fit"));
        }
        let size = number(field(&block, 124, 12))
            .filter(|size| *size <= MOST_BYTES)
            .ok_or_else(|| malformed("the size in a tar header is no number that can be meant"))?;
        let kind = match block.get(156) {
            Some(b'L') => {
                let text = extension(stream, size)?;
                extended.name = Some(text_of(&text));
                continue;
            }
            Some(b'K') => {
                let text = extension(stream, size)?;
                extended.link = Some(text_of(&text));
                continue;
            }
            Some(b'x' | b'g') => {
                let global = block.get(156) == Some(&b'g');
                let records = extension(stream, size)?;
                let mut own = Extended::default();
                own.read(&records)?;
                match global {
                    false => extended = own,
                    // What holds for all members behind it is not what writers put into one.
                    true if own.size.is_some() || own.name.is_some() => {
                        let what = "a global extended tar header names or sizes all members behind it";
                        return Err(malformed(what));
                    }
                    true => {}
                }
                continue;
            }
            Some(b'1' | b'2') => MemberKind::Link,
            Some(b'3' | b'4' | b'6') => MemberKind::Device,
            Some(b'5') => MemberKind::Folder,
            Some(b'S') => MemberKind::Sparse,
            _ => MemberKind::File,
        };
        if kind == MemberKind::Sparse {
            pass_sparse_map(stream, block.get(482) == Some(&1))?;
        }
        let kind = if extended.sparse { MemberKind::Sparse } else { kind };
        let size = extended.size.unwrap_or(size);
        let name = extended.name.unwrap_or_else(|| name_of(&block));
        // Other readers agree that nothing is stored for these, whatever the header says.
        let empty = matches!(kind, MemberKind::Folder | MemberKind::Link | MemberKind::Device);
        let ignored = if empty { size } else { 0 };
        let size = size - ignored;
        let link = (kind == MemberKind::Link).then(|| Link {
            hard: block.get(156) == Some(&b'1'),
            to: extended.link.unwrap_or_else(|| text_of(field(&block, 157, 100))),
        });
        let name = name.trim_start_matches("./").to_owned();
        return Ok(Next::Member(Header { name, size, ignored, kind, link, name_fault: None }));
    }
}

/// As [`Archive::padding`].
fn padding(size: u64) -> u64 {
    size.next_multiple_of(BLOCK) - size
}

fn text_of(bytes: &[u8]) -> String {
    super::path_text(bytes.split(|&b| b == 0).next().unwrap_or_default())
}

fn name_of(block: &[u8]) -> String {
    let name = text_of(field(block, 0, 100));
    // GNU's own format (`ustar  `) has other things where POSIX has the prefix.
    let prefix =
        if field(block, 257, 6) == b"ustar\0" { text_of(field(block, 345, 155)) } else { String::new() };
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// The content of an extended header.
fn extension(stream: &mut dyn Read, size: u64) -> Result<Vec<u8>, Fault> {
    if size > TAR_EXTENSION_BYTES {
        return Err(malformed(format!(
            "an extended tar header is said to have {size} bytes; at most {TAR_EXTENSION_BYTES} are read"
        )));
    }
    let mut bytes = vec![0; (size + padding(size)) as usize];
    if read_full(stream, &mut bytes)? < bytes.len() {
        return Err(cut("the tar stream ends inside an extended header"));
    }
    bytes.truncate(size as usize);
    Ok(bytes)
}

/// Steps over the further blocks of a sparse member's map.
fn pass_sparse_map(stream: &mut dyn Read, mut more: bool) -> Result<(), Fault> {
    while more {
        let mut block = [0u8; BLOCK as usize];
        if read_full(stream, &mut block)? < block.len() {
            return Err(cut("the tar stream ends inside the map of a sparse member"));
        }
        more = block.get(504) == Some(&1);
    }
    Ok(())
}

impl Extended {
    /// Reads pax records, `<length> <key>=<value>\n`.
    fn read(&mut self, mut records: &[u8]) -> Result<(), Fault> {
        let bad = || malformed("a record of an extended tar header is malformed");
        while !records.is_empty() {
            let space = memchr::memchr(b' ', records).ok_or_else(bad)?;
            let length =
                records.get(..space).and_then(|d| std::str::from_utf8(d).ok()?.parse::<usize>().ok());
            let length = length.filter(|l| *l > space + 1 && *l <= records.len()).ok_or_else(bad)?;
            let (record, rest) = records.split_at(length);
            records = rest;
            let record = record.get(space + 1..).unwrap_or_default();
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let equals = memchr::memchr(b'=', record).ok_or_else(bad)?;
            let (key, value) = record.split_at(equals);
            let value = value.get(1..).unwrap_or_default();
            match key {
                b"path" => self.name = Some(text_of(value)),
                b"linkpath" => self.link = Some(text_of(value)),
                b"size" => {
                    let size = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
                    self.size = Some(size.filter(|size| *size <= MOST_BYTES).ok_or_else(bad)?);
                }
                key if key.starts_with(b"GNU.sparse.") => self.sparse = true,
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ParseErrorKind;

    #[test]
    fn numbers_are_octal_or_base_256() {
        assert_eq!(number(b"00000001750\0"), Some(1000));
        assert_eq!(number(b"  1750 "), Some(1000));
        assert_eq!(number(&[0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]), Some(2 << 32));
        assert_eq!(number(&[0xff; 12]), None);
        assert_eq!(number(b"12x"), None);
    }

    #[test]
    fn noise_is_a_sentence() {
        let noise = [b'x'; 1024];
        let (what, kind) = next(&mut noise.as_slice()).unwrap_err();
        assert!(what.contains("checksum") && kind == ParseErrorKind::Malformed, "{what}");
        let (what, kind) = next(&mut [1u8; 100].as_slice()).unwrap_err();
        assert!(what.contains("100 of its 512") && kind == ParseErrorKind::CutEnd, "{what}");
        assert_eq!(next(&mut [0u8; 512].as_slice()), Ok(Next::End));
        assert_eq!(next(&mut [].as_slice()), Ok(Next::Cut));
    }
}
