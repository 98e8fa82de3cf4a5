//! AOTriton images: attention kernels compiled ahead of time, below `aotriton.images/amd-<target>/`.
//!
//! Most are packed, in `*.aks2` ("AOTriton Kernel Storage version 2"): the magic, then sizes of the unpacked
//! content and of its directory and the number of kernels (u32 each), then one xz stream of directory and
//! images. A directory entry is shared memory, threads in a block, offset of the image behind the directory,
//! size of the image, length of the name with its NUL (u32 each) and the name; an image of no bytes stands
//! for a kernel that could not be compiled. Source: aotriton's `v3src/packed_kernel_common.cc` and
//! `v3python/aks2.py`.
#![deny(clippy::indexing_slicing)]

use crate::budget::MemoryPermit;
use crate::bytes::le::LeBytes;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::finding::Finding;
use crate::format::{Format, Support};
use crate::inventory::file_code::Details;
use crate::inventory::{ArtifactKind, DeviceCode};
use crate::limits::{
    AOTRITON_DIRECTORY_BYTES, AOTRITON_FREE_BYTES, AOTRITON_RATIO, AOTRITON_XZ_MEMORY, UNPACKED_WHOLE,
};
use crate::locator::Locator;
use crate::scan::device_code;
use crate::scan::device_code::Blob;
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use crate::target::{Processor, TargetId};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::io::{self, Read as _};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "aotriton",
    of_text: false,
    finds: "AOTriton images (aotriton.images): attention kernels, packed (*.aks2) or as code objects",
    claims: |candidate| {
        let image = candidate.format.support() == Support::Yes && below_images(candidate.path);
        candidate.format == Format::AotritonArchive || image
    },
    scan,
};

/// The folder that AOTriton looks for beside its library.
const IMAGES: &str = "aotriton.images";

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let named = folder_target(candidate.path);
    let is_closed = candidate.format == Format::AotritonArchive && !cfg!(feature = "packages");
    let mut scanned = if is_closed {
        let unread = vec!["AOTriton archive: not read: built without the feature `packages`".to_owned()];
        let device = DeviceCode { format: Some(candidate.format), unread, ..DeviceCode::default() };
        Scanned { device: Some(device), ..Scanned::default() }
    } else if candidate.format == Format::AotritonArchive {
        let mut archive = Archive {
            all: DeviceCode { format: Some(candidate.format), ..DeviceCode::default() },
            details: Details::default(),
            problems: ParseErrors::default(),
        };
        if let Err(error) = archive.read(candidate, settings, named.as_ref(), rows) {
            archive.problems.push(error);
        }
        let findings = Finding::all_of_bytes(candidate.shown, &archive.problems);
        Scanned { device: Some(archive.all), details: archive.details, findings, ..Scanned::default() }
    } else {
        device_code::read(candidate, settings, named.as_ref(), rows)
    };
    scanned.kind = Some(ArtifactKind::DeviceCode);
    scanned.named_target = named;
    scanned
}

fn below_images(path: &str) -> bool {
    folders(path).any(|folder| folder == IMAGES)
}

/// The folders of a path, the nearest first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit(['/', '\\']).skip(1)
}

/// The target of the folder `amd-gfx90a`. `amd-gfx11xx` and `amd-gfx120x` are families and name none.
fn folder_target(path: &str) -> Option<TargetId> {
    let named = folders(path).find_map(|part| part.strip_prefix("amd-"))?;
    Processor::by_name(named).map(|p| TargetId::bare(p.name()))
}

/// Bytes before the xz stream.
const HEADER_BYTES: u64 = 16;

/// Bytes of a directory entry before its name.
const ENTRY_BYTES: usize = 20;

/// One image as the directory has it.
struct Image {
    name: String,
    /// Offset in the unpacked content.
    offset: u64,
    size: u64,
}

/// What is found in an archive while it is read.
struct Archive {
    all: DeviceCode,
    details: Details,
    problems: ParseErrors,
}

impl Archive {
    /// Reads the archive. Its rows are handed on afterwards: their taker may block, and must not block while
    /// this holds the memory for inflating.
    fn read(
        &mut self,
        candidate: &Candidate<'_>,
        settings: &Settings<'_>,
        named: Option<&TargetId>,
        rows: &mut OnRows<'_>,
    ) -> Parsed<()> {
        let mut waiting = Vec::new();
        let read = self.read_images(candidate, settings, named, &mut |more| waiting.extend(more));
        rows(waiting);
        read
    }

