//! The device code of one file, summed by target.

use super::CountAndBytes;
use crate::codeobject::instruction_tally::InstructionTally;
use crate::codeobject::{AbiVersion, CodeObject, KernelTotals, SectionBytes};
use crate::container::find::Gaps;
use crate::container::kpack::Reference;
use crate::container::packing_sample::PackingSample;
use crate::format::Format;
use crate::inventory::copies::Fingerprint;
use crate::limits::{NAME_CONFLICTS_PER_FILE, PROBLEMS_PER_FILE};
use crate::locator::Locator;
use crate::target::TargetId;
use std::collections::BTreeMap;

/// The device code of one file.
#[derive(Debug, Default)]
pub struct DeviceCode {
    /// Format of the file.
    pub format: Option<Format>,
    /// `DT_SONAME` of a shared library.
    pub soname: Option<String>,
    /// `DT_NEEDED`: the libraries that it is linked with.
    pub needed: Vec<String>,
    /// Number of bundles.
    pub bundles: u64,
    /// Number of compressed ones among them.
    pub compressed: u64,
    /// Bytes that compressed bundles inflate to.
    pub unpacked_bytes: u64,
    /// Compressed bundles whose content was not read to its end, so that their hash was not verified.
    pub unverified: u64,
    /// Number of bundle entries by id.
    pub entries: BTreeMap<String, CountAndBytes>,
    /// Code objects by target.
    pub targets: BTreeMap<TargetId, TargetCode>,
    /// Entries that are not code objects, by kind.
    pub other_payloads: BTreeMap<&'static str, CountAndBytes>,
    /// Bytes between bundles.
    pub gaps: Gaps,
    /// Bytes between the entries of uncompressed bundles.
    pub between_entries: u64,
    /// Uncompressed bundles, and their bytes.
    pub plain: CountAndBytes,
    /// Samples of uncompressed bundles, compressed to estimate the savings.
    pub packing: PackingSample,
    /// All code objects, for comparison with each other.
    pub parts: Vec<Fingerprint>,
    /// Code objects whose names disagree about the target.
    pub name_conflicts: Vec<NameConflict>,
    /// Where the device code is, if it was moved out of the file.
    pub kpack: Option<Reference>,
    /// Parts of the file that were not examined.
    pub unread: Vec<String>,
    /// Offsets at which the payload of a compressed bundle contains a bundle magic by chance, among bundles
    /// that were read whole.
    pub magics_inside: Vec<u64>,
}

/// Number of entries in a node of the standard library's B-tree.
const NODE: usize = 11;

/// Approximate memory of a map with this many entries, in bytes: its nodes are two thirds full.
fn map_memory<K, V>(entries: usize) -> usize {
    (entries + entries / 2).next_multiple_of(NODE) * (size_of::<K>() + size_of::<V>())
}

/// Approximate memory of the characters of a text, in bytes, as allocators round them up.
fn text_memory(text: &str) -> usize {
    (text.len() + size_of::<usize>()).next_multiple_of(16)
}

impl DeviceCode {
    /// Approximate memory of this value, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let ids: usize = self.entries.keys().map(|id| text_memory(id)).sum();
        let needed: usize = self.needed.iter().map(|name| text_memory(name)).sum();
        let maps = map_memory::<TargetId, TargetCode>(self.targets.len())
            + map_memory::<String, CountAndBytes>(self.entries.len())
            + map_memory::<&str, CountAndBytes>(self.other_payloads.len());
        let lists = self.parts.len() * size_of::<Fingerprint>()
            + self.name_conflicts.len() * size_of::<NameConflict>()
            + self.needed.len() * size_of::<String>();
        (size_of::<DeviceCode>() + ids + needed + maps + lists) as u64
    }

    /// Adds the device code of a part of the same file.
    pub fn merge(&mut self, part: DeviceCode) {
        self.bundles += part.bundles;
        self.compressed += part.compressed;
        self.unpacked_bytes += part.unpacked_bytes;
        self.unverified += part.unverified;
        self.between_entries += part.between_entries;
        self.plain.merge(part.plain);
        self.packing.merge(part.packing);
        let room = PROBLEMS_PER_FILE.saturating_sub(self.magics_inside.len());
        self.magics_inside.extend(part.magics_inside.into_iter().take(room));
        self.parts.extend(part.parts);
        for (id, tally) in part.entries {
            self.entries.entry(id).or_default().merge(tally);
        }
        for (what, tally) in part.other_payloads {
            self.other_payloads.entry(what).or_default().merge(tally);
        }
        for (target, code) in part.targets {
            self.targets.entry(target).or_default().merge(&code);
        }
        part.name_conflicts.into_iter().for_each(|found| self.note_name_conflict(found));
    }

    /// Counts a conflict with an equal one, or, if there are too many kinds, with the last.
    fn note_name_conflict(&mut self, found: NameConflict) {
        let all = &mut self.name_conflicts;
        let full = all.len() >= NAME_CONFLICTS_PER_FILE;
        let same = |d: &&mut NameConflict| {
            (&d.bundle_id, &d.e_flags, &d.metadata) == (&found.bundle_id, &found.e_flags, &found.metadata)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None if full => all.last_mut().into_iter().for_each(|last| last.count += 1),
            None => all.push(found),
        }
    }
}

