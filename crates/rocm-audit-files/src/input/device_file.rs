//! A file, or a member of a package, with its device code found.

use super::package;
use super::package::visit::{self, Nesting, Selection};
use super::package::{Head, MemberContent, MemberFile, is_package};
use crate::budget::InflateBudget;
use crate::error::{AuditError, ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::limits::PACKAGE_ENTRY_BYTES;
use amdgpu_object::bytes::le::range;
use amdgpu_object::codeobject;
use amdgpu_object::container;
use amdgpu_object::container::bundle::Entry;
use amdgpu_object::container::{Bundle, Container};
use amdgpu_object::format::{Format, Support, promise};
use amdgpu_object::locator::file_name;
use amdgpu_object::source::{SourceFile, return_free_memory};
use amdgpu_object::target::TargetId;
use std::path::Path;
use std::sync::Arc;

/// Bytes of members of a package after which memory that is free is given back to the system.
const READ_TO_TRIM: u64 = 64 << 20;

/// A file with its device code found, nothing of it read yet.
#[derive(Debug)]
pub struct DeviceFile {
    /// The file.
    pub file: SourceFile,
    /// Its format.
    pub format: Format,
    /// Where its device code is.
    pub container: Container,
}

impl DeviceFile {
    /// Opens a file and finds its bundles: only headers are read.
    ///
    /// # Errors
    /// Where the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let file = SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))?;
        Ok(Self::from_file(file))
    }

    /// Finds the bundles of a file that is open already.
    pub fn from_file(file: SourceFile) -> Self {
        Self::identified(MemberFile::from_file(file))
    }

    fn identified(opened: MemberFile) -> Self {
        let MemberFile { file, format, .. } = opened;
        let container = container::open(file.bytes(), format);
        DeviceFile { file, format, container }
    }

    /// The same for a member of a package.
    fn within(file: MemberFile, allowance: &InflateBudget) -> Self {
        let mut open = Self::identified(file);
        open.container.keep_within(|bytes| allowance.take(bytes));
        open
    }

    /// Opens a file, or, where it is a package, every member of it that holds device code, one after the
    /// other; the package itself, if there is none. What is wrong with packages goes to `wrong`.
    ///
    /// # Errors
    /// Where the file cannot be opened.
    pub fn open_each(
        path: &Path,
        each: &mut dyn FnMut(DeviceFile),
        wrong: &mut dyn FnMut(Finding),
    ) -> Result<(), AuditError> {
        OpenedFile::open(path)?.each(each, wrong);
        Ok(())
    }

    /// Whether anything was found that is or may be device code.
    pub fn has_device_code(&self) -> bool {
        let c = &self.container;
        !(c.bundles().is_empty()
            && c.problems().is_empty()
            && c.kpack().is_none()
            && !self.is_archive_of_kernels()
            && self.not_examined().is_empty())
    }

    /// Whether it is a file whose kernels are records and not bundles: a kernel database of MIOpen, rocFFT's
    /// cache, or an archive of AOTriton. Scanners read these.
    pub fn is_archive_of_kernels(&self) -> bool {
        let name = self.file.locator().shown();
        let database =
            name.ends_with(".kdb") || name.ends_with(".ukdb") || name.contains("rocfft_kernel_cache");
        self.format == Format::AotritonArchive || self.format == Format::Sqlite && database
    }

    /// Calls back for each bundle entry, in file order, with the URI it has.
    pub fn for_each_entry(&self, mut each: impl FnMut(&Bundle, &Entry, &str)) {
        let stem = self.file.locator().stem();
        let mut uri = String::new();
        for bundle in self.container.bundles() {
            for entry in bundle.entries() {
                uri.clear();
                let (range, unpacked) = bundle.place(entry.offset(), entry.size());
                // A string takes all that is written.
                let _ = stem.write(&mut uri, Some(range), unpacked);
                each(bundle, entry, &uri);
            }
        }
    }

    /// The target of an entry: what its id names, or, for a code object without an id, what its header says.
    pub fn target_of(&self, bundle: &Bundle, entry: &Entry) -> Option<TargetId> {
        match entry.id() {
            Some(id) => id.target().cloned(),
            None => {
                let offset = bundle.offset().checked_add(entry.offset())?;
                codeobject::target_of(range(self.file.bytes(), offset, entry.size())?)
            }
        }
    }

    /// What may hold device code here and is not read by this version.
    pub fn not_examined(&self) -> Vec<String> {
        let mut all = self.container.unread().to_vec();
        if self.format.support() == Support::NotYet {
            all.push(format!("{}: recognised, and not read by this version", self.format.name()));
        }
        all.extend(package::refusal(self.format));
        all
    }

    /// What is wrong with the file as a whole, whatever is in its device code: it changed while it was read, is
    /// not what its name promises, or is a container that is not opened. Reports call it `shown`.
    pub fn faults_of_whole(&self, shown: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Err(change) = self.file.check_unchanged() {
            findings.push(Finding::of_file(&read::CHANGED_WHILE_READ, shown, change.to_string()));
        }
        let broken = promise::broken_in(file_name(shown), self.file.bytes());
        findings.extend(broken.map(|what| Finding::of_file(&read::MALFORMED_BYTES, shown, what)));
        if self.format.support() == Support::NotYet || package::refusal(self.format).is_some() {
            let what = package::not_opened(self.format);
            findings.push(Finding::of_file(&read::CONTAINER_NOT_OPENED, shown, what));
        }
        findings
    }
}

