//! Sources that provide bytes at an offset: an object in a store that supports range requests, or a file
//! object of another language.
//!
//! Only the requested bytes are fetched, in blocks: for a wheel, its directory and the members that are
//! examined. They are kept in an unnamed sparse temporary file, so memory stays bounded and each block is
//! fetched once.

use super::mapping::Mapping;
use super::temporary_file;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Provides bytes at an offset.
pub trait ReadAt: Send + Sync {
    /// Total number of bytes.
    fn len(&self) -> u64;

    /// Fills `into` with the bytes at `offset`, which lie within [`ReadAt::len`]. Several threads call this
    /// at once.
    ///
    /// # Errors
    ///
    /// If the bytes are unavailable. Nothing is requested after that, and reports say that the source could
    /// not be read.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;

    /// Whether the source is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Smallest request in bytes: a store needs as much time for a request as for this many bytes.
pub const BLOCK: u64 = 64 << 10;
/// Largest request in bytes.
const REQUEST: u64 = 8 << 20;

/// A block of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Missing,
    /// A thread has requested it.
    Asked,
    Here,
}

/// A source, and its fetched blocks.
pub(super) struct Fetched {
    source: Box<dyn ReadAt>,
    len: u64,
    /// The file that blocks are written to, each at its position, and the mapping to read them from.
    file: Mutex<File>,
    mapping: Mapping,
    blocks: Mutex<Vec<Block>>,
    /// Signals that a block has arrived or the source has failed.
    came: Condvar,
    is_whole: AtomicBool,
    failure: Mutex<Option<(io::ErrorKind, String)>>,
    fetched: AtomicU64,
}

impl std::fmt::Debug for Fetched {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Fetched").field("len", &self.len).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fetched {
    /// Wraps a source, with nothing fetched yet.
    ///
    /// # Errors
    ///
    /// If no temporary file can be created.
    pub fn new(source: Box<dyn ReadAt>) -> io::Result<Self> {
        let len = source.len();
        let file = temporary_file()?;
        file.set_len(len)?;
        let mapping = Mapping::new(&file, len)?;
        let count = usize::try_from(len.div_ceil(BLOCK)).map_err(|_| io::ErrorKind::FileTooLarge)?;
        Ok(Fetched {
            source,
            len,
            file: Mutex::new(file),
            mapping,
            blocks: Mutex::new(vec![Block::Missing; count]),
            came: Condvar::new(),
            is_whole: AtomicBool::new(len == 0),
            failure: Mutex::new(None),
            fetched: AtomicU64::new(0),
        })
    }

    /// Number of bytes in the source.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Number of bytes fetched.
    pub fn fetched(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed)
    }

    /// The source's error, if it failed.
    pub fn failure(&self) -> Option<String> {
        lock(&self.failure).as_ref().map(|(_, what)| what.clone())
    }

    /// The bytes of a range, cut at the end of the source. Unavailable bytes are zeros, and
    /// [`Fetched::failure`] reports them.
    pub fn bytes(&self, range: Range<u64>) -> &[u8] {
        let range = range.start.min(self.len)..range.end.min(self.len);
        if !self.is_whole.load(Ordering::Acquire) && !range.is_empty() {
            // The error is kept for a later call of `failure`.
            let _ = self.need(range.clone());
        }
        // Both are within the mapping, whose length is a usize.
        self.mapping.bytes().get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Waits until the bytes of a range are available.
    fn need(&self, range: Range<u64>) -> io::Result<()> {
        let (first, behind) = ((range.start / BLOCK) as usize, range.end.div_ceil(BLOCK) as usize);
        loop {
            let asked = {
                let mut blocks = lock(&self.blocks);
                loop {
                    if let Some((kind, what)) = lock(&self.failure).as_ref() {
                        return Err(io::Error::new(*kind, what.clone()));
                    }
                    let own = blocks.get(first..behind).unwrap_or_default();
                    match own.iter().position(|block| *block == Block::Missing) {
                        Some(at) => break next_request(&mut blocks, first + at, behind),
                        None if own.contains(&Block::Asked) => {
                            blocks = self.came.wait(blocks).unwrap_or_else(PoisonError::into_inner);
                        }
                        None => return Ok(()),
                    }
                }
            };
            let fetched = self.fetch(asked.clone());
            let mut blocks = lock(&self.blocks);
            let state = if fetched.is_ok() { Block::Here } else { Block::Missing };
            blocks.get_mut(asked).into_iter().flatten().for_each(|block| *block = state);
            if let Err(error) = &fetched {
                lock(&self.failure).get_or_insert_with(|| (error.kind(), error.to_string()));
            } else if blocks.iter().all(|block| *block == Block::Here) {
                self.is_whole.store(true, Ordering::Release);
            }
            self.came.notify_all();
            drop(blocks);
            fetched?;
        }
    }

    fn fetch(&self, blocks: Range<usize>) -> io::Result<()> {
        let start = blocks.start as u64 * BLOCK;
        let end = (blocks.end as u64 * BLOCK).min(self.len);
        let mut bytes = vec![0; (end - start) as usize];
        self.source.read_at(start, &mut bytes)?;
        self.fetched.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let mut file = lock(&self.file);
        file.seek(SeekFrom::Start(start))?;
        file.write_all(&bytes)
    }
}

