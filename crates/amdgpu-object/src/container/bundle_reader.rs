//! Reads the code objects in a bundle, in any storage form, without keeping more of it than necessary.
#![deny(clippy::indexing_slicing)]

use super::entry_id::{EntryId, EntrySide};
use super::window::Window;
use super::{Bundle, bundle::Entry, compressed};
use crate::bytes::le::clamped;
use crate::bytes::order::sort_by_place;
use crate::codeobject::digest::Digest;
use crate::codeobject::disassembly::CodeAsk;
use crate::codeobject::in_order::beside;
use crate::codeobject::{self, CodeObject, Kernel};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::format::Format;
#[cfg(feature = "std")]
use crate::limits::SPOOLED_BYTES;
use crate::limits::{
    BUNDLES_AT_ONCE, HEAD_BYTES, INVENTORY_AT_ONCE, UNPACKED_TAIL, UNPACKED_WHOLE, UNPACKING_MEMORY,
};
#[cfg(feature = "std")]
use crate::locator::Locator;
#[cfg(feature = "std")]
use crate::source::{SourceFile, temporary::Temporary};
use crate::target::TargetId;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::{io::Write, path::Path};

/// Receives each kernel with its entry's index and the target of its code object.
pub type OnKernelOfEntry<'a> = dyn FnMut(usize, &TargetId, &Kernel<'_>) + 'a;

/// How much of a compressed bundle to inflate. Plain bundles are always read in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Depth {
    /// Up to the kernel metadata of its last entry: targets, kernels, code size.
    Metadata,
    /// All of it, including section bytes and machine code; its hash is not computed.
    Code,
    /// All of it, and its hash.
    Whole,
}

/// The content of an entry.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Payload {
    /// Nothing: the host's placeholder.
    Empty,
    /// A code object.
    CodeObject(Box<CodeObject>),
    /// LLVM bitcode of relocatable device code.
    Bitcode,
    /// SPIR-V.
    SpirV,
    /// The host's placeholder, of one byte, in relocatable objects.
    Host,
    /// An ELF file for another machine.
    OtherElf,
    /// Anything else.
    Other,
}

impl Payload {
    /// Name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Payload::Empty => "empty",
            Payload::CodeObject(_) => "code object",
            Payload::Bitcode => "LLVM bitcode",
            Payload::SpirV => "SPIR-V",
            Payload::Host => "host placeholder",
            Payload::OtherElf => "ELF for another machine",
            Payload::Other => "unknown content",
        }
    }
}

answer! {
    /// The content of a bundle.
    #[derive(Debug, Default)]
    pub struct BundleContent {
        /// The content of each entry, in the bundle's order.
        list payloads: Payload,
        /// For each entry, hashes of code objects that were inflated whole; empty for other bundles.
        list digests: Option<Digest>,
        /// Whether the hash in a compressed bundle's header matches; `None` if it was not computed.
        copy hash_fits: Option<bool>,
        /// Malformed parts of entries and of the bundle.
        part problems: ParseErrors,
    }
}

/// Splits bundles into groups to read in parallel; each comes with the index of its first bundle.
///
/// A group has at most `BUNDLES_AT_ONCE` bundles and, with `inventory`, at most `INVENTORY_AT_ONCE` inflated
/// bytes (or one larger bundle), because the kernel rows of a group are kept in memory.
#[doc(hidden)]
pub fn groups(bundles: &[Bundle], inventory: bool) -> Vec<(usize, &[Bundle])> {
    let mut groups = Vec::new();
    let (mut first, mut held) = (0, 0u64);
    for (index, bundle) in bundles.iter().enumerate() {
        let bytes: u64 = bundle.entries.iter().map(|e| e.size).sum();
        let full = index - first >= BUNDLES_AT_ONCE;
        let large = inventory && held > 0 && held.saturating_add(bytes) > INVENTORY_AT_ONCE;
        if full || large {
            groups.extend(bundles.get(first..index).map(|group| (first, group)));
            (first, held) = (index, 0);
        }
        held = held.saturating_add(bytes);
    }
    groups.extend(bundles.get(first..).filter(|group| !group.is_empty()).map(|group| (first, group)));
    groups
}