/// A file that was opened: its device code was found, or it is a package whose members are still to be opened.
#[derive(Debug)]
pub enum OpenedFile {
    /// No package.
    Device(Box<DeviceFile>),
    /// A package.
    Package(MemberFile),
}

impl OpenedFile {
    /// Opens a file and finds its bundles, unless it is a package.
    ///
    /// # Errors
    /// Where the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let file = SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))?;
        let opened = MemberFile::from_file(file);
        Ok(match is_package(opened.format) {
            true => OpenedFile::Package(opened),
            false => OpenedFile::Device(Box::new(DeviceFile::identified(opened))),
        })
    }

    /// Gives the file, or, as [`DeviceFile::open_each`] does, what is in it.
    pub fn each(self, each: &mut dyn FnMut(DeviceFile), wrong: &mut dyn FnMut(Finding)) {
        let package = match self {
            OpenedFile::Device(file) => return each(*file),
            OpenedFile::Package(package) => package,
        };
        let allowance = InflateBudget::for_package(package::stored_bytes(&package.file));
        let any = std::cell::Cell::new(false);
        let mut read = 0;
        let mut counted = |open: DeviceFile| {
            any.set(true);
            read += open.file.len();
            each(open);
            // What is kept of many small members lies between what was freed of them.
            if read > READ_TO_TRIM {
                return_free_memory();
                read = 0;
            }
        };
        let left = open_members(package, Nesting::outermost(&allowance), &mut counted, wrong);
        if !any.get() {
            left.into_iter().for_each(|file| each(DeviceFile::from_file(file)));
        }
    }
}

/// Opens the members of a package, and those of packages in it. Gives the file itself back.
fn open_members(
    file: MemberFile,
    nesting: Nesting<'_>,
    each: &mut dyn FnMut(DeviceFile),
    wrong: &mut dyn FnMut(Finding),
) -> Option<SourceFile> {
    if !is_package(file.format) {
        return Some(file.file);
    }
    let shown = file.file.locator().shown();
    if let Err(what) = nesting.check() {
        wrong(Finding::of_file(&read::NESTED_TOO_DEEP, &shown, what));
        return None;
    }
    let wants = |head: &Head<'_>| {
        let wanted = head.format == Format::Sqlite
            || head.format.support() != Support::Nothing
            || Format::is_open(head.bytes);
        wanted.then_some(0)
    };
    let selection = Selection { wants: &wants, excludes: &|_| false };
    let closed = visit::visit(file, &shown, nesting, selection, &mut |batch| {
        batch.each(|visited| {
            visited.faults.into_iter().for_each(&mut *wrong);
            let Some(MemberContent::File(member)) = visited.content else { return };
            let place = visited.locator.shown().len() as u64;
            if is_package(member.format) {
                open_members(member, visited.nesting, each, wrong);
                return;
            }
            let mut open = DeviceFile::within(member, visited.nesting.budget());
            let entries: u64 =
                open.container.bundles().iter().map(|bundle| bundle.entries().len() as u64).sum();
            let entries = entries.saturating_mul(1 + place / PACKAGE_ENTRY_BYTES);
            if let Err(what) = visited.nesting.budget().take_entries(entries) {
                let error = ParseError::new(0, what).of_kind(ParseErrorKind::TooMany);
                open.container.refuse(error);
            }
            Some(open).filter(DeviceFile::has_device_code).into_iter().for_each(&mut *each);
        });
    });
    closed.faults.into_iter().for_each(&mut *wrong);
    Arc::into_inner(closed.file)
}
