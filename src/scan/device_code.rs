//! Device code in host files, bundles and code objects, wherever they lie.

mod rows;

use super::kernel_sink::OnRows;
use super::{Candidate, Scanned, Settings, kpack_lookup, library_names, linkage};
use crate::bytes::le::clamped;
use crate::codeobject::disassembly::KernelNames;
use crate::codeobject::{self, CodeObject};
use crate::container;
use crate::container::bundle::Entry;
use crate::container::bundle_reader;
use crate::container::bundle_reader::{BundleContent, Depth, Payload};
use crate::container::packing_sample::PackingSample;
use crate::container::{Bundle, Container, EntryId, StorageKind};
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::finding::Finding;
use crate::finding::rules::code::FOUND_BY_SEARCH;
use crate::format::{COMPRESSED_BUNDLE_MAGIC, Format};
use crate::inventory::copies::{self, Fingerprint};
use crate::inventory::file_code::{BundleFacts, Details, EntryFacts, KernelHistogram};
use crate::inventory::kernel_row::KernelRow;
use crate::inventory::{DeviceCode, NameConflict};
use crate::limits::PROBLEMS_PER_FILE;
use crate::locator::Locator;
use crate::source::SourceFile;
use crate::target::TargetId;
use rayon::prelude::*;
use rocm_audit_files::key_map::KeyMap;
use rows::RowMaker;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Reads all device code of a file. `named` is the target that its name names, to be compared with its
/// content.
pub(super) fn read(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    rows: &mut OnRows<'_>,
) -> Scanned {
    let bytes = candidate.file.bytes();
    let mut objects = settings.objects(bytes.len());
    let mut container = match candidate.format {
        // Who comes here for such a file has its name for a reason.
        Format::Other | Format::CoreDump => container::searched_within(bytes, &mut objects),
        format => container::open_within(bytes, format, &mut objects),
    };
    if settings.is_too_large(&objects) {
        return Scanned::default();
    }
    if let Some(allowance) = settings.allowance {
        container.keep_within(|bytes| allowance.take(bytes));
    }
    // Stubs are the rule in these libraries: their code is worth inflating.
    let whole = settings.trap_stubs && library_names::has_trap_stubs(candidate.path);
    let deep = Settings { depth: if whole { Depth::Whole } else { settings.depth }, ..*settings };
    let reading = BundledFile { file: candidate.file, shown: candidate.shown, settings: &deep, named };
    let mut all = DeviceCodePart::of_container(&container, candidate.format);
    let searched = container.searched();
    let (bundles, wrappers) = (container.bundles(), container.wrappers());
    all.code.packing = PackingSample::from_bytes(candidate.file.bytes(), bundles);
    if candidate.format == Format::Kpack {
        return read_kpack(&BundledFile { named: None, ..reading }, bundles.to_vec(), all, rows);
    }
    reading.bundles(0, bundles, &mut all, rows);
    let code = all.code;
    let linkage = linkage::read_linkage(candidate, code.soname.as_deref(), &code.needed);
    let device =
        (!code.targets.is_empty() || code.bundles > 0 || !code.unread.is_empty() || code.kpack.is_some())
            .then_some(code);
    let mut findings = Finding::all_of_bytes(candidate.shown, &all.problems);
    if searched {
        let what = format!("{} hits of a search", bundles.len());
        findings.push(Finding::of_file(&FOUND_BY_SEARCH, candidate.shown, what));
    }
    if let Some(marker) = device.as_ref().and_then(|device| device.kpack.as_ref())
        && candidate.file.locator().member.is_none()
    {
        let units = wrappers.and_then(|w| w.magics().get("HIPK")).copied().unwrap_or(0);
        findings.extend(kpack_lookup::judge(candidate.file.path(), candidate.shown, marker, units));
    }
    Scanned { device, linkage, findings, ..Scanned::default() }
}

