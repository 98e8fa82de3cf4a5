//! The main job: roots to an inventory, on all cores, in a fixed order and with bounded memory.

use crate::codeobject::disassembly::DecodeOptions;
use crate::container::bundle_reader::Depth;
use crate::error::AuditError;
use crate::finding::read_fault::{FaultKind, ReadFault};
use crate::format::{Format, Support};
use crate::input::exclude::Exclusion;
use crate::input::walk;
use crate::input::walk::{Entry, Kind};
use crate::inventory::copies;
use crate::inventory::{Artifact, Inventory, NotExamined, PackageFacts, Tally};
use crate::limits::{BATCH_BYTES, BATCH_FILES, PROBLEMS_PER_RUN};
use crate::scan::artifacts::firmware;
use crate::scan::dispatch::{Dispatch, EntryOutcome, SKIPPED};
use crate::scan::library_names;
use crate::scan::{KernelWriter, SCANNERS, Scanned, Settings};
use crate::target::TargetId;
use rayon::prelude::*;
use std::io::Write;
use std::path::PathBuf;

/// What to do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Follow symbolic links inside of roots.
    pub follow_links: bool,
    /// Inflate compressed bundles to their end and verify their hashes.
    pub verify: bool,
    /// Decode machine code.
    pub instructions: bool,
    /// Targets whose machine code is decoded; all where none is named.
    pub targets: Vec<TargetId>,
    /// Paths below roots, and members of packages, to leave out.
    pub exclude: Exclusion,
    /// Scanners to use, by id; all where it is empty.
    pub only: Vec<String>,
    /// Scanners not to use.
    pub skip: Vec<String>,
}

