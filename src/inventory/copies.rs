//! Finds duplicate code objects, and machine code shared by code objects of several targets.
//!
//! Only candidates are read: code objects with the same size, or with the same amount of machine code.
//! Inflated bytes are hashed while in memory; bytes stored as they are get read again at the end. Equality
//! means equal 128-bit XXH3.

use crate::bytes::le::clamped;
use crate::codeobject::CodeObject;
use crate::codeobject::digest::Digest;
use crate::container::Bundle;
use crate::container::bundle::Entry;
use crate::locator::Locator;
use crate::source::{Access, SourceFile};
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// What is needed to compare one code object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    target: TargetId,
    size: u64,
    /// Offset in the code object, and size, of `.text`.
    text: Option<(u64, u64)>,
    /// Range in the file, as in a locator.
    range: Option<(u64, u64)>,
    unpacked: Option<(u64, u64)>,
    /// Offset in the file, if the bytes are stored as they are.
    stored_at: Option<u64>,
    /// Hash and inflated size of the compressed bundle that contains it, and its offset there.
    bundle: Option<(u64, u64, u64)>,
    digest: Option<Digest>,
}

impl Fingerprint {
    /// The fingerprint of a code object that is an entry of a bundle and begins at `at`.
    pub fn for_entry(
        object: &CodeObject,
        bundle: &Bundle,
        entry: &Entry,
        at: &Locator,
        digest: Option<Digest>,
    ) -> Self {
        let stored = bundle.storage().unpacked().is_none();
        Fingerprint {
            target: object.target().clone(),
            size: entry.size(),
            text: object.text(),
            range: at.range,
            unpacked: at.unpacked,
            stored_at: stored.then(|| bundle.offset() + entry.offset()),
            bundle: bundle
                .storage()
                .packed()
                .and_then(|header| Some((header.hash()?, header.unpacked(), entry.offset()))),
            digest,
        }
    }

    /// Its target.
    pub fn target(&self) -> &TargetId {
        &self.target
    }

    /// Its size in bytes, inflated.
    pub fn bytes(&self) -> u64 {
        self.size
    }

    /// The size of its machine code in bytes, where that is known.
    pub fn text_bytes(&self) -> Option<u64> {
        self.text.map(|(_, size)| size)
    }

    /// Its location in `file`.
    pub fn locator(&self, file: &Locator) -> Locator {
        Locator { range: self.range, unpacked: self.unpacked, ..file.clone() }
    }

    /// Computes the hashes from the bytes of its file.
    fn digest_in(&self, bytes: &[u8]) -> Option<Digest> {
        let body = clamped(bytes, self.stored_at?, self.size);
        Some(Digest::hash(body, self.text))
    }

    /// What makes it equal to another: its hash, or that of the compressed bundle that contains it.
    fn identity(&self) -> Option<Identity> {
        match (self.digest, self.bundle) {
            (Some(digest), _) => Some(Identity::Bytes(self.size, digest.whole())),
            (None, Some((hash, unpacked, offset))) => Some(Identity::Bundle(hash, unpacked, offset)),
            (None, None) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Identity {
    Bytes(u64, u128),
    Bundle(u64, u64, u64),
}

/// Hashes parts stored as they are in `bytes`, for a file that will not be available at the end.
pub fn digest_all(parts: &mut [Fingerprint], bytes: &[u8]) {
    parts.par_iter_mut().filter(|p| p.digest.is_none()).for_each(|part| part.digest = part.digest_in(bytes));
}

/// The same on this thread alone, for bytes that hold a share of the memory for inflating.
pub fn digest_each(parts: &mut [Fingerprint], bytes: &[u8]) {
    parts.iter_mut().filter(|p| p.digest.is_none()).for_each(|part| part.digest = part.digest_in(bytes));
}

/// Copies of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DuplicateCopies {
    /// Number of different things that occur more than once.
    pub groups: u64,
    /// Copies beyond the first of each.
    pub extra: u64,
    /// Bytes of these copies.
    pub bytes: u64,
    /// The groups with most bytes.
    pub largest: Vec<Group>,
}

/// Code objects that are equal, or have equal machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Number of code objects.
    pub count: u64,
    /// Bytes of each code object.
    pub bytes: u64,
    /// Targets of the code objects.
    pub targets: BTreeSet<TargetId>,
    /// Location of the first copy found.
    pub first: Locator,
    /// Location of another copy.
    pub second: Locator,
}

/// Everything that occurs more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// Whole code objects.
    pub objects: DuplicateCopies,
    /// Machine code shared by code objects of different targets that are otherwise different.
    pub code: DuplicateCopies,
    /// Code objects that were not compared byte by byte: those of compressed bundles that were not inflated
    /// to their end count as equal if their bundles' hashes are equal.
    pub not_compared: u64,
}

/// The code objects of one file, with its place.
pub type FileFingerprints<'a> = (&'a Locator, &'a mut [Fingerprint]);

/// A code object, and the location of its file.
type Placed<'a> = (&'a Locator, &'a Fingerprint);