    fn read_images(
        &mut self,
        candidate: &Candidate<'_>,
        settings: &Settings<'_>,
        named: Option<&TargetId>,
        rows: &mut OnRows<'_>,
    ) -> Parsed<()> {
        let bytes = candidate.file.bytes();
        let (Some([_, unpacked, kernels, directory]), Some(payload)) =
            (words::<4>(bytes), bytes.get(HEADER_BYTES as usize..))
        else {
            let what = format!("the header has 16 bytes, {} are there", bytes.len());
            return Err(ParseError::new(0, what).of_kind(ParseErrorKind::CutEnd));
        };
        if directory > unpacked || directory > AOTRITON_DIRECTORY_BYTES {
            let what = format!("the directory is said to have {directory} bytes, which is not believed");
            return Err(ParseError::new(12, what));
        }
        if unpacked > AOTRITON_FREE_BYTES && unpacked > AOTRITON_RATIO * payload.len() as u64 {
            let what =
                format!("{} bytes are said to unpack to {unpacked}, which is not believed", payload.len());
            return Err(ParseError::new(4, what).of_kind(ParseErrorKind::InflatesTooFar));
        }
        if let Some(allowance) = settings.allowance {
            let spent = |what| ParseError::new(4, what).of_kind(ParseErrorKind::InflatesTooFar);
            allowance.take(unpacked).map_err(spent)?;
        }
        let _held =
            MemoryPermit::take(AOTRITON_XZ_MEMORY + directory * 4 + UNPACKED_WHOLE.min(unpacked - directory));
        let mut stream = Unpacked::open(payload)?;
        let listing = stream.take(directory)?;
        let mut images = read_directory(&listing, kernels, unpacked)?;
        images.sort_rows_by_key(|image| image.offset);
        for (index, image) in images.iter().enumerate() {
            if image.size == 0 {
                self.all.other_payloads.entry("empty image").or_default().add(0);
                continue;
            }
            let wrong = if image.offset < stream.position {
                Some("overlaps the one before it".to_owned())
            } else {
                (image.size > UNPACKED_WHOLE).then(|| format!("has {} bytes", image.size))
            };
            if let Some(wrong) = wrong {
                let what = format!("image {} {wrong} and is not read", image.name);
                self.problems.push(ParseError::new(image.offset, what).in_unpacked());
                continue;
            }
            stream.skip(image.offset - stream.position)?;
            let content = stream.take(image.size)?;
            let whole = candidate.file.locator().range(0, candidate.file.len());
            let at = Locator { unpacked: Some((image.offset, image.size)), ..whole };
            let blob = Blob { bytes: &content, index, at, held: true };
            let mut part = device_code::read_blob(candidate, settings, named, &blob);
            if part.code.targets.is_empty() && part.problems.is_empty() {
                let found = part.code.other_payloads.keys().next().unwrap_or(&"nothing");
                part.problems.push(ParseError::new(0, format!("expected a code object, found {found}")));
            }
            let name = &image.name;
            self.problems.append(part.problems.map(|e| {
                let (offset, what) = (image.offset + e.offset(), format!("image {name}: {}", e.what()));
                ParseError::new(offset, what).in_unpacked()
            }));
            self.all.merge(part.code);
            self.details.merge(part.details);
            rows(part.rows);
        }
        stream.skip(unpacked.saturating_sub(stream.position))?;
        stream.finish()
    }
}

/// The first `N` little-endian words of `bytes`.
fn words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut all = [0; N];
    for (number, word) in all.iter_mut().enumerate() {
        *word = u64::from(LeBytes(bytes).get_u32(4 * number)?);
    }
    Some(all)
}

/// Reads the directory that the content of `unpacked` bytes begins with.
fn read_directory(listing: &[u8], kernels: u64, unpacked: u64) -> Parsed<Vec<Image>> {
    let mut images = Vec::new();
    let mut rest = listing;
    for number in 0..kernels {
        let position = (listing.len() - rest.len()) as u64;
        let wrong = |what: String| ParseError::new(position, what).in_unpacked();
        let cut = || wrong(format!("entry {number} of the directory ends behind the directory"));
        let [_, _, offset, size, name_size] = words(rest).ok_or_else(cut)?;
        rest = rest.get(ENTRY_BYTES..).unwrap_or_default();
        let (name, behind) = rest.split_at_checked(name_size as usize).ok_or_else(cut)?;
        rest = behind;
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name.get(..name.len().min(NAME_SHOWN)).unwrap_or_default());
        let offset = listing.len() as u64 + offset;
        if offset + size > unpacked {
            return Err(wrong(format!(
                "image {name} ends at {:#x}, the content at {unpacked:#x}",
                offset + size
            )));
        }
        images.push(Image { name: name.into_owned(), offset, size });
    }
    if !rest.is_empty() {
        let what = format!("the directory of {kernels} kernels ends {} bytes early", rest.len());
        return Err(ParseError::new((listing.len() - rest.len()) as u64, what).in_unpacked());
    }
    Ok(images)
}

