//! Kernels that are selected by name.

use alloc::string::String;
use core::fmt;

/// Selects kernels by name: a test of the mangled or demangled name.
#[derive(Clone, Copy)]
pub struct KernelNames<'a> {
    test: &'a (dyn Fn(&str) -> bool + Sync),
    part: Option<&'a str>,
}

impl<'a> KernelNames<'a> {
    /// The kernels whose mangled or demangled name passes `test`.
    pub fn new(test: &'a (dyn Fn(&str) -> bool + Sync)) -> Self {
        KernelNames { test, part: None }
    }

    /// Of these only kernels whose mangled name contains `part`, if one is given: the others need not be
    /// demangled, which takes most of the time.
    #[must_use]
    pub fn containing(self, part: Option<&'a str>) -> Self {
        KernelNames { part, ..self }
    }

    pub(super) fn mean_bytes(self, mangled: &[u8]) -> bool {
        self.mean(&String::from_utf8_lossy(mangled))
    }

    /// Finds what the mangled names contain, to be made once for many of them.
    pub(super) fn finder(self) -> Option<memchr::memmem::Finder<'a>> {
        self.part.map(memchr::memmem::Finder::new)
    }

    /// Whether a kernel of this mangled name is selected.
    pub fn mean(self, mangled: &str) -> bool {
        if self.part.is_some_and(|part| !mangled.contains(part)) {
            return false;
        }
        #[cfg(feature = "demangle")]
        let demangled = super::demangle(mangled);
        #[cfg(not(feature = "demangle"))]
        let demangled: Option<String> = None;
        (self.test)(mangled) || demangled.is_some_and(|name| (self.test)(&name))
    }
}

impl fmt::Debug for KernelNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KernelNames")
    }
}
