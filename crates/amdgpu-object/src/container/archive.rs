//! `ar` archives: members that are code objects (gcc's offload libraries) or host objects with device sections.
#![deny(clippy::indexing_slicing)]

use super::{Container, coff, find, is_bundle};
use crate::budget::ObjectBudget;
use crate::error::{ParseError, ParseErrorKind};
use crate::format::Format;
use crate::limits::{ARCHIVE_MEMBERS, NAME_BYTES};
use crate::source::HEAD_BYTES;
use object::read::archive::ArchiveFile;

/// Reads all members of an archive.
pub fn open(bytes: &[u8]) -> Container {
    let mut all = Container::default();
    let mut budget = ObjectBudget::default();
    let archive = match ArchiveFile::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => {
            all.problems.push(ParseError::new(0, format!("the archive cannot be read: {error}")));
            return all;
        }
    };
    let mut last = 0;
    for (index, member) in archive.members().enumerate() {
        if index == ARCHIVE_MEMBERS {
            let what = format!("more than {ARCHIVE_MEMBERS} members; the rest is not read");
            all.problems.push(ParseError::new(last, what).of_kind(ParseErrorKind::TooMany));
            break;
        }
        let member = match member {
            Ok(member) => member,
            Err(error) => {
                let what = format!("a member behind this offset cannot be read: {error}");
                all.problems.push(ParseError::new(last, what));
                break;
            }
        };
        let (offset, size) = member.file_range();
        last = offset;
        let Ok(content) = member.data(bytes) else {
            let what = format!("a member of {size} bytes reaches beyond the archive");
            all.problems.push(ParseError::new(offset, what).of_kind(ParseErrorKind::CutEnd));
            continue;
        };
        let name = || {
            let name = member.name();
            Some(String::from_utf8_lossy(name.get(..NAME_BYTES).unwrap_or(name)).into_owned())
        };
        let head = content.get(..HEAD_BYTES.min(content.len())).unwrap_or_default();
        match Format::identify(head) {
            format if is_bundle(format) => {
                match find::read_at(content, offset, &mut budget).and_then(|found| found.pay(&mut budget)) {
                    Ok(mut found) => {
                        found.bundles.iter_mut().for_each(|b| b.member = name());
                        all.gaps.headers += found.headers;
                        all.bundles.append(&mut found.bundles);
                    }
                    Err(error) => all.problems.push(error),
                }
            }
            Format::HostElf => all.add_member(super::open_host(content, offset, &mut budget), &name),
            Format::CoffObject => {
                all.add_member(super::of_host(coff::open(content, offset, &mut budget)), &name);
            }
            _ => {}
        }
    }
    all
}

impl Container {
    /// Takes over what a host object in an archive holds.
    fn add_member(&mut self, mut inner: Container, name: &dyn Fn() -> Option<String>) {
        inner.bundles.iter_mut().for_each(|b| b.member = name());
        self.bundles.append(&mut inner.bundles);
        self.sections.append(&mut inner.sections);
        self.gaps.merge(inner.gaps);
        self.problems.append(inner.problems);
        self.unread.append(&mut inner.unread);
    }
}
