//! Read-only bytes of files, mapped, so that only the pages that are used are read.
//!
//! Another process may shorten a file while it is read: lost pages read as zeros, and callers must use
//! [`SourceFile::check_unchanged`] before trusting what they read. Without the feature `mmap`, a file is read
//! into memory when it is opened.

use crate::locator::Locator;
use member_memory::MemberMemory;
use ranges::Fetched;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use temporary::Temporary;

pub mod given;
#[cfg_attr(not(feature = "mmap"), path = "source/read_whole.rs")]
mod mapping;
#[cfg(all(unix, feature = "mmap"))]
#[doc(hidden)]
pub use mapping::outlive_file_limit;
#[doc(hidden)]
pub use mapping::return_free_memory;
#[doc(hidden)]
pub mod member_memory;
pub mod ranges;
#[doc(hidden)]
pub mod temporary;

/// Files up to this size are read into memory, which is cheaper than mapping one or two pages.
const READ_WHOLE: u64 = 64 << 10;

pub use crate::limits::HEAD_BYTES;

/// An open, unchanging view of one regular file, or of one member of a package.
#[derive(Debug)]
pub struct SourceFile {
    locator: Locator,
    /// The file behind it, if it is a file on disk: itself, or one that a member was unpacked to.
    file: Option<File>,
    len: u64,
    modified: Option<SystemTime>,
    content: SourceContent,
}

/// Gives a name to an unnamed file, if the system supports it.
///
/// # Errors
///
/// As the system reports them.
pub fn give_name(file: &File, to: &Path) -> io::Result<()> {
    #[cfg(all(feature = "mmap", target_os = "linux"))]
    {
        use rustix::fs::{AtFlags, CWD};
        use std::os::fd::AsRawFd;
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, own, CWD, to, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }
    #[cfg(not(all(feature = "mmap", target_os = "linux")))]
    {
        let _ = (file, to);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Creates an unnamed file in a folder, for [`give_name`], if the system supports it. It has the permissions
/// of any new file of the user.
///
/// # Errors
///
/// As the system reports them; `Unsupported` if it has no such files.
pub fn unnamed_file(folder: &Path) -> io::Result<File> {
    #[cfg(all(feature = "mmap", target_os = "linux"))]
    {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666))?.into())
    }
    #[cfg(not(all(feature = "mmap", target_os = "linux")))]
    {
        let _ = folder;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Creates an unnamed file in `TMPDIR`, in `/var/tmp` (which is meant for large files and not in memory), or
/// in the system's default. It vanishes however the run ends.
///
/// # Errors
///
/// As the system reports them; `Unsupported` if it has no files, and in a build without the feature `mmap`.
pub fn temporary_file() -> io::Result<File> {
    #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
    return tempfile::tempfile_in(temporary_folder());
    #[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
    Err(io::ErrorKind::Unsupported.into())
}

/// The folder for temporary files.
pub fn temporary_folder() -> PathBuf {
    match std::env::var_os("TMPDIR") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ if Path::new("/var/tmp").is_dir() => PathBuf::from("/var/tmp"),
        _ => std::env::temp_dir(),
    }
}

/// How a file will be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// Single pages here and there: headers. This is the default.
    Headers,
    /// Longer stretches: kernel metadata, catalogs, payloads.
    Content,
}

#[derive(Debug)]
enum SourceContent {
    Owned(Vec<u8>),
    /// A member, in reusable memory.
    Held(MemberMemory),
    /// Content given under a name.
    Shared(Arc<Vec<u8>>),
    Mapped(mapping::Mapping),
    /// A source that fetches only the ranges that are asked for.
    Ranges(Arc<Fetched>),
    /// A member that is stored uncompressed in another file.
    Part(Arc<SourceFile>, Range<usize>),
}

