//! One file with device code in detail: its bundles with their entries, and sums over them.

use super::copies::Duplicates;
use super::file_bytes::FileBytes;
use super::missing_waits::KernelWaits;
use super::source_lines::KernelSource;
use super::{CountAndBytes, DeviceCode, TargetCode};
use crate::codeobject::SectionBytes;
use crate::codeobject::disassembly::KernelCode;
use crate::codeobject::listing::LISTED_KERNELS;
use crate::container::bundle_reader::Payload;
use crate::container::wrapper::Wrappers;
use crate::container::{DeviceSection, EntryId, Storage};
use crate::finding::Finding;
use crate::format::Format;
use crate::limits::KERNELS_LISTED;
use crate::locator::Locator;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;

/// One file, with or without device code.
#[derive(Debug, Default)]
pub struct FileCode {
    /// The file as reports show it.
    pub shown: String,
    /// Format of the file.
    pub format: Option<Format>,
    /// Size in bytes.
    pub bytes: u64,
    /// Sections that hold device code, in a host file.
    pub sections: Vec<DeviceSection>,
    /// Wrappers, in a host file that has them.
    pub wrappers: Option<Wrappers>,
    /// What kpack archives contain, if the device code was moved to archives.
    pub archives: Option<ArchivedCode>,
    /// Contents of its bundles, summed by target.
    pub code: DeviceCode,
    /// Its bundles in file order.
    pub details: Details,
    /// Its duplicate code objects.
    pub duplicates: Duplicates,
    /// What went wrong.
    pub findings: Vec<Finding>,
    /// Parts that were seen but not examined, in words.
    pub not_examined: Vec<String>,
    /// What is found of the waits of its kernels, if the caller asked.
    pub waits: Option<KernelWaits>,
    /// The processor against whose instruction set the code was checked.
    pub legal_on: Option<String>,
}

/// Each bundle, and each kernel whose instructions the caller requested.
#[derive(Debug, Default)]
pub struct Details {
    /// Bundles in file order.
    pub bundles: Vec<BundleFacts>,
    /// Kernels with their histograms, [`KERNELS_LISTED`] at most.
    pub kernels: Vec<KernelHistogram>,
    /// Number of further such kernels.
    pub kernels_more: u64,
}

impl Details {
    /// Appends the details of a later part of the file.
    pub fn merge(&mut self, part: Details) {
        self.bundles.extend(part.bundles);
        self.kernels_more += part.kernels_more;
        let room = KERNELS_LISTED.saturating_sub(self.kernels.len());
        self.kernels_more += part.kernels.len().saturating_sub(room) as u64;
        let mut listed = self.kernels.iter().filter(|kernel| kernel.code.is_listed()).count();
        self.kernels.extend(part.kernels.into_iter().take(room).map(|mut kernel| {
            listed += usize::from(kernel.code.is_listed());
            if listed > LISTED_KERNELS {
                kernel.code.drop_lines();
            }
            kernel
        }));
    }
}

/// One bundle.
#[derive(Debug)]
pub struct BundleFacts {
    /// Absolute offset in the file.
    pub offset: u64,
    /// Bytes it occupies in the file.
    pub span: u64,
    /// Storage form.
    pub storage: Storage,
    /// Size of its header in the file in bytes.
    pub header_size: u64,
    /// Whether the hash in its header matches, if it was computed.
    pub hash_fits: Option<bool>,
    /// The archive member that contains it.
    pub member: Option<String>,
    /// Its entries in file order.
    pub entries: Vec<EntryFacts>,
}

/// One entry of a bundle.
#[derive(Debug)]
pub struct EntryFacts {
    /// Id; `None` for a code object outside of bundles.
    pub id: Option<EntryId>,
    /// The target in its id or, without an id, in the code object's header.
    pub target: Option<TargetId>,
    /// Size in bytes.
    pub bytes: u64,
    /// Location of the entry.
    pub at: Locator,
    /// Content of the entry.
    pub payload: Payload,
}

