//! Device code in host files, bundles and code objects, wherever they lie.

use super::{Candidate, Lines, Scanned, Settings};
use crate::codeobject::{CodeObject, Kernel};
use crate::container;
use crate::container::bundle_reader;
use crate::container::bundle_reader::{BundleContent, Payload};
use crate::container::{Bundle, Container, EntryId, Storage};
use crate::error::ParseErrors;
use crate::finding::read_fault::ReadFault;
use crate::format::Format;
use crate::inventory::copies;
use crate::inventory::{DeviceCode, Disagreement, Tally};
use crate::limits::DISAGREEMENTS_PER_FILE;
use crate::locator::Locator;
use crate::scan::library_names;
use crate::source::SourceFile;
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Appends a line for one kernel of one code object.
pub type KernelWriter<'a> = dyn Fn(&mut Vec<u8>, &Place<'_>, &Kernel<'_>) + Sync + 'a;

/// Where a kernel stands.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The file as reports show it.
    pub shown: &'a str,
    /// Index of the bundle in its file.
    pub bundle: usize,
    /// The entry's id, if it is in a bundle.
    pub id: Option<&'a str>,
    /// The target of the code object.
    pub target: &'a TargetId,
    /// The code object.
    pub locator: Locator,
}

/// Reads all device code of a file. `named` is the target that its name names, to be held against its content.
pub(super) fn read(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    lines: &mut Lines<'_>,
) -> Scanned {
    let mut container = container::open(candidate.file.bytes(), candidate.format);
    if let Some(allowance) = settings.allowance {
        container.keep_within(allowance);
    }
    let bundles = std::mem::take(&mut container.bundles);
    let mut errors = std::mem::take(&mut container.problems);
    let mut all = DeviceCode {
        format: Some(candidate.format),
        soname: container.soname,
        gaps: container.gaps,
        kpack: container.kpack,
        unread: container.unread,
        ..DeviceCode::default()
    };
    if candidate.format == Format::Kpack {
        return read_kpack(candidate, settings, bundles, (all, errors), lines);
    }
    read_bundles(candidate, settings, named, (0, &bundles), &mut all, &mut errors, lines);
    let device =
        (!all.targets.is_empty() || all.bundles > 0 || !all.unread.is_empty() || all.kpack.is_some())
            .then_some(all);
    Scanned { device, problems: ReadFault::all(candidate.shown, &errors), ..Scanned::default() }
}

/// Reads bundles, of which the first is number `first` of the file.
fn read_bundles(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    (first, bundles): (usize, &[Bundle]),
    all: &mut DeviceCode,
    errors: &mut ParseErrors,
    lines: &mut Lines<'_>,
) {
    for (within, bundles) in bundle_reader::groups(bundles, settings.kernels.is_some()) {
        let first = first + within;
        let read = |(index, bundle)| read_bundle(candidate, settings, named, first + index, bundle);
        let parts: Vec<Part> = bundles.par_iter().enumerate().map(read).collect();
        for part in parts {
            merge(all, part.code);
            errors.append(part.problems);
            lines(&part.kernel_lines);
        }
    }
    // A member of a package is gone when it has been looked at.
    if candidate.file.locator().member.is_some() {
        copies::digest_all(&mut all.parts, candidate.file.bytes());
    }
}

/// Reads a kpack archive, which holds the code of several binaries: what belongs to which library, its table says.
fn read_kpack(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    bundles: Vec<Bundle>,
    (rest, mut errors): (DeviceCode, ParseErrors),
    lines: &mut Lines<'_>,
) -> Scanned {
    let library = |bundle: &Bundle| {
        let key = bundle.entries.first().and_then(|e| e.id.as_ref()).map_or("", |id| id.as_str());
        library_names::of(key.rsplit_once('#').map_or(key, |(binary, _)| binary))
    };
    let mut groups: BTreeMap<String, Vec<Bundle>> = BTreeMap::new();
    for bundle in bundles {
        groups.entry(library(&bundle)).or_default().push(bundle);
    }
    let mut scanned = Scanned::default();
    let mut first = 0;
    for (library, bundles) in groups {
        let mut all = DeviceCode { format: rest.format, ..DeviceCode::default() };
        read_bundles(candidate, settings, None, (first, &bundles), &mut all, &mut errors, lines);
        first += bundles.len();
        scanned.others.push((library, bundles.iter().map(|b| b.span).sum(), all));
    }
    scanned.device = Some(rest);
    scanned.problems = ReadFault::all(candidate.shown, &errors);
    scanned
}

