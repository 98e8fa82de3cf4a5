//! One file in detail: its bundles, its code objects, where its bytes are.

use super::{instructions, rows, waste};
use crate::capability::waste::Waste;
use crate::codeobject::disassembly::{DecodeOptions, KernelCode};
use crate::codeobject::{CodeObject, SectionBytes};
use crate::container;
use crate::container::bundle_reader;
use crate::container::bundle_reader::{BundleContent, Depth, Payload};
use crate::container::kpack::Reference;
use crate::container::{Bundle, Storage};
use crate::error::ParseErrors;
use crate::finding::read_fault::{FaultKind, ReadFault};
use crate::input::device_file::DeviceFile;
use crate::inventory::copies;
use crate::inventory::copies::Fingerprint;
use crate::inventory::{Disagreement, Tally, TargetCode};
use crate::limits::KERNELS_LISTED;
use crate::locator::Locator;
use crate::report::v1;
use crate::scan::device_code::{disagreement, note_disagreement, read_content};
use crate::scan::kpack_lookup;
use crate::scan::{KernelWriter, Lines, Settings};
use crate::source::Access;
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Reads all code objects and makes the report of the file. With `kernels`, its line for each kernel is handed to
/// `lines`, in file order.
pub fn read(
    open: &DeviceFile,
    kernels: Option<&KernelWriter<'_>>,
    instructions: Option<DecodeOptions<'_>>,
    lines: &mut Lines<'_>,
) -> v1::Fatbin {
    let shown = open.file.locator().shown();
    open.file.expect(Access::Content);
    let mut report = Builder::of(open, instructions);
    let settings = Settings { depth: Depth::Whole, kernels, allowance: None, instructions };
    for (first, bundles) in bundle_reader::groups(&open.container.bundles, kernels.is_some()) {
        let read = |(index, bundle)| read_content(&open.file, bundle, first + index, &shown, &settings);
        let parts: Vec<(BundleContent, Vec<u8>)> = bundles.par_iter().enumerate().map(read).collect();
        for (bundle, (content, kernel_lines)) in bundles.iter().zip(parts) {
            lines(&kernel_lines);
            report.add(bundle, content);
        }
    }
    report.finish(shown)
}

/// The report of a file while its bundles are read.
struct Builder<'a> {
    open: &'a DeviceFile,
    legal_on: Option<&'a str>,
    kernels: Vec<v1::KernelInstructions>,
    kernels_more: u64,
    targets: BTreeMap<TargetId, TargetCode>,
    disagreements: Vec<Disagreement>,
    errors: ParseErrors,
    bundles: Vec<v1::Bundle>,
    bytes: FileBytes,
    parts: Vec<Fingerprint>,
}

impl<'a> Builder<'a> {
    fn of(open: &'a DeviceFile, instructions: Option<DecodeOptions<'a>>) -> Self {
        Builder {
            open,
            legal_on: instructions.and_then(|ask| ask.legal_on),
            kernels: Vec::new(),
            kernels_more: 0,
            targets: BTreeMap::new(),
            disagreements: Vec::new(),
            errors: open.container.problems.clone(),
            bundles: Vec::new(),
            bytes: FileBytes::of(open),
            parts: Vec::new(),
        }
    }

    fn add(&mut self, bundle: &Bundle, content: BundleContent) {
        self.errors.append(content.problems);
        self.bytes.add_bundle(bundle);
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        let mut digests = content.digests.into_iter();
        for (entry, payload) in bundle.entries.iter().zip(content.payloads) {
            let digest = digests.next().flatten();
            let at = || bundle.locate(self.open.file.locator(), entry.offset, entry.size);
            let mut code_object = None;
            if let Payload::CodeObject(object) = &payload {
                let target = object.target().clone();
                self.targets.entry(target.clone()).or_default().add(object, entry.size, at);
                self.parts.push(Fingerprint::of(object, bundle, (entry.offset, entry.size), &at(), digest));
                seen.insert(target);
                if let Some(found) = disagreement(object, entry.id.as_ref(), None, at) {
                    note_disagreement(&mut self.disagreements, found);
                }
                if let Some(code) = &object.code {
                    self.kernels_more += code.kernels_more;
                    self.add_kernels(object.target(), &at(), &code.kernels);
                }
                code_object = Some(code_object_row(object));
            }
            self.bytes.add_entry(bundle, entry.size, &payload);
            let (id, uri) = (entry.id.as_ref().map(ToString::to_string), at().to_string());
            let content = payload.name().to_owned();
            let target_id = self.open.target_of(bundle, entry).map(|t| t.to_string());
            entries.push(v1::Entry { id, target_id, bytes: entry.size, uri, content, code_object });
        }
        for target in seen {
            self.targets.entry(target).or_default().bundles += 1;
        }
        self.bundles.push(v1::Bundle {
            offset: bundle.offset,
            stored_as: bundle.storage.describe(),
            stored_bytes: bundle.span,
            unpacked_bytes: bundle.storage.unpacked(),
            hash_fits: content.hash_fits,
            member: bundle.member.clone(),
            entries,
        });
    }

