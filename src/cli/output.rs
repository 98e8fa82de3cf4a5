//! The files of `-o`. Each gets its name when it is whole: what ends a run before that, a signal or a full
//! disk, leaves the file that was there. What is read is never written over.
//!
//! A file is begun before rights are taken from the program, so that less has to be left to it: what may be
//! given names in a folder, and no other file of it may be written.

use super::sandbox;
use crate::error::AuditError;
use crate::format::Format;
use crate::source::{SourceFile, give_name, unnamed_file};
use std::fs::{self, File};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a report is written. What [`ReportDestination::finish`] was not called for is not there.
pub(super) enum ReportDestination {
    Stdout(BufWriter<StdoutLock<'static>>),
    Pager(BufWriter<PagerInput>),
    File(Output),
    Nowhere(io::Sink),
}

impl ReportDestination {
    /// Ends it: a file gets its name.
    ///
    /// # Errors
    /// What the system said.
    pub fn finish(self) -> io::Result<()> {
        match self {
            ReportDestination::Stdout(mut out) => out.flush(),
            ReportDestination::Pager(mut out) => out.flush(),
            ReportDestination::File(out) => out.finish(),
            ReportDestination::Nowhere(_) => Ok(()),
        }
    }

    fn inner(&mut self) -> &mut dyn Write {
        match self {
            ReportDestination::Stdout(out) => out,
            ReportDestination::Pager(out) => out,
            ReportDestination::File(out) => out,
            ReportDestination::Nowhere(out) => out,
        }
    }
}

impl Write for ReportDestination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

/// The input of a pager.
pub(super) struct PagerInput(pub Arc<ChildStdin>);

impl Write for PagerInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}

/// A file that is being written.
pub(super) struct Output {
    file: BufWriter<File>,
    /// Where it is put when it is whole.
    to: PathBuf,
    how: How,
}

/// How it gets its name.
enum How {
    /// It has none yet; a file that is there is replaced.
    Unnamed { replaces: bool },
    /// It has another, under which nothing is left.
    Part(tempfile::TempPath),
    /// It is written where it stands: a device, or a file in a folder in which none can be made.
    InPlace,
}

/// Those that were begun, by the words of the call.
static BEGUN: Mutex<Vec<(PathBuf, Output)>> = Mutex::new(Vec::new());

/// What the run reads, by the words of the call.
static INPUTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Notes a path that is read.
pub(super) fn is_input(path: &Path) {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// Begins a file, and says what rights it takes to end it; nothing where it cannot be written, which is said
/// when it is opened.
pub(super) fn begin(named: &Path) -> Option<sandbox::Write> {
    let output = Output::begin(named).ok()?;
    let needed = output.needed();
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner).push((named.to_owned(), output));
    Some(needed)
}

/// The file of an `-o` to write to.
///
/// # Errors
/// Where it is read in this run, or cannot be written.
pub(super) fn open(named: &Path) -> Result<Output, AuditError> {
    let inputs = INPUTS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    refuse_inputs(named, &inputs)?;
    let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    let place = begun.iter().position(|(own, _)| own == named);
    let output = match place {
        Some(place) => begun.swap_remove(place).1,
        None => Output::begin(named).map_err(|error| AuditError::io("write", named, error))?,
    };
    if matches!(output.how, How::InPlace) {
        // Devices have no length.
        let _ = output.file.get_ref().set_len(0);
    }
    Ok(output)
}

/// Refuses an output that is read: an input itself, a link in a tree, a file in one that has a format that is
/// read.
///
/// # Errors
/// A sentence on it.
pub(super) fn refuse_inputs(named: &Path, inputs: &[PathBuf]) -> Result<(), AuditError> {
    let Ok(own) = fs::canonicalize(named) else { return Ok(()) };
    let is_link = fs::symlink_metadata(named).is_ok_and(|metadata| metadata.is_symlink());
    let refused = |what: &str| Err(AuditError::Usage(format!("-o {}: {what}", named.display())));
    let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or_default();
    for input in inputs.iter().filter_map(|input| fs::canonicalize(input).ok()) {
        if own == input {
            return refused("it is an input of this run and would be written over; give it another name");
        }
        if is_link && folder.starts_with(&input) {
            return refused(
                "it is a link in a tree that is read, and may lead anywhere; name the file itself",
            );
        }
        let read = || SourceFile::open(&own).is_ok_and(|file| Format::identify(file.head()) != Format::Other);
        if own.starts_with(&input) && own.is_file() && read() {
            return refused(
                "it is a file of a tree that is read and would be written over; give it another name",
            );
        }
    }
    Ok(())
}

