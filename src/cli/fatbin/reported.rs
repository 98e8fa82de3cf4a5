//! The report on files, with what is decoded of their kernels.

use super::Args;
use super::isa::{Isa, Pair};
use crate::cli::destination::{self, Destination};
use crate::cli::global::GlobalArgs;
use crate::codeobject::disassembly::DecodeOptions;
use crate::comparison::kernel_pairs::{KernelNumbers, PairedBy, kernel_pairs};
use crate::error::AuditError;
use crate::finding::{Finding, rules};
use crate::input::device_file::DeviceFile;
use crate::inventory::kernel_row::KernelRow;
use crate::limits::PROBLEMS_PER_RUN;
use crate::render::{self, Format};
use crate::report::fatbin::{file, report};
use crate::report::v1;
use crate::scan::device_file::{self, FileOptions};
use crate::scan::kernel_sink::KernelFilter;
use crate::scan::missing_waits::{JudgedKernels, WantedWaits};
use crate::target::TargetId;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What a report is asked for.
pub(super) struct ReportedFiles<'a> {
    pub files: &'a [PathBuf],
    /// What was found on the way to them.
    pub walked: &'a [Finding],
    /// What is decoded of them.
    pub isa: Option<Isa<'a>>,
    /// What is compared.
    pub pair: Option<Pair<'a>>,
    pub targets: &'a [TargetId],
    pub args: &'a Args,
}

impl ReportedFiles<'_> {
    /// Writes the report to all outputs, and gives what it found.
    pub fn write(
        &self,
        outputs: &[(Destination, Format)],
        global: &GlobalArgs,
    ) -> Result<Vec<v1::Finding>, AuditError> {
        let isa = self.isa.as_ref();
        let on_screens = outputs.iter().all(|(_, format)| format.is_of_blocks());
        let alone = on_screens && self.files.len() == 1 && isa.is_some_and(Isa::is_of_kernels_alone);
        let mut report = self.read(alone)?;
        if alone && report.files.iter().all(|file| file.kernel_instructions.is_empty()) {
            // What is there instead can be said of the whole file only.
            report = self.read(false)?;
        }
        for (destination, format) in outputs {
            let style = global.style(destination);
            let text = match isa {
                Some(isa) => {
                    render::fatbin_isa(&report, &self.args.isa_class, isa.kernel.is_some(), *format, &style)
                }
                None => render::fatbin(&report, *format, &style),
            };
            destination::write(destination, &text?)?;
        }
        Ok(report.found.findings)
    }

    /// Reads all files and makes their report; with `only_named` nothing but the wanted kernels is read.
    fn read(&self, only_named: bool) -> Result<v1::FatbinReport, AuditError> {
        let ReportedFiles { targets, args, .. } = *self;
        let isa = self.isa.as_ref();
        // Two kernels are compared by what their metadata state, too.
        let kernels = self.pair.as_ref().map(|_| KernelFilter {
            targets,
            as_it_stands: true,
            ..KernelFilter::default()
        });
        let instructions = isa.map(|isa| DecodeOptions { only_named, ..isa.options() });
        let judged = JudgedKernels::default();
        let waits = args.waits.then_some(WantedWaits { targets, judged: &judged });
        let options = FileOptions { kernels, instructions, waits, ..FileOptions::default() };
        let mut numbers = KernelNumbers::default();
        let mut read = Vec::new();
        let mut faults = self.walked.to_vec();
        let paths: Vec<&PathBuf> = self.files.iter().chain(&args.vs_file).collect();
        let mut before = 0;
        // What is open at a time is bounded. Kernels of a file are read side by side, too, so that the last file of
        // a batch keeps all threads busy.
        for batch in paths.chunks(rayon::current_num_threads() * 2) {
            let all: Vec<ReadPath> = batch.par_iter().map(|path| self.read_path(path, &options)).collect();
            for (path, own) in batch.iter().zip(all) {
                // The file of --vs-file is the last one.
                before = read.len();
                read.extend(own.files);
                numbers.extend(own.numbers);
                let room = PROBLEMS_PER_RUN.saturating_sub(faults.len());
                faults.extend(own.faults.into_iter().take(room));
                match own.end {
                    Ok(()) => {}
                    // One unreadable file among several does not end the run.
                    Err(error) if self.files.len() > 1 && args.vs_file.is_none() => {
                        let shown = path.to_string_lossy();
                        let what = error.to_string();
                        faults.push(Finding::of_file(&rules::read::UNREADABLE_FILE, &shown, what));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let mut report = report(read, &faults);
        report.kernel_pairs = self.pair.as_ref().map(|pair| {
            let by = match pair {
                Pair::Targets(here, there) => PairedBy::Targets(here, there),
                Pair::Files([own, other]) => PairedBy::Files(before, [own, other]),
            };
            kernel_pairs(&report.files, &numbers, by)
        });
        Ok(report)
    }

    /// Reads one path, which can be a package of many files.
    fn read_path(&self, path: &Path, options: &FileOptions<'_>) -> ReadPath {
        let ReportedFiles { targets, args, .. } = *self;
        let names = self.isa.as_ref().and_then(|isa| isa.options().histograms);
        let (mut files, mut numbers, mut faults) = (Vec::new(), KernelNumbers::default(), Vec::new());
        let mut each = |open: DeviceFile| {
            let mut rows = |rows: Vec<KernelRow>| {
                let meant = |row: &&KernelRow| names.is_some_and(|names| names.mean(row.kernel.name()));
                rows.iter().filter(meant).for_each(|row| numbers.add(row));
            };
            let code = device_file::read(&open, options, &mut rows);
            let counted = args.sources.then(|| code_sources(&open));
            // Its tables take as much memory as the report on them.
            drop(open);
            files.push(v1::Fatbin { code_sources: counted, ..file(&code, targets) });
        };
        let mut wrong = |fault| {
            if faults.len() < PROBLEMS_PER_RUN {
                faults.push(fault);
            }
        };
        let end = DeviceFile::open_each(path, &mut each, &mut wrong);
        ReadPath { files, numbers, faults, end }
    }
}

/// What was read of a path.
struct ReadPath {
    files: Vec<v1::Fatbin>,
    numbers: KernelNumbers,
    faults: Vec<Finding>,
    /// Why nothing could be read of it.
    end: Result<(), AuditError>,
}

#[cfg(feature = "lines")]
fn code_sources(open: &DeviceFile) -> v1::CodeSources {
    crate::scan::code_sources::count(open)
}

#[cfg(not(feature = "lines"))]
fn code_sources(_: &DeviceFile) -> v1::CodeSources {
    let what = "this build reads no debug information (feature `lines`)".to_owned();
    v1::CodeSources { problems: vec![what], ..v1::CodeSources::default() }
}