/// Reads a kpack archive, which holds the code of several binaries: its table says what belongs to which
/// library.
fn read_kpack(
    reading: &BundledFile<'_>,
    bundles: Vec<Bundle>,
    rest: DeviceCodePart,
    rows: &mut OnRows<'_>,
) -> Scanned {
    let library = |bundle: &Bundle| {
        let key = bundle.entries().first().and_then(|e| e.id()).map_or("", |id| id.as_str());
        // Entries of archives that were not made of binaries are named by kernels, which name no library.
        library_names::library_name(key.rsplit_once('#').map_or(reading.shown, |(binary, _)| binary))
    };
    let mut groups: KeyMap<String, Vec<Bundle>> = KeyMap::new();
    for bundle in bundles {
        groups.entry(library(&bundle)).or_default().push(bundle);
    }
    let mut scanned = Scanned::default();
    let mut problems = rest.problems;
    let mut first = 0;
    for (library, bundles) in groups {
        let mut all = DeviceCodePart::default();
        all.code.format = rest.code.format;
        reading.bundles(first, &bundles, &mut all, rows);
        first += bundles.len();
        problems.append(all.problems);
        scanned.others.push((library, bundles.iter().map(|b| b.span()).sum(), all.code));
    }
    scanned.device = Some(rest.code);
    scanned.findings = Finding::all_of_bytes(reading.shown, &problems);
    scanned
}

/// What a part of a file gives.
#[derive(Default)]
pub(super) struct DeviceCodePart {
    /// Its device code.
    pub code: DeviceCode,
    /// Its bundles and kernels, where they are described.
    pub details: Details,
    /// What was malformed in it.
    pub problems: ParseErrors,
    /// The rows of its kernels, where an inventory is wanted.
    pub rows: Vec<KernelRow>,
}

impl DeviceCodePart {
    /// What a container says of itself; its bundles come later.
    pub fn of_container(container: &Container, format: Format) -> Self {
        let code = DeviceCode {
            format: Some(format),
            soname: container.soname().map(str::to_owned),
            needed: container.needed().to_vec(),
            gaps: *container.gaps(),
            kpack: container.kpack().cloned(),
            unread: container.unread().to_vec(),
            ..DeviceCode::default()
        };
        DeviceCodePart { code, problems: container.problems().clone(), ..DeviceCodePart::default() }
    }

    /// Adds a later part of the same file; its rows are handed on.
    fn merge(&mut self, part: DeviceCodePart, rows: &mut OnRows<'_>) {
        self.code.merge(part.code);
        self.details.merge(part.details);
        self.problems.append(part.problems);
        rows(part.rows);
    }
}

/// A file whose bundles are read.
#[derive(Clone, Copy)]
pub(super) struct BundledFile<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// The file as reports show it.
    pub shown: &'a str,
    /// What is wanted.
    pub settings: &'a Settings<'a>,
    /// The target that its name names.
    pub named: Option<&'a TargetId>,
}

impl BundledFile<'_> {
    /// Reads bundles on all cores; the first of them is number `first` of the file.
    pub fn bundles(&self, first: usize, bundles: &[Bundle], all: &mut DeviceCodePart, rows: &mut OnRows<'_>) {
        for (within, bundles) in bundle_reader::groups(bundles, self.settings.kernels.is_some()) {
            let first = first + within;
            let read = |(index, bundle)| self.bundle(first + index, bundle);
            let parts: Vec<DeviceCodePart> = bundles.par_iter().enumerate().map(read).collect();
            parts.into_iter().for_each(|part| all.merge(part, rows));
        }
        // A member of a package is gone when it has been looked at.
        if self.file.locator().member.is_some() {
            copies::digest_all(&mut all.code.parts, self.file.bytes());
        }
    }

    fn bundle(&self, index: usize, bundle: &Bundle) -> DeviceCodePart {
        if let Err(what) = self.settings.in_time() {
            let mut part = DeviceCodePart::default();
            let error =
                ParseError::new(bundle.offset(), format!("the bundle here is not read: the file {what}"));
            part.problems.push(error.of_kind(ParseErrorKind::WorkLimit));
            return part;
        }
        let locate = |entry: &Entry| bundle.locate(self.file.locator(), entry.offset(), entry.size());
        let place = BundleBytes { bytes: self.file.bytes(), index, locate: &locate };
        self.read(bundle, &place)
    }

    fn read(&self, bundle: &Bundle, place: &BundleBytes<'_>) -> DeviceCodePart {
        let settings = self.settings;
        let wanted = match (settings.only_for, settings.only_with) {
            ([], None) => Cow::Borrowed(bundle),
            (gpus, names) => Cow::Owned(only(bundle, place.bytes, gpus, names)),
        };
        let bundle = &*wanted;
        let mut rows = RowMaker::of_bundle(self, bundle, place);
        let content = bundle_reader::read(
            place.bytes,
            bundle,
            settings.depth,
            settings.code(),
            &mut |entry, target, kernel| rows.add(entry, target, kernel),
        );
        let rows = rows.into_rows();
        let mut part = DeviceCodePart { rows, ..sum_up(bundle, content, self, place) };
        if settings.depth >= Depth::Code {
            part.code.magics_inside = magics_inside(place.bytes, bundle);
        }
        part
    }
}