/// How much of an image's name problems show.
const NAME_SHOWN: usize = 120;

#[cfg(all(feature = "packages", not(target_family = "wasm")))]
mod xz {
    use crate::error::Unread;
    use crate::limits::AOTRITON_XZ_MEMORY;
    use liblzma::stream::Stream;

    pub(super) type Decoder<'a> = liblzma::bufread::XzDecoder<&'a [u8]>;

    pub(super) fn open(payload: &[u8]) -> Result<Decoder<'_>, Unread> {
        let stream = Stream::new_stream_decoder(AOTRITON_XZ_MEMORY, 0).map_err(|e| e.to_string())?;
        Ok(Decoder::new_stream(payload, stream))
    }
}

#[cfg(all(feature = "packages", target_family = "wasm"))]
mod xz {
    use crate::error::Unread;
    use lzma_rust2::XzReader;
    use std::io;

    pub(super) struct Decoder<'a>(XzReader<&'a [u8]>, usize);

    pub(super) fn open(payload: &[u8]) -> Result<Decoder<'_>, Unread> {
        Ok(Decoder(XzReader::new(payload, false), payload.len()))
    }

    impl Decoder<'_> {
        pub(super) fn total_in(&self) -> u64 {
            (self.1 - self.0.inner().len().min(self.1)) as u64
        }
    }

    impl io::Read for Decoder<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.read(out)
        }
    }
}

#[cfg(not(feature = "packages"))]
mod xz {
    use crate::error::Unread;
    use std::convert::Infallible;
    use std::io;
    use std::marker::PhantomData;

    pub(super) struct Decoder<'a>(Infallible, PhantomData<&'a [u8]>);

    pub(super) fn open(_: &[u8]) -> Result<Decoder<'_>, Unread> {
        Err("built without the feature `packages`".into())
    }

    impl Decoder<'_> {
        pub(super) fn total_in(&self) -> u64 {
            match self.0 {}
        }
    }

    impl io::Read for Decoder<'_> {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            match self.0 {}
        }
    }
}

/// The xz stream of an archive.
struct Unpacked<'a> {
    decoder: xz::Decoder<'a>,
    position: u64,
}

impl<'a> Unpacked<'a> {
    fn open(payload: &'a [u8]) -> Parsed<Self> {
        let decoder =
            xz::open(payload).map_err(|e| ParseError::new(HEADER_BYTES, format!("xz cannot begin: {e}")))?;
        Ok(Unpacked { decoder, position: 0 })
    }