/// Reads all entries of a bundle in the file `bytes`, and as much of their machine code as `ask` requests.
/// Calls `on_kernel` for each kernel with its entry's index.
pub fn read(
    bytes: &[u8],
    bundle: &Bundle,
    depth: Depth,
    ask: CodeAsk<'_>,
    on_kernel: &mut OnKernelOfEntry<'_>,
) -> BundleContent {
    let stored = clamped(bytes, bundle.offset, bundle.span);
    let Some(header) = &bundle.storage.packed else {
        return read_entries(stored, bundle.offset, bundle, ask, on_kernel);
    };
    let packed = PackedBundle { stored, bundle, header, depth };
    // A frame without a header holds one code object.
    let whole = header.hash.is_none() || depth >= Depth::Code && header.unpacked <= UNPACKING_MEMORY;
    if whole {
        return packed.read_whole(ask, on_kernel);
    }
    #[cfg(feature = "std")]
    if ask.decoded().is_some() && header.unpacked <= SPOOLED_BYTES {
        return packed.read_spooled(ask, on_kernel);
    }
    packed.read_stream(ask, on_kernel)
}

/// A compressed bundle being read.
struct PackedBundle<'a> {
    /// Its bytes in the file.
    stored: &'a [u8],
    bundle: &'a Bundle,
    header: &'a compressed::Header,
    depth: Depth,
}

