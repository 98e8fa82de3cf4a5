//! Content that is opened by name like a file but is not a file on disk: data from a pipe, and sources of
//! ranges.
//!
//! A pipe can be read only once, but readers access a file repeatedly and in any order: so the pipe is read
//! once, to an unnamed temporary file, which is opened by the pipe's name from then on. Memory stays bounded:
//! anything longer than a few pages goes to the file.

use super::ranges::{Fetched, ReadAt};
use super::{READ_WHOLE, temporary_file};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Kinds of given content.
#[derive(Debug, Clone)]
pub(super) enum GivenContent {
    Memory(Arc<Vec<u8>>),
    /// A file, and its number of bytes.
    File(Arc<File>, u64),
    Ranges(Arc<Fetched>),
}

static GIVEN: Mutex<BTreeMap<PathBuf, GivenContent>> = Mutex::new(BTreeMap::new());
/// Whether any content was given, so that opening other files does not wait for the lock.
static ANY: AtomicBool = AtomicBool::new(false);

/// Bytes read in one step.
const STEP: usize = 256 << 10;

/// Reads `stream` to its end and keeps its content under `path`: from then on
/// [`SourceFile::open`](super::SourceFile::open) opens it. Reads at most `most` bytes and returns their
/// number.
///
/// # Errors
///
/// Errors of the stream or the temporary file, `AlreadyExists` if the path was read before, and
/// `FileTooLarge` if there are more bytes.
pub fn read(path: &Path, stream: &mut dyn Read, most: u64) -> io::Result<u64> {
    if len(path).is_some() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "is named twice, and can be read once only",
        ));
    }
    let mut memory = Vec::new();
    (&mut *stream).take(READ_WHOLE).read_to_end(&mut memory)?;
    let mut len = memory.len() as u64;
    let content = if len < READ_WHOLE {
        GivenContent::Memory(Arc::new(memory))
    } else {
        let mut file = temporary_file()?;
        file.write_all(&memory)?;
        let mut buffer = vec![0; STEP];
        loop {
            let read = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            len += read as u64;
            if len > most {
                let what = format!("more than {most} bytes come through it, which is the most that is read");
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
            }
            file.write_all(buffer.get(..read).unwrap_or_default())?;
        }
        GivenContent::File(Arc::new(file), len)
    };
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), content);
    ANY.store(true, Ordering::Release);
    Ok(len)
}

/// Gives a source a name under which [`SourceFile::open`](super::SourceFile::open), and so every audit, finds
/// it until the returned value is dropped. Reports show the name; it should not be that of a file.
///
/// # Errors
///
/// `AlreadyExists` if the name is in use, and if no temporary file can be created.
pub fn give(path: &Path, source: Box<dyn ReadAt>) -> io::Result<Given> {
    let fetched = Arc::new(Fetched::new(source)?);
    name(path, GivenContent::Ranges(Arc::clone(&fetched)))?;
    Ok(Given { path: path.to_owned(), fetched: Some(fetched) })
}

/// The same for bytes in memory, which need no temporary file.
///
/// # Errors
///
/// `AlreadyExists` if the name is in use.
pub fn give_bytes(path: &Path, bytes: Vec<u8>) -> io::Result<Given> {
    name(path, GivenContent::Memory(Arc::new(bytes)))?;
    Ok(Given { path: path.to_owned(), fetched: None })
}

fn name(path: &Path, content: GivenContent) -> io::Result<()> {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    if given.contains_key(path) {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a source has this name already"));
    }
    given.insert(path.to_owned(), content);
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// A source that keeps its name while this value exists.
#[derive(Debug)]
pub struct Given {
    path: PathBuf,
    /// `None` if everything is in memory.
    fetched: Option<Arc<Fetched>>,
}

impl Given {
    /// Number of bytes fetched from it; 0 for content in memory.
    pub fn fetched(&self) -> u64 {
        self.fetched.as_ref().map_or(0, |fetched| fetched.fetched())
    }

    /// The source's error, if it failed.
    pub fn failure(&self) -> Option<String> {
        self.fetched.as_ref().and_then(|fetched| fetched.failure())
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        GIVEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

/// Number of bytes given under this path; `None` if nothing was given.
pub fn len(path: &Path) -> Option<u64> {
    content(path).map(|content| match content {
        GivenContent::Memory(bytes) => bytes.len() as u64,
        GivenContent::File(_, len) => len,
        GivenContent::Ranges(fetched) => fetched.len(),
    })
}

/// Number of bytes fetched so far of a source of ranges that was given under this path; `None` of anything else.
pub fn fetched(path: &Path) -> Option<u64> {
    match content(path)? {
        GivenContent::Ranges(fetched) => Some(fetched.fetched()),
        GivenContent::Memory(_) | GivenContent::File(..) => None,
    }
}

pub(super) fn content(path: &Path) -> Option<GivenContent> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn bytes_in_memory_have_their_name_as_long_as_what_gave_it_lives() {
        let path = Path::new("given-bytes");
        let given = give_bytes(path, vec![7; 100]).unwrap();
        assert_eq!(give_bytes(path, vec![8]).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let file = SourceFile::open(path).unwrap();
        assert_eq!((len(path), given.fetched(), given.failure()), (Some(100), 0, None));
        drop(given);
        assert!(SourceFile::open(path).is_err());
        assert_eq!(file.range(99, 1), Some(&[7u8][..]));
    }

    #[cfg(feature = "mmap")]
    #[test]
    fn what_came_through_a_pipe_is_opened_by_its_name_as_often_as_wanted() {
        for (name, size) in [("pipe-short", 100usize), ("pipe-page", 16 << 10), ("pipe-long", 700_000)] {
            let bytes: Vec<u8> = (0..size).map(|at| at as u8).collect();
            let path = Path::new(name);
            assert!(SourceFile::open(path).is_err());
            assert_eq!(read(path, &mut bytes.as_slice(), 1 << 20).unwrap(), size as u64);
            for _ in 0..2 {
                assert!(SourceFile::open(path).unwrap().bytes() == bytes, "{name}");
            }
            let again = read(path, &mut bytes.as_slice(), 1 << 20).unwrap_err();
            assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        }
        let endless = read(Path::new("pipe-endless"), &mut io::repeat(7), 1 << 20).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
    }
}
