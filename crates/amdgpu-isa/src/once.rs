//! What is made when it is first asked for. With the standard library, threads share it; without, a decoder
//! is of one thread.

#[cfg(not(feature = "std"))]
pub(super) use core::cell::OnceCell as Once;
#[cfg(feature = "std")]
pub(super) use std::sync::OnceLock as Once;

use core::sync::atomic::{AtomicU32, Ordering};

/// How often something was asked for, roughly where threads share it.
#[derive(Debug, Default)]
pub(super) struct Asked(AtomicU32);

impl Asked {
    /// Counts one more; returns how many there were before.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        // Not added in one step: not all processors can, and one that is lost does not matter.
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before.saturating_add(1), Ordering::Relaxed);
        before
    }
}
