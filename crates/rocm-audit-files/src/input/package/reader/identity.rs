//! What a package says that it is: name and version of what it installs.
//!
//! Sources: deb(5) and deb-control(5); RPM's `rpmtag.h` (in `rpm`); PEP 427 for the folder of a wheel's
//! metadata.
#![deny(clippy::indexing_slicing)]

use super::archive::{Archive, Next};
use super::stream::Codec;
use super::tar::Tar;
use super::{MemberKind, zip};
use crate::limits::{DEB_CONTROL_BYTES, TEXT_BYTES};
use amdgpu_object::container::ar_members::ArMembers;
use std::io::Read;

/// Longest name or version that is believed.
const WORD_BYTES: usize = 128;

/// Name and version, as reports show them.
pub(super) fn shown(name: &str, version: &str) -> Option<String> {
    let sound = |word: &str| {
        !word.is_empty() && word.len() <= WORD_BYTES && word.bytes().all(|b| b.is_ascii_graphic())
    };
    (sound(name) && sound(version)).then(|| format!("{name} {version}"))
}

/// Of a Debian package; nothing where its `control` is not there or cannot be read.
pub(super) fn of_deb(bytes: &[u8]) -> Option<String> {
    let mut members = ArMembers::open(bytes).ok()?.take(16).map_while(Result::ok);
    let packed = members.find(|member| member.name.starts_with(b"control.tar"))?.content?;
    let codec = Codec::identify(packed).unwrap_or(Codec::Stored);
    let mut tar = Vec::new();
    // What is damaged behind the file that is looked for does not matter.
    let _ = codec.open(packed).ok()?.take(DEB_CONTROL_BYTES).read_to_end(&mut tar);
    let mut rest = tar.as_slice();
    while let Ok(Next::Member(header)) = Tar.next(&mut rest) {
        let size = usize::try_from(header.size).ok()?;
        if header.name == "control" && header.kind == MemberKind::File {
            let text = String::from_utf8_lossy(rest.get(..size.min(TEXT_BYTES).min(rest.len()))?);
            let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
            return shown(value("Package:")?, value("Version:")?);
        }
        rest = rest.get(size.checked_add(usize::try_from(Tar.padding(header.size)).ok()?)?..)?;
    }
    None
}

/// Of a wheel, by the one folder of metadata in it.
pub(super) fn of_wheel(members: &[zip::Member]) -> Option<String> {
    let folder = |member: &zip::Member| member.name.strip_suffix(".dist-info/METADATA").map(str::to_owned);
    let mut all = members.iter().filter_map(folder);
    let (name, version) =
        all.next().map(|folder| folder.rsplit_once('-').map(|(n, v)| (n.to_owned(), v.to_owned())))??;
    all.next().is_none().then(|| shown(&name, &version))?
}
