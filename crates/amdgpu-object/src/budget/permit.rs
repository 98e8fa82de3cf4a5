//! The memory for inflating, which all threads share.

use crate::limits::UNPACKING_MEMORY;
use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};

/// A share of the memory that all threads together may use to inflate.
#[derive(Debug)]
pub struct MemoryPermit(u64);

static SHARED: Mutex<Shared> = Mutex::new(Shared { in_use: 0, waiting: 0 });
static RETURNED: Condvar = Condvar::new();

struct Shared {
    /// Bytes that are taken.
    in_use: u64,
    /// Threads that wait for some. Waking costs a call of the system, though nothing waits.
    waiting: usize,
}

thread_local! {
    /// Permits that this thread took and has not returned.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

impl MemoryPermit {
    /// Waits until `bytes` are free. A request larger than the total waits until all others are returned. A
    /// thread that already holds a permit never waits, even if this exceeds the limit: it might wait for
    /// itself.
    pub fn take(bytes: u64) -> Self {
        let bytes = bytes.min(UNPACKING_MEMORY);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = HELD.get() == 0;
        while waits && shared.in_use + bytes > UNPACKING_MEMORY {
            shared.waiting += 1;
            shared = RETURNED.wait(shared).unwrap_or_else(PoisonError::into_inner);
            shared.waiting -= 1;
        }
        shared.in_use += bytes;
        HELD.set(HELD.get() + 1);
        MemoryPermit(bytes)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(1));
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.in_use -= self.0;
        if shared.waiting > 0 {
            RETURNED.notify_all();
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