impl PackedBundle<'_> {
    /// Inflates it whole, reads its entries, and hashes its code objects while they are in memory. Its own hash is
    /// a chain that one core works at; where that takes longer than to start a thread, another one does.
    fn read_whole(&self, ask: CodeAsk<'_>, on_kernel: &mut OnKernelOfEntry<'_>) -> BundleContent {
        let (bundle, header) = (self.bundle, self.header);
        let hashed = self.depth == Depth::Whole;
        let inflated = match hashed {
            true => compressed::Inflated::read_to_hash(self.stored, bundle.offset, header),
            false => compressed::Inflated::read(self.stored, bundle.offset, header),
        };
        let inflated = match inflated {
            Ok(inflated) => inflated,
            Err(error) => return BundleContent::failed(bundle, error),
        };
        let mut read = || read_inflated(inflated.bytes(), bundle, ask, on_kernel);
        let fits = || inflated.fits(header);
        let (mut content, fits) = match hashed {
            true if header.unpacked >= HASHED_BESIDE && !inflated.is_awaited() => beside(read, fits),
            true => (read(), fits()),
            false => (read(), None),
        };
        content.note_hash(fits, bundle);
        content
    }

    /// Inflates a bundle that is too large for memory to an unnamed file and reads its entries there:
    /// decoding machine code needs the symbols, which follow it.
    #[cfg(feature = "std")]
    fn read_spooled(&self, ask: CodeAsk<'_>, on_kernel: &mut OnKernelOfEntry<'_>) -> BundleContent {
        let (bundle, header) = (self.bundle, self.header);
        let memory = header.unpacked.min(1 << crate::limits::ZSTD_WINDOW_LOG);
        let verify = self.depth == Depth::Whole;
        let inflated = compressed::Unpacked::open(self.stored, bundle.offset, header, verify, memory)
            .and_then(|stream| spool(stream, bundle, header.unpacked));
        match inflated {
            Ok((file, fits)) => {
                let mut content = read_inflated(file.bytes(), bundle, ask, on_kernel);
                content.note_hash(fits, bundle);
                content
            }
            // Reads what is possible without a file.
            Err(error) => {
                let mut content = self.read_stream(ask, on_kernel);
                content.problems.push(error);
                content
            }
        }
    }

    /// Reads the entries in the order of their offsets while inflating the stream once from its beginning;
    /// keeps only what each entry needs.
    fn read_stream(&self, ask: CodeAsk<'_>, on_kernel: &mut OnKernelOfEntry<'_>) -> BundleContent {
        let bundle = self.bundle;
        let mut content = BundleContent::from_bundle(bundle);
        let verify = self.depth == Depth::Whole;
        let memory = memory_needed(bundle, self.header, self.depth);
        let mut stream =
            match compressed::Unpacked::open(self.stored, bundle.offset, self.header, verify, memory) {
                Ok(stream) => stream,
                Err(error) => return BundleContent::failed(bundle, error),
            };
        let order = in_order(bundle);
        let last = order.last().map(|(index, _)| *index);
        for (index, entry) in order {
            let Some(gap) = entry.offset.checked_sub(stream.position()) else {
                content.problems.push(overlap(index, entry.offset).in_unpacked());
                continue;
            };
            let to_the_end = self.depth >= Depth::Code || Some(index) != last;
            let window = match stream.skip(gap).and_then(|()| read_window(&mut stream, entry, to_the_end)) {
                Ok(window) => window,
                Err(error) => {
                    content.problems.push(error);
                    return content;
                }
            };
            let mut problems = ParseErrors::default();
            let payload = identify(&window.head, &mut problems, |problems| {
                // The code of larger entries is not kept, so it stays undecoded.
                let whole = window.head.len() as u64 == entry.size;
                let on_kernel = &mut |t: &TargetId, k: &Kernel<'_>| on_kernel(index, t, k);
                let at_hand = if whole { ask } else { CodeAsk::Nothing };
                let mut read =
                    codeobject::read_decoded(&window, entry.size, entry.offset, at_hand, on_kernel);
                if let (Ok(object), Some(ask), false) = (&mut read, ask.decoded(), whole) {
                    object.code_asked = ask.wants(object.target());
                }
                code_object(read, problems)
            });
            problems.extend(without_code(index, entry, &payload, entry.offset));
            content.problems.append(problems.in_unpacked());
            if let Some(slot) = content.payloads.get_mut(index) {
                *slot = payload;
            }
        }
        match stream.finish() {
            Ok(fits) => content.note_hash(fits, bundle),
            Err(error) => content.problems.push(error),
        }
        content
    }
}

/// Inflated bytes from which on a bundle is hashed while its entries are read: about a millisecond.
const HASHED_BESIDE: u64 = 1 << 19;

/// Reads the entries of an inflated bundle.
fn read_inflated(
    inflated: &[u8],
    bundle: &Bundle,
    ask: CodeAsk<'_>,
    on_kernel: &mut OnKernelOfEntry<'_>,
) -> BundleContent {
    let mut content = read_entries(inflated, 0, bundle, ask, on_kernel);
    let digest = |(entry, payload): (&Entry, &Payload)| match payload {
        Payload::CodeObject(object) => {
            Some(Digest::hash(clamped(inflated, entry.offset, entry.size), object.text))
        }
        _ => None,
    };
    content.digests = bundle.entries.iter().zip(&content.payloads).map(digest).collect();
    content.problems = content.problems.in_unpacked();
    content
}

/// Writes a stream to an unnamed file. The second value says whether the hash matches, if it was computed.
#[cfg(feature = "std")]
fn spool(
    mut stream: compressed::Unpacked<'_>,
    bundle: &Bundle,
    size: u64,
) -> Result<(SourceFile, Option<bool>), ParseError> {
    let no_file = |error: std::io::Error| ParseError::new(bundle.offset, Temporary::failed(&error));
    let mut file = Temporary::new().map_err(no_file)?;
    let mut buffer = Vec::new();
    let mut left = size;
    while left > 0 {
        let step = left.min(1 << 20);
        buffer.clear();
        stream.read_onto(&mut buffer, step)?;
        file.write_all(&buffer).map_err(no_file)?;
        left -= step;
    }
    let fits = stream.finish()?;
    let file = SourceFile::unpacked(Locator::file(Path::new("")), file, size).map_err(no_file)?;
    Ok((file, fits))
}

