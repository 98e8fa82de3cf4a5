//! `ar` archives: members that are code objects (gcc's offload libraries) or host objects with device sections.
#![deny(clippy::indexing_slicing)]

use super::ar_members::ArMembers;
use super::{Container, coff, find, is_bundle};
use crate::budget::ObjectBudget;
use crate::error::{ParseError, ParseErrorKind};
use crate::format::{Format, promise};
use crate::limits::{ARCHIVE_MEMBERS, NAME_BYTES};
use crate::source::HEAD_BYTES;

/// Reads all members of an archive.
pub fn open(bytes: &[u8]) -> Container {
    let mut all = Container::default();
    let mut budget = ObjectBudget::of(bytes.len());
    let members = match ArMembers::open(bytes) {
        Ok(members) => members,
        Err(error) => {
            all.problems.push(error);
            return all;
        }
    };
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
            _ => {
                let broken = promise::broken(&String::from_utf8_lossy(member.name), head);
                let told = |what| ParseError::new(offset, format!("{}: {what}", name().unwrap_or_default()));
                all.problems.extend(broken.map(told));
            }
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
