//! A folder of tables: one folder for each table, and in it one file for each artifact, named by the
//! artifact's digest.
//!
//! A file gets its name when it is complete, and the one in `artifacts` comes last: an artifact with that
//! file was read to the end and is not read again if its rows were made with the same options. Any number of
//! processes may write to one folder; files of a killed process have no name, and the next process that
//! handles the artifact writes all of its files again, with the same bytes.

use super::artifact::Origin;
use super::batch::Batch;
use super::column::Table;
use super::parquet::{self, FileNameTarget, ParquetFile};
use super::scan::{BatchSink, scan};
pub use super::wanted::{FolderRows, RowOptions, StaleReason};
use super::{ARTIFACTS, TABLES};
use crate::error::AuditError;
use crate::report::Report;
use crate::scan::run::{Progress, StopSignal};
use crate::source::give_name;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Path of an artifact's file in a table's folder.
pub fn file_of(folder: &Path, table: &Table, digest: &str) -> PathBuf {
    folder.join(table.name).join(format!("{digest}.parquet"))
}

/// Whether all tables have this artifact's rows, made with the same options.
///
/// # Errors
///
/// If an existing file cannot be opened.
pub fn known(folder: &Path, digest: &str, wanted: &RowOptions) -> Result<FolderRows, AuditError> {
    let mut found = Vec::new();
    // If the last file exists, the others do too, unless a user removed them. Each states how it was made: a
    // run that is killed while rewriting them leaves a mixture.
    for table in TABLES.iter().rev() {
        let said = match parquet::said(&file_of(folder, table, digest))? {
            FileNameTarget::Nothing if **table == ARTIFACTS => return Ok(FolderRows::Absent),
            FileNameTarget::Nothing | FileNameTarget::Broken => {
                return Ok(FolderRows::Stale(StaleReason::NotWhole(table.name)));
            }
            FileNameTarget::Whole(said) => said,
        };
        match wanted.met_by(table, &said) {
            Ok(rules) => found = rules,
            Err(why) => return Ok(FolderRows::Stale(why)),
        }
    }
    Ok(FolderRows::There(found))
}

/// Reads an artifact into the tables of a folder. `origin` has its digest, which names the files.
///
/// # Errors
///
/// If a pattern is invalid, the artifact has no digest, a file cannot be written, or `stop` ended the run.
pub fn add(
    folder: &Path,
    root: &Path,
    wanted: &RowOptions,
    stop: &StopSignal,
    progress: &dyn Progress,
    origin: &Origin,
) -> Result<Report, AuditError> {
    let digest = origin.digest.as_deref().unwrap_or_default();
    if digest.is_empty() {
        return Err(AuditError::Usage(format!(
            "{}: without a digest there is no name for its rows",
            root.display()
        )));
    }
    let options = wanted.options(stop)?;
    let mut files = Vec::new();
    for table in TABLES {
        let to = file_of(folder, table, digest);
        files.push((
            *table,
            UnfinishedFile::begin(&to, table).map_err(|error| AuditError::io("write", &to, error))?,
        ));
    }
    let mut files = Files(files);
    let report = scan(root, &options, progress, origin, TABLES, &mut files)?;
    // Files are named in the order of the list; the last one shows that all exist.
    debug_assert!(TABLES.last().is_some_and(|last| **last == ARTIFACTS));
    let found: BTreeSet<&str> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
    for (_, mut file) in files.0 {
        wanted.marks(&found).into_iter().for_each(|(key, value)| file.parquet.say(key, value));
        let to = file.to.clone();
        file.finish().map_err(|error| AuditError::io("write", to, error))?;
    }
    Ok(report)
}

/// The file of each table.
struct Files(Vec<(&'static Table, UnfinishedFile)>);

impl BatchSink for Files {
    fn take(&mut self, batch: Batch) -> io::Result<()> {
        match self.0.iter_mut().find(|(table, _)| *table == batch.table) {
            Some((_, file)) => file.parquet.write(batch),
            None => Ok(()),
        }
    }
}

/// A Parquet file that gets its name when it is complete. If the system supports it, the unfinished file has
/// no name and vanishes after a crash; elsewhere its name ends with `.part`, which readers of the folder
/// ignore.
pub struct UnfinishedFile {
    parquet: ParquetFile<BufWriter<File>>,
    part: Option<tempfile::TempPath>,
    to: PathBuf,
}

impl UnfinishedFile {
    /// Begins the file of a table and creates its folder if necessary.
    ///
    /// # Errors
    ///
    /// As the system reports them.
    pub fn begin(to: &Path, table: &Table) -> io::Result<Self> {
        fs::create_dir_all(folder_of(to))?;
        let (file, part) = match unnamed(folder_of(to)) {
            Some(file) => (file, None),
            None => {
                let (file, part) = part_of(to).tempfile_in(folder_of(to))?.into_parts();
                (file, Some(part))
            }
        };
        let parquet = ParquetFile::begin(BufWriter::with_capacity(1 << 16, file), table)?;
        Ok(UnfinishedFile { parquet, part, to: to.to_owned() })
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// As the system reports them.
    pub fn write(&mut self, batch: Batch) -> io::Result<()> {
        self.parquet.write(batch)
    }

    /// Gives the file its name, replacing an older file, and returns the number of rows.
    ///
    /// # Errors
    ///
    /// As the system reports them.
    pub fn finish(self) -> io::Result<u64> {
        let (out, rows) = self.parquet.end()?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let part = match self.part {
            Some(part) => part,
            // Linking cannot replace a file, so the new file gets a temporary name and is renamed over the
            // old one.
            None => part_of(&self.to)
                .make_in(folder_of(&self.to), |path| give_name(&file, path))?
                .into_temp_path(),
        };
        part.persist(&self.to).map_err(|error| error.error)?;
        Ok(rows)
    }
}

fn folder_of(to: &Path) -> &Path {
    to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Name of an incomplete file.
fn part_of(to: &Path) -> tempfile::Builder<'_, '_> {
    let mut made = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Permissions like those of the user's other files: the process's umask applies.
        made.permissions(fs::Permissions::from_mode(MODE));
    }
    made.prefix(to.file_stem().unwrap_or_default()).suffix(".part");
    made
}

#[cfg(unix)]
const MODE: u32 = 0o666;

/// Creates a file without a name.
fn unnamed(folder: &Path) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags};
        rustix::fs::open(folder, OFlags::TMPFILE | OFlags::WRONLY, Mode::from_raw_mode(MODE))
            .ok()
            .map(File::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}
