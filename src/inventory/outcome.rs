//! What looking at one entry of a tree gave, before it is counted.

use super::compiled_kernel::CompiledKernel;
use super::file_code::Details;
use super::kernel_manifest::KernelManifest;
use super::linkage::{Linkage, is_library_name};
use super::ownership::Owned;
use super::run_time_compiler::RunTimeCompilers;
use super::{ArtifactKind, DeviceCode, Tally};
use crate::finding::Finding;
use crate::format::{Format, Support};
use crate::input::package::layer::Layer;
use crate::input::walk::Entry;
use crate::limits::{PROBLEMS_PER_RUN, SHARED_LIBRARIES};
use crate::target::TargetId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a scanner says of a file.
#[derive(Debug, Default)]
pub struct Scanned {
    /// What the file is; `None` where the scanner found nothing to report in it after all.
    pub kind: Option<ArtifactKind>,
    /// The target that its name names.
    pub named_target: Option<TargetId>,
    /// Device code in it.
    pub device: Option<DeviceCode>,
    /// Its bundles and kernels, where they are described.
    pub details: Details,
    /// Device code of further libraries in the same file, and how many of its bytes are theirs.
    pub others: Vec<(String, u64, DeviceCode)>,
    /// How it hangs together with other libraries.
    pub linkage: Option<Box<Linkage>>,
    /// What it says of who has put other files there.
    pub owned: Option<Box<Owned>>,
    /// A kernel that was compiled at run time, whose compiler wrote this file.
    pub compiled: Option<Box<CompiledKernel>>,
    /// Which code objects serve which calls, where the file is a table of that.
    pub manifest: Option<Box<KernelManifest>>,
    /// The processors that the program's own list of GPUs names; empty where it has none.
    pub own_list: Vec<&'static str>,
    /// What went wrong.
    pub findings: Vec<Finding>,
}

impl Scanned {
    /// A file of a kind, with nothing else to say.
    pub fn of(kind: ArtifactKind) -> Self {
        Scanned { kind: Some(kind), ..Scanned::default() }
    }
}

/// What looking at one entry gave.
pub(crate) enum EntryOutcome {
    File(Box<FileOutcome>),
    Package(Box<PackageOutcome>),
    /// A member that no scanner wants and that was therefore not unpacked.
    Passed {
        format: Format,
        bytes: u64,
    },
    /// A member that the user leaves out.
    Excluded,
    /// A symbolic link that is an artifact by its name.
    Alias(Box<Alias>),
    /// A symbolic link, with the finding where that is needed.
    Link(Option<Finding>),
    /// Another name of a file that is counted under its first one.
    OtherName,
    /// What is neither a file nor a folder, likewise.
    Special(Option<Finding>),
    /// With the finding, where that does not stand among those of the package.
    Unreadable {
        bytes: u64,
        found: Option<Finding>,
    },
}

impl EntryOutcome {
    /// About how much memory it takes, in bytes, where a package keeps it; 0 where it is only counted.
    pub fn memory(&self) -> u64 {
        let found = |found: &Option<Finding>| found.as_ref().map_or(0, Finding::memory);
        let own = size_of::<EntryOutcome>() as u64;
        match self {
            EntryOutcome::Passed { format, .. } if format.support() != Support::NotYet => 0,
            EntryOutcome::Excluded | EntryOutcome::Link(None) => 0,
            EntryOutcome::File(file) => own + file.memory(),
            EntryOutcome::Package(package) => {
                own + size_of::<PackageOutcome>() as u64
                    + package.findings.iter().map(Finding::memory).sum::<u64>()
            }
            EntryOutcome::Alias(_) => own + size_of::<Alias>() as u64,
            EntryOutcome::Link(what) | EntryOutcome::Special(what) => own + found(what),
            EntryOutcome::Unreadable { found: what, .. } => own + found(what),
            EntryOutcome::Passed { .. } | EntryOutcome::OtherName => own,
        }
    }
}