impl SourceFile {
    /// Opens a regular file, or content given under this name ([`given`]). Never blocks, even if the path has
    /// become a FIFO or a device.
    ///
    /// # Errors
    ///
    /// As the system reports them, or `InvalidInput` if the path is not a regular file.
    pub fn open(path: &Path) -> io::Result<Self> {
        match given::content(path) {
            Some(given::GivenContent::Memory(bytes)) => {
                let (locator, len) = (Locator::file(path), bytes.len() as u64);
                let content = SourceContent::Shared(bytes);
                return Ok(SourceFile { locator, file: None, len, modified: None, content });
            }
            Some(given::GivenContent::File(file, len)) => {
                return Self::mapped(Locator::file(path), file.try_clone()?, len);
            }
            Some(given::GivenContent::Ranges(fetched)) => {
                let (locator, len) = (Locator::file(path), fetched.len());
                return Ok(SourceFile {
                    locator,
                    file: None,
                    len,
                    modified: None,
                    content: SourceContent::Ranges(fetched),
                });
            }
            None => {}
        }
        let mut file = open_nonblocking(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let len = metadata.len();
        let modified = metadata.modified().ok();
        if len <= READ_WHOLE {
            let mut bytes = Vec::with_capacity(len as usize);
            Read::by_ref(&mut file).take(len).read_to_end(&mut bytes)?;
            let len = bytes.len() as u64;
            return Ok(SourceFile {
                locator: Locator::file(path),
                file: Some(file),
                len,
                modified,
                content: SourceContent::Owned(bytes),
            });
        }
        Ok(SourceFile { modified, ..Self::mapped(Locator::file(path), file, len)? })
    }

    /// A member that was unpacked to memory.
    pub fn in_memory(locator: Locator, bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        SourceFile { locator, file: None, len, modified: None, content: SourceContent::Owned(bytes) }
    }

    /// The same, with its share of the memory for members.
    pub fn held(locator: Locator, memory: MemberMemory) -> Self {
        let len = memory.bytes().len() as u64;
        SourceFile { locator, file: None, len, modified: None, content: SourceContent::Held(memory) }
    }

    /// A member of `len` bytes that were stored temporarily.
    ///
    /// # Errors
    ///
    /// If they are in a file that cannot be mapped.
    pub fn unpacked(locator: Locator, bytes: Temporary, len: u64) -> io::Result<Self> {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        return Self::mapped(locator, bytes.place, len);
        #[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
        return Ok(SourceFile { len, ..Self::in_memory(locator, bytes.place) });
    }

    /// A member stored uncompressed in `whole`; the range is cut at the end of `whole`.
    pub fn part(locator: Locator, whole: &Arc<SourceFile>, range: Range<usize>) -> Self {
        let end = range.end.min(usize::try_from(whole.len()).unwrap_or(usize::MAX));
        let range = range.start.min(end)..end;
        let len = range.len() as u64;
        SourceFile {
            locator,
            file: None,
            len,
            modified: None,
            content: SourceContent::Part(Arc::clone(whole), range),
        }
    }

    fn mapped(locator: Locator, file: File, len: u64) -> io::Result<Self> {
        let mapping = mapping::Mapping::new(&file, len)?;
        mapping.expect(Access::Headers);
        Ok(SourceFile {
            locator,
            file: Some(file),
            len,
            modified: None,
            content: SourceContent::Mapped(mapping),
        })
    }

    /// Memory that this view itself holds, in bytes: 0 if it is a part of another, or mapped.
    pub fn held_memory(&self) -> u64 {
        if matches!(self.content, SourceContent::Owned(_) | SourceContent::Held(_)) { self.len } else { 0 }
    }

    /// Whether this view itself keeps a file open.
    pub fn holds_file(&self) -> bool {
        self.file.is_some()
    }

    /// The file on disk, opened once more: to be read in order where mapping it costs more.
    ///
    /// # Errors
    /// It cannot be opened any more, or this is a member of a package.
    #[cfg(feature = "mmap")]
    pub fn reopened(&self) -> std::io::Result<std::fs::File> {
        match self.holds_file() {
            true => std::fs::File::open(self.path()),
            false => Err(std::io::ErrorKind::NotFound.into()),
        }
    }

    /// Its location: the path it was opened by, and the member, if it is one.
    pub fn locator(&self) -> &Locator {
        &self.locator
    }

    /// The path of the file, or of the package that holds the member.
    pub fn path(&self) -> &Path {
        &self.locator.path
    }

    /// Its first bytes, enough to identify a format.
    pub fn head(&self) -> &[u8] {
        self.range(0, self.len.min(HEAD_BYTES as u64)).unwrap_or_default()
    }

    /// Size in bytes when it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True for an empty file.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of a range; `None` if it reaches beyond the end. From a source of ranges only these are
    /// fetched.
    pub fn range(&self, offset: u64, len: u64) -> Option<&[u8]> {
        let end = offset.checked_add(len).filter(|end| *end <= self.len)?;
        match &self.content {
            SourceContent::Ranges(fetched) => Some(fetched.bytes(offset..end)),
            SourceContent::Part(whole, range) => whole.range(offset.checked_add(range.start as u64)?, len),
            SourceContent::Owned(_)
            | SourceContent::Held(_)
            | SourceContent::Shared(_)
            | SourceContent::Mapped(_) => {
                self.bytes().get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
            }
        }
    }

    /// Whether bytes are fetched on demand, so that reading all of them is expensive.
    pub fn is_fetched(&self) -> bool {
        match &self.content {
            SourceContent::Ranges(_) => true,
            SourceContent::Part(whole, _) => whole.is_fetched(),
            SourceContent::Owned(_)
            | SourceContent::Held(_)
            | SourceContent::Shared(_)
            | SourceContent::Mapped(_) => false,
        }
    }

    /// All bytes. Pages are read from disk on access; a source of ranges is fetched whole.
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            SourceContent::Owned(bytes) => bytes,
            SourceContent::Held(memory) => memory.bytes(),
            SourceContent::Shared(bytes) => bytes,
            SourceContent::Mapped(mapping) => mapping.bytes(),
            SourceContent::Ranges(fetched) => fetched.bytes(0..self.len),
            SourceContent::Part(whole, range) if whole.is_fetched() => {
                whole.range(range.start as u64, self.len).unwrap_or_default()
            }
            SourceContent::Part(whole, range) => whole.bytes().get(range.clone()).unwrap_or_default(),
        }
    }

    /// Tells the system how the file will be read, so that it does not read ahead unnecessarily: a listing of
    /// a 1.3 GB library would otherwise read half of it from a cold disk.
    pub fn expect(&self, access: Access) {
        match &self.content {
            SourceContent::Mapped(mapping) => mapping.expect(access),
            SourceContent::Part(whole, _) => whole.expect(access),
            SourceContent::Owned(_)
            | SourceContent::Held(_)
            | SourceContent::Shared(_)
            | SourceContent::Ranges(_) => {}
        }
    }

    /// Checks that the file has not changed since it was opened.
    ///
    /// # Errors
    ///
    /// If it was shortened or written to, or could not be read everywhere.
    pub fn check_unchanged(&self) -> Result<(), SourceChange> {
        match &self.content {
            SourceContent::Mapped(mapping) if mapping.lost_pages() => return Err(SourceChange::Lost),
            SourceContent::Part(whole, _) => return whole.check_unchanged(),
            SourceContent::Ranges(fetched) => {
                return fetched
                    .failure()
                    .map_or(Ok(()), |what| Err(SourceChange::Unreadable(what.to_string())));
            }
            _ => {}
        }
        // Files that we unpacked have no other writer.
        let Some(file) = self.file.as_ref().filter(|_| self.modified.is_some()) else { return Ok(()) };
        let now = file.metadata().map_err(|e| SourceChange::Gone(e.to_string()))?;
        if now.len() < self.len {
            return Err(SourceChange::Shrank { from: self.len, to: now.len() });
        }
        if now.len() != self.len || now.modified().ok() != self.modified {
            return Err(SourceChange::Written);
        }
        Ok(())
    }
}

