//! LLVM's OffloadBinary (`10 FF 10 AD`), versions 1 to 3: the content of `.llvm.offloading` by the new
//! offload driver, and the output of `llvm-offload-binary`. Several may follow each other.
//!
//! Header: magic, u32 version, u64 size, u64 offset of the entries, then in version 1 the u64 size of its
//! only entry and from version 2 on the u64 number of entries; version 3 adds the u64 inflated size, 0 if it
//! is not compressed. Source: llvm/Object/OffloadBinary.h of LLVM 22; version 3 as proposed in llvm-project
//! 222774.
#![deny(clippy::indexing_slicing)]

use super::bundle::Entry;
use super::entry_id::EntryId;
use super::found::FoundContainer;
use super::{BUNDLE_FORMS, Bundle, BundleForm, Storage, StorageKind};
use crate::budget::ObjectBudget;
use crate::bytes::le::{LeBytes, range};
use crate::bytes::order::sort_by_place;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::Format;
use crate::limits::{BUNDLE_ENTRIES, BUNDLE_ID_BYTES};
use crate::target::TargetId;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

pub use crate::format::OFFLOAD_BINARY_MAGIC as MAGIC;

/// How OffloadBinaries are found and read.
pub(super) static FORM: BundleForm = BundleForm {
    format: Format::OffloadBinary,
    magic: MAGIC,
    is_plausible,
    read: read_images,
    in_images: false,
};

/// Kinds of images, by the number in the entry.
const IMAGE_KINDS: [&str; 7] = ["none", "object", "bitcode", "cubin", "fat binary", "PTX", "SPIR-V"];

/// Users of images: bits of the offload kind.
const OFFLOAD_KINDS: [(u16, &str); 4] = [(1, "openmp"), (2, "cuda"), (4, "hip"), (8, "sycl")];

/// An OffloadBinary after reading its header and entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffloadBinary {
    /// 1, 2 or 3.
    pub version: u32,
    /// Total size in bytes.
    pub size: u64,
    /// Its images in file order, including those without bytes.
    pub images: Vec<Image>,
}

/// One image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Offset in bytes from the magic.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Kind of the image: `object`, `bitcode`, `fat binary`.
    pub kind: &'static str,
    /// Whether its flags say that it has strings and no bytes.
    pub is_metadata: bool,
    /// Its strings in the form of LLVM's tools: `triple=amdgcn-amd-amdhsa,arch=gfx906,kind=hip`, with the
    /// target in `arch`.
    pub id: EntryId,
}

/// Alignment of images and OffloadBinaries, in bytes.
const ALIGNMENT: u64 = 8;

/// Bytes of an entry.
const ENTRY_BYTES: u64 = 40;

/// Whether bytes begin like an OffloadBinary of a known version.
pub fn is_plausible(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) && matches!(LeBytes(bytes).u32(4), 1..=3) && bytes.len() >= 32
}

/// Reads the OffloadBinary at the beginning of `bytes`. `images_left` is the number of images that may still
/// be read; it decreases by those examined, even after an error.
///
/// # Errors
///
/// With the offset of the malformed field.
pub fn read(bytes: &[u8], base: u64, images_left: &mut usize) -> Parsed<OffloadBinary> {
    let bad = |at: u64, what: String| ParseError::new(base + at, what);
    if !bytes.starts_with(MAGIC) || bytes.len() < 32 {
        return Err(bad(0, "expected the magic and header of an OffloadBinary".into()));
    }
    let header = LeBytes(bytes);
    let (version, size, entries_at) = (header.u32(4), header.u64(8), header.u64(16));
    if !(1..=3).contains(&version) {
        return Err(bad(4, format!("version {version} of OffloadBinary is unknown; 1 to 3 are expected")));
    }
    let available = bytes.len() as u64;
    if size < 32 || size > available {
        let error =
            bad(8, format!("the OffloadBinary is said to be {size} bytes long; {available} are there"));
        return Err(if size < 32 { error } else { error.of_kind(ParseErrorKind::CutEnd) });
    }
    // Nothing of it lies beyond its end.
    let bytes = bytes.get(..usize::try_from(size).unwrap_or(usize::MAX)).unwrap_or_default();
    if version == 3 && header.u64(32) != 0 {
        let what = "a compressed OffloadBinary of version 3 is not read".into();
        return Err(bad(32, what).of_kind(ParseErrorKind::UnknownMethod));
    }
    // In version 1 this field is the size of a structure, from version 2 on a number of entries.
    if version == 1 && header.u64(24) < ENTRY_BYTES {
        let what = format!(
            "the entry of the OffloadBinary is said to have {} bytes; {ENTRY_BYTES} are expected",
            header.u64(24)
        );
        return Err(bad(24, what));
    }
    let count = if version == 1 { 1 } else { header.u64(24) };
    if count > BUNDLE_ENTRIES {
        let what = format!("the OffloadBinary names {count} images; at most {BUNDLE_ENTRIES} are read");
        return Err(bad(24, what).of_kind(ParseErrorKind::TooMany));
    }
    if count == 0 {
        return Err(bad(24, "the OffloadBinary names no image".into()));
    }
    let left = images_left.checked_sub(count as usize);
    *images_left = left.ok_or_else(|| {
        let what = "too many images of OffloadBinaries in one file; the rest is not read".into();
        bad(24, what).of_kind(ParseErrorKind::TooMany)
    })?;
    let mut strings_left = size / 16;
    let image = |index| {
        image(bytes, base, version, entries_at.saturating_add(ENTRY_BYTES * index), index, &mut strings_left)
    };
    let mut images = (0..count).map(image).collect::<Parsed<Vec<Image>>>()?;
    sort_by_place(&mut images, |image| (image.offset, image.size));
    Ok(OffloadBinary { version, size, images })
}