/// Reads the entries of a bundle that is completely in memory; its first byte lies at the absolute offset
/// `base`.
fn read_entries(
    bytes: &[u8],
    base: u64,
    bundle: &Bundle,
    ask: CodeAsk<'_>,
    on_kernel: &mut OnKernelOfEntry<'_>,
) -> BundleContent {
    let mut content = BundleContent::from_bundle(bundle);
    let mut read_to = 0;
    for (index, entry) in in_order(bundle) {
        if entry.offset < read_to {
            content.problems.push(overlap(index, base + entry.offset));
            continue;
        }
        read_to = entry.offset + entry.size;
        let body = clamped(bytes, entry.offset, entry.size);
        let base = base + entry.offset;
        let payload = identify(body, &mut content.problems, |problems| {
            let on_kernel = &mut |t: &TargetId, k: &Kernel<'_>| on_kernel(index, t, k);
            code_object(codeobject::read_decoded(body, entry.size, base, ask, on_kernel), problems)
        });
        content.problems.extend(without_code(index, entry, &payload, base));
        let host = entry.id.as_ref().is_some_and(|id| id.kind() == EntrySide::Host);
        if let Some(slot) = content.payloads.get_mut(index) {
            *slot = if host && matches!(payload, Payload::Other) { Payload::Host } else { payload };
        }
    }
    content
}

/// The entries that are not empty, with their index, in the order of their offsets.
#[doc(hidden)]
pub fn in_order(bundle: &Bundle) -> Vec<(usize, &Entry)> {
    let mut order: Vec<(usize, &Entry)> =
        bundle.entries.iter().enumerate().filter(|(_, e)| e.size > 0).collect();
    sort_by_place(&mut order, |(_, e)| (e.offset, e.size));
    order
}

/// The error for an entry whose id names a target but whose bytes, although not malformed, are not code for
/// it: they are something else or were overwritten.
fn without_code(index: usize, entry: &Entry, payload: &Payload, offset: u64) -> Option<ParseError> {
    // An id that names nothing may have been overwritten; one for another vendor's code does not concern us.
    let foreign =
        |id: &EntryId| ["nvptx", "spir", "x86", "aarch64"].iter().any(|name| id.as_str().contains(name));
    let may_hold = |id: &EntryId| match id.kind() {
        EntrySide::Device => true,
        EntrySide::Host => false,
        EntrySide::Unknown => matches!(payload, Payload::Other) && entry.size > 0 && !foreign(id),
    };
    let id = entry.id.as_ref().filter(|id| may_hold(id))?;
    let what = match payload {
        Payload::Other => "unknown content",
        Payload::OtherElf => "an ELF file for another machine",
        _ => return None,
    };
    Some(ParseError::new(offset, format!("bundle entry {index}, {id}, holds {what} and no code")))
}

/// The error for overlapping entries, which would have the same bytes read again for each entry.
fn overlap(index: usize, offset: u64) -> ParseError {
    let what = format!("bundle entry {index} overlaps the one before it and is not read");
    ParseError::new(offset, what).of_kind(ParseErrorKind::Overlap)
}

impl BundleContent {
    /// The content of each entry with its hashes, if computed, and the malformed parts.
    pub fn into_payloads(self) -> (Vec<(Payload, Option<Digest>)>, ParseErrors) {
        let digests = self.digests.into_iter().chain(core::iter::repeat(None));
        (self.payloads.into_iter().zip(digests).collect(), self.problems)
    }

    /// The content of a bundle before reading.
    fn from_bundle(bundle: &Bundle) -> Self {
        BundleContent { payloads: vec![Payload::Empty; bundle.entries.len()], ..BundleContent::default() }
    }