    fn add_kernels(&mut self, target: &TargetId, at: &Locator, kernels: &[KernelCode]) {
        for row in kernels.iter().filter_map(|kernel| instructions::of_kernel(target, at, kernel)) {
            if self.kernels.len() < KERNELS_LISTED {
                self.kernels.push(row);
            } else {
                self.kernels_more += 1;
            }
        }
    }

    fn waste(&mut self) -> v1::Waste {
        let locator = self.open.file.locator();
        if locator.member.is_some() {
            copies::digest_all(&mut self.parts, self.open.file.bytes());
        }
        let found = copies::find(vec![(locator, &mut self.parts)]);
        let mut sections = SectionBytes::default();
        self.targets.values().for_each(|code| sections.merge(&code.sections));
        let padding = self.bytes.between_entries + self.bytes.gaps.padding;
        let plain = self.bundles.iter().filter(|b| b.stored_as == Storage::Plain.describe());
        let mut tally = Tally::default();
        plain.for_each(|bundle| tally.add(bundle.stored_bytes));
        waste::waste(&Waste::new(&found, &sections, padding, tally))
    }

    fn finish(mut self, path: String) -> v1::Fatbin {
        let open = self.open;
        let waste = self.waste();
        let mut problems = ReadFault::all(&path, &self.errors);
        if let Err(what) = open.file.check_unchanged() {
            problems.push(ReadFault::file(FaultKind::Changed, &path, what));
        }
        let (where_the_bytes_are, where_the_unpacked_bytes_are) = self.bytes.rows();
        let kpack = open.container.kpack.as_ref().map(|marker| kpack_row(open, marker, &mut problems));
        v1::Fatbin {
            format: open.format.name().to_owned(),
            bytes: open.file.len(),
            soname: open.container.soname.clone(),
            sections: open.container.sections.iter().map(section_row).collect(),
            wrappers: open.container.wrappers.as_ref().map(wrappers_row),
            kpack,
            bundles: self.bundles,
            targets: self.targets.iter().map(|(id, code)| target_row(id, code, self.legal_on)).collect(),
            kernel_instructions: self.kernels,
            kernel_instructions_more: self.kernels_more,
            where_the_bytes_are,
            where_the_unpacked_bytes_are,
            waste,
            disagreements: rows::disagreements_of_file(&path, &self.disagreements),
            problems: rows::problems(&problems),
            not_examined: open.not_examined(),
            asked: Vec::new(),
            path,
        }
    }
}

/// Makes the report of several files; `problems` are those of packages that they are members of.
pub fn report(files: Vec<v1::Fatbin>, problems: &[ReadFault]) -> v1::FatbinReport {
    v1::FatbinReport {
        header: v1::Header::of(v1::document::FATBIN),
        complete: problems.is_empty() && files.iter().all(|f| f.problems.is_empty()),
        files,
        problems: rows::problems(problems),
    }
}

fn section_row(s: &container::DeviceSection) -> v1::DeviceSection {
    v1::DeviceSection { name: s.name.clone(), offset: s.offset, bytes: s.size, align: s.align }
}

/// The marker, and what the archives have that it leads to. Those of a member of a package are members too, and are not
/// looked for.
fn kpack_row(open: &DeviceFile, marker: &Reference, problems: &mut Vec<ReadFault>) -> v1::Kpack {
    let wrappers = open.container.wrappers.as_ref();
    let units = wrappers.and_then(|w| w.magics.get("HIPK")).copied().unwrap_or(0);
    let alone = open.file.locator().member.is_none();
    let found =
        if alone { kpack_lookup::look(open.file.path(), marker, units, problems) } else { Vec::new() };
    let row = |t: &kpack_lookup::TargetInArchives| v1::KpackTarget {
        target_id: t.target.to_string(),
        archives: t.archives.clone(),
        units: t.units,
        behind_a_miss: t.behind_a_miss,
    };
    v1::Kpack {
        kernel_name: marker.kernel_name.clone(),
        search_paths: marker.search_paths.clone(),
        units,
        looked_for_archives: alone,
        targets: found.iter().map(row).collect(),
    }
}

fn wrappers_row(w: &container::wrapper::Wrappers) -> v1::Wrappers {
    v1::Wrappers {
        count: w.count,
        magics: w.magics.clone(),
        distinct: w.distinct,
        dangling: w.dangling.clone(),
        unreferenced: w.unreferenced.clone(),
    }
}