/// Where the bytes of a bundle are.
struct BundleBytes<'a> {
    /// The bytes in which its offset counts.
    bytes: &'a [u8],
    /// Its number in the file.
    index: usize,
    /// Says where one of its entries stands in the file.
    locate: &'a (dyn Fn(&Entry) -> Locator + 'a),
}

/// Device code that does not stand in a file as its own bytes: inflated from an archive, or a value of a
/// database.
pub(super) struct Blob<'a> {
    /// All of it.
    pub bytes: &'a [u8],
    /// Its number in the file.
    pub index: usize,
    /// Where it stands.
    pub at: Locator,
    /// Whether a share of the memory for inflating is held for it: then a compressed bundle in it is not
    /// inflated, which would wait for another share.
    pub held: bool,
}

/// Reads a code object, or a bundle of them, out of a file of another format. Offsets of problems count from
/// its first byte. `named` is the target that the file's name names.
pub(super) fn read_blob(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    blob: &Blob<'_>,
) -> DeviceCodePart {
    let container = match Format::identify(blob.bytes) {
        format @ Format::OffloadBundle => container::open(blob.bytes, format),
        format @ Format::CompressedBundle if !blob.held => container::open(blob.bytes, format),
        _ => Container::of_code_object(blob.bytes.len() as u64),
    };
    let mut all = DeviceCodePart { problems: container.problems().clone(), ..DeviceCodePart::default() };
    let reading = BundledFile { file: candidate.file, shown: candidate.shown, settings, named };
    let locate = |_: &Entry| blob.at.clone();
    let place = BundleBytes { bytes: blob.bytes, index: blob.index, locate: &locate };
    let mut rows = Vec::new();
    for bundle in container.bundles() {
        let mut part = reading.read(bundle, &place);
        // Its bytes do not stand in the file.
        copies::digest_each(&mut part.code.parts, blob.bytes);
        all.merge(part, &mut |more| rows.extend(more));
    }
    DeviceCodePart { rows, ..all }
}

/// A bundle with only the entries that one of `gpus` loads, if any is named: code for it, SPIR-V, and what
/// states no target. With `names` only those that may have such a kernel, if that can be told without
/// inflating.
fn only(bundle: &Bundle, bytes: &[u8], gpus: &[TargetId], names: Option<KernelNames<'_>>) -> Bundle {
    let loads = |entry: &Entry| match entry.id().and_then(|id| id.target()) {
        Some(target) => {
            gpus.is_empty()
                || target.processor == "amdgcnspirv"
                || gpus.iter().any(|gpu| target.loads_on(gpu))
        }
        None => true,
    };
    let names = names.filter(|_| bundle.storage().packed().is_none());
    let may_have = |entry: &Entry| {
        let stored = clamped(bytes, bundle.offset().saturating_add(entry.offset()), entry.size());
        names.is_none_or(|names| codeobject::may_have(stored, names))
    };
    bundle.with_entries(|entry| loads(entry) && may_have(entry))
}

/// Where the payload of a compressed bundle has the magic of another one. Readers of LLVM before 205587 end
/// the bundle there.
fn magics_inside(bytes: &[u8], bundle: &Bundle) -> Vec<u64> {
    let Some(header) = bundle.storage().packed().filter(|header| header.header_size() > 0) else {
        return Vec::new();
    };
    let begin = bundle.offset().saturating_add(header.header_size());
    let end = bundle.offset().saturating_add(header.total());
    let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    let payload = range.and_then(|(begin, end)| bytes.get(begin..end)).unwrap_or_default();
    let found = memchr::memmem::find_iter(payload, COMPRESSED_BUNDLE_MAGIC);
    found.take(PROBLEMS_PER_FILE).map(|at| begin + at as u64).collect()
}

/// The OS ABI of AMD's graphics driver. Source: `ELFOSABI_AMDGPU_PAL` of LLVM's `ELF.h`.
const PAL: u8 = 65;

