//! Packages with arbitrary bytes, nested ones too, and zip, tar, `ar` and Debian packages with fields at
//! their limits. If no field was bent, every member opens with its content; if the crates `zip` and `tar`
//! read a member that we read, its content is the same.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::budget::InflateBudget;
use rocm_audit::format::Format;
use rocm_audit::input::package::visit::{self, Nesting, Selection};
use rocm_audit::input::package::{Head, MemberContent, MemberFile, is_package};
use rocm_audit::locator::Locator;
use rocm_audit::source::SourceFile;
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::{gpu, packages};
use std::collections::BTreeMap;
use std::io::Read;

/// The members that we open, by name (`None` for a repeated name), and whether anything was wrong.
fn ours(bytes: Vec<u8>) -> (BTreeMap<String, Option<Vec<u8>>>, bool) {
    let file = MemberFile::from_file(SourceFile::in_memory(Locator::file("/package"), bytes));
    let mut found = BTreeMap::new();
    let mut faults = 0;
    if !is_package(file.format) || file.format == Format::ThinArchive {
        return (found, true);
    }
    let budget = InflateBudget::for_package(0);
    let selection = Selection { wants: &|_: &Head<'_>| Some(0), excludes: &|_| false };
    let closed = visit::visit(file, "package", Nesting::outermost(&budget), selection, &mut |batch| {
        batch.each(|visited| {
            faults += visited.faults.len();
            if let Some(MemberContent::File(member)) = visited.content {
                let content = member.file.bytes().to_vec();
                found.entry(visited.name).and_modify(|known| *known = None).or_insert(Some(content));
            }
        });
    });
    (found, faults + closed.faults.len() > 0)
}

/// Opens a file with arbitrary bytes and everything inside it, until the budget is used up.
fn nested(file: MemberFile, nesting: Nesting<'_>) {
    if nesting.check().is_err() || !is_package(file.format) || file.format == Format::ThinArchive {
        let _ = rocm_audit::container::open(file.file.bytes(), file.format);
        return;
    }
    let selection = Selection { wants: &|_: &Head<'_>| Some(0), excludes: &|_| false };
    visit::visit(file, "package", nesting, selection, &mut |batch| {
        batch.each(|visited| {
            if let Some(MemberContent::File(file)) = visited.content {
                self::nested(file, visited.nesting);
            }
        });
    });
}

fn zip(bytes: &[u8], found: &BTreeMap<String, Option<Vec<u8>>>) {
    let Ok(mut theirs) = zip::ZipArchive::new(std::io::Cursor::new(bytes)) else { return };
    for index in 0..theirs.len() {
        let Ok(mut member) = theirs.by_index(index) else { continue };
        let Some(Some(content)) = found.get(member.name()) else { continue };
        let mut theirs = Vec::new();
        // Members that they read without an error match the directory's checksum.
        if member.by_ref().take(1 << 20).read_to_end(&mut theirs).is_ok() {
            assert!(theirs == *content, "{}", member.name());
        }
    }
}

fn tar(bytes: &[u8], found: &BTreeMap<String, Option<Vec<u8>>>) {
    let mut theirs = tar::Archive::new(bytes);
    let Ok(entries) = theirs.entries() else { return };
    for entry in entries {
        let Ok(mut entry) = entry else { return };
        // Different names that are not UTF-8 are shown alike.
        let Ok(name) = String::from_utf8(entry.path_bytes().into_owned()) else { continue };
        if name.contains(char::REPLACEMENT_CHARACTER) {
            continue;
        }
        let name = name.trim_start_matches("./").to_owned();
        let kind = entry.header().entry_type();
        let Some(Some(content)) = found.get(&name) else { continue };
        let mut theirs = Vec::new();
        if kind.is_file() && entry.by_ref().take(1 << 20).read_to_end(&mut theirs).is_ok() {
            // The crate forgets the size in a pax header if a GNU header follows; GNU tar and Python do not.
            let is_stated = bytes.windows(6).any(|window| window == b" size=");
            if is_stated && theirs.len() != content.len() {
                continue;
            }
            assert!(theirs == *content, "{name}");
        }
    }
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    if choices.byte() >= 0xa0 {
        let file = SourceFile::in_memory(Locator::file("/package"), choices.all().to_vec());
        return nested(MemberFile::from_file(file), Nesting::outermost(&InflateBudget::for_package(0)));
    }
    let kind = choices.below(4);
    let members = packages::members(&mut choices, &mut gpu::code_object);
    let file = match kind {
        0 | 1 => packages::zip(&mut choices, &members),
        2 => packages::tar(&mut choices, &members),
        _ => {
            let tar = packages::tar(&mut choices, &members);
            if choices.seldom() {
                packages::ar(&mut choices, &members)
            } else {
                packages::deb(&mut choices, tar)
            }
        }
    };
    let (found, wrong) = ours(file.clone());
    // Readers treat irregular members differently.
    match kind {
        _ if wrong => {}
        0 | 1 => zip(&file, &found),
        2 => tar(&file, &found),
        _ => {}
    }
    if kind < 2 && !choices.bent && !wrong {
        for (name, content) in members.iter().filter(|(name, _)| !name.ends_with('/')) {
            let known = found.get(name).or_else(|| found.get(name.trim_start_matches("./")));
            let known = known.unwrap_or_else(|| panic!("{name} is not found"));
            assert!(known.as_ref().is_none_or(|known| known == content), "{name}");
        }
    }
});