/// What happened to a file while it was read, so that what was read of it cannot be trusted. It is shown
/// without the file's name, which stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceChange {
    /// Pages of a mapping could not be read: the file shrank, or its disk failed. They were taken as zeros.
    Lost,
    /// The store that it is read from does not answer; with what it says.
    Unreadable(String),
    /// The system tells nothing of it any more; with what it says.
    Gone(String),
    /// It is shorter than it was, in bytes. What lay beyond was taken as zeros.
    Shrank {
        /// The size when it was opened.
        from: u64,
        /// The size now.
        to: u64,
    },
    /// It was written to.
    Written,
}

impl std::fmt::Display for SourceChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SourceChange::Lost => f.write_str(
                "could not be read everywhere (it shrank, or its disk failed); what was lost was taken as zeros",
            ),
            SourceChange::Unreadable(what) => write!(f, "could not be read: {what}"),
            SourceChange::Gone(what) => write!(f, "cannot be looked at any more: {what}"),
            SourceChange::Shrank { from, to } => write!(
                f,
                "shrank from {from} to {to} bytes while it was read; what lay beyond was taken as zeros, so run again"
            ),
            SourceChange::Written => f.write_str("was written to while it was read, so run again"),
        }
    }
}

impl std::error::Error for SourceChange {}

#[cfg(unix)]
fn open_nonblocking(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open_nonblocking(path: &Path) -> io::Result<File> {
    File::open(path)
}

// Windows refuses to shorten a mapped file, and has no pipes with a path.
#[cfg(all(test, unix, feature = "mmap"))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_shrinks_while_mapped_reads_as_zeros_and_says_so() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![7u8; 1 << 20]).unwrap();
        let source = SourceFile::open(file.path()).unwrap();
        assert_eq!(source.bytes()[1000], 7);
        assert_eq!(source.check_unchanged(), Ok(()));
        file.as_file().set_len(8192).unwrap();
        assert_eq!(source.bytes()[4096], 7, "what is left is still read");
        assert_eq!(source.bytes()[1 << 19], 0, "what vanished is zeros, not a dead process");
        assert!(matches!(source.check_unchanged(), Err(SourceChange::Shrank { .. } | SourceChange::Lost)));
        file.as_file().set_len(1 << 20).unwrap();
        assert!(source.check_unchanged().is_err(), "growing back does not undo it");
    }

    #[test]
    fn a_fifo_is_refused_and_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(status.success());
        assert_eq!(SourceFile::open(&path).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[cfg(test)]
mod opening_tests {
    use super::*;

    /// Small and large files, which one build maps and another reads.
    #[test]
    fn a_file_has_the_bytes_that_the_system_reads() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in ["Cargo.toml", "src/source.rs", "../../CHANGELOG.md"] {
            let path = folder.join(name);
            let Ok(expected) = std::fs::read(&path) else { continue };
            let file = SourceFile::open(&path).unwrap();
            assert!(file.bytes() == expected, "{name}");
            assert_eq!(file.len(), expected.len() as u64);
            assert_eq!(file.range(3, 5), expected.get(3..8));
            assert_eq!(file.check_unchanged(), Ok(()));
        }
    }
}