/// What one bundle gives.
#[derive(Default)]
pub(super) struct Part {
    /// Its device code.
    pub code: DeviceCode,
    /// What was malformed in it.
    pub problems: ParseErrors,
    /// The lines of its kernels, where an inventory is wanted.
    pub kernel_lines: Vec<u8>,
}

/// Device code that does not stand in a file as its own bytes: inflated from an archive, or a value of a database.
pub(super) struct Blob<'a> {
    /// All of it.
    pub bytes: &'a [u8],
    /// Its number in the file.
    pub index: usize,
    /// Where it stands.
    pub at: Locator,
    /// Whether a share of the memory for inflating is held for it: then a compressed bundle in it is not inflated, which
    /// would wait for another share.
    pub held: bool,
}

/// Reads a code object, or a bundle of them, out of a file of another format. Offsets of problems count from its first
/// byte. `named` is the target that the file's name names.
pub(super) fn read_blob(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    blob: &Blob<'_>,
) -> Part {
    let container = match Format::identify(blob.bytes) {
        format @ Format::OffloadBundle => container::open(blob.bytes, format),
        format @ Format::CompressedBundle if !blob.held => container::open(blob.bytes, format),
        _ => Container { bundles: vec![bare(blob.bytes.len() as u64)], ..Container::default() },
    };
    let mut all = Part { problems: container.problems, ..Part::default() };
    let at = |_, _| blob.at.clone();
    for bundle in &container.bundles {
        let place = (candidate.shown, blob.index);
        let (content, lines) = read_bytes(blob.bytes, bundle, place, settings, &at);
        let mut part = sum_up(bundle, content, named, &at);
        // Its bytes do not stand in the file.
        copies::digest_all(&mut part.code.parts, blob.bytes);
        merge(&mut all.code, part.code);
        all.problems.append(part.problems);
        all.kernel_lines.extend(lines);
    }
    all
}

/// A code object of `size` bytes that stands alone.
fn bare(size: u64) -> Bundle {
    let entry = container::bundle::Entry { id: None, offset: 0, size };
    Bundle { span: size, entries: vec![entry], ..Bundle::bare(0) }
}

fn read_bundle(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    index: usize,
    bundle: &Bundle,
) -> Part {
    let file = candidate.file.locator();
    let (content, kernel_lines) = read_content(candidate.file, bundle, index, candidate.shown, settings);
    let at = |offset, size| bundle.locate(file, offset, size);
    Part { kernel_lines, ..sum_up(bundle, content, named, &at) }
}

/// Says where in a file an entry of a bundle stands, given its offset and size.
type Locate<'a> = dyn Fn(u64, u64) -> Locator + 'a;

/// Counts what was read of a bundle.
fn sum_up(bundle: &Bundle, content: BundleContent, named: Option<&TargetId>, locate: &Locate<'_>) -> Part {
    let mut part = Part { problems: content.problems, ..Part::default() };
    let code = &mut part.code;
    code.bundles = u64::from(bundle.storage != Storage::Bare);
    if let Storage::Compressed(header) = &bundle.storage {
        code.compressed = 1;
        code.unpacked_bytes = header.unpacked;
        code.unverified = u64::from(content.hash_fits.is_none());
    }
    if bundle.storage == Storage::Plain {
        code.plain.add(bundle.span);
        let bodies: u64 = bundle.entries.iter().map(|e| e.size).sum();
        code.between_entries = bundle.span.saturating_sub(bundle.header_size + bodies);
    }
    let mut targets = BTreeSet::new();
    let mut digests = content.digests.into_iter();
    for (entry, payload) in bundle.entries.iter().zip(content.payloads) {
        let digest = digests.next().flatten();
        if let Some(id) = &entry.id {
            code.entries.entry(id.to_string()).or_default().add(entry.size);
        }
        let at = || locate(entry.offset, entry.size);
        match &payload {
            Payload::CodeObject(object) => {
                let target = object.target().clone();
                code.targets.entry(target.clone()).or_default().add(object, entry.size, at);
                code.parts.push(copies::Fingerprint::of(
                    object,
                    bundle,
                    (entry.offset, entry.size),
                    &at(),
                    digest,
                ));
                code.disagreements.extend(disagreement(object, entry.id.as_ref(), named, at));
                targets.insert(target);
            }
            Payload::Empty => {}
            other => code.other_payloads.entry(other.name()).or_default().add(entry.size),
        }
    }
    for target in targets {
        code.targets.entry(target).or_default().bundles += 1;
    }
    part
}

