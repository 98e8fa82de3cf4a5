//! The rows of an artifact, in batches: kernels while files are read, the rest at the end.

use super::artifact::Origin;
use super::batch::Batch;
use super::column::Table;
use super::place::Lies;
use super::rows::{self, KernelAt, ObjectAt, TargetAt};
use super::{ARTIFACTS, CODE_OBJECTS, FINDINGS, KERNELS, TARGETS, VERDICTS};
use crate::capability::Capability;
use crate::error::AuditError;
use crate::input::install::{Install, Wants};
use crate::inventory::Inventory;
use crate::inventory::kernel_row::KernelRow;
use crate::report::kernel_line::{PlaceText, kernel_line};
use crate::report::{self, Report};
use crate::scan::kernel_sink::{KernelFilter, KernelSink};
use crate::scan::run::{self, KernelInventory, Options, Progress};
use crate::source::given;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows, and bytes of texts, at which a batch is handed on.
const ROWS: usize = 1 << 15;
const BYTES: usize = 16 << 20;

/// Receives batches.
pub trait BatchSink {
    /// Receives the next rows of a table. Batches of one table come in order; a table without rows has none.
    ///
    /// # Errors
    ///
    /// If they cannot be accepted; this ends the scan.
    fn take(&mut self, batch: Batch) -> io::Result<()>;
}

/// Reads an artifact and hands on the rows of tables. An artifact has the same rows in the same order
/// wherever it lies.
///
/// # Errors
///
/// If an option is invalid, or a batch was not accepted. Unreadable parts of the artifact are rows in the
/// table of findings.
pub fn scan(
    root: &Path,
    options: &Options,
    progress: &dyn Progress,
    origin: &Origin,
    tables: &[&'static Table],
    sink: &mut dyn BatchSink,
) -> Result<Report, AuditError> {
    let roots = [root.to_owned()];
    let options = Options { keep_code_objects: tables.contains(&&CODE_OBJECTS), ..options.clone() };
    let mut rows = Gather::new(&roots, origin, tables, sink);
    let filter = KernelFilter { targets: &options.targets, ..KernelFilter::default() };
    let list = rows.wants_kernels().then_some(KernelInventory { filter, sink: &mut rows });
    let (inventory, install) = run::read(&roots, &options, progress, list, files_for(tables))?;
    let report = report::audit(&inventory, &Capability::from_inventory(&inventory, &options.targets));
    rows.finish(&options, &inventory, install, &report)?;
    Ok(report)
}

/// The files to keep while reading an artifact, because some tables are filled by asking its libraries;
/// `None` if no table is.
pub fn files_for(tables: &[&'static Table]) -> Option<&'static Wants<'static>> {
    #[cfg(feature = "engines")]
    if tables.contains(&&super::SELECTIONS) {
        return Some(&crate::tree::wanted::is_wanted);
    }
    let _ = tables;
    None
}

/// Collects rows into batches: kernels as a sink of the scan, other rows after it.
pub struct Gather<'a> {
    roots: &'a [PathBuf],
    tables: &'a [&'static Table],
    kernels: Rows<'a>,
}

impl<'a> Gather<'a> {
    /// Collects for one artifact, which is the only root.
    pub fn new(
        roots: &'a [PathBuf; 1],
        origin: &'a Origin,
        tables: &'a [&'static Table],
        sink: &'a mut dyn BatchSink,
    ) -> Self {
        let [root] = roots;
        let lies = Lies::in_root(root, &origin.artifact);
        Gather { roots, tables, kernels: Rows { origin, lies, batch: Batch::new(&KERNELS), sink } }
    }

    /// Whether the scan must use it as a kernel sink.
    pub fn wants_kernels(&self) -> bool {
        self.tables.contains(&&KERNELS)
    }

    /// Hands on the remaining rows, and those of all other tables.
    ///
    /// # Errors
    ///
    /// If a batch was not accepted.
    pub fn finish(
        self,
        options: &Options,
        inventory: &Inventory,
        install: Install,
        report: &Report,
    ) -> Result<(), AuditError> {
        let mut rows = self.kernels;
        let mut install = Some(install);
        rows.hand_on().map_err(not_taken)?;
        for table in self.tables {
            rows.batch = Batch::new(table);
            fill(table, &mut rows, (self.roots, &mut install), options, inventory, report)?;
            rows.hand_on().map_err(not_taken)?;
        }
        Ok(())
    }
}

