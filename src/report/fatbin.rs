//! Makes the report on files with device code: copies facts into the output types.

use super::{findings, instructions, rows, waste};
use crate::capability;
use crate::capability::waste::Waste;
use crate::codeobject::{CodeObject, SectionByteClass};
use crate::container::DeviceSection;
use crate::container::bundle_reader::Payload;
use crate::container::wrapper::Wrappers;
use crate::finding::{self, Finding};
use crate::format::Format;
use crate::inventory::file_bytes::ClassBytes;
use crate::inventory::file_code::{ArchivedCode, BundleFacts, EntryFacts, FileCode};
use crate::inventory::{TargetCode, file_code};
use crate::report::v1;
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// The report on one file. If `asked` is not empty, its targets are those whose code loads on one of `asked`.
pub fn file(file: &FileCode, asked: &[TargetId]) -> v1::Fatbin {
    let bytes = file.byte_classes();
    let histograms = &file.details.kernels;
    let padding = file.code.between_entries + file.code.gaps.padding();
    let unneeded =
        Waste::new(&file.duplicates, &file.section_bytes(), padding, file.code.plain, file.code.packing);
    let found = capability::findings::of_file(file, &unneeded);
    v1::Fatbin {
        path: file.shown.clone(),
        format: file.format.map_or("", Format::name).to_owned(),
        bytes: file.bytes,
        soname: file.code.soname.clone(),
        sections: file.sections.iter().map(section_row).collect(),
        wrappers: file.wrappers.as_ref().map(wrappers_row),
        kpack: file.archives.as_ref().map(kpack_row),
        storage: storage_rows(file),
        bundles: file.details.bundles.iter().map(bundle_row).collect(),
        asked: asked.iter().map(ToString::to_string).collect(),
        targets: file
            .targets(asked)
            .map(|(id, code)| target_row(id, code, file.legal_on.as_deref()))
            .collect(),
        other_targets: other_targets(file, asked),
        total: total_row(file, asked),
        other_content: content_rows(file),
        accounted_bytes: sum(&bytes.file),
        where_the_bytes_are: byte_rows(&bytes.file),
        accounted_unpacked_bytes: sum(&bytes.unpacked),
        where_the_unpacked_bytes_are: byte_rows(&bytes.unpacked),
        kernel_instructions: histograms.iter().filter_map(instructions::of_kernel).collect(),
        listings_more: listings_more(&file.details.kernels),
        kernel_instructions_more: file.details.kernels_more,
        code_sources: None,
        waits: file.waits.clone(),
        waste: waste::waste(&unneeded),
        complete: !found.iter().any(Finding::is_damage),
        findings: findings::rows(&found),
        not_examined: file.not_examined.clone(),
    }
}

/// Kernels without a listing, where others have one.
fn listings_more(kernels: &[file_code::KernelHistogram]) -> u64 {
    let listed = kernels.iter().filter(|kernel| kernel.code.lines().is_some()).count();
    if listed == 0 { 0 } else { (kernels.len() - listed) as u64 }
}

/// Target IDs that do not load on any of `asked`.
fn other_targets(file: &FileCode, asked: &[TargetId]) -> Vec<String> {
    let loads = |target: &TargetId| file.targets(asked).any(|(id, _)| id == target);
    let others = file.code.targets.keys().filter(|target| !loads(target));
    others.map(ToString::to_string).collect()
}

/// Makes the report on several files; `found` has the findings on packages that contain them.
pub fn report(files: Vec<v1::Fatbin>, found: &[Finding]) -> v1::FatbinReport {
    let own = findings::rows(&finding::merged(found.iter().cloned()));
    let parts = files.iter().map(|file| (file.path.as_str(), &file.findings[..]));
    v1::FatbinReport {
        header: v1::Header::from_document(v1::document::FATBIN),
        found: v1::Found::with_parts(own, parts),
        targets: target_sums(&files),
        files,
        kernel_pairs: None,
    }
}

/// What files have for each target ID together.
fn target_sums(files: &[v1::Fatbin]) -> Vec<v1::FatbinTargetSum> {
    let mut sums: KeyMap<(usize, &str), v1::FatbinTargetSum> = KeyMap::new();
    for target in files.iter().flat_map(|file| &file.targets) {
        let id = target.target_id.as_str();
        let rank = Processor::rank(id.split(':').next().unwrap_or(id));
        let sum = sums.entry((rank, id)).or_default();
        id.clone_into(&mut sum.target_id);
        sum.files += 1;
        sum.code_objects += target.code_objects;
        sum.kernels += target.kernels;
        sum.bytes += target.bytes;
        sum.code_bytes += target.code_bytes;
        sum.spilling_kernels += target.spilling_kernels;
    }
    sums.into_values().collect()
}

fn section_row(s: &DeviceSection) -> v1::DeviceSection {
    v1::DeviceSection { name: s.name().to_owned(), offset: s.offset(), bytes: s.size(), align: s.align() }
}

