//! The memory for inflating, which all threads share.

use crate::limits::{HASHING_MEMORY, UNPACKING_MEMORY};
use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A share of the memory that all threads together may use to inflate.
#[derive(Debug)]
pub struct MemoryPermit {
    bytes: u64,
    of: &'static Memory,
}

/// Memory that threads share.
#[derive(Debug)]
struct Memory {
    total: u64,
    shared: Mutex<Shared>,
    returned: Condvar,
}

#[derive(Debug)]
struct Shared {
    /// Bytes that are taken.
    in_use: u64,
    /// Threads that wait for some. Waking costs a call of the system, though nothing waits.
    waiting: usize,
}

static UNPACKING: Memory = Memory::new(UNPACKING_MEMORY);
/// Contents that wait to be hashed must not keep others from being read, since they wait for them.
static HASHING: Memory = Memory::new(HASHING_MEMORY);

thread_local! {
    /// Permits that this thread took and has not returned.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

impl MemoryPermit {
    /// Waits until `bytes` are free. A request larger than the total waits until all others are returned. A
    /// thread that already holds a permit never waits, even if this exceeds the limit: it might wait for
    /// itself.
    pub fn take(bytes: u64) -> Self {
        UNPACKING.take(bytes)
    }

    /// The same of the memory for contents that are hashed together, [`HASHING_MEMORY`].
    pub fn take_to_hash(bytes: u64) -> Self {
        HASHING.take(bytes)
    }
}

impl Memory {
    const fn new(total: u64) -> Self {
        let shared = Mutex::new(Shared { in_use: 0, waiting: 0 });
        Memory { total, shared, returned: Condvar::new() }
    }

    fn take(&'static self, bytes: u64) -> MemoryPermit {
        let bytes = bytes.min(self.total);
        let mut shared = self.shared();
        let waits = HELD.get() == 0;
        while waits && shared.in_use + bytes > self.total {
            shared.waiting += 1;
            shared = self.returned.wait(shared).unwrap_or_else(PoisonError::into_inner);
            shared.waiting -= 1;
        }
        shared.in_use += bytes;
        HELD.set(HELD.get() + 1);
        MemoryPermit { bytes, of: self }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(1));
        let mut shared = self.of.shared();
        shared.in_use -= self.bytes;
        if shared.waiting > 0 {
            self.of.returned.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_with_a_share_does_not_wait_for_another() {
        let first = MemoryPermit::take(UNPACKING_MEMORY);
        let second = MemoryPermit::take(UNPACKING_MEMORY);
        drop((first, second));
        drop(MemoryPermit::take(UNPACKING_MEMORY));
    }
}