/// Takes the blocks of the next request: contiguous missing blocks from `at` on.
fn next_request(blocks: &mut [Block], at: usize, behind: usize) -> Range<usize> {
    let most = behind.min(at + (REQUEST / BLOCK) as usize);
    let missing = blocks.get_mut(at..most).unwrap_or_default();
    let count = missing.iter().take_while(|block| **block == Block::Missing).count();
    missing.iter_mut().take(count).for_each(|block| *block = Block::Asked);
    at..at + count
}

#[cfg(all(test, feature = "mmap"))]
mod tests {
    use super::super::{SourceChange, SourceFile, given};
    use super::*;
    use std::path::Path;
    use std::sync::Arc;

    /// Records the requested ranges, and fails beyond a position.
    struct Watched {
        bytes: Vec<u8>,
        fails_at: u64,
        asked: Asked,
    }

    impl ReadAt for Watched {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
            let end = offset + into.len() as u64;
            lock(&self.asked).push(offset..end);
            if end > self.fails_at {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the store does not answer"));
            }
            into.copy_from_slice(&self.bytes[offset as usize..end as usize]);
            Ok(())
        }
    }

    /// The ranges requested from a source.
    type Asked = Arc<Mutex<Vec<Range<u64>>>>;

    fn watched(len: usize, fails_at: u64) -> (Vec<u8>, Watched, Asked) {
        let bytes: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        (bytes.clone(), Watched { bytes, fails_at, asked: Arc::clone(&asked) }, asked)
    }

    #[test]
    fn only_what_is_asked_for_is_fetched_and_only_once() {
        let (bytes, source, asked) = watched(1_000_000, u64::MAX);
        let given = given::give(Path::new("ranges-once"), Box::new(source)).unwrap();
        let file = SourceFile::open(Path::new("ranges-once")).unwrap();
        assert_eq!(file.len(), 1_000_000);
        assert_eq!(file.head(), &bytes[..file.head().len()]);
        assert_eq!(file.range(999_990, 10), bytes.get(999_990..));
        assert_eq!(file.range(65_000, 1_000), bytes.get(65_000..66_000));
        assert_eq!(file.range(999_990, 11), None);
        let last = 15 * BLOCK..1_000_000;
        assert_eq!(*lock(&asked), [0..BLOCK, last, BLOCK..2 * BLOCK]);
        assert_eq!(given.fetched(), 2 * BLOCK + 1_000_000 - 15 * BLOCK);
        assert!(file.bytes() == bytes);
        assert_eq!(given.fetched(), 1_000_000);
        assert_eq!(file.check_unchanged(), Ok(()));
        // The name vanishes with the given content.
        drop(given);
        assert!(SourceFile::open(Path::new("ranges-once")).is_err());
        assert!(file.bytes() == bytes);
    }

    #[test]
    fn threads_that_ask_for_one_block_wait_for_one_request() {
        let (bytes, source, asked) = watched(3_000_000, u64::MAX);
        let given = given::give(Path::new("ranges-threads"), Box::new(source)).unwrap();
        let file = SourceFile::open(Path::new("ranges-threads")).unwrap();
        std::thread::scope(|scope| {
            for turn in 0..8u64 {
                let (file, bytes) = (&file, &bytes);
                scope.spawn(move || {
                    for step in 0..40u64 {
                        let at = (turn * 311 + step * 77_777) % 2_900_000;
                        let expected = bytes.get(at as usize..at as usize + 90_000);
                        assert!(file.range(at, 90_000) == expected);
                    }
                });
            }
        });
        let total: u64 = lock(&asked).iter().map(|range| range.end - range.start).sum();
        assert_eq!((total, given.fetched()), (given.fetched(), total));
        assert!(total <= 3_000_000, "{total}");
    }

    #[test]
    fn a_source_that_fails_is_asked_no_more_and_the_file_says_so() {
        let (_, source, asked) = watched(1_000_000, 200_000);
        let _given = given::give(Path::new("ranges-fails"), Box::new(source)).unwrap();
        let file = SourceFile::open(Path::new("ranges-fails")).unwrap();
        assert_eq!(file.range(100, 4).unwrap(), [14, 14, 14, 14]);
        assert!(file.range(500_000, 4).unwrap() == [0; 4]);
        assert!(file.bytes().len() == 1_000_000);
        assert_eq!(lock(&asked).len(), 2);
        assert_eq!(
            file.check_unchanged(),
            Err(SourceChange::Unreadable("the store does not answer".to_owned()))
        );
    }
}