/// Reads the image whose entry is at `at` in the OffloadBinary `bytes`. Charges its strings to `left`: if all
/// images shared the same strings, a small file could cause unlimited work.
fn image(bytes: &[u8], base: u64, version: u32, at: u64, index: u64, left: &mut u64) -> Parsed<Image> {
    let bad = |at: u64, what: String| ParseError::new(base + at, what);
    let size = bytes.len() as u64;
    let entry = range(bytes, at, ENTRY_BYTES)
        .ok_or_else(|| bad(16, format!("entry {index} reaches beyond the end")))?;
    let entry = LeBytes(entry);
    let (strings_at, strings) = (entry.u64(8), entry.u64(16));
    if strings > MOST_STRINGS {
        let what = format!("image {index} has {strings} strings; at most {MOST_STRINGS} are read");
        return Err(bad(at + 16, what));
    }
    *left = left.checked_sub(strings).ok_or_else(|| {
        let what = "the images of the OffloadBinary have more strings than fit into it".into();
        bad(at + 16, what).of_kind(ParseErrorKind::WorkLimit)
    })?;
    let step = if version == 1 { 16 } else { 24 };
    let mut pairs = Vec::new();
    for string in 0..strings {
        let pair = range(bytes, strings_at.saturating_add(step * string), step);
        let beyond = || bad(at + 8, format!("the strings of image {index} reach beyond the end"));
        let pair = LeBytes(pair.ok_or_else(beyond)?);
        let value_size = (version > 1).then(|| pair.u64(16));
        pairs.push((text(bytes, pair.u64(0), None), text(bytes, pair.u64(8), value_size)));
    }
    let (offset, image_size) = (entry.u64(24), entry.u64(32));
    if offset.checked_add(image_size).is_none_or(|end| end > size) {
        let what = format!(
            "image {index} spans {offset:#x}+{image_size:#x}, beyond the {size:#x} bytes that there are"
        );
        return Err(bad(at + 24, what));
    }
    let kind = IMAGE_KINDS.get(usize::from(entry.u16(0))).copied().unwrap_or("unknown");
    let is_metadata = entry.u32(4) & METADATA_ONLY != 0;
    Ok(Image { offset, size: image_size, kind, is_metadata, id: id_of(&pairs, entry.u16(2)) })
}

