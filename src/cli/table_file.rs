//! `-o FILE.parquet` and `-f parquet`: one table of an audit of one artifact.

use super::destination::Destination;
use super::global::GlobalArgs;
use crate::error::AuditError;
use crate::input::digest;
use crate::render::Format;
use crate::tables::folder::UnfinishedFile;
use crate::tables::parquet::ParquetFile;
use crate::tables::{self, Batch, BatchSink, KERNELS, Origin, Table};
use std::io::{self, IsTerminal, Stdout};
use std::path::PathBuf;

/// A table that is written.
pub(super) struct TableFile {
    /// The artifact.
    pub origin: Origin,
    /// The table, as a list of one.
    pub table: [&'static Table; 1],
    out: TableDestination,
}

enum TableDestination {
    File(UnfinishedFile),
    Stdout(ParquetFile<Stdout>),
}

impl TableFile {
    /// The one that is to be written, where one is.
    pub fn among_outputs(
        outputs: &[(Destination, Format)],
        global: &GlobalArgs,
        roots: &[PathBuf],
        with_digest: bool,
    ) -> Result<Option<Self>, AuditError> {
        let mut asked = outputs.iter().filter(|(_, format)| format.is_of_tables());
        let Some((destination, _)) = asked.next() else { return Ok(None) };
        let wrong = |what: &str| AuditError::Usage(format!("parquet: {what}"));
        if asked.next().is_some() {
            return Err(wrong("one table of a run; `rocm-audit tables --into FOLDER PATH` writes all"));
        }
        let [root] = roots else {
            return Err(wrong(
                "a table is of one artifact, and several are named; `rocm-audit tables --into FOLDER PATH...` writes those of each",
            ));
        };
        let table = match global.rows {
            None => &KERNELS,
            Some(name) => tables::by_name(name).map_err(|what| wrong(&format!("--rows {what}")))?,
        };
        let mut origin = Origin::from_path(root);
        if with_digest && root.is_file() {
            origin.digest = Some(digest::sha256(root)?.0);
        }
        let failed = |error| AuditError::io("write", destination.path(), error);
        let out = match destination {
            Destination::File(path) => {
                TableDestination::File(UnfinishedFile::begin(path, table).map_err(failed)?)
            }
            _ if io::stdout().is_terminal() => {
                return Err(wrong("it is no text, and standard output is a terminal; -o FILE.parquet"));
            }
            _ => TableDestination::Stdout(ParquetFile::begin(io::stdout(), table).map_err(failed)?),
        };
        Ok(Some(TableFile { origin, table: [table], out }))
    }

    /// Its parts; the last takes batches.
    pub fn parts(&mut self) -> (&Origin, &[&'static Table], &mut dyn BatchSink) {
        (&self.origin, &self.table, &mut self.out)
    }

    /// Ends it.
    pub fn end(self) -> io::Result<()> {
        match self.out {
            TableDestination::File(file) => file.finish().map(drop),
            TableDestination::Stdout(file) => file.end().map(drop),
        }
    }
}

impl BatchSink for TableDestination {
    fn take(&mut self, batch: Batch) -> io::Result<()> {
        match self {
            TableDestination::File(file) => file.write(batch),
            TableDestination::Stdout(file) => file.write(batch),
        }
    }
}
