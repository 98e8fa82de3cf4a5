//! `ar` archives: members that are code objects (gcc's offload libraries) or host objects with device sections.
#![deny(clippy::indexing_slicing)]

use super::region::Budget;
use super::{Container, Format, region};
use crate::codeobject;
use crate::error::ParseError;
use crate::limits::{ARCHIVE_MEMBERS, NAME_BYTES};
use object::read::archive::ArchiveFile;

/// Reads all members of an archive.
pub fn open(bytes: &[u8]) -> Container {
    let mut all = Container::default();
    let mut budget = Budget::default();
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
            all.problems.push(ParseError::new(last, what));
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
            all.problems.push(ParseError::new(offset, what));
            continue;
        };
        let name = || {
            let name = member.name();
            Some(String::from_utf8_lossy(name.get(..NAME_BYTES).unwrap_or(name)).into_owned())
        };
        if codeobject::is_code_object(content) {
            let found = region::read_at(content, offset, &mut budget);
            match found.and_then(|found| budget.pay(&found).map(|()| found)) {
                Ok(mut found) => {
                    found.member = name();
                    all.bundles.push(found);
                }
                Err(error) => all.problems.push(error),
            }
        } else if Format::identify(content) == Format::HostElf {
            let mut inner = super::open_host(content, offset, &mut budget);
            inner.bundles.iter_mut().for_each(|b| b.member = name());
            all.bundles.append(&mut inner.bundles);
            all.sections.append(&mut inner.sections);
            all.gaps.padding += inner.gaps.padding;
            all.gaps.unknown += inner.gaps.unknown;
            all.problems.append(inner.problems);
            all.unread.append(&mut inner.unread);
        }
    }
    all
}
