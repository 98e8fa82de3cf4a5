//! Why an entry is not looked at beside others.

use std::sync::atomic::{AtomicBool, Ordering};

/// Why an entry is put off.
#[derive(Debug)]
pub(crate) enum DeferReason {
    /// Its stream takes so many bytes of memory.
    Stream(u64),
    /// What was found takes as much memory as packages may take together.
    Results,
    /// More is in it than is unpacked.
    Refused,
}

/// What is known of an entry while others are looked at beside it.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    put_off: AtomicBool,
    refused: AtomicBool,
}

impl Beside {
    /// Where it is noted that the entry is put off, for who knows no more of it.
    pub fn note(&self) -> &AtomicBool {
        &self.put_off
    }

    /// Puts the entry off.
    pub fn put_off(&self) {
        self.put_off.store(true, Ordering::Release);
    }

    /// Puts off a package that has more in it than is unpacked.
    pub fn put_off_as_refused(&self) {
        self.refused.store(true, Ordering::Release);
        self.put_off();
    }

    /// Whether it was put off.
    pub fn is_put_off(&self) -> bool {
        self.put_off.load(Ordering::Acquire)
    }

    /// Why, if it was.
    pub fn reason(&self) -> Option<DeferReason> {
        let why = || match self.refused.load(Ordering::Acquire) {
            true => DeferReason::Refused,
            false => DeferReason::Results,
        };
        self.is_put_off().then(why)
    }
}