/// Code objects of one target in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetCode {
    /// Number of code objects.
    pub objects: u64,
    /// Number of code objects without kernel metadata.
    pub without_metadata: u64,
    /// Number of kernel descriptors; `None` if the symbols of some code object were not read.
    pub descriptors: Option<u64>,
    /// Number of bundles in which the target occurs.
    pub bundles: u64,
    /// Bytes of the code objects, inflated.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Totals over kernels.
    pub kernels: KernelTotals,
    /// Number of kernels that only trap, in the code objects whose machine code was examined.
    pub trap_stubs: u64,
    /// Number of code objects whose machine code was not examined.
    pub bodies_unread: u64,
    /// Bytes by class, for the code objects whose sections were read.
    pub sections: SectionBytes,
    /// Number of code objects by ABI version.
    pub versions: BTreeMap<AbiVersion, u64>,
    /// Instruction mix of its machine code, if decoded.
    pub instructions: Option<Box<InstructionTally>>,
    /// The first code object, as evidence.
    pub first: Option<Locator>,
}

impl TargetCode {
    /// Counts a code object of `bytes` bytes.
    pub fn add(&mut self, object: &CodeObject, bytes: u64, at: impl FnOnce() -> Locator) {
        self.descriptors = self.descriptors_with(object.descriptors());
        self.objects += 1;
        self.without_metadata += u64::from(!object.has_metadata());
        self.bytes += bytes;
        self.code_bytes = self.code_bytes.saturating_add(object.code_bytes());
        self.kernels.merge(object.kernels());
        self.trap_stubs += object.trap_stubs().unwrap_or(0);
        self.bodies_unread += u64::from(object.trap_stubs().is_none());
        *self.versions.entry(object.header().version()).or_default() += 1;
        if let Some(sections) = &object.bytes() {
            self.sections.merge(sections);
        }
        if object.code_asked() {
            // Records that this code object was not decoded.
            let instructions = self.instructions.get_or_insert_default();
            object.code().iter().for_each(|code| instructions.add(code));
        }
        self.first.get_or_insert_with(at);
    }

    /// Kernels that do more than trap, as far as they were examined.
    pub fn runnable(&self) -> u64 {
        self.kernels.count().saturating_sub(self.trap_stubs)
    }

    /// The sum of both numbers of descriptors; unknown if either is.
    fn descriptors_with(&self, more: Option<u64>) -> Option<u64> {
        let so_far = if self.objects == 0 { Some(0) } else { self.descriptors };
        so_far.zip(more).map(|(a, b)| a + b)
    }

    /// Adds the code objects of another file.
    pub fn merge(&mut self, other: &TargetCode) {
        if other.objects > 0 {
            self.descriptors = self.descriptors_with(other.descriptors);
        }
        self.objects += other.objects;
        self.without_metadata += other.without_metadata;
        self.bundles += other.bundles;
        self.bytes += other.bytes;
        self.code_bytes = self.code_bytes.saturating_add(other.code_bytes);
        self.kernels.merge(&other.kernels);
        self.trap_stubs += other.trap_stubs;
        self.bodies_unread += other.bodies_unread;
        self.sections.merge(&other.sections);
        if let Some(instructions) = &other.instructions {
            self.instructions.get_or_insert_default().merge(instructions);
        }
        for (version, count) in &other.versions {
            *self.versions.entry(*version).or_default() += count;
        }
        if self.first.is_none() {
            self.first.clone_from(&other.first);
        }
    }
}

/// Names of one code object that disagree. This is a fact, not a judgement: the loader decides which name
/// counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameConflict {
    /// The target in the bundle entry's id, if there is one.
    pub bundle_id: Option<String>,
    /// The target in `e_flags`.
    pub e_flags: String,
    /// The target in the kernel metadata, if stated.
    pub metadata: Option<String>,
    /// The target in the file's name, if it names one.
    pub file_name: Option<String>,
    /// Number of code objects in the file that disagree in this way.
    pub count: u64,
    /// Location of the first of them.
    pub first: Locator,
}
