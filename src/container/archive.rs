//! `ar` archives: members that are code objects (gcc's offload libraries) or host objects with device sections.
#![deny(clippy::indexing_slicing)]

use super::{Container, Format, region};
use crate::codeobject;
use crate::error::ParseError;
use crate::limits::{ARCHIVE_MEMBERS, PROBLEMS_PER_FILE};
use object::read::archive::ArchiveFile;

/// Reads all members of an archive.
pub fn open(bytes: &[u8]) -> Container {
    let mut all = Container::default();
    let archive = match ArchiveFile::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => {
            all.problems.push(ParseError::new(0, format!("the archive cannot be read: {error}")));
            return all;
        }
    };
    let mut last = 0;
    for member in archive.members().take(ARCHIVE_MEMBERS) {
        let member = match member {
            Ok(member) => member,
            Err(error) => {
                all.problems.push(ParseError::new(
                    last,
                    format!("a member behind this offset cannot be read: {error}"),
                ));
                break;
            }
        };
        let (offset, size) = member.file_range();
        last = offset;
        let Ok(content) = member.data(bytes) else {
            all.problems.push(ParseError::new(
                offset,
                format!("a member of {size} bytes reaches beyond the archive"),
            ));
            continue;
        };
        let name = || Some(String::from_utf8_lossy(member.name()).into_owned());
        if codeobject::is_code_object(content) {
            match region::read_at(content, offset) {
                Ok(mut found) => {
                    found.member = name();
                    all.bundles.push(found);
                }
                Err(error) if all.problems.len() < PROBLEMS_PER_FILE => all.problems.push(error),
                Err(_) => {}
            }
        } else if Format::identify(content) == Format::HostElf {
            let mut inner = super::open_host(content, offset);
            inner.bundles.iter_mut().for_each(|b| b.member = name());
            all.bundles.append(&mut inner.bundles);
            all.sections.append(&mut inner.sections);
            all.gaps.padding += inner.gaps.padding;
            all.gaps.unknown += inner.gaps.unknown;
            all.problems.append(&mut inner.problems);
            all.unread.append(&mut inner.unread);
        }
    }
    all
}
