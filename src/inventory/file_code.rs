//! One file with device code in detail: its bundles with their entries, and sums over them.

use super::copies::Duplicates;
use super::file_bytes::FileBytes;
use super::{DeviceCode, Tally, TargetCode};
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
use std::collections::BTreeMap;

/// One file with device code, or without.
#[derive(Debug, Default)]
pub struct FileCode {
    /// The file as reports show it.
    pub shown: String,
    /// Its format.
    pub format: Option<Format>,
    /// Size in bytes.
    pub bytes: u64,
    /// Sections that hold device code, in a host file.
    pub sections: Vec<DeviceSection>,
    /// Wrappers, in a host file that has them.
    pub wrappers: Option<Wrappers>,
    /// What kpack archives have, where the device code was moved to some.
    pub archives: Option<ArchivedCode>,
    /// What its bundles hold, summed by target.
    pub code: DeviceCode,
    /// Its bundles in file order.
    pub details: Details,
    /// What of its code objects is there more than once.
    pub duplicates: Duplicates,
    /// What went wrong.
    pub findings: Vec<Finding>,
    /// What was seen and not looked into, in words.
    pub not_examined: Vec<String>,
    /// The processor on which instructions were looked for that it does not have.
    pub legal_on: Option<String>,
}

/// Each bundle, and each kernel whose instructions were asked for.
#[derive(Debug, Default)]
pub struct Details {
    /// Bundles in file order.
    pub bundles: Vec<BundleFacts>,
    /// Kernels with their histograms, [`KERNELS_LISTED`] at most.
    pub kernels: Vec<KernelHistogram>,
    /// How many more such kernels there are.
    pub kernels_more: u64,
}

impl Details {
    /// Adds those of a later part of the file.
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
    /// How it is stored.
    pub storage: Storage,
    /// Size of its header in the file in bytes.
    pub header_size: u64,
    /// Whether the hash in its header fits, where it was computed.
    pub hash_fits: Option<bool>,
    /// The archive member it lies in.
    pub member: Option<String>,
    /// Its entries in file order.
    pub entries: Vec<EntryFacts>,
}

/// One entry of a bundle.
#[derive(Debug)]
pub struct EntryFacts {
    /// Its id; `None` for a code object that stands alone.
    pub id: Option<EntryId>,
    /// The target that its id names, or, for a code object without an id, its header.
    pub target: Option<TargetId>,
    /// Size in bytes.
    pub bytes: u64,
    /// Where it is.
    pub at: Locator,
    /// What stands in it.
    pub payload: Payload,
}

/// The instructions of one kernel.
#[derive(Debug)]
pub struct KernelHistogram {
    /// The target of its code object.
    pub target: TargetId,
    /// Its code object.
    pub at: Locator,
    /// Its machine code, with the histogram.
    pub code: KernelCode,
}

/// Device code of a file that was moved to kpack archives.
#[derive(Debug)]
pub struct ArchivedCode {
    /// What the file is called in the tables of archives.
    pub kernel_name: String,
    /// Where archives are looked for, relative to its folder.
    pub search_paths: Vec<String>,
    /// Bundles that it registers from archives.
    pub units: u64,
    /// Whether archives were looked for; those of a member of a package are members too, and are not.
    pub looked_for: bool,
    /// What was found, by target.
    pub targets: Vec<TargetInArchives>,
}

/// What the archives of one binary have for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetInArchives {
    /// The target that the archives are for.
    pub target: TargetId,
    /// The archives that answer, as the search paths name them, in the order of the bundles they answer for.
    pub archives: Vec<String>,
    /// For how many of the binary's bundles there is code.
    pub units: u64,
    /// For how many of those only an archive behind another one that lacks them has code: loaders before rocm-systems
    /// 9953 do not find it.
    pub behind_a_miss: u64,
}

/// Bundles that are stored in one way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredBundles {
    /// How many.
    pub bundles: u64,
    /// Their entries.
    pub entries: u64,
    /// Bytes that they occupy in the file.
    pub bytes: u64,
    /// Bytes that they inflate to, where they are compressed.
    pub unpacked_bytes: u64,
    /// How many of their hashes fit.
    pub verified: u64,
}

impl FileCode {
    /// Bundles by how they are stored, in the order of the words for it.
    pub fn storage(&self) -> Vec<(Storage, StoredBundles)> {
        let mut kinds: BTreeMap<String, (Storage, StoredBundles)> = BTreeMap::new();
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

    /// Entries for a target that are no code objects, by what they are.
    pub fn other_content(&self) -> Vec<(&'static str, String, Tally)> {
        let mut rows: BTreeMap<(&'static str, String), Tally> = BTreeMap::new();
        for entry in self.details.bundles.iter().flat_map(|bundle| &bundle.entries) {
            let is_code_object = matches!(entry.payload, Payload::CodeObject(_));
            if let (Some(target), true) = (&entry.target, !is_code_object && entry.bytes > 0) {
                rows.entry((entry.payload.name(), target.to_string())).or_default().add(entry.bytes);
            }
        }
        rows.into_iter().map(|((content, target), tally)| (content, target, tally)).collect()
    }

    /// Sums over those targets that load on one of `asked`, or over all.
    pub fn total(&self, asked: &[TargetId]) -> TargetCode {
        let mut total = TargetCode::default();
        self.targets(asked).for_each(|(_, code)| total.merge(code));
        total
    }

    /// Code objects by target: those that load on one of `asked`, or all.
    pub fn targets(&self, asked: &[TargetId]) -> impl Iterator<Item = (&TargetId, &TargetCode)> {
        let wanted = |target: &TargetId| asked.is_empty() || asked.iter().any(|agent| target.loads_on(agent));
        self.code.targets.iter().filter(move |(target, _)| wanted(target))
    }

    /// Bytes of all its code objects by class.
    pub fn section_bytes(&self) -> SectionBytes {
        let mut sections = SectionBytes::default();
        self.code.targets.values().for_each(|code| sections.merge(&code.sections));
        sections
    }

    /// Where its bytes are.
    pub fn byte_classes(&self) -> FileBytes {
        FileBytes::of(self)
    }
}
