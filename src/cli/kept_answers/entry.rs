//! One kept answer, and the folder that has them.

use crate::cli::output;
use crate::error::AuditError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_128;

/// The first words of a kept answer; the number is that of its form.
const FORM: &str = "rocm-audit answer 1";

/// The largest file that is read as a kept answer.
const MOST_BYTES: u64 = 512 << 20;

/// Most bytes of all kept answers: beyond, those that were not asked for the longest go.
const MOST_KEPT: u64 = 1 << 30;

/// What a run wrote.
pub(super) struct Entry {
    pub status: u8,
    printed: Vec<u8>,
    said: Vec<u8>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// The line before the bytes.
#[derive(Serialize, Deserialize)]
struct Head {
    key: String,
    status: u8,
    printed: usize,
    said: usize,
    files: Vec<(PathBuf, usize)>,
}

/// Makes the folder, which only its user may write to: an answer in it is believed.
///
/// # Errors
/// Where it cannot be made, or others may write to it.
pub(super) fn prepare(folder: &Path) -> Result<(), AuditError> {
    let refused = |what: String| Err(AuditError::Path { path: folder.to_owned(), what });
    let mut made = fs::DirBuilder::new();
    made.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.create(folder).map_err(|error| AuditError::io("make", folder, error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = fs::metadata(folder).map_err(|error| AuditError::io("read", folder, error))?;
        // What this program makes is its user's.
        let user = tempfile::tempfile_in(folder)
            .and_then(|file| file.metadata())
            .map_err(|error| AuditError::io("write to", folder, error))?
            .uid();
        if own.uid() != user || own.mode() & 0o022 != 0 {
            return refused(
                "others may write to this folder, and what is kept in it is printed as it is: name another, or make it yours \
                 alone (`chmod go-w`)"
                    .to_owned(),
            );
        }
    }
    Ok(())
}

impl Entry {
    /// Of a run's status, and what it printed and said.
    pub fn new(status: u8, printed: Vec<u8>, said: Vec<u8>) -> Self {
        Entry { status, printed, said, files: Vec::new() }
    }

    /// With what was written to files; `None` where one has more than so many bytes.
    pub fn with_files(self, files: &[PathBuf], most: usize) -> Option<Self> {
        let read = |path: &PathBuf| {
            let is_small = fs::metadata(path).is_ok_and(|own| own.is_file() && own.len() <= most as u64);
            Some((path.clone(), is_small.then(|| fs::read(path).ok())??))
        };
        Some(Entry { files: files.iter().map(read).collect::<Option<_>>()?, ..self })
    }

    /// Puts it where the next run finds it. Runs at the same time do not meet: each gives its file the name
    /// when it is whole.
    pub fn keep(&self, place: &Path, key: &str) -> io::Result<()> {
        let folder = place.parent().unwrap_or(Path::new("."));
        let head = Head {
            key: key.to_owned(),
            status: self.status,
            printed: self.printed.len(),
            said: self.said.len(),
            files: self.files.iter().map(|(path, bytes)| (path.clone(), bytes.len())).collect(),
        };
        let mut rest = serde_json::to_vec(&head)?;
        rest.push(b'\n');
        rest.extend_from_slice(&self.printed);
        rest.extend_from_slice(&self.said);
        self.files.iter().for_each(|(_, bytes)| rest.extend_from_slice(bytes));
        let mut file = tempfile::Builder::new().prefix(".").suffix(".part").tempfile_in(folder)?;
        writeln!(file, "{FORM} {:032x}", xxh3_128(&rest))?;
        file.write_all(&rest)?;
        file.persist(place).map_err(|error| error.error)?;
        remove_oldest(folder);
        Ok(())
    }

    /// The answer that was kept for a key; `None` if none was, or if its file is damaged.
    pub fn read(place: &Path, key: &str) -> Option<Self> {
        let mut file = File::open(place).ok()?;
        if file.metadata().ok()?.len() > MOST_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let (first, rest) = cut_line(&bytes)?;
        let hash = std::str::from_utf8(first).ok()?.strip_prefix(FORM)?;
        if u128::from_str_radix(hash.trim_start(), 16).ok()? != xxh3_128(rest) {
            return None;
        }
        let (head, mut rest) = cut_line(rest)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mut next = |length: usize| {
            let (part, behind) = rest.split_at_checked(length)?;
            rest = behind;
            Some(part.to_vec())
        };
        let (printed, said) = (next(head.printed)?, next(head.said)?);
        let files = head.files.into_iter().map(|(path, length)| Some((path, next(length)?)));
        let files = files.collect::<Option<Vec<_>>>()?;
        let entry = Entry { status: head.status, printed, said, files };
        // Those that are asked for stay longest.
        let _ = file.set_modified(SystemTime::now());
        (head.key == key).then_some(entry)
    }

    /// Writes all that the run wrote.
    pub fn write_again(self) -> io::Result<ExitCode> {
        for (path, bytes) in self.files {
            let mut file = output::open(&path).map_err(|error| io::Error::other(error.to_string()))?;
            file.write_all(&bytes)?;
            file.finish()?;
        }
        io::stderr().write_all(&self.said)?;
        let mut out = io::stdout().lock();
        match out.write_all(&self.printed).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            written => written.map(|()| ExitCode::from(self.status)),
        }
    }
}

/// The bytes before the first line feed, and those behind it.
fn cut_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// Removes answers, those first that were not asked for the longest, until the rest is small enough.
fn remove_oldest(folder: &Path) {
    let Ok(all) = fs::read_dir(folder) else { return };
    let mut kept: Vec<(SystemTime, u64, PathBuf)> = all
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let own = fs::symlink_metadata(&path).ok().filter(Metadata::is_file)?;
            path.extension().is_some_and(|own| own == "answer").then_some(())?;
            Some((own.modified().ok()?, own.len(), path))
        })
        .collect();
    kept.sort_unstable();
    let mut bytes: u64 = kept.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in kept {
        if bytes <= MOST_KEPT {
            return;
        }
        if fs::remove_file(&path).is_ok() {
            bytes = bytes.saturating_sub(length);
        }
    }
}
