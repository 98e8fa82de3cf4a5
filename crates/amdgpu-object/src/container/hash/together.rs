//! Contents of several threads, hashed in step.
//!
//! A thread that has inflated a bundle waits until contents of others have come, and one of them hashes all. It takes
//! more threads than cores, since those that wait do nothing else.

use super::lanes::{self, State};
use crate::container::buffer::Buffer;
use crate::limits::HASHING_THREADS;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// As many contents wait before they are hashed while all cores have other work.
const ENOUGH: usize = 6;

/// Blocks of each content that are hashed before those that came meanwhile are looked at: 1 MiB.
const BLOCKS_AT_ONCE: usize = 1 << 14;

/// Inflated bytes from which on waiting is worth it.
const LARGE: u64 = 1 << 19;

/// Most inflated bytes for each stored one. hipBLASLt's bundles have 9 to 67.
const RATIO: u64 = 80;

static COMPANY: Mutex<Company> = Mutex::new(Company { waiting: Vec::new(), awaited: 0, hashing: 0 });
static CHANGED: Condvar = Condvar::new();

/// All contents that are to be hashed.
struct Company {
    waiting: Vec<Content>,
    /// Threads that are inflating a content.
    awaited: usize,
    /// Threads that are hashing some.
    hashing: usize,
}

/// A content that is partly hashed.
struct Content {
    bytes: Arc<Buffer>,
    /// Bytes that are hashed.
    done: usize,
    state: State,
    hash: Arc<OnceLock<u64>>,
}

impl Content {
    /// The blocks that are not hashed yet, and the bytes behind the last one.
    fn blocks(&self) -> (&[lanes::Block], &[u8]) {
        self.bytes.get(self.done..).unwrap_or_default().as_chunks()
    }
}

/// A content that a thread is inflating and will have hashed: others wait for it.
#[derive(Debug)]
pub struct Awaited {
    has_come: AtomicBool,
}

impl Awaited {
    /// Announces a content.
    pub fn announce() -> Self {
        company().awaited += 1;
        Awaited { has_come: AtomicBool::new(false) }
    }

    /// The first eight bytes of the content's MD5, as a little-endian number. Waits for other contents.
    pub fn hash(&self, bytes: &Arc<Buffer>) -> u64 {
        let hash = Arc::new(OnceLock::new());
        let content =
            Content { bytes: Arc::clone(bytes), done: 0, state: lanes::BEGIN, hash: Arc::clone(&hash) };
        let mut company = company();
        company.waiting.push(content);
        self.comes(&mut company);
        loop {
            if let Some(hash) = hash.get() {
                return *hash;
            }
            let taken = company.take();
            if taken.is_empty() {
                company = CHANGED.wait(company).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            company.hashing += 1;
            drop(company);
            let rest = step(taken);
            company = self::company();
            company.hashing -= 1;
            company.waiting.extend(rest);
            CHANGED.notify_all();
        }
    }

    /// Notes that it has come, or never will.
    fn comes(&self, company: &mut Company) {
        if !self.has_come.swap(true, Ordering::Relaxed) {
            company.awaited -= 1;
            CHANGED.notify_all();
        }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.comes(&mut company());
    }
}

fn company() -> MutexGuard<'static, Company> {
    COMPANY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Company {
    /// Contents to hash now; none while it is better to wait.
    fn take(&mut self) -> Vec<Content> {
        let is_idle = self.awaited + self.hashing < cores();
        if self.waiting.len() < ENOUGH && !is_idle {
            return Vec::new();
        }
        let count = self.waiting.len().min(lanes::MOST);
        self.waiting.drain(..count).collect()
    }
}

/// Hashes as many blocks as all of the contents have, and gives back those that have more.
fn step(mut contents: Vec<Content>) -> Vec<Content> {
    let count = contents.iter().map(|content| content.blocks().0.len()).min().unwrap_or_default();
    let count = count.min(BLOCKS_AT_ONCE);
    let mut states: Vec<(State, &[lanes::Block])> =
        contents.iter().map(|content| (content.state, content.blocks().0)).collect();
    lanes::hash(&mut states, count);
    let states: Vec<State> = states.into_iter().map(|(state, _)| state).collect();
    for (content, state) in contents.iter_mut().zip(states) {
        content.state = state;
        content.done += count * 64;
    }
    contents.retain(|content| {
        let (blocks, rest) = content.blocks();
        if blocks.is_empty() {
            let _ = content.hash.set(lanes::finish(content.state, rest, content.bytes.len() as u64));
        }
        !blocks.is_empty()
    });
    contents
}

/// Whether a content of `size` bytes, `stored` as so many, is hashed together with others: if it is large, and the pool
/// has threads that can wait while others keep all cores busy. What stands for much more than it is could be made to
/// fill memory, and is hashed alone.
pub fn is_worthwhile(stored: u64, size: u64) -> bool {
    size >= LARGE
        && size <= stored.saturating_mul(RATIO)
        && rayon::current_num_threads() >= cores() + HASHING_THREADS
}

fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::buffer;
    use crate::container::hash::StreamHash;
    use rayon::prelude::*;

    /// Bytes that differ by `seed`, and their hash by the library.
    fn content(size: usize, seed: u32) -> (Arc<Buffer>, u64) {
        let mut bytes = buffer::zeros(size).unwrap();
        for (at, byte) in (0u32..).zip(bytes.iter_mut()) {
            *byte = (at ^ seed).wrapping_mul(2_654_435_761).to_le_bytes()[3];
        }
        let hash = StreamHash::hash_bytes(&bytes).unwrap();
        (Arc::new(bytes), hash)
    }

    #[test]
    fn contents_of_all_sizes_have_the_hash_of_the_library() {
        let sizes = (1..200).chain([4095, 4096, 1 << 20, (1 << 20) + 1]);
        let contents: Vec<_> = sizes.zip(0..).map(|(size, seed)| content(size, seed)).collect();
        for at_once in 1..=lanes::MOST {
            for contents in contents.chunks(at_once) {
                let begun = |(bytes, _): &(Arc<Buffer>, u64)| Content {
                    bytes: Arc::clone(bytes),
                    done: 0,
                    state: lanes::BEGIN,
                    hash: Arc::default(),
                };
                let mut rest: Vec<Content> = contents.iter().map(begun).collect();
                let hashes: Vec<_> = rest.iter().map(|content| Arc::clone(&content.hash)).collect();
                while !rest.is_empty() {
                    rest = step(rest);
                }
                for (hash, (bytes, expected)) in hashes.iter().zip(contents) {
                    assert_eq!(hash.get(), Some(expected), "{} bytes, {at_once} at once", bytes.len());
                }
            }
        }
    }

    #[test]
    fn threads_that_wait_for_each_other_end() {
        let threads = cores() + HASHING_THREADS;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let hash = |seed: u32| {
            assert!(is_worthwhile(LARGE / RATIO + 1, LARGE) && !is_worthwhile(LARGE, LARGE - 1));
            assert!(!is_worthwhile(LARGE / RATIO - 1, LARGE), "it stands for too much");
            let awaited = Awaited::announce();
            let (bytes, expected) = content(1 + seed as usize * 20_000, seed);
            // Some are damaged and never come.
            seed % 7 == 3 || awaited.hash(&bytes) == expected
        };
        assert!(pool.install(|| (0..100).into_par_iter().with_max_len(1).all(hash)));
        let company = company();
        assert_eq!((company.awaited, company.hashing, company.waiting.len()), (0, 0, 0));
        assert!(!is_worthwhile(1 << 30, 1 << 30), "a pool of this size has no threads that can wait");
    }
}
