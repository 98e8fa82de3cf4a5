//! What comes through a pipe: it is read once, to an unnamed temporary file, and is opened by the name of the pipe from then on.
//!
//! A pipe can be read once only, and what looks at a file does so several times, in any order. Memory stays bounded: what is
//! longer than a few pages goes to the file.

use super::{READ_WHOLE, temporary_file};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Content that was read.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Memory(Arc<[u8]>),
    /// A file, and how many bytes it has.
    File(Arc<File>, u64),
}

static READ: Mutex<BTreeMap<PathBuf, Content>> = Mutex::new(BTreeMap::new());
/// Whether there is any, so that no other file waits for the lock.
static ANY: AtomicBool = AtomicBool::new(false);

/// Bytes read in one step.
const STEP: usize = 256 << 10;

/// Reads `stream` to its end and keeps what came under `path`: from then on
/// [`SourceFile::open`](super::SourceFile::open) gives it. Gives the number of bytes, of which at most `most` are read.
///
/// # Errors
/// What the system said of the stream or the temporary file, `AlreadyExists` where the path was read before, and
/// `FileTooLarge` where there are more bytes.
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
        Content::Memory(memory.into())
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
        Content::File(Arc::new(file), len)
    };
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), content);
    ANY.store(true, Ordering::Release);
    Ok(len)
}

/// How many bytes came through a pipe; `None` where the path is of none that was read.
pub fn len(path: &Path) -> Option<u64> {
    content(path).map(|content| match content {
        Content::Memory(bytes) => bytes.len() as u64,
        Content::File(_, len) => len,
    })
}

pub(super) fn content(path: &Path) -> Option<Content> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    READ.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

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