fn code_object_row(object: &CodeObject) -> v1::CodeObject {
    v1::CodeObject {
        target_id: object.target().to_string(),
        e_flags: object.header.flags,
        abi: object.header.version.to_string(),
        generic_version: object.header.generic_version,
        loadable: object.header.kind == 3,
        metadata_target: object.metadata_target.clone(),
        kernels: object.has_metadata.then_some(object.kernels.count),
        descriptors: object.descriptors,
        code_bytes: object.code_bytes,
        classes: object.bytes.as_ref().map(rows::byte_classes).unwrap_or_default(),
    }
}

fn target_row(id: &TargetId, code: &TargetCode, legal_on: Option<&str>) -> v1::FatbinTarget {
    v1::FatbinTarget {
        target_id: id.to_string(),
        code_objects: code.objects,
        bundles: code.bundles,
        kernels: code.kernels.count,
        descriptors: code.descriptors,
        bytes: code.bytes,
        code_bytes: code.code_bytes,
        debug_bytes: code.sections.get(crate::codeobject::Class::Debug),
        max_vgprs: code.kernels.max_vgprs,
        max_agprs: code.kernels.max_agprs,
        max_sgprs: code.kernels.max_sgprs,
        max_lds: code.kernels.max_lds,
        max_scratch: code.kernels.max_scratch,
        spilling_kernels: code.kernels.spilling,
        abi: code.versions.keys().map(ToString::to_string).collect(),
        instructions: code
            .instructions
            .as_ref()
            .map(|tally| instructions::of_target(&id.processor, code.objects, tally, true, legal_on)),
    }
}

/// Where the bytes of a file are. The first list sums to the file's size, the second to what its compressed bundles
/// inflate to.
struct FileBytes {
    file: u64,
    bundled: u64,
    headers: u64,
    compressed: u64,
    between_entries: u64,
    gaps: container::find::Gaps,
    stored: Contents,
    unpacked: Contents,
    unpacked_total: u64,
}

#[derive(Default)]
struct Contents {
    sections: SectionBytes,
    unread: u64,
    other: u64,
}

impl Contents {
    fn add(&mut self, size: u64, payload: &Payload) {
        match payload {
            Payload::CodeObject(object) => match &object.bytes {
                Some(bytes) => self.sections.merge(bytes),
                None => self.unread += size,
            },
            _ => self.other += size,
        }
    }

    fn total(&self) -> u64 {
        self.sections.total() + self.unread + self.other
    }

    fn rows(&self) -> Vec<v1::ByteClass> {
        let mut all = rows::byte_classes(&self.sections);
        for row in &mut all {
            row.class.insert_str(0, "device ");
        }
        all.extend(row("device code objects, sections not read", self.unread));
        all.extend(row("device content of other kinds", self.other));
        all
    }
}

fn row(class: &str, bytes: u64) -> Option<v1::ByteClass> {
    (bytes > 0).then(|| v1::ByteClass { class: class.to_owned(), bytes })
}

impl FileBytes {
    fn of(open: &DeviceFile) -> Self {
        FileBytes {
            file: open.file.len(),
            bundled: 0,
            headers: 0,
            compressed: 0,
            between_entries: 0,
            gaps: open.container.gaps,
            stored: Contents::default(),
            unpacked: Contents::default(),
            unpacked_total: 0,
        }
    }

    fn add_bundle(&mut self, bundle: &Bundle) {
        self.bundled += bundle.span;
        if let Some(unpacked) = bundle.storage.unpacked() {
            self.compressed += bundle.span;
            self.unpacked_total += unpacked;
        } else {
            self.headers += bundle.header_size;
            let bodies: u64 = bundle.entries.iter().map(|e| e.size).sum();
            self.between_entries += bundle.span.saturating_sub(bundle.header_size + bodies);
        }
    }

    fn add_entry(&mut self, bundle: &Bundle, size: u64, payload: &Payload) {
        match bundle.storage.unpacked() {
            Some(_) => self.unpacked.add(size, payload),
            None => self.stored.add(size, payload),
        }
    }

    fn rows(&self) -> (Vec<v1::ByteClass>, Vec<v1::ByteClass>) {
        let mut file = self.stored.rows();
        file.extend(row("compressed bundles", self.compressed));
        file.extend(row("headers and tables of bundles", self.headers + self.gaps.headers));
        file.extend(row("padding between code objects", self.between_entries + self.gaps.padding));
        file.extend(row("not understood, in device sections", self.gaps.unknown));
        // Entries that overlap are counted twice; then nothing is left for the host, and the sum says so.
        let counted = self.bundled + self.gaps.total();
        file.extend(row("host code and data", self.file.saturating_sub(counted)));
        let mut unpacked = self.unpacked.rows();
        if self.unpacked_total > 0 {
            let rest = self.unpacked_total.saturating_sub(self.unpacked.total());
            unpacked.extend(row("bundle headers and padding", rest));
        }
        (file, unpacked)
    }
}