/// Reads a bundle of a file, and the line of each of its kernels where an inventory is wanted.
pub(crate) fn read_content(
    file: &SourceFile,
    bundle: &Bundle,
    index: usize,
    shown: &str,
    settings: &Settings<'_>,
) -> (BundleContent, Vec<u8>) {
    let at = |offset, size| bundle.locate(file.locator(), offset, size);
    read_bytes(file.bytes(), bundle, (shown, index), settings, &at)
}

/// Reads a bundle of `bytes`, which is number `index` of the file shown as `shown`.
fn read_bytes(
    bytes: &[u8],
    bundle: &Bundle,
    (shown, index): (&str, usize),
    settings: &Settings<'_>,
    locate: &Locate<'_>,
) -> (BundleContent, Vec<u8>) {
    let mut lines = Vec::new();
    let mut on_kernel = |entry: usize, target: &TargetId, kernel: &Kernel<'_>| {
        if let (Some(write), Some(entry)) = (settings.kernels, bundle.entries.get(entry)) {
            let id = entry.id.as_ref().map(|id| id.as_str());
            let locator = locate(entry.offset, entry.size);
            write(&mut lines, &Place { shown, bundle: index, id, target, locator }, kernel);
        }
    };
    let content =
        bundle_reader::read(bytes, bundle, settings.depth, settings.instructions.as_ref(), &mut on_kernel);
    (content, lines)
}

/// Holds the names of one code object against each other. The file name is held against processor and, where it says
/// so, XNACK only.
pub fn disagreement(
    object: &CodeObject,
    id: Option<&EntryId>,
    named: Option<&TargetId>,
    at: impl FnOnce() -> Locator,
) -> Option<Disagreement> {
    let bundle_id = id.map(|id| id.target().map_or(id.to_string(), ToString::to_string));
    let target = object.target();
    let text = target.to_string();
    let metadata = object.metadata_target.clone();
    let name_fits = named
        .is_none_or(|n| n.processor == target.processor && (n.xnack.is_none() || n.xnack == target.xnack));
    let fits = bundle_id.as_ref().is_none_or(|id| *id == text)
        && metadata.as_ref().is_none_or(|m| *m == text)
        && name_fits;
    (!fits).then(|| Disagreement {
        bundle_id,
        e_flags: text,
        metadata,
        file_name: named.map(ToString::to_string),
        count: 1,
        first: at(),
    })
}

/// Adds what one bundle gives to what the file gives.
pub(super) fn merge(all: &mut DeviceCode, code: DeviceCode) {
    all.bundles += code.bundles;
    all.compressed += code.compressed;
    all.unpacked_bytes += code.unpacked_bytes;
    all.unverified += code.unverified;
    all.between_entries += code.between_entries;
    all.plain.count += code.plain.count;
    all.plain.bytes += code.plain.bytes;
    all.parts.extend(code.parts);
    for (id, tally) in code.entries {
        sum(all.entries.entry(id).or_default(), tally);
    }
    for (what, tally) in code.other_payloads {
        sum(all.other_payloads.entry(what).or_default(), tally);
    }
    for (target, found) in code.targets {
        all.targets.entry(target).or_default().merge(&found);
    }
    code.disagreements.into_iter().for_each(|found| note_disagreement(&mut all.disagreements, found));
}

/// Counts a disagreement with its like, or with the last, where there are too many kinds.
pub(crate) fn note_disagreement(all: &mut Vec<Disagreement>, found: Disagreement) {
    let full = all.len() >= DISAGREEMENTS_PER_FILE;
    let same = |d: &&mut Disagreement| {
        (&d.bundle_id, &d.e_flags, &d.metadata) == (&found.bundle_id, &found.e_flags, &found.metadata)
    };
    match all.iter_mut().find(same) {
        Some(known) => known.count += 1,
        None if full => all.last_mut().into_iter().for_each(|last| last.count += 1),
        None => all.push(found),
    }
}

fn sum(into: &mut Tally, tally: Tally) {
    into.count += tally.count;
    into.bytes += tally.bytes;
}