impl Options {
    /// # Errors
    /// Where a scanner is named that does not exist.
    pub fn check(&self) -> Result<(), AuditError> {
        for id in self.only.iter().chain(&self.skip) {
            if !SCANNERS.iter().any(|s| s.id == id) {
                let known: Vec<_> = SCANNERS.iter().map(|s| s.id).collect();
                return Err(AuditError::Usage(format!(
                    "{id}: no such scanner; there are {}",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn uses(&self, id: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|s| s == id)) && !self.skip.iter().any(|s| s == id)
    }

    fn depth(&self) -> Depth {
        if self.verify || self.instructions { Depth::Whole } else { Depth::Metadata }
    }
}

/// Told how far a run is.
pub trait Progress: Sync {
    /// The tree was walked: so many files and bytes are going to be looked at.
    fn begin(&self, files: u64, bytes: u64);
    /// One more file was looked at.
    fn advance(&self, shown: &str, bytes: u64);
}

/// Says nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: u64, _bytes: u64) {}
    fn advance(&self, _shown: &str, _bytes: u64) {}
}

/// Where the kernel inventory goes: how a line is written, and where to.
pub struct KernelInventory<'a> {
    /// Writes one line.
    pub line: &'a KernelWriter<'a>,
    /// Receives the lines, in walking order.
    pub out: &'a mut dyn Write,
}

/// Audits roots: files or folders.
///
/// # Errors
/// Where an option is off or the kernel inventory cannot be written. Unreadable and malformed files are not errors:
/// they are in [`Inventory::problems`].
pub fn audit(
    roots: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    mut kernels: Option<KernelInventory<'_>>,
) -> Result<Inventory, AuditError> {
    options.check()?;
    let how = walk::Options { follow_links: options.follow_links, exclude: options.exclude.clone() };
    let walk::Walked { entries, excluded } = walk::walk(roots, &how);
    let sizes =
        entries.iter().filter_map(|e| if let Kind::File(bytes) = e.kind { Some(bytes) } else { None });
    progress.begin(sizes.clone().count() as u64, sizes.sum());
    let mut inventory = Inventory {
        excluded,
        roots: roots.iter().map(|r| r.to_string_lossy().into_owned()).collect(),
        ..Inventory::default()
    };
    let settings = Settings {
        depth: options.depth(),
        kernels: kernels.as_ref().map(|k| k.line),
        allowance: None,
        instructions: options.instructions.then(|| DecodeOptions {
            kernels: kernels.is_some(),
            targets: &options.targets,
            ..DecodeOptions::default()
        }),
    };
    let examiner = Dispatch { options, settings, progress };
    let mut rest = &entries[..];
    while !rest.is_empty() {
        let (batch, behind) = rest.split_at(batch_size(rest, kernels.is_some()));
        rest = behind;
        if let ([entry], Some(kernels)) = (batch, &mut kernels) {
            // A large file's lines are written as its bundles are read.
            let mut written = Ok(());
            let examined = examiner.entry(entry, &mut |lines| {
                if written.is_ok() {
                    written = kernels.out.write_all(lines);
                }
            });
            written.map_err(|e| AuditError::io("write", "the kernel inventory", e))?;
            inventory.add(entry, examined);
            continue;
        }
        let found: Vec<(EntryOutcome, Vec<u8>)> = batch
            .par_iter()
            .map(|entry| {
                let mut lines = Vec::new();
                let examined = examiner.entry(entry, &mut |more| lines.extend_from_slice(more));
                (examined, lines)
            })
            .collect();
        for (entry, (examined, lines)) in batch.iter().zip(found) {
            if let Some(kernels) = &mut kernels {
                kernels
                    .out
                    .write_all(&lines)
                    .map_err(|e| AuditError::io("write", "the kernel inventory", e))?;
            }
            inventory.add(entry, examined);
        }
    }
    if inventory.problems_more > 0 {
        let what = format!("{} more problems are not listed", inventory.problems_more);
        inventory.problems.push(ReadFault::file(FaultKind::Malformed, "", what));
    }
    inventory.compare_code_objects();
    Ok(inventory)
}

/// How many of the next entries are read at once. A kernel inventory can be larger than the files it is of.
fn batch_size(entries: &[Entry], inventory: bool) -> usize {
    let mut bytes = 0u64;
    let mut fits = |entry: &&Entry| {
        if let (Kind::File(size), true) = (&entry.kind, inventory) {
            bytes += size;
        }
        bytes <= BATCH_BYTES
    };
    entries.iter().take(BATCH_FILES).take_while(|entry| fits(entry)).count().max(1)
}

impl Inventory {
    /// Keeps problems up to a bound; one more says how many there were.
    fn add_problems(&mut self, problems: Vec<ReadFault>) {
        let room = PROBLEMS_PER_RUN.saturating_sub(self.problems.len());
        self.problems_more += problems.len().saturating_sub(room) as u64;
        self.problems.extend(problems.into_iter().take(room));
    }

    /// Counts a file that nothing was found in, and names it where that is because it was not looked into.
    fn add_remainder(&mut self, entry: &Entry, format: Format, bytes: u64) {
        self.remainder.entry(format.name()).or_default().add(bytes);
        if format.support() == Support::NotYet || format == Format::ThinArchive {
            let (what, shown) = (format.name().to_owned(), entry.shown.clone());
            self.not_examined.push(NotExamined { what, shown, bytes });
        }
    }

    fn compare_code_objects(&mut self) {
        let parts = self.artifacts.iter_mut().filter_map(|a| {
            let parts = &mut a.device.as_mut()?.parts;
            (!parts.is_empty()).then_some((&a.locator, &mut parts[..]))
        });
        self.duplicates = copies::find(parts.collect());
        self.artifacts.iter_mut().filter_map(|a| a.device.as_mut()).for_each(|d| d.parts = Vec::new());
    }

    fn add(&mut self, entry: &Entry, examined: EntryOutcome) {
        match examined {
            EntryOutcome::File { bytes, format, scanner, skipped, scanned } => {
                self.files.add(bytes);
                let Scanned { kind, named_target, device, others, problems } = *scanned;
                self.add_problems(problems);
                let not_read = device.iter().flat_map(|d| d.unread.iter());
                self.not_examined.extend(not_read.map(|what| NotExamined {
                    what: what.clone(),
                    shown: entry.shown.clone(),
                    bytes: 0,
                }));
                match (kind, scanner) {
                    (Some(kind), Some(scanner)) => {
                        let (shown, locator) = (entry.shown.clone(), entry.locator());
                        let mut bytes = bytes;
                        for (library, part, device) in others {
                            bytes = bytes.saturating_sub(part);
                            self.artifacts.push(Artifact {
                                shown: shown.clone(),
                                root: entry.root,
                                relative: entry.relative.clone(),
                                locator: locator.clone(),
                                library,
                                scanner,
                                bytes: part,
                                named_target: named_target.clone(),
                                kind: kind.clone(),
                                device: Some(device),
                            });
                        }
                        let library = library_names::of(&locator.shown());
                        self.artifacts.push(Artifact {
                            shown,
                            root: entry.root,
                            relative: entry.relative.clone(),
                            locator,
                            library,
                            scanner,
                            bytes,
                            named_target,
                            kind,
                            device,
                        });
                    }
                    _ if skipped => self.remainder.entry(SKIPPED).or_default().add(bytes),
                    _ => {
                        self.add_remainder(entry, format, bytes);
                        if format == Format::HostElf
                            && let Some(library) = library_names::of_shared_library(&entry.shown)
                        {
                            self.libraries_without_code.push((library.to_owned(), entry.shown.clone()));
                        }
                    }
                }
            }
            EntryOutcome::Passed { format, bytes } => {
                self.files.add(bytes);
                self.add_remainder(entry, format, bytes);
            }
            EntryOutcome::Package(package) => {
                self.add_problems(package.problems);
                let before = self.files;
                for (format, tally) in package.passed {
                    self.files.merge(tally);
                    self.remainder.entry(format.name()).or_default().merge(tally);
                }
                self.links += package.links;
                self.excluded += package.excluded;
                package.members.into_iter().for_each(|(member, examined)| self.add(&member, examined));
                let members =
                    Tally { count: self.files.count - before.count, bytes: self.files.bytes - before.bytes };
                if members.count == 0 {
                    // Nothing of it was read, so it counts as the file that it is.
                    self.files.add(package.bytes);
                    self.remainder.entry(package.format.name()).or_default().add(package.bytes);
                    return;
                }
                let (shown, format, bytes) = (entry.shown.clone(), package.format, package.bytes);
                self.packages.push(PackageFacts { shown, format, bytes, members });
            }
            EntryOutcome::Link { leads: true }
                if firmware::is_firmware(&entry.locator().shown(), &entry.name()) =>
            {
                self.links += 1;
                let (kind, named_target) = firmware::describe(&entry.name(), true);
                self.artifacts.push(Artifact {
                    shown: entry.shown.clone(),
                    root: entry.root,
                    relative: entry.relative.clone(),
                    locator: entry.locator(),
                    library: "firmware".to_owned(),
                    scanner: "firmware",
                    bytes: 0,
                    named_target,
                    kind,
                    device: None,
                });
            }
            EntryOutcome::Link { leads } => {
                self.links += 1;
                if !leads {
                    let what = "a symbolic link leads nowhere";
                    self.problems.push(ReadFault::file(FaultKind::DanglingLink, &entry.shown, what));
                }
            }
            EntryOutcome::Excluded => self.excluded += 1,
            EntryOutcome::Special => self.not_examined.push(NotExamined {
                what: "FIFO, socket or device".to_owned(),
                shown: entry.shown.clone(),
                bytes: 0,
            }),
            EntryOutcome::Unreadable { bytes, what } => {
                self.files.add(bytes);
                self.remainder.entry("unreadable").or_default().add(bytes);
                self.problems
                    .extend(what.map(|what| ReadFault::file(FaultKind::Unreadable, &entry.shown, what)));
            }
        }
    }
}
