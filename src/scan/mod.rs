//! Scanners: each claims the files of one kind of artifact and says what they hold.
//!
//! Adding a scanner: one file in `artifacts/` with a `static SCANNER`, its `mod` line and its line in
//! [`SCANNERS`].

pub(crate) mod artifacts;
pub mod code_place;
#[cfg(feature = "lines")]
pub mod code_sources;
pub(crate) mod device_code;
pub mod device_file;
mod dispatch;
pub(crate) mod entry_lost;
pub mod extract;
pub mod kernel_condition;
pub mod kernel_field;
pub mod kernel_order;
pub mod kernel_sink;
pub mod kpack_lookup;
pub mod library_names;
pub(crate) mod linkage;
pub(crate) mod missing_waits;
mod opened_objects;
pub mod options;
mod pair_lines;
pub mod run;
#[cfg(feature = "lines")]
mod source_lines;
mod source_text;

use crate::budget::{InflateBudget, ObjectBudget};
use crate::codeobject::disassembly::{CodeAsk, DecodeOptions, KernelNames};
use crate::container::bundle_reader::Depth;
use crate::format::Format;
pub use crate::inventory::Scanned;
use crate::limits::{ENTRIES_BESIDE, ENTRIES_PER_FILE};
use crate::source::SourceFile;
use crate::target::TargetId;
pub use artifacts::SCANNERS;
use kernel_sink::{KernelFilter, OnRows};
use options::StopSignal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One kind of artifact.
#[derive(Debug)]
pub struct Scanner {
    /// Its id, for `--only` and `--skip`.
    pub id: &'static str,
    /// Whether it reads text that most files of such names share with all other software: what is no text is not
    /// claimed, and a file that says nothing of GPUs is as if no scanner had claimed it.
    pub of_text: bool,
    /// What it looks for, in a sentence.
    pub finds: &'static str,
    /// Whether a file is one of its artifacts, by its path and the format of its first bytes.
    pub claims: fn(&Identity<'_>) -> bool,
    /// Reads one.
    pub scan: fn(&Candidate<'_>, &Settings<'_>, &mut OnRows<'_>) -> Scanned,
}

/// What a scanner claims a file by.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// Its whole path, with the package it is a member of, with `/`.
    pub path: &'a str,
    /// Its file name.
    pub name: &'a str,
    /// Its format by magic.
    pub format: Format,
}

/// A file that a scanner reads.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// Its whole path, with the package it is a member of, with `/`.
    pub path: &'a str,
    /// The path as reports show it, with `/`.
    pub shown: &'a str,
    /// Its file name.
    pub name: &'a str,
    /// Its format by magic.
    pub format: Format,
    /// Its bytes.
    pub file: &'a SourceFile,
}

/// What a run wants to know.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// How much of compressed bundles is inflated.
    pub depth: Depth,
    /// The kernels that have a row, where a kernel inventory is wanted.
    pub kernels: Option<&'a KernelFilter<'a>>,
    /// Whether each bundle and entry is described, not only counted.
    pub describe: bool,
    /// What may still be inflated, for a member of a package.
    pub allowance: Option<&'a InflateBudget>,
    /// Whether the run is given up.
    pub stop: Option<&'a StopSignal>,
    /// When the file is given up; what is left of it then is not read.
    pub deadline: Option<Instant>,
    /// Whether kernels that can only trap are counted.
    pub trap_stubs: bool,
    /// Only entries that one of these GPUs loads are read; all entries if none is named.
    pub only_for: &'a [TargetId],
    /// Of the code objects that need not be inflated, only those are read that have one of these kernels.
    pub only_with: Option<KernelNames<'a>>,
    /// What is wanted of machine code; without it, none is decoded.
    pub instructions: Option<DecodeOptions<'a>>,
    /// Where other files are read at the same time: told that this one has too many entries for that. Then it
    /// is not read further, and is to be read again by itself.
    pub too_large_beside: Option<&'a AtomicBool>,
}