/// Where a file is that does not have to be there: links are followed.
pub(super) fn place(named: &Path) -> PathBuf {
    fs::canonicalize(named).unwrap_or_else(|_| {
        let folder = folder_of(named).canonicalize().unwrap_or_default();
        folder.join(named.file_name().unwrap_or_default())
    })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a name is that of a stream or device. What stands behind /dev/stdout is no path where it is a
/// pipe, and where it is a file, others write to it as well; a file of /dev/shm is one as any other.
fn is_stream(named: &Path, there: &fs::Metadata) -> bool {
    named.starts_with("/proc") || named.starts_with("/dev") && !there.is_file()
}

impl Output {
    fn begin(named: &Path) -> io::Result<Self> {
        let buffered = |file| BufWriter::with_capacity(1 << 16, file);
        let there = fs::symlink_metadata(named).ok();
        let is_there = there.is_some();
        if there.is_some_and(|there| is_stream(named, &there)) {
            let file = File::options().write(true).open(named)?;
            return Ok(Output { file: buffered(file), to: named.to_owned(), how: How::InPlace });
        }
        let to = if is_there { fs::canonicalize(named)? } else { named.to_owned() };
        if is_there {
            // What may not be written is not replaced either.
            let file = File::options().write(true).open(&to)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Ok(Output { file: buffered(file), to, how: How::InPlace });
            }
            return Ok(match Self::beside(&to, true) {
                Ok((new, how)) if new.set_permissions(metadata.permissions()).is_ok() => {
                    Output { file: buffered(new), to, how }
                }
                _ => Output { file: buffered(file), to, how: How::InPlace },
            });
        }
        let (file, how) = Self::beside(&to, false)?;
        Ok(Output { file: buffered(file), to, how })
    }

    /// A new file in the folder of another.
    fn beside(to: &Path, replaces: bool) -> io::Result<(File, How)> {
        match unnamed_file(folder_of(to)) {
            Ok(file) => Ok((file, How::Unnamed { replaces })),
            Err(_) => {
                let (file, part) = part_of(to).tempfile_in(folder_of(to))?.into_parts();
                Ok((file, How::Part(part)))
            }
        }
    }

    /// What may be written to end it.
    fn needed(&self) -> sandbox::Write {
        let folder = folder_of(&self.to).to_owned();
        match self.how {
            How::Unnamed { replaces } => sandbox::Write::Names { folder, over: replaces },
            How::Part(_) => sandbox::Write::Names { folder, over: true },
            // What is open is written without a right.
            How::InPlace => sandbox::Write::File(self.to.clone()),
        }
    }

    /// Gives it its name, when all of it is on the disk.
    ///
    /// # Errors
    /// What the system said. Then what was there is as it was.
    pub fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let replaces = match self.how {
            How::InPlace => return Ok(()),
            How::Part(part) => {
                file.sync_all()?;
                return part.persist(&self.to).map_err(|error| error.error);
            }
            How::Unnamed { replaces } => replaces,
        };
        file.sync_all()?;
        if !replaces {
            return give_name(&file, &self.to);
        }
        // A name can be given, not taken over: so it is given another, which is then put over what is there.
        let part = part_of(&self.to).make_in(folder_of(&self.to), |path| give_name(&file, path))?;
        part.into_temp_path().persist(&self.to).map_err(|error| error.error)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// How a file is called that is not whole yet.
fn part_of(to: &Path) -> tempfile::Builder<'_, '_> {
    let mut made = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any other file of the user: what the process masks is masked.
        made.permissions(fs::Permissions::from_mode(0o666));
    }
    made.prefix(to.file_stem().unwrap_or_default()).suffix(".part");
    made
}
