//! cpio: headers in hexadecimal or octal text, each with its member behind it. RPM packages and the images
//! that start Linux are made of it.
//!
//! Sources: cpio(5) of libarchive (newc, odc), RPM's `rpmcpio.c` for `07070X`, whose headers are numbers in
//! the table of files of the package, and the Linux kernel's `early-userspace/buffer-format.rst` for archives
//! behind each other.
#![deny(clippy::indexing_slicing)]

use super::MemberKind;
use super::archive::{Archive, Behind, Fault, Header, Next, cut, malformed, read_full};
use crate::limits::MEMBER_PATH_BYTES;
use std::io::Read;

/// A file as the header of an RPM package lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RpmFile {
    pub name: String,
    pub size: u64,
    pub mode: u32,
}

/// A cpio archive, with the files of the package that it is the payload of.
#[derive(Debug, Default)]
pub(super) struct Cpio {
    files: Vec<RpmFile>,
    /// What the last member is padded to: 4, or 1 for no padding.
    align: u64,
}

/// What ends an archive.
const TRAILER: &str = "TRAILER!!!";

impl Cpio {
    /// The payload of a package with these files.
    pub fn of_rpm(files: Vec<RpmFile>) -> Self {
        Cpio { files, align: 4 }
    }

    /// Reads the header behind a magic.
    fn header(&mut self, magic: &[u8; 6], stream: &mut dyn Read) -> Result<Header, Fault> {
        match magic {
            b"070701" | b"070702" => {
                self.align = 4;
                let fields = Fields::read(stream, 104, 8, 16)?;
                let (mode, links) = (fields.number(1)?, fields.number(4)?);
                let (size, name_len) = (fields.number(6)?, fields.number(11)?);
                let name = name(stream, name_len, (110 + name_len).next_multiple_of(4) - 110 - name_len)?;
                // Of several names of one file, the last has its content.
                let kind = if links > 1 && size == 0 { MemberKind::Link } else { kind(mode) };
                Ok(header(name, size, kind))
            }
            b"070707" => {
                self.align = 1;
                let fields = Fields::read(stream, 70, 6, 8)?;
                let (mode, links) = (fields.number(2)?, fields.number(5)?);
                // The last two fields have 11 digits: modification time stands before the length of the name.
                let name_len = fields.digits(53, 6)?;
                let size = fields.digits(59, 11)?;
                let name = name(stream, name_len, 0)?;
                let kind = if links > 1 && size == 0 { MemberKind::Link } else { kind(mode) };
                Ok(header(name, size, kind))
            }
            b"07070X" => {
                self.align = 4;
                let index = Fields::read(stream, 8, 8, 16)?.number(0)?;
                let mut pad = [0; 2];
                if read_full(stream, &mut pad)? < 2 {
                    return Err(cut("the cpio stream ends inside a header"));
                }
                let listed = usize::try_from(index).ok().and_then(|index| self.files.get(index));
                let listed = listed.ok_or_else(|| {
                    malformed(format!(
                        "a cpio header names file {index} of the package, which lists {}",
                        self.files.len()
                    ))
                })?;
                let name = Name { text: listed.name.clone(), fault: None };
                Ok(header(name, listed.size, kind(u64::from(listed.mode))))
            }
            _ => Err(malformed("a cpio header is expected and not there")),
        }
    }
}

impl Archive for Cpio {
    fn next(&mut self, stream: &mut dyn Read) -> Result<Next, Fault> {
        let mut magic = [0; 6];
        match read_full(stream, &mut magic)? {
            0 => return Ok(Next::Cut),
            6 => {}
            read => return Err(cut(format!("the cpio stream ends after {read} bytes of a header"))),
        }
        loop {
            let header = self.header(&magic, stream)?;
            if header.name != TRAILER {
                return Ok(Next::Member(header));
            }
            // Zeros fill a block; other archives may stand behind them.
            let mut word = [0; 4];
            loop {
                match read_full(stream, &mut word)? {
                    4 if word == [0; 4] => {}
                    4 => break,
                    read if word.iter().take(read).all(|b| *b == 0) => return Ok(Next::End),
                    read => return Ok(Next::Other(read)),
                }
            }
            if &word != b"0707" {
                return Ok(Next::Other(4));
            }
            let mut digits = [0; 2];
            if read_full(stream, &mut digits)? < 2 {
                return Err(cut("the cpio stream ends inside a header"));
            }
            let [a, b, c, d] = word;
            let [e, f] = digits;
            magic = [a, b, c, d, e, f];
        }
    }

    fn padding(&self, size: u64) -> u64 {
        size.next_multiple_of(self.align.max(1)) - size
    }

    fn behind(&self) -> Behind {
        Behind::Block
    }

    fn no_end(&self) -> &'static str {
        "the cpio archive ends without a trailer: it may be cut off"
    }
}

/// The fields of a header: digits of one base.
struct Fields {
    text: Vec<u8>,
    width: usize,
    base: u32,
}

impl Fields {
    fn read(stream: &mut dyn Read, len: usize, width: usize, base: u32) -> Result<Self, Fault> {
        let mut text = vec![0; len];
        if read_full(stream, &mut text)? < len {
            return Err(cut("the cpio stream ends inside a header"));
        }
        Ok(Fields { text, width, base })
    }

    fn number(&self, index: usize) -> Result<u64, Fault> {
        self.digits(index * self.width, self.width)
    }