/// The instructions of one kernel.
#[derive(Debug)]
pub struct KernelHistogram {
    /// The target of its code object.
    pub target: TargetId,
    /// Location of its code object.
    pub at: Locator,
    /// Its machine code and histogram.
    pub code: KernelCode,
    /// Its source lines, if its code was listed or kept, and its code object has debug information.
    pub source: Option<KernelSource>,
}

/// Device code that was moved from a file to kpack archives.
#[derive(Debug)]
pub struct ArchivedCode {
    /// Name of the file in the archives' tables of contents.
    pub kernel_name: String,
    /// Paths to search for archives, relative to the file's folder.
    pub search_paths: Vec<String>,
    /// Number of bundles that the file registers from archives.
    pub units: u64,
    /// Whether archives were looked for; they are not for a package's member, whose archives are members too.
    pub looked_for: bool,
    /// What archives contain, by target.
    pub targets: Vec<TargetInArchives>,
}

/// What the archives contain of one binary for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetInArchives {
    /// The target that the archives are for.
    pub target: TargetId,
    /// The archives with its code, as named by the search paths, in the order of the bundles they serve.
    pub archives: Vec<String>,
    /// How many of the binary's bundles have code.
    pub units: u64,
    /// How many of them have code only in an archive that follows one without it: loaders before rocm-systems
    /// 9953 do not find it.
    pub behind_a_miss: u64,
}

/// Bundles with the same storage form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredBundles {
    /// Number of bundles.
    pub bundles: u64,
    /// Number of entries.
    pub entries: u64,
    /// Bytes that they occupy in the file.
    pub bytes: u64,
    /// Bytes that they inflate to, if compressed.
    pub unpacked_bytes: u64,
    /// Number of bundles whose hash matches.
    pub verified: u64,
}

impl FileCode {
    /// Bundles by storage form, ordered by the form's name.
    pub fn storage(&self) -> Vec<(Storage, StoredBundles)> {
        let mut kinds: KeyMap<String, (Storage, StoredBundles)> = KeyMap::new();
        for bundle in &self.details.bundles {
            let (_, kind) = kinds
                .entry(bundle.storage.describe())
                .or_insert_with(|| (bundle.storage, StoredBundles::default()));
            kind.bundles += 1;
            kind.entries += bundle.entries.len() as u64;
            kind.bytes += bundle.span;
            kind.unpacked_bytes += bundle.storage.unpacked().unwrap_or(0);
            kind.verified += u64::from(bundle.hash_fits == Some(true));
        }
        kinds.into_values().collect()
    }

    /// Entries for a target that are not code objects, by kind.
    pub fn other_content(&self) -> Vec<(&'static str, String, CountAndBytes)> {
        let mut rows: KeyMap<(&'static str, String), CountAndBytes> = KeyMap::new();
        for entry in self.details.bundles.iter().flat_map(|bundle| &bundle.entries) {
            let is_code_object = matches!(entry.payload, Payload::CodeObject(_));
            if let (Some(target), true) = (&entry.target, !is_code_object && entry.bytes > 0) {
                rows.entry((entry.payload.name(), target.to_string())).or_default().add(entry.bytes);
            }
        }
        rows.into_iter().map(|((content, target), tally)| (content, target, tally)).collect()
    }

    /// Sums over the targets that load on one of `asked`, or over all if it is empty.
    pub fn total(&self, asked: &[TargetId]) -> TargetCode {
        let mut total = TargetCode::default();
        self.targets(asked).for_each(|(_, code)| total.merge(code));
        total
    }

    /// Code objects by target: those that load on one of `asked`, or all if it is empty.
    pub fn targets(&self, asked: &[TargetId]) -> impl Iterator<Item = (&TargetId, &TargetCode)> {
        self.code.targets.iter().filter(move |(target, _)| target.is_wanted_by(asked))
    }

    /// Bytes of all code objects by class.
    pub fn section_bytes(&self) -> SectionBytes {
        let mut sections = SectionBytes::default();
        self.code.targets.values().for_each(|code| sections.merge(&code.sections));
        sections
    }

    /// The bytes of the file by class.
    pub fn byte_classes(&self) -> FileBytes {
        FileBytes::from_file(self)
    }
}