    /// The next `size` bytes, which are given memory as they come.
    fn take(&mut self, size: u64) -> Parsed<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.decoder.by_ref().take(size).read_to_end(&mut bytes);
        self.advance(read.map(|count| count as u64), size)?;
        Ok(bytes)
    }

    fn skip(&mut self, size: u64) -> Parsed<()> {
        let read = io::copy(&mut self.decoder.by_ref().take(size), &mut io::sink());
        self.advance(read, size)
    }

    fn advance(&mut self, read: io::Result<u64>, wanted: u64) -> Parsed<()> {
        let count = read.map_err(|e| self.broken(&e))?;
        self.position += count;
        if count < wanted {
            let what = format!("the xz stream ends after {} bytes", self.position);
            return Err(ParseError::new(self.position, what).in_unpacked());
        }
        Ok(())
    }

    /// Reads the end of the stream, where its checksums are.
    fn finish(mut self) -> Parsed<()> {
        match self.decoder.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => {
                let what = format!("the xz stream goes on beyond the {} bytes of the header", self.position);
                Err(ParseError::new(self.position, what).in_unpacked())
            }
            Err(error) => Err(self.broken(&error)),
        }
    }

    fn broken(&self, error: &io::Error) -> ParseError {
        let at = HEADER_BYTES + self.decoder.total_in();
        ParseError::new(at, format!("xz: {error}"))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::scan::tests::{code_object, scan_file};
    use std::io::Write;
    use std::path::PathBuf;

    /// An archive as `aks2.py` writes it, of a listing and images.
    fn archive(images: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut listing, mut bodies) = (Vec::new(), Vec::new());
        for (name, body) in images {
            let (at, size) = (bodies.len() as u32, body.len() as u32);
            [65536, 256, at, size, name.len() as u32 + 1]
                .iter()
                .for_each(|word: &u32| listing.extend(word.to_le_bytes()));
            listing.extend(name.as_bytes());
            listing.push(0);
            bodies.extend_from_slice(body);
        }
        let unpacked = (listing.len() + bodies.len()) as u32;
        pack(unpacked, images.len() as u32, listing.len() as u32, &[listing, bodies].concat())
    }

    fn pack(unpacked: u32, kernels: u32, directory: u32, content: &[u8]) -> Vec<u8> {
        let mut out = b"AKS2".to_vec();
        [unpacked, kernels, directory].iter().for_each(|word| out.extend(word.to_le_bytes()));
        let mut encoder = liblzma::write::XzEncoder::new(out, 6);
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn scan_bytes(folder: &str, bytes: &[u8]) -> (Scanned, u64) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("lib/aotriton.images").join(folder).join("flash/attn_fwd");
        std::fs::create_dir_all(&folder).unwrap();
        let path: PathBuf = folder.join("FONLY__x.aks2");
        std::fs::write(&path, bytes).unwrap();
        scan_file(&path)
    }

    #[test]
    fn images_are_read_and_those_that_were_not_compiled_are_counted() {
        let object = code_object("v5_gfx90a_heavy");
        let bytes = archive(&[("one", &object), ("none", b""), ("two", &object)]);
        let (scanned, lines) = scan_bytes("amd-gfx90a", &bytes);
        assert!(scanned.findings.is_empty(), "{:?}", scanned.findings);
        assert_eq!(scanned.named_target, Some(TargetId::bare("gfx90a")));
        let device = scanned.device.unwrap();
        let (target, code) = device.targets.iter().next().unwrap();
        assert_eq!((target.processor.as_str(), code.objects), ("gfx90a", 2));
        assert_eq!((device.targets.len(), code.bytes), (1, 2 * object.len() as u64));
        assert_eq!(device.other_payloads["empty image"].count, 1);
        assert!(device.name_conflicts.is_empty());
        assert_eq!(lines, code.kernels.count());
        let first = code.first.as_ref().unwrap();
        let directory = 3 * 20 + "one\0none\0two\0".len() as u64;
        assert_eq!(first.unpacked, Some((directory, object.len() as u64)));
        assert_eq!(first.range, Some((0, bytes.len() as u64)));
    }

    #[test]
    fn a_family_folder_names_no_target_and_a_wrong_one_disagrees() {
        let bytes = archive(&[("one", &code_object("v5_gfx1030"))]);
        assert_eq!(scan_bytes("amd-gfx11xx", &bytes).0.named_target, None);
        let device = scan_bytes("amd-gfx942", &bytes).0.device.unwrap();
        assert_eq!(device.name_conflicts[0].file_name.as_deref(), Some("gfx942"));
    }

    #[test]
    fn lies_are_found_and_nothing_panics() {
        let object = code_object("v4_gfx906");
        let good = archive(&[("one", &object), ("two", &object)]);
        let what = |bytes: &[u8]| {
            let (scanned, _) = scan_bytes("amd-gfx906", bytes);
            scanned.findings.into_iter().map(|p| p.locations[0].what.clone()).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(what(&good), "");
        let word = |index: usize, value: u32| {
            let mut bytes = good.clone();
            bytes[index * 4..index * 4 + 4].copy_from_slice(&value.to_le_bytes());
            what(&bytes)
        };
        let unpacked = u32::from_le_bytes(good[4..8].try_into().unwrap());
        assert!(word(1, unpacked + 1).contains("the xz stream ends after"));
        assert!(word(1, unpacked - 1).contains("image two ends at"));
        assert!(word(2, 1).contains("bytes early"));
        assert!(word(2, 3).contains("entry 2 of the directory"));
        assert!(word(3, u32::MAX).contains("not believed"));
        assert!(word(3, 10).contains("entry 0 of the directory"));
        let longer = pack(0, 0, 0, &[0; 10]);
        assert!(what(&longer).contains("goes on beyond"));
        let overlapping = {
            let mut listing = Vec::new();
            for _ in 0..2 {
                [0, 0, 0, 8, 1u32].iter().for_each(|word| listing.extend(word.to_le_bytes()));
                listing.extend([0]);
            }
            pack(50, 2, 42, &[&listing[..], &[0; 8]].concat())
        };
        let said = what(&overlapping);
        assert!(said.contains("expected a code object, found unknown content"), "{said}");
        assert!(said.contains("overlaps the one before it"), "{said}");
        for end in (4..good.len()).step_by(37) {
            assert_ne!(what(&good[..end]), "", "cut to {end} bytes");
        }
    }

    #[test]
    fn a_stream_that_wants_much_memory_is_refused() {
        let mut bytes = b"AKS2".to_vec();
        [0u32, 0, 0].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        let mut encoder = liblzma::write::XzEncoder::new(bytes, 9);
        encoder.write_all(&[0; 100]).unwrap();
        let (scanned, _) = scan_bytes("amd-gfx906", &encoder.finish().unwrap());
        assert!(scanned.findings[0].locations[0].what.starts_with("xz: "), "{:?}", scanned.findings);
    }
}