/// Compares the code objects of all files. The order of files decides which copies are named.
pub fn find(mut files: Vec<FileFingerprints<'_>>) -> Duplicates {
    read_candidates(&mut files);
    let mut wholes: HashMap<Identity, Vec<Placed<'_>>> = HashMap::new();
    let mut texts: HashMap<(u64, u128), Vec<Placed<'_>>> = HashMap::new();
    let mut result = Duplicates::default();
    for (file, part) in files.iter().flat_map(|(file, parts)| parts.iter().map(move |part| (*file, part))) {
        result.not_compared += u64::from(part.bundle.is_some() && part.digest.is_none());
        let Some(identity) = part.identity() else { continue };
        let group = wholes.entry(identity).or_default();
        group.push((file, part));
        // Of identical code objects, only the first represents their machine code.
        if let ([_], Some((_, size)), Some(text)) =
            (&group[..], part.text, part.digest.and_then(|d| d.text()))
        {
            texts.entry((size, text)).or_default().push((file, part));
        }
    }
    result.objects = copies(wholes.into_values(), |part| part.size);
    let shared = texts.into_values().filter(|group| {
        let first = group.first().map(|(_, part)| &part.target);
        group.iter().any(|(_, part)| Some(&part.target) != first)
    });
    result.code = copies(shared, |part| part.text.map_or(0, |(_, size)| size));
    result
}

/// Groups named in reports.
const LARGEST: usize = 5;

fn copies<'a>(
    groups: impl Iterator<Item = Vec<Placed<'a>>>,
    size: impl Fn(&Fingerprint) -> u64,
) -> DuplicateCopies {
    let mut result = DuplicateCopies::default();
    let mut largest: Vec<(u64, Vec<Placed<'a>>)> = Vec::new();
    for group in groups.filter(|group| group.len() > 1) {
        let wasted = group.first().map_or(0, |(_, part)| size(part)) * (group.len() as u64 - 1);
        result.groups += 1;
        result.extra += group.len() as u64 - 1;
        result.bytes += wasted;
        largest.push((wasted, group));
        if largest.len() > 64 * LARGEST {
            keep_largest(&mut largest);
        }
    }
    keep_largest(&mut largest);
    result.largest = largest
        .iter()
        .filter_map(|(_, group)| {
            let [(first_file, first), (second_file, second), ..] = &group[..] else { return None };
            Some(Group {
                count: group.len() as u64,
                bytes: size(first),
                targets: group.iter().map(|(_, part)| part.target.clone()).collect(),
                first: first.locator(first_file),
                second: second.locator(second_file),
            })
        })
        .collect();
    result
}

fn keep_largest(groups: &mut Vec<(u64, Vec<Placed<'_>>)>) {
    let place = |group: &[Placed<'_>]| group.first().map(|(file, part)| part.locator(file));
    groups.sort_by(|(a_bytes, a), (b_bytes, b)| b_bytes.cmp(a_bytes).then_with(|| place(a).cmp(&place(b))));
    groups.truncate(LARGEST);
}

/// Reads code objects that could be copies and are stored as they are.
fn read_candidates(files: &mut [FileFingerprints<'_>]) {
    let mut sizes: HashMap<u64, u32> = HashMap::new();
    let mut texts: HashMap<u64, u32> = HashMap::new();
    for part in files.iter().flat_map(|(_, parts)| parts.iter()) {
        *sizes.entry(part.size).or_default() += 1;
        if let Some((_, size)) = part.text {
            *texts.entry(size).or_default() += 1;
        }
    }
    let several = |part: &Fingerprint| {
        sizes.get(&part.size).is_some_and(|n| *n > 1)
            || part.text.is_some_and(|(_, size)| texts.get(&size).is_some_and(|n| *n > 1))
    };
    files.par_iter_mut().for_each(|(file, parts)| {
        let wanted = |p: &&mut Fingerprint| p.digest.is_none() && p.stored_at.is_some() && several(p);
        let mut wanted: Vec<&mut Fingerprint> = parts.iter_mut().filter(wanted).collect();
        if wanted.is_empty() || file.member.is_some() {
            return;
        }
        let Ok(source) = SourceFile::open(&file.path) else { return };
        source.expect(Access::Content);
        wanted.par_iter_mut().for_each(|part| part.digest = part.digest_in(source.bytes()));
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn part(target: &str, whole: u128, text: u128) -> Fingerprint {
        Fingerprint {
            target: TargetId::bare(target),
            size: 1000,
            text: Some((0, 100)),
            range: Some((0, 1000)),
            unpacked: None,
            stored_at: None,
            bundle: None,
            digest: Some(Digest::new(whole, Some(text))),
        }
    }

    #[test]
    fn copies_are_counted_beyond_the_first_and_no_byte_twice() {
        let file = Locator::file("/a");
        let mut parts = [
            part("gfx1100", 1, 7),
            part("gfx1100", 1, 7), // the same object again: its machine code is not counted once more
            part("gfx1101", 2, 7), // another target with the same machine code
            part("gfx900", 3, 8),
            part("gfx900", 4, 8), // the same machine code, the same target: not shared between targets
        ];
        let found = find(vec![(&file, &mut parts)]);
        assert_eq!((found.objects.groups, found.objects.extra, found.objects.bytes), (1, 1, 1000));
        assert_eq!((found.code.groups, found.code.extra, found.code.bytes), (1, 1, 100));
        let targets: Vec<_> =
            found.code.largest.first().unwrap().targets.iter().map(ToString::to_string).collect();
        assert_eq!(targets, ["gfx1100", "gfx1101"]);
    }
}