fn kpack_row(code: &ArchivedCode) -> v1::Kpack {
    let row = |t: &file_code::TargetInArchives| v1::KpackTarget {
        target_id: t.target.to_string(),
        archives: t.archives.clone(),
        units: t.units,
        behind_a_miss: t.behind_a_miss,
    };
    v1::Kpack {
        kernel_name: code.kernel_name.clone(),
        search_paths: code.search_paths.clone(),
        units: code.units,
        looked_for_archives: code.looked_for,
        targets: code.targets.iter().map(row).collect(),
    }
}

fn wrappers_row(w: &Wrappers) -> v1::Wrappers {
    v1::Wrappers {
        count: w.count(),
        magics: w.magics().clone(),
        distinct: w.distinct(),
        dangling: w.dangling().to_vec(),
        unreferenced: w.unreferenced().to_vec(),
    }
}

fn storage_rows(file: &FileCode) -> Vec<v1::StorageRow> {
    let rows = file.storage().into_iter();
    rows.map(|(storage, found)| v1::StorageRow {
        storage: storage.kind(),
        version: storage.version(),
        method: storage.method().map(str::to_owned),
        bundles: found.bundles,
        entries: found.entries,
        bytes: found.bytes,
        unpacked_bytes: found.unpacked_bytes,
        verified: found.verified,
    })
    .collect()
}

fn bundle_row(bundle: &BundleFacts) -> v1::Bundle {
    v1::Bundle {
        offset: bundle.offset,
        storage: bundle.storage.kind(),
        version: bundle.storage.version(),
        method: bundle.storage.method().map(str::to_owned),
        stored_bytes: bundle.span,
        unpacked_bytes: bundle.storage.unpacked(),
        hash_fits: bundle.hash_fits,
        member: bundle.member.clone(),
        entries: bundle.entries.iter().map(entry_row).collect(),
    }
}

fn entry_row(entry: &EntryFacts) -> v1::Entry {
    v1::Entry {
        id: entry.id.as_ref().map(ToString::to_string),
        target_id: entry.target.as_ref().map(ToString::to_string),
        bytes: entry.bytes,
        uri: entry.at.to_string(),
        content: entry.payload.name().to_owned(),
        code_object: match &entry.payload {
            Payload::CodeObject(object) => Some(code_object_row(object)),
            _ => None,
        },
    }
}

fn code_object_row(object: &CodeObject) -> v1::CodeObject {
    v1::CodeObject {
        target_id: object.target().to_string(),
        e_flags: object.header().flags(),
        abi: object.header().version().to_string(),
        generic_version: object.header().generic_version(),
        loadable: object.header().is_loadable(),
        metadata_target: object.metadata_target().map(str::to_owned),
        kernels: object.has_metadata().then_some(object.kernels().count()),
        descriptors: object.descriptors(),
        code_bytes: object.code_bytes(),
        classes: object.bytes().as_ref().map(rows::byte_classes).unwrap_or_default(),
    }
}

fn target_row(id: &TargetId, code: &TargetCode, legal_on: Option<&str>) -> v1::FatbinTarget {
    v1::FatbinTarget {
        target_id: id.to_string(),
        code_objects: code.objects,
        bundles: code.bundles,
        kernels: code.kernels.count(),
        descriptors: code.descriptors,
        bytes: code.bytes,
        code_bytes: code.code_bytes,
        debug_bytes: code.sections.get(SectionByteClass::Debug),
        max_vgprs: code.kernels.max_vgprs(),
        max_agprs: code.kernels.max_agprs(),
        max_sgprs: code.kernels.max_sgprs(),
        max_lds: code.kernels.max_lds(),
        max_scratch: code.kernels.max_scratch(),
        spilling_kernels: code.kernels.spilling(),
        abi: code.versions.keys().map(ToString::to_string).collect(),
        instructions: code
            .instructions
            .as_ref()
            .map(|tally| instructions::of_target(&id.processor, code.objects, tally, true, legal_on)),
    }
}

fn total_row(file: &FileCode, asked: &[TargetId]) -> v1::FatbinTotal {
    let total = file.total(asked);
    let abi: BTreeSet<String> = total.versions.keys().map(ToString::to_string).collect();
    v1::FatbinTotal {
        code_objects: total.objects,
        kernels: total.kernels.count(),
        bytes: total.bytes,
        code_bytes: total.code_bytes,
        spilling_kernels: total.kernels.spilling(),
        abi: abi.into_iter().collect(),
    }
}

fn content_rows(file: &FileCode) -> Vec<v1::ContentRow> {
    let rows = file.other_content().into_iter();
    rows.map(|(content, target_id, tally)| v1::ContentRow {
        content: content.to_owned(),
        target_id,
        entries: tally.count,
        bytes: tally.bytes,
    })
    .collect()
}

fn byte_rows(rows: &[ClassBytes]) -> Vec<v1::ByteClass> {
    rows.iter()
        .map(|row| v1::ByteClass { class: row.class.id(), title: row.class.name(), bytes: row.bytes })
        .collect()
}

fn sum(rows: &[ClassBytes]) -> u64 {
    rows.iter().map(|row| row.bytes).sum()
}
