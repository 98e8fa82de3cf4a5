//! What was found in machine code, by a hash of it: files of one release have many kernels in common.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was found in the code of a run, for threads that ask side by side.
#[derive(Debug)]
pub struct KnownCode<T> {
    parts: [Mutex<HashMap<u128, T>>; PARTS],
}

/// Parts that are locked apart.
const PARTS: usize = 32;
/// What a part keeps, at most.
const KEPT: usize = 1 << 15;

impl<T> Default for KnownCode<T> {
    fn default() -> Self {
        KnownCode { parts: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl<T: Clone> KnownCode<T> {
    /// What is known by a hash; made if nothing is. Threads that ask for the same at once may each make it.
    pub fn get_or_make(&self, hash: u128, make: impl FnOnce() -> T) -> T {
        if let Some(known) = self.part(hash).and_then(|part| part.get(&hash).cloned()) {
            return known;
        }
        let made = make();
        if let Some(mut part) = self.part(hash).filter(|part| part.len() < KEPT) {
            part.insert(hash, made.clone());
        }
        made
    }

    fn part(&self, hash: u128) -> Option<MutexGuard<'_, HashMap<u128, T>>> {
        let part = self.parts.get(hash as usize % PARTS)?;
        Some(part.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