/// A file that was opened.
pub(crate) struct FileOutcome {
    pub bytes: u64,
    pub format: Format,
    /// The scanner that read it.
    pub scanner: Option<&'static str>,
    /// Whether a scanner claims it that is not used in this run.
    pub skipped: bool,
    /// The library that it belongs to, where it is an artifact; the one that its name names, where it is not.
    pub library: Option<String>,
    pub scanned: Scanned,
    /// Memory of what was found that is out of proportion to it, until it is counted, in bytes.
    pub in_flight: u64,
}

impl FileOutcome {
    /// About how much memory it takes, in bytes.
    pub fn memory(&self) -> u64 {
        let code = self.scanned.device.iter().chain(self.scanned.others.iter().map(|(_, _, code)| code));
        size_of::<FileOutcome>() as u64
            + code.map(DeviceCode::memory).sum::<u64>()
            + self.scanned.findings.iter().map(Finding::memory).sum::<u64>()
            + self.scanned.linkage.as_ref().map_or(0, |linkage| linkage.memory())
    }

    /// Of a file that no scanner claims.
    pub fn unclaimed(format: Format, bytes: u64) -> Self {
        let scanned = Scanned::default();
        FileOutcome { bytes, format, scanner: None, skipped: false, library: None, scanned, in_flight: 0 }
    }
}

/// A symbolic link that is an artifact by its name.
pub(crate) struct Alias {
    pub scanner: &'static str,
    pub library: &'static str,
    pub kind: ArtifactKind,
    pub named_target: Option<TargetId>,
}

/// What a package gave.
pub(crate) struct PackageOutcome {
    pub format: Format,
    pub bytes: u64,
    /// Members with something to say.
    pub members: Vec<(Entry, EntryOutcome)>,
    /// Members that no scanner wants, by format.
    pub passed: BTreeMap<Format, Tally>,
    pub links: u64,
    /// Links among them that are shared libraries by their names: where they are in the package.
    pub linked: Vec<String>,
    pub excluded: u64,
    /// Members with something to say for which no memory is left.
    pub left_out: Tally,
    /// Why, of the first one.
    pub left_out_since: Option<String>,
    /// Memory that what was found takes, where the package lies in no other.
    pub kept: u64,
    /// How much of it is out of proportion to the package.
    pub in_flight: u64,
    /// Compilers that members are a sign of which were not unpacked.
    pub run_time_compilers: RunTimeCompilers,
    pub findings: Vec<Finding>,
    /// The layers of the images of containers in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, where it says so.
    pub identity: Option<Arc<str>>,
}

impl PackageOutcome {
    /// Of a package of which no member was looked at yet.
    pub fn of(format: Format, bytes: u64) -> Self {
        PackageOutcome {
            format,
            bytes,
            members: Vec::new(),
            passed: BTreeMap::new(),
            links: 0,
            linked: Vec::new(),
            excluded: 0,
            left_out: Tally::default(),
            left_out_since: None,
            kept: 0,
            in_flight: 0,
            run_time_compilers: RunTimeCompilers::default(),
            findings: Vec::new(),
            layers: Vec::new(),
            identity: None,
        }
    }

    /// Counts a member, and keeps it where there is something to say of it.
    pub fn add(&mut self, member: Entry, outcome: EntryOutcome) {
        match outcome {
            EntryOutcome::Passed { format, bytes } if format.support() != Support::NotYet => {
                self.run_time_compilers.note(&member.shown);
                self.passed.entry(format).or_default().add(bytes);
            }
            EntryOutcome::Excluded => self.excluded += 1,
            EntryOutcome::Link(None) => {
                self.links += 1;
                if is_library_name(&member.name()) && self.linked.len() < SHARED_LIBRARIES {
                    self.linked.push(member.installed().to_owned());
                }
            }
            outcome => self.members.push((member, outcome)),
        }
    }

    /// Counts a member with something to say for which no memory is left.
    pub fn leave_out(&mut self, bytes: u64, what: String) {
        self.left_out.add(bytes);
        self.left_out_since.get_or_insert(what);
    }

    /// Keeps findings up to a bound.
    pub fn add_findings(&mut self, findings: Vec<Finding>) {
        let room = PROBLEMS_PER_RUN.saturating_sub(self.findings.len());
        self.findings.extend(findings.into_iter().take(room));
    }
}
