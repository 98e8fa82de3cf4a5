//! Thin archives: their members are files beside them.
#![deny(clippy::indexing_slicing)]

use super::{Member, MemberBody, Opened, Package, PackageWalk, names, path_text};
use crate::error::{ParseError, ParseErrorKind};
use amdgpu_object::container::ar_members::ArMembers;
use std::collections::HashSet;
use std::path::PathBuf;

impl Package<'_> {
    /// The members of a thin archive are files beside it.
    pub(super) fn thin_archive(&self, each: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        let mut walked = PackageWalk::default();
        let members = match ArMembers::open(self.file.bytes()) {
            Ok(members) => members,
            Err(error) => return PackageWalk::failed(error),
        };
        let folder = self.file.path().parent().map(PathBuf::from).unwrap_or_default();
        let nested = self.file.locator().member.is_some();
        let mut seen = HashSet::new();
        let mut batch = Vec::new();
        for member in members {
            match member {
                Ok(member) => {
                    let name = path_text(member.name);
                    if let Err(what) = self.allowance.take_member(&name) {
                        walked.problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::TooMany));
                        break;
                    }
                    let wrong = if nested {
                        let what = "is a file beside its thin archive, which is not in the package";
                        Some((what, ParseErrorKind::Malformed))
                    } else if names::leads_out(&name) {
                        let what = "lies outside of the folder of its thin archive";
                        Some((what, ParseErrorKind::UnsafePath))
                    } else {
                        let what = "is named twice in the thin archive";
                        (!seen.insert(name.clone())).then_some((what, ParseErrorKind::DoubledName))
                    };
                    let body = match wrong {
                        Some((what, kind)) => {
                            let what = format!("{name}: {what}, and is not read");
                            let error = ParseError::new(0, what).of_kind(kind);
                            MemberBody::Ready(Box::new(Opened::failed(error)))
                        }
                        None => MemberBody::Disk(folder.join(&name)),
                    };
                    batch.push(self.member(name, member.size, 0, body));
                }
                Err(error) => {
                    walked.problems.push(error);
                    break;
                }
            }
        }
        if !batch.is_empty() {
            each(batch);
        }
        walked
    }
}
