//! Reads one file with device code in detail.

use super::device_code::{BundledFile, DeviceCodePart};
use super::kernel_sink::{KernelFilter, OnRows};
use super::missing_waits::{self, WantedWaits};
use super::{Candidate, Identity, SCANNERS, Settings, kpack_lookup};
use crate::codeobject::disassembly::DecodeOptions;
use crate::container::bundle_reader::Depth;
use crate::container::kpack::Reference;
use crate::container::packing_sample::PackingSample;
use crate::finding::Finding;
use crate::input::device_file::DeviceFile;
use crate::inventory::copies;
use crate::inventory::file_code::{ArchivedCode, FileCode};
use crate::locator::file_name;
use crate::source::Access;

/// What is wanted of a file besides its bundles and code objects.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileOptions<'a> {
    /// The kernels that have a row, where a kernel inventory is wanted.
    pub kernels: Option<KernelFilter<'a>>,
    /// Whether kernel metadata are all that is wanted: then compressed bundles are inflated up to the last of
    /// them, as by an audit, and their hashes are not compared.
    pub metadata_alone: bool,
    /// Whether kernels that can only trap are counted.
    pub trap_stubs: bool,
    /// What is wanted of machine code; without it, none is decoded.
    pub instructions: Option<DecodeOptions<'a>>,
    /// If waits are looked for, in which kernels.
    pub waits: Option<WantedWaits<'a>>,
}

/// Reads all code objects of a file. Rows of its kernels, where they are wanted, are handed to `rows` in file
/// order.
pub fn read(open: &DeviceFile, options: &FileOptions<'_>, rows: &mut OnRows<'_>) -> FileCode {
    let shown = open.file.locator().shown();
    let only = options.instructions.as_ref().filter(|asked| asked.only_named);
    open.file.expect(if only.is_some() { Access::Headers } else { Access::Content });
    let settings = Settings {
        depth: if options.metadata_alone { Depth::Metadata } else { Depth::Whole },
        kernels: options.kernels.as_ref(),
        describe: true,
        allowance: None,
        stop: None,
        deadline: None,
        trap_stubs: options.trap_stubs,
        only_for: only.map_or(&[], |asked| asked.targets),
        only_with: only.and_then(|asked| asked.histograms),
        instructions: options.instructions,
        too_large_beside: None,
    };
    let reading = BundledFile { file: &open.file, shown: &shown, settings: &settings, named: None };
    if open.is_archive_of_kernels() {
        return read_records(open, &settings, &shown, rows);
    }
    let mut all = DeviceCodePart::of_container(&open.container, open.format);
    if only.is_none() {
        all.code.packing = PackingSample::from_bytes(open.file.bytes(), open.container.bundles());
    }
    reading.bundles(0, open.container.bundles(), &mut all, rows);
    #[cfg(feature = "lines")]
    super::source_lines::attach(open, &mut all.details);
    let waits = options.waits.map(|wanted| missing_waits::check(open, wanted));
    let duplicates = copies::find(vec![(open.file.locator(), &mut all.code.parts)]);
    let mut findings = Finding::all_of_bytes(&shown, &all.problems);
    findings.extend(open.faults_of_whole(&shown));
    let marker = open.container.kpack();
    FileCode {
        format: Some(open.format),
        bytes: open.file.len(),
        sections: open.container.sections().to_vec(),
        wrappers: open.container.wrappers().cloned(),
        archives: marker.map(|marker| archived_code(open, marker, &mut findings)),
        code: all.code,
        details: all.details,
        waits,
        duplicates,
        not_examined: open.not_examined(),
        legal_on: options.instructions.and_then(|wanted| wanted.legal_on).map(str::to_owned),
        findings,
        shown,
    }
}

/// Reads a file whose kernels are records, by its scanner.
fn read_records(open: &DeviceFile, settings: &Settings<'_>, shown: &str, rows: &mut OnRows<'_>) -> FileCode {
    let path = shown.replace('\\', "/");
    let name = file_name(&path);
    let identity = Identity { path: &path, name, format: open.format };
    let candidate = Candidate { path: &path, shown, name, format: open.format, file: &open.file };
    let scanner = SCANNERS.iter().find(|scanner| (scanner.claims)(&identity));
    let scanned = scanner.map(|s| (s.scan)(&candidate, settings, rows)).unwrap_or_default();
    let mut code = scanned.device.unwrap_or_default();
    let duplicates = copies::find(vec![(open.file.locator(), &mut code.parts)]);
    FileCode {
        shown: shown.to_owned(),
        format: Some(open.format),
        bytes: open.file.len(),
        not_examined: code.unread.clone(),
        code,
        details: scanned.details,
        duplicates,
        legal_on: settings.instructions.and_then(|wanted| wanted.legal_on).map(str::to_owned),
        findings: scanned.findings,
        ..FileCode::default()
    }
}

/// What the archives have that a marker leads to.
fn archived_code(open: &DeviceFile, marker: &Reference, findings: &mut Vec<Finding>) -> ArchivedCode {
    let wrappers = open.container.wrappers();
    let units = wrappers.and_then(|w| w.magics().get("HIPK")).copied().unwrap_or(0);
    let looked_for = open.file.locator().member.is_none();
    let targets = match looked_for {
        true => kpack_lookup::look(open.file.path(), marker, units, findings),
        false => Vec::new(),
    };
    let (kernel_name, search_paths) = (marker.kernel_name().to_owned(), marker.search_paths().to_vec());
    ArchivedCode { kernel_name, search_paths, units, looked_for, targets }
}
