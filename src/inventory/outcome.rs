//! The result of examining one entry of a tree, before it is counted.

use super::compiled_kernel::CompiledKernel;
use super::distributions::PackageStatement;
use super::file_code::Details;
use super::kernel_manifest::KernelManifest;
use super::kernel_sources::SourceText;
use super::linkage::{Linkage, is_library_name};
use super::ownership::Owned;
use super::run_time_compiler::RunTimeCompilers;
use super::{ArtifactKind, CountAndBytes, DeviceCode};
use crate::finding::Finding;
use crate::format::{Format, Support};
use crate::input::package::layer::Layer;
use crate::input::walk::Entry;
use crate::limits::{PROBLEMS_PER_RUN, SHARED_LIBRARIES};
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::sync::Arc;

/// What a scanner found in a file.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Kind of the file; `None` if the scanner found nothing to report.
    pub kind: Option<ArtifactKind>,
    /// The target in the file's name.
    pub named_target: Option<TargetId>,
    /// Device code in it.
    pub device: Option<DeviceCode>,
    /// Its bundles and kernels, if the caller requested details.
    pub details: Details,
    /// Device code of other libraries in the same file, and their share of its bytes.
    pub others: Vec<(String, u64, DeviceCode)>,
    /// How it is linked with other libraries.
    pub linkage: Option<Box<Linkage>>,
    /// What it states about the owners of other files.
    pub owned: Option<Box<Owned>>,
    /// A kernel compiled at run time, if its compiler wrote this file.
    pub compiled: Option<Box<CompiledKernel>>,
    /// The map from calls to code objects, if the file is such a table.
    pub manifest: Option<Box<KernelManifest>>,
    /// What it says of Python packages.
    pub packages: Option<Box<PackageStatement>>,
    /// What it says of kernels, if it is text of a program.
    pub text: Option<Box<SourceText>>,
    /// The processors in the program's own list of GPUs; empty if it has no list.
    pub own_list: Vec<&'static str>,
    /// What went wrong.
    pub findings: Vec<Finding>,
}

impl Scanned {
    /// A file of this kind with no other facts.
    pub fn from_kind(kind: ArtifactKind) -> Self {
        Scanned { kind: Some(kind), ..Scanned::default() }
    }
}

/// The result of examining one entry.
pub(crate) enum EntryOutcome {
    File(Box<FileOutcome>),
    Package(Box<PackageOutcome>),
    /// A member that no scanner wants, so that it was not unpacked.
    Passed {
        format: Format,
        bytes: u64,
    },
    /// A member that the user excluded.
    Excluded,
    /// A symbolic link that is an artifact by its name.
    Alias(Box<Alias>),
    /// Another symbolic link, with a finding if necessary.
    Link(Option<Finding>),
    /// Another name of a file that is counted under its first one.
    OtherName,
    /// Neither a file nor a folder, with a finding if necessary.
    Special(Option<Finding>),
    /// An unreadable entry, with its finding unless the package's findings contain it.
    Unreadable {
        bytes: u64,
        found: Option<Finding>,
    },
}

impl EntryOutcome {
    /// Approximate memory in bytes if a package keeps it; 0 if it is only counted.
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
    /// Whether the scanner that would claim it is disabled in this run.
    pub skipped: bool,
    /// The library it belongs to if it is an artifact; otherwise the library that its name suggests.
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

    /// The outcome for a file that no scanner claims.
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

/// The result of reading a package.
pub(crate) struct PackageOutcome {
    pub format: Format,
    pub bytes: u64,
    /// Members with something to report.
    pub members: Vec<(Entry, EntryOutcome)>,
    /// Members that no scanner wants, by format.
    pub passed: KeyMap<Format, CountAndBytes>,
    pub links: u64,
    /// Links among the members that are named like shared libraries: their paths in the package.
    pub linked: Vec<String>,
    pub excluded: u64,
    /// Members with something to report that did not fit in memory.
    pub left_out: CountAndBytes,
    /// The reason for the first of them.
    pub left_out_since: Option<String>,
    /// Memory for what was found, if the package lies in no other.
    pub kept: u64,
    /// The part of this memory that is out of proportion to the package.
    pub in_flight: u64,
    /// Compilers that are indicated by members which were not unpacked.
    pub run_time_compilers: RunTimeCompilers,
    pub findings: Vec<Finding>,
    /// Layers of the container images in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, if stated.
    pub identity: Option<Arc<str>>,
}

impl PackageOutcome {
    /// The outcome of a package before any member was examined.
    pub fn before_members(format: Format, bytes: u64) -> Self {
        PackageOutcome {
            format,
            bytes,
            members: Vec::new(),
            passed: KeyMap::new(),
            links: 0,
            linked: Vec::new(),
            excluded: 0,
            left_out: CountAndBytes::default(),
            left_out_since: None,
            kept: 0,
            in_flight: 0,
            run_time_compilers: RunTimeCompilers::default(),
            findings: Vec::new(),
            layers: Vec::new(),
            identity: None,
        }
    }

    /// Counts a member, and keeps it if there is something to report.
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

    /// Counts a member that has something to report but does not fit in memory.
    pub fn leave_out(&mut self, bytes: u64, what: &str) {
        self.left_out.add(bytes);
        self.left_out_since.get_or_insert_with(|| what.to_owned());
    }

    /// Keeps findings up to a limit.
    pub fn add_findings(&mut self, findings: Vec<Finding>) {
        let room = PROBLEMS_PER_RUN.saturating_sub(self.findings.len());
        self.findings.extend(findings.into_iter().take(room));
    }
}
