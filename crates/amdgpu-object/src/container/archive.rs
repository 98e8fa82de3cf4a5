//! `ar` archives: members that are code objects (gcc's offload libraries) or host objects with device
//! sections.
#![deny(clippy::indexing_slicing)]

use super::ar_members::ArMembers;
use super::find::Region;
use super::{Container, coff, find, is_bundle};
use crate::budget::ObjectBudget;
use crate::error::{ParseError, ParseErrorKind};
use crate::format::{Format, Support, hidden, promise};
use crate::limits::HEAD_BYTES;
use crate::limits::{ARCHIVE_MEMBERS, NAME_BYTES};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Most members of unknown formats to name, since further ones add nothing.
const STRANGERS: usize = 16;

/// Reads all members of an archive.
pub fn open(bytes: &[u8], budget: &mut ObjectBudget) -> Container {
    let mut all = Container::default();
    let members = match ArMembers::open(bytes) {
        Ok(members) => members,
        Err(error) => {
            all.problems.push(error);
            return all;
        }
    };
    let (mut objects, mut strangers) = (0usize, Vec::new());
    for (index, member) in members.enumerate() {
        let (member, content) = match member {
            Ok(member) => (member, member.content.unwrap_or_default()),
            Err(error) => {
                all.problems.push(error);
                break;
            }
        };
        let offset = member.offset;
        if index == ARCHIVE_MEMBERS {
            let what = format!("more than {ARCHIVE_MEMBERS} members; the rest is not read");
            all.problems.push(ParseError::new(offset, what).of_kind(ParseErrorKind::TooMany));
            break;
        }
        let name = || {
            let name = member.name;
            Some(String::from_utf8_lossy(name.get(..NAME_BYTES).unwrap_or(name)).into_owned())
        };
        let head = content.get(..HEAD_BYTES.min(content.len())).unwrap_or_default();
        let format = Format::identify(head);
        objects += usize::from(is_bundle(format) || matches!(format, Format::HostElf | Format::CoffObject));
        match format {
            format if is_bundle(format) => {
                // As in a separate file, several bundles may follow each other.
                let region = find::bundles_in_section(content, offset, budget);
                let Region { bundles, gaps, problems } = region;
                all.add_member(Container { bundles, gaps, problems, ..Container::default() }, &name);
            }
            Format::HostElf => all.add_member(super::open_host(content, offset, budget), &name),
            Format::CoffObject => {
                all.add_member(super::of_host(coff::open(content, offset, budget)), &name);
            }
            format if is_closed(format) => {
                let what = format!(
                    "{}: {} in an archive of objects, which is not opened: unpack it",
                    name().unwrap_or_default(),
                    format.name()
                );
                all.problems.push(ParseError::new(offset, what).of_kind(ParseErrorKind::TooDeep));
            }
            _ => {
                let own = String::from_utf8_lossy(member.name);
                let told = |at, what| ParseError::new(at, format!("{}: {what}", name().unwrap_or_default()));
                if let Some(what) = promise::broken_in(&own, content) {
                    all.problems.push(told(offset, what));
                } else if promise::may_hide_code(&own, head)
                    && let Some((at, what)) = hidden::mark(content)
                {
                    let what = format!("the member {what} and begins like no format that is known");
                    all.problems.push(told(offset + at, what));
                } else if format == Format::Other
                    && strangers.len() < STRANGERS
                    && !promise::is_foreign_member(head)
                {
                    let what =
                        "the member begins like nothing that archives of objects hold: it was written over";
                    strangers.push(told(offset, what.to_owned()));
                }
            }
        }
    }
    // Archives of data contain only such members.
    if objects > 0 {
        all.problems.extend(strangers);
    }
    all
}

/// Whether a member is a container. A member without a magic never counts as one, since members can contain
/// anything.
fn is_closed(format: Format) -> bool {
    let holds = matches!(format.support(), Support::Members | Support::NotYet) || format == Format::Archive;
    holds && format != Format::Lzma
}

impl Container {
    /// Adds the contents of a host object in an archive.
    fn add_member(&mut self, mut inner: Container, name: &dyn Fn() -> Option<String>) {
        inner.bundles.iter_mut().for_each(|b| b.member = name());
        self.bundles.append(&mut inner.bundles);
        self.sections.append(&mut inner.sections);
        self.gaps.merge(inner.gaps);
        self.problems.append(inner.problems);
        self.unread.append(&mut inner.unread);
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// A bundle of one entry with a body of eight bytes.
    fn bundle(id: &str) -> Vec<u8> {
        let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        let body = 56 + id.len() as u64;
        for number in [1, body, 8, id.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(id.as_bytes());
        bytes.extend([7; 8]);
        bytes
    }

    #[test]
    fn every_bundle_of_a_member_is_found() {
        let content =
            [bundle("hip-amdgcn-amd-amdhsa--gfx900"), bundle("hip-amdgcn-amd-amdhsa--gfx906")].concat();
        let mut archive = b"!<arch>\n".to_vec();
        archive.extend(format!("{:<48}{:<10}`\n", "two.o/", content.len()).bytes());
        archive.extend(&content);
        let found = open(&archive, &mut ObjectBudget::for_size(archive.len()));
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let places: Vec<_> = found.bundles.iter().map(|b| (b.offset, b.member.as_deref())).collect();
        let half = content.len() as u64 / 2;
        assert_eq!(places, [(68, Some("two.o")), (68 + half, Some("two.o"))]);
    }
}