impl KernelSink for Gather<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        self.kernels.rows(rows)
    }
}

fn not_taken(error: io::Error) -> AuditError {
    AuditError::io("write", "the rows of a table", error)
}

/// Fills a table whose rows do not come while files are read.
#[cfg_attr(not(feature = "engines"), allow(unused_variables))]
fn fill(
    table: &'static Table,
    rows: &mut Rows<'_>,
    (roots, install): (&[PathBuf], &mut Option<Install>),
    options: &Options,
    inventory: &Inventory,
    report: &Report,
) -> Result<(), AuditError> {
    let (origin, lies) = (rows.origin, rows.lies);
    let code = inventory.artifacts.iter().filter_map(|file| Some((file, file.device.as_ref()?)));
    let wanted =
        |target| options.targets.is_empty() || options.targets.iter().any(|agent| loads(target, agent));
    if *table == CODE_OBJECTS {
        for (file, device) in code {
            for object in device.parts.iter().filter(|object| wanted(object.target())) {
                rows.add(|batch| rows::code_object(batch, origin, &ObjectAt { lies, file, object }))?;
            }
        }
    } else if *table == TARGETS {
        for (file, device) in code {
            for (target, code) in device.targets.iter().filter(|(target, _)| wanted(target)) {
                rows.add(|batch| rows::target(batch, origin, &TargetAt { lies, file, target, code }))?;
            }
        }
    } else if *table == VERDICTS {
        for verdict in &report.verdicts {
            for library in &verdict.libraries {
                rows.add(|batch| rows::verdict(batch, origin, &(verdict.processor.as_str(), library)))?;
            }
        }
    } else if *table == FINDINGS {
        for finding in &report.findings {
            rows.add(|batch| rows::finding(batch, origin, &(lies, finding)))?;
        }
    } else if *table == ARTIFACTS {
        let file = |root: &PathBuf| std::fs::metadata(root).ok().filter(std::fs::Metadata::is_file);
        let bytes = roots.first().and_then(|root| given::len(root).or_else(|| Some(file(root)?.len())));
        rows.add(|batch| rows::artifact(batch, origin, &(bytes, report)))?;
    }
    #[cfg(feature = "engines")]
    if *table == super::SELECTIONS {
        let here: Vec<&str> = report.targets.iter().map(|target| target.processor.as_str()).collect();
        super::selections::write_selections(
            install.take().unwrap_or_default(),
            inventory,
            options,
            &here,
            &mut |chosen| rows.add(|batch| super::selections::selection(batch, origin, chosen)),
        )?;
    }
    Ok(())
}

fn loads(target: &crate::target::TargetId, agent: &crate::target::TargetId) -> bool {
    target.loads_on(agent)
}

/// Rows collected into batches.
struct Rows<'a> {
    origin: &'a Origin,
    lies: Lies<'a>,
    batch: Batch,
    sink: &'a mut dyn BatchSink,
}

impl Rows<'_> {
    /// Adds a row.
    fn add(&mut self, put: impl FnOnce(&mut Batch)) -> Result<(), AuditError> {
        put(&mut self.batch);
        self.hand_on_full().map_err(not_taken)
    }

    fn hand_on_full(&mut self) -> io::Result<()> {
        if self.batch.rows() >= ROWS || self.batch.bytes() >= BYTES { self.hand_on() } else { Ok(()) }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        if self.batch.rows() == 0 {
            return Ok(());
        }
        let empty = Batch::new(self.batch.table);
        let full = std::mem::replace(&mut self.batch, empty);
        self.sink.take(full)
    }
}

impl KernelSink for Rows<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
            let Some(first) = of_one.first() else { continue };
            let text = PlaceText::from_place(&first.place);
            let at = KernelAt::at_place(&first.place, self.lies);
            for row in of_one {
                rows::kernel(&mut self.batch, self.origin, &(&at, &kernel_line(row, &text)));
                self.hand_on_full()?;
            }
        }
        Ok(())
    }
}