/// Counts what was read of a bundle.
fn sum_up(
    bundle: &Bundle,
    content: BundleContent,
    reading: &BundledFile<'_>,
    place: &BundleBytes<'_>,
) -> DeviceCodePart {
    let mut code = of_storage(bundle, content.hash_fits());
    let mut details = Details::default();
    let mut entries = Vec::new();
    let mut targets = BTreeSet::new();
    let hash_fits = content.hash_fits();
    let (payloads, problems) = content.into_payloads();
    for (entry, (mut payload, digest)) in bundle.entries().iter().zip(payloads) {
        if let Some(id) = entry.id() {
            code.entries.entry(id.to_string()).or_default().add(entry.size());
        }
        match &mut payload {
            // Shaders of the graphics driver, which no program for compute has loaded.
            Payload::CodeObject(object) if object.header().version().os_abi() == PAL => {
                code.other_payloads.entry("PAL code object").or_default().add(entry.size());
            }
            Payload::CodeObject(object) => {
                let (target, at) = (object.target().clone(), (place.locate)(entry));
                code.targets.entry(target.clone()).or_default().add(object, entry.size(), || at.clone());
                code.parts.push(Fingerprint::for_entry(object, bundle, entry, &at, digest));
                code.name_conflicts.extend(disagreement(object, entry.id(), reading.named, || at.clone()));
                if reading.settings.describe {
                    take_histograms(object, &target, &at, &mut details);
                }
                targets.insert(target);
            }
            Payload::Empty => {}
            other => code.other_payloads.entry(other.name()).or_default().add(entry.size()),
        }
        if reading.settings.describe {
            entries.push(describe(entry, payload, (place.locate)(entry)));
        }
    }
    for target in targets {
        code.targets.entry(target).or_default().bundles += 1;
    }
    if reading.settings.describe {
        details.bundles.push(BundleFacts {
            offset: bundle.offset(),
            span: bundle.span(),
            storage: bundle.storage(),
            header_size: bundle.header_size(),
            hash_fits,
            member: bundle.member().map(str::to_owned),
            entries,
        });
    }
    DeviceCodePart { code, details, problems, rows: Vec::new() }
}

/// What a bundle counts for however its entries are filled.
fn of_storage(bundle: &Bundle, hash_fits: Option<bool>) -> DeviceCode {
    let mut code = DeviceCode {
        bundles: u64::from(bundle.storage().kind() != StorageKind::CodeObject),
        ..DeviceCode::default()
    };
    if let (StorageKind::Compressed, Some(header)) = (bundle.storage().kind(), bundle.storage().packed()) {
        code.compressed = 1;
        code.unpacked_bytes = header.unpacked();
        code.unverified = u64::from(hash_fits.is_none());
    }
    if bundle.storage().kind() == StorageKind::Plain {
        code.plain.add(bundle.span());
        let bodies: u64 = bundle.entries().iter().map(|e| e.size()).sum();
        code.between_entries = bundle.span().saturating_sub(bundle.header_size() + bodies);
    }
    code
}

fn describe(entry: &Entry, payload: Payload, at: Locator) -> EntryFacts {
    let target = match (entry.id(), &payload) {
        (Some(id), _) => id.target().cloned(),
        (None, Payload::CodeObject(object)) => Some(object.target().clone()),
        (None, _) => None,
    };
    EntryFacts { id: entry.id().cloned(), target, bytes: entry.size(), at, payload }
}

/// Keeps the kernels whose instructions were asked for, and lets go of the rest of the machine code.
fn take_histograms(object: &mut CodeObject, target: &TargetId, at: &Locator, details: &mut Details) {
    let Some(code) = object.take_code() else { return };
    details.kernels_more += code.kernels_more();
    let kernels = code.into_kernels().into_iter().filter(|kernel| kernel.histogram().is_some());
    details.kernels.extend(kernels.map(|code| KernelHistogram {
        target: target.clone(),
        at: at.clone(),
        code,
        source: None,
    }));
}

/// Compares the names of one code object with each other. Of the file name, the processor counts and, where
/// it says so, XNACK.
fn disagreement(
    object: &CodeObject,
    id: Option<&EntryId>,
    named: Option<&TargetId>,
    at: impl FnOnce() -> Locator,
) -> Option<NameConflict> {
    let bundle_id = id.map(|id| id.target().map_or(id.to_string(), ToString::to_string));
    let target = object.target();
    let text = target.to_string();
    let metadata = object.metadata_target().map(str::to_owned);
    let name_fits = named
        .is_none_or(|n| n.processor == target.processor && (n.xnack.is_none() || n.xnack == target.xnack));
    let fits = bundle_id.as_ref().is_none_or(|id| *id == text)
        && metadata.as_ref().is_none_or(|m| *m == text)
        && name_fits;
    (!fits).then(|| NameConflict {
        bundle_id,
        e_flags: text,
        metadata,
        file_name: named.map(ToString::to_string),
        count: 1,
        first: at(),
    })
}