    /// The content of a bundle that could not be read.
    fn failed(bundle: &Bundle, error: ParseError) -> Self {
        let mut content = BundleContent::from_bundle(bundle);
        content.problems.push(error);
        content
    }

    fn note_hash(&mut self, fits: Option<bool>, bundle: &Bundle) {
        self.hash_fits = fits;
        if fits == Some(false) {
            let what = "the hash in the header of the compressed bundle does not fit its content";
            self.problems.push(ParseError::new(bundle.offset, what).of_kind(ParseErrorKind::WrongHash));
        }
    }
}

fn code_object(read: Result<CodeObject, ParseError>, problems: &mut ParseErrors) -> Payload {
    match read {
        Ok(mut object) => {
            problems.append(core::mem::take(&mut object.problems));
            Payload::CodeObject(Box::new(object))
        }
        Err(error) => {
            problems.push(error);
            Payload::Other
        }
    }
}

fn identify(
    head: &[u8],
    problems: &mut ParseErrors,
    code_object: impl FnOnce(&mut ParseErrors) -> Payload,
) -> Payload {
    if head.is_empty() {
        return Payload::Empty;
    }
    match Format::identify(head.get(..HEAD_BYTES).unwrap_or(head)) {
        Format::CodeObject => code_object(problems),
        Format::HostElf => Payload::OtherElf,
        Format::LlvmBitcode => Payload::Bitcode,
        Format::SpirV => Payload::SpirV,
        _ => Payload::Other,
    }
}

/// Memory that reading this bundle may need: kept bytes, and the decoder's window, which for these bundles is
/// as large as the inflated bytes.
fn memory_needed(bundle: &Bundle, header: &compressed::Header, depth: Depth) -> u64 {
    let largest = bundle.entries.iter().map(|e| e.size).max().unwrap_or(0);
    let kept = largest.min(UNPACKED_WHOLE + UNPACKED_TAIL);
    let window = header.unpacked.min(1 << crate::limits::ZSTD_WINDOW_LOG);
    match depth {
        Depth::Code | Depth::Whole => kept + window,
        // For a single entry, the metadata is about the first tenth.
        Depth::Metadata if bundle.entries.iter().filter(|e| e.size > 0).count() <= 1 => (kept + window) / 4,
        Depth::Metadata => kept.min(16 << 20) + window,
    }
}

/// Reads one entry: whole if it is small and wanted; otherwise its beginning up to the kernel metadata and,
/// if the stream is read further anyway, its end.
fn read_window(
    stream: &mut compressed::Unpacked<'_>,
    entry: &Entry,
    to_the_end: bool,
) -> Result<Window, ParseError> {
    let mut window = Window { size: entry.size, ..Window::default() };
    stream.read_onto(&mut window.head, entry.size.min(4096))?;
    if !crate::format::is_code_object(&window.head) {
        if to_the_end {
            stream.skip(entry.size - window.head.len() as u64)?;
        }
        return Ok(window);
    }
    let mut wanted = codeobject::facts_extent(&window.head, entry.size).min(UNPACKED_WHOLE);
    if to_the_end {
        // Symbols precede the code, in the part that is loaded first.
        let resident = codeobject::resident_extent(&window.head, entry.size).min(UNPACKED_WHOLE);
        wanted = if entry.size <= UNPACKED_WHOLE { entry.size } else { wanted.max(resident) };
    }
    let have = window.head.len() as u64;
    window.head.reserve_exact(wanted.min(entry.size).saturating_sub(have) as usize);
    stream.read_onto(&mut window.head, wanted.min(entry.size).saturating_sub(have))?;
    if to_the_end {
        let left = entry.size - window.head.len() as u64;
        stream.skip(left.saturating_sub(UNPACKED_TAIL))?;
        stream.read_onto(&mut window.tail, left.min(UNPACKED_TAIL))?;
    }
    Ok(window)
}
