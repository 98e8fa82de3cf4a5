//! The memory for inflating, which all threads share.

use crate::limits::UNPACKING_MEMORY;
use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};

/// A share of the memory that all threads together may use to inflate.
#[derive(Debug)]
pub struct MemoryPermit(u64);

static IN_USE: Mutex<u64> = Mutex::new(0);
static RETURNED: Condvar = Condvar::new();

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
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = HELD.get() == 0;
        while waits && *in_use + bytes > UNPACKING_MEMORY {
            in_use = RETURNED.wait(in_use).unwrap_or_else(PoisonError::into_inner);
        }
        *in_use += bytes;
        HELD.set(HELD.get() + 1);
        MemoryPermit(bytes)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(1));
        *IN_USE.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        RETURNED.notify_all();
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