/// Most entries of a file that is read beside others, on so many threads: the tables of all together have as
/// many as those of one file alone.
fn entries_beside(threads: usize) -> usize {
    (ENTRIES_PER_FILE / threads.max(1)).max(ENTRIES_BESIDE)
}

impl Settings<'_> {
    /// What the tables of a file of so many bytes may take.
    fn objects(&self, bytes: usize) -> ObjectBudget {
        let all = ObjectBudget::for_size(bytes);
        match self.too_large_beside {
            Some(_) => all.with_at_most(entries_beside(rayon::current_num_threads())),
            None => all,
        }
    }

    /// Whether the file is to be read again by itself, as its tables have more than those of files that are
    /// read at the same time; then that is noted.
    fn is_too_large(&self, objects: &ObjectBudget) -> bool {
        let noted = self.too_large_beside.filter(|_| objects.was_too_small());
        noted.inspect(|noted| noted.store(true, Ordering::Release)).is_some()
    }

    /// Whether the file is given up by now.
    ///
    /// # Errors
    /// A sentence, where it is.
    fn in_time(&self) -> Result<(), &'static str> {
        if self.stop.is_some_and(StopSignal::is_stopped) {
            return Err("was given up with the whole run");
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err("took longer than --timeout-per-file allows"),
            _ => Ok(()),
        }
    }

    /// How much of the machine code of a code object is looked at.
    fn code(&self) -> CodeAsk<'_> {
        match &self.instructions {
            Some(options) => CodeAsk::Decoded(options),
            None if self.trap_stubs => CodeAsk::TrapStubs,
            None => CodeAsk::Nothing,
        }
    }
}

/// The number of the scanner that claims a file, by path, name and first bytes; beyond all of them where none
/// does.
fn claim(identity: &Identity<'_>) -> usize {
    SCANNERS.iter().position(|s| (s.claims)(identity)).unwrap_or(SCANNERS.len())
}

#[cfg(test)]
pub(in crate::scan) mod tests {
    use super::*;

    /// A code object of the fixtures.
    pub(in crate::scan) fn code_object(name: &str) -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm/lib/codeobject");
        std::fs::read(folder.join(format!("{name}.hsaco"))).unwrap()
    }

    /// What the scanner that claims a file says of it, and the number of rows in the kernel inventory.
    pub(in crate::scan) fn scan_file(path: &std::path::Path) -> (Scanned, u64) {
        let file = SourceFile::open(path).unwrap();
        let shown = path.to_string_lossy().into_owned();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let format = Format::identify(file.head());
        let candidate = Candidate { path: &shown, shown: &shown, name: &name, format, file: &file };
        let identity = Identity { path: &shown, name: &name, format };
        let scanner = SCANNERS.iter().find(|s| (s.claims)(&identity)).unwrap();
        let all = KernelFilter::default();
        let settings = Settings {
            depth: Depth::Metadata,
            kernels: Some(&all),
            describe: false,
            allowance: None,
            stop: None,
            deadline: None,
            trap_stubs: false,
            only_for: &[],
            only_with: None,
            instructions: None,
            too_large_beside: None,
        };
        let mut rows = 0;
        let scanned = (scanner.scan)(&candidate, &settings, &mut |more| rows += more.len() as u64);
        (scanned, rows)
    }

    #[test]
    fn every_scanner_file_is_listed_and_ids_are_its_names() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scan/artifacts");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_scanner = std::fs::read_to_string(&path).unwrap().contains("static SCANNER: Scanner");
            if is_scanner {
                files.push(path.file_stem().unwrap().to_string_lossy().replace('_', "-"));
            }
        }
        let mut listed: Vec<_> = SCANNERS.iter().map(|s| s.id.to_owned()).collect();
        files.sort();
        listed.sort();
        assert_eq!(files, listed, "a scanner is a file with `static SCANNER` and a line in SCANNERS");
    }
}