/// Reads the images of the OffloadBinary at the beginning of `bytes`; an image that is itself a bundle is
/// read as one.
fn read_images(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<FoundContainer> {
    read_nested(bytes, base, budget, 0)
}

/// OffloadBinaries that are looked into below each other. LLVM's tools put one into another where what was
/// linked is packed again.
const MOST_NESTED: u32 = 4;

fn read_nested(bytes: &[u8], base: u64, budget: &mut ObjectBudget, depth: u32) -> Parsed<FoundContainer> {
    let binary = read(bytes, base, &mut budget.images)?;
    let mut found = FoundContainer {
        bundles: Vec::new(),
        span: binary.size,
        headers: 0,
        problems: ParseErrors::default(),
    };
    let (mut read_to, mut stored) = (0, 0);
    for image in binary.images {
        let at = base + image.offset;
        if image.size > 0 && image.offset < read_to {
            let what = "an image of the OffloadBinary overlaps the one before it";
            return Err(ParseError::new(at, what).of_kind(ParseErrorKind::Overlap));
        }
        read_to = read_to.max(image.offset + image.size);
        let body = range(bytes, image.offset, image.size).unwrap_or_default();
        let mut inside = 0;
        while let Some(inner) = read_inner(body, inside, at, budget, depth)? {
            // Several may follow each other, as in a section.
            inside = (inside + inner.span.max(1)).next_multiple_of(ALIGNMENT);
            stored += inner.span;
            found.bundles.extend(inner.bundles);
            found.problems.append(inner.problems);
        }
        if inside > 0 {
            continue;
        }
        stored += image.size;
        // Metadata-only images have no bytes, but strings that name a target.
        let lost = image.size == 0 && (!image.is_metadata || image.id.as_str() == id_of(&[], 0).as_str());
        let problem = lost.then(|| {
            let what =
                "an image of the OffloadBinary has no bytes, and is not marked as one of metadata only";
            ParseError::new(at, what)
        });
        let entry = Entry { id: Some(image.id), offset: 0, size: image.size };
        found.bundles.push(Bundle {
            problem,
            span: image.size,
            storage: Storage {
                version: Some(binary.version),
                ..Storage::uncompressed(StorageKind::OffloadBinary)
            },
            entries: vec![entry],
            ..Bundle::bare(at)
        });
    }
    // Anything longer than alignment padding was once named by an entry.
    let behind = binary.size.saturating_sub(read_to);
    if read_to > 0
        && behind > ALIGNMENT
        && let Some(last) = found.bundles.last_mut()
    {
        let what =
            format!("{behind} bytes of the OffloadBinary stand behind its last image: an entry may be lost");
        last.problem.get_or_insert(ParseError::new(base + read_to, what));
    }
    found.headers = binary.size.saturating_sub(stored);
    Ok(found)
}

/// The bundles that begin at an offset of an image, if some do.
fn read_inner(
    image: &[u8],
    offset: u64,
    at: u64,
    budget: &mut ObjectBudget,
    depth: u32,
) -> Parsed<Option<FoundContainer>> {
    let body = usize::try_from(offset).ok().and_then(|offset| image.get(offset..)).unwrap_or_default();
    let is_one = |form: &&&BundleForm| body.starts_with(form.magic) && (form.is_plausible)(body);
    match BUNDLE_FORMS.iter().filter(|form| form.in_images).find(is_one) {
        Some(form) => (form.read)(body, at + offset, budget).map(Some),
        None if is_plausible(body) && depth < MOST_NESTED => {
            read_nested(body, at + offset, budget, depth + 1).map(Some)
        }
        None => Ok(None),
    }
}

/// `OIF_Metadata` of LLVM's `OffloadBinary.h`: the image has strings and no bytes.
const METADATA_ONLY: u32 = 1;

/// Limit for strings of one image; real ones have two.
const MOST_STRINGS: u64 = 64;

/// The string at an offset: up to its NUL, or of a given size.
fn text(bytes: &[u8], offset: u64, size: Option<u64>) -> String {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let most = usize::try_from(size.unwrap_or(BUNDLE_ID_BYTES).min(BUNDLE_ID_BYTES)).unwrap_or(usize::MAX);
    let rest = bytes.get(start..).unwrap_or_default();
    let text = rest.get(..most).unwrap_or(rest).split(|&b| b == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

fn id_of(pairs: &[(String, String)], offload_kind: u16) -> EntryId {
    let value = |key: &str| pairs.iter().find(|(k, _)| k == key).map_or("", |(_, value)| value);
    let kinds: Vec<_> =
        OFFLOAD_KINDS.iter().filter(|(bit, _)| offload_kind & bit != 0).map(|(_, name)| *name).collect();
    let (triple, arch) = (value("triple"), value("arch"));
    let amd = triple.starts_with("amdgcn") || triple.starts_with("amdgpu");
    let target = if amd { TargetId::parse(arch) } else { None };
    EntryId::named(format!("triple={triple},arch={arch},kind={}", kinds.join("+")), target)
}