    fn digits(&self, at: usize, len: usize) -> Result<u64, Fault> {
        let text = self.text.get(at..at + len).and_then(|text| std::str::from_utf8(text).ok());
        let digits = text.filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        digits
            .and_then(|text| u64::from_str_radix(text, self.base).ok())
            .ok_or_else(|| malformed("a field of a cpio header is no number"))
    }
}

/// The name of a member.
struct Name {
    text: String,
    fault: Option<&'static str>,
}

const BROKEN_NAME: &str =
    "its name does not end where the header says: it may be another, and a file of code";

/// The name behind a header, and its padding.
fn name(stream: &mut dyn Read, len: u64, padding: u64) -> Result<Name, Fault> {
    let most = 4 * MEMBER_PATH_BYTES as u64;
    if len == 0 || len > most {
        let what = format!("the name of a cpio member is said to have {len} bytes; 1 to {most} are read");
        return Err(malformed(what));
    }
    let mut bytes = vec![0; (len + padding) as usize];
    if read_full(stream, &mut bytes)? < bytes.len() {
        return Err(cut("the cpio stream ends inside a name"));
    }
    // Writers that align content fill the name with zeros; behind the first there is nothing else.
    bytes.truncate(len as usize);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (name, zeros) = bytes.split_at_checked(end).unwrap_or_default();
    let is_whole = !zeros.is_empty() && zeros.iter().all(|byte| *byte == 0);
    Ok(Name { text: super::path_text(name), fault: (!is_whole).then_some(BROKEN_NAME) })
}

/// The kind that a Unix mode says.
pub(super) fn kind(mode: u64) -> MemberKind {
    match mode >> 12 & 0xf {
        4 => MemberKind::Folder,
        10 => MemberKind::Link,
        8 | 0 => MemberKind::File,
        _ => MemberKind::Device,
    }
}

/// A link's content is where it leads: it is stepped over like a file's.
fn header(name: Name, size: u64, kind: MemberKind) -> Header {
    let Name { text: name, fault: name_fault } = name;
    let name = if name == "." || name == "./" { name } else { name.trim_start_matches("./").to_owned() };
    Header { name, size, ignored: 0, kind, link: None, name_fault }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A member of the form that cpio -H newc writes.
    fn newc(name: &str, mode: u32, links: u32, content: &[u8]) -> Vec<u8> {
        let numbers = [1, mode, 0, 0, links, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        let mut out = b"070701".to_vec();
        numbers.iter().for_each(|number| out.extend(format!("{number:08x}").bytes()));
        out.extend(name.bytes());
        out.push(0);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend(content);
        out.resize(out.len().next_multiple_of(4), 0);
        out
    }

    #[test]
    fn archives_behind_each_other_are_one_and_what_else_is_there_is_told() {
        let one = [newc("a", 0o100644, 1, b"xyz"), newc(TRAILER, 0, 1, b"")].concat();
        let two = [one.clone(), vec![0; 512], one.clone(), b"\x1f\x8b\x08\0".to_vec()].concat();
        let mut stream = two.as_slice();
        let mut cpio = Cpio::default();
        for _ in 0..2 {
            let Next::Member(header) = cpio.next(&mut stream).unwrap() else { panic!("a member") };
            assert_eq!((header.name.as_str(), header.size), ("a", 3));
            stream = stream.get(4..).unwrap();
        }
        assert_eq!(cpio.next(&mut stream), Ok(Next::Other(4)));
        assert_eq!(Cpio::default().next(&mut [].as_slice()), Ok(Next::Cut));
        assert!(Cpio::default().next(&mut b"070701zz".as_slice()).is_err());
    }

    #[test]
    fn a_name_ends_with_zeros_and_nothing_else() {
        let sound = newc("lib/a.co\0\0\0", 0o100_644, 1, b"xyz");
        let fault = |bytes: &[u8]| match Cpio::default().next(&mut &*bytes) {
            Ok(Next::Member(header)) => (header.name, header.name_fault.is_some()),
            other => panic!("{other:?}"),
        };
        assert_eq!(fault(&sound), ("lib/a.co".to_owned(), false));
        // The name begins behind the header of 110 bytes; zeros that follow a longer name are its end.
        for (at, name, broken) in
            [(118, "lib/a.cox", false), (119, "lib/a.co", true), (121, "lib/a.co", true)]
        {
            let mut changed = sound.clone();
            *changed.get_mut(at).unwrap() = b'x';
            assert_eq!(fault(&changed), (name.to_owned(), broken), "{at}");
        }
        let mut no_end = newc("lib/a.co", 0o100_644, 1, b"xyz");
        *no_end.get_mut(118).unwrap() = b'x';
        assert_eq!(fault(&no_end), ("lib/a.cox".to_owned(), true));
    }

    #[test]
    fn numbers_of_files_are_looked_up_in_the_package() {
        let files = vec![RpmFile { name: "usr/lib/x.so".into(), size: 5 << 30, mode: 0o100755 }];
        let mut cpio = Cpio::of_rpm(files);
        let Next::Member(header) = cpio.next(&mut b"07070X00000000\0\0".as_slice()).unwrap() else {
            panic!()
        };
        assert_eq!((header.size, cpio.padding(5)), (5 << 30, 3));
        assert!(cpio.next(&mut b"07070X00000001\0\0".as_slice()).is_err());
    }
}
