//! RPM packages: a lead, a signature, a header of tags, and the payload, which is a compressed cpio archive.
//!
//! Source: RPM's manual, "RPM Package Format V3/V4" and `rpmtag.h`. The header is read for the files of a
//! payload whose own headers are numbers only, as where a file has more than 4 GiB.
#![deny(clippy::indexing_slicing)]

use super::archive::MOST_BYTES;
use super::cpio::RpmFile;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{PACKAGE_MEMBERS, RPM_HEADER_BYTES, RPM_HEADER_TAGS};
use amdgpu_object::bytes::le::range;

/// A package whose headers were read.
pub(super) struct Rpm<'a> {
    /// Where the payload is.
    pub at: u64,
    /// The payload, compressed.
    pub payload: &'a [u8],
    /// The files that the header lists.
    pub files: Vec<RpmFile>,
    /// Name, version and release.
    pub identity: Option<String>,
    /// SHA-256 of the payload as it is stored, in hexadecimal; RPM 4.14 and later state it.
    pub digest: Option<String>,
}

/// Tags of the header.
const NAME: u32 = 1000;
const VERSION: u32 = 1001;
const RELEASE: u32 = 1002;
const FILE_SIZES: u32 = 1028;
const FILE_MODES: u32 = 1030;
const DIRECTORY_INDEXES: u32 = 1116;
const BASE_NAMES: u32 = 1117;
const DIRECTORY_NAMES: u32 = 1118;
const LONG_FILE_SIZES: u32 = 5008;
const PAYLOAD_DIGEST: u32 = 5092;
const PAYLOAD_DIGEST_ALGORITHM: u32 = 5093;
/// SHA-256 by the numbers of OpenPGP (RFC 4880, 9.4).
const SHA256: u64 = 8;

/// Bytes of the lead.
const LEAD: u64 = 96;

/// Reads the headers of a package.
///
/// # Errors
/// Where they are not there or reach beyond the file.
pub(super) fn open(bytes: &[u8]) -> Parsed<Rpm<'_>> {
    let signature = Section::read(bytes, LEAD)?;
    let header = Section::read(bytes, signature.end.next_multiple_of(8))?;
    let payload = bytes.get(usize::try_from(header.end).unwrap_or(usize::MAX)..).unwrap_or_default();
    if payload.is_empty() {
        let error = ParseError::new(header.end, "the RPM package ends before its payload");
        return Err(error.of_kind(ParseErrorKind::CutEnd));
    }
    // Only a payload of numbers needs the list.
    let (files, identity, digest) = (header.files(), header.identity(), header.payload_digest());
    Ok(Rpm { at: header.end, payload, files, identity, digest })
}

/// A header: an index of tags, and what they say.
struct Section<'a> {
    index: &'a [u8],
    store: &'a [u8],
    end: u64,
}

impl<'a> Section<'a> {
    fn read(bytes: &'a [u8], at: u64) -> Parsed<Self> {
        let cut = |what: &str| ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd);
        let intro = range(bytes, at, 16).ok_or_else(|| cut("the RPM package ends before its header does"))?;
        if !intro.starts_with(&[0x8e, 0xad, 0xe8, 1]) {
            return Err(ParseError::new(at, "a header of the RPM package is expected here and not there"));
        }
        let (tags, size) = (u64::from(word(intro, 8)), u64::from(word(intro, 12)));
        if tags > RPM_HEADER_TAGS || size > RPM_HEADER_BYTES {
            let what = format!("a header of the RPM package is said to have {tags} tags in {size} bytes");
            return Err(ParseError::new(at, what));
        }
        let cut = || cut("a header of the RPM package reaches beyond the file");
        let index = range(bytes, at + 16, 16 * tags).ok_or_else(cut)?;
        let store = range(bytes, at + 16 + 16 * tags, size).ok_or_else(cut)?;
        Ok(Section { index, store, end: at + 16 + 16 * tags + size })
    }

    /// The values of a tag, as they are stored, and how many they are.
    fn tag(&self, tag: u32) -> Option<(&'a [u8], usize)> {
        let entry = self.index.chunks_exact(16).find(|entry| word(entry, 0) == tag)?;
        let count = usize::try_from(word(entry, 12)).ok()?.min(PACKAGE_MEMBERS);
        Some((self.store.get(usize::try_from(word(entry, 8)).ok()?..)?, count))
    }

    fn texts(&self, tag: u32) -> Vec<&'a [u8]> {
        let Some((values, count)) = self.tag(tag) else { return Vec::new() };
        values.split(|b| *b == 0).take(count).collect()
    }

    fn numbers<const N: usize>(&self, tag: u32) -> Vec<u64> {
        let Some((values, count)) = self.tag(tag) else { return Vec::new() };
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        values.chunks_exact(N).take(count).map(number).collect()
    }

    fn identity(&self) -> Option<String> {
        let text = |tag: u32| self.texts(tag).first().map(|text| String::from_utf8_lossy(text).into_owned());
        super::identity::shown(&text(NAME)?, &format!("{}-{}", text(VERSION)?, text(RELEASE)?))
    }

    fn payload_digest(&self) -> Option<String> {
        let stated =
            self.texts(PAYLOAD_DIGEST).first().map(|text| String::from_utf8_lossy(text).into_owned());
        stated.filter(|_| self.numbers::<4>(PAYLOAD_DIGEST_ALGORITHM).first() == Some(&SHA256))
    }

    fn files(&self) -> Vec<RpmFile> {
        let (names, folders) = (self.texts(BASE_NAMES), self.texts(DIRECTORY_NAMES));
        let (of_folder, modes) = (self.numbers::<4>(DIRECTORY_INDEXES), self.numbers::<2>(FILE_MODES));
        let sizes = match self.numbers::<8>(LONG_FILE_SIZES) {
            sizes if sizes.is_empty() => self.numbers::<4>(FILE_SIZES),
            sizes => sizes,
        };
        // More than any file has is the end of what can be meant.
        let sizes = sizes.into_iter().take_while(|size| *size <= MOST_BYTES);
        let each = names.into_iter().zip(of_folder).zip(sizes).zip(modes);
        let mut held = 0;
        each.map(|(((name, folder), size), mode)| {
            let folder = usize::try_from(folder).ok().and_then(|at| folders.get(at)).copied();
            let path = [folder.unwrap_or_default(), name].concat();
            RpmFile { name: super::path_text(&path), size, mode: mode as u32 }
        })
        // One long folder can be named by every file.
        .take_while(|file| {
            held += file.name.len() as u64;
            held <= crate::limits::MEMBER_NAMES_BYTES
        })
        .map(|file| RpmFile { name: file.name.trim_start_matches('/').to_owned(), ..file })
        .collect()
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_be_bytes(*word))
}
