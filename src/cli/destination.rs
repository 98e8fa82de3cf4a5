//! Where reports go: standard output, a pager or files.

use super::output::{self, PagerInput, ReportDestination};
use crate::error::AuditError;
use crate::render::Drawing;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a report goes.
pub(super) enum Destination {
    Stdout,
    /// Standard output, by way of a pager.
    Pager(Arc<ChildStdin>),
    File(PathBuf),
    /// Nowhere: only the status is wanted (`-q`).
    Nowhere,
}

/// Whether something was written to standard output, or is about to be.
static WRITES: AtomicBool = AtomicBool::new(false);

/// Whether standard output is still empty, so that an error can be all that is there.
pub(super) fn has_written_nothing() -> bool {
    !WRITES.load(Ordering::Relaxed)
}

/// Opens a destination for writing.
///
/// # Errors
/// Where it is read in this run, or cannot be written.
pub(super) fn open(destination: &Destination) -> Result<ReportDestination, AuditError> {
    let is_shown = matches!(destination, Destination::Stdout | Destination::Pager(_));
    WRITES.fetch_or(is_shown, Ordering::Relaxed);
    Ok(match destination {
        Destination::Stdout => {
            ReportDestination::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout().lock()))
        }
        Destination::Pager(pager) => {
            ReportDestination::Pager(BufWriter::with_capacity(1 << 16, PagerInput(Arc::clone(pager))))
        }
        Destination::File(path) => ReportDestination::File(output::open(path)?),
        Destination::Nowhere => ReportDestination::Nowhere(std::io::sink()),
    })
}

/// Writes a whole text to standard output.
pub(super) fn print(text: String) -> Result<(), AuditError> {
    write(&Destination::Stdout, &text.into())
}

/// Writes all of a drawing.
pub(super) fn write(destination: &Destination, drawing: &Drawing<'_>) -> Result<(), AuditError> {
    let mut out = open(destination)?;
    drawing
        .write_to(&mut out)
        .and_then(|()| out.finish())
        .map_err(|e| AuditError::io("write", destination.path(), e))
}

impl Destination {
    /// What to call it in messages.
    pub fn path(&self) -> &Path {
        match self {
            Destination::Stdout | Destination::Pager(_) => Path::new("standard output"),
            Destination::File(path) => path,
            Destination::Nowhere => Path::new("nowhere"),
        }
    }
}
