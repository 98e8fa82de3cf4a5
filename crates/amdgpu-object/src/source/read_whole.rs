//! Replaces mappings in a build without the feature `mmap`: reads the bytes of a file when it is opened.

use std::fs::File;
use std::io::{self, Read};

/// All bytes of a file.
#[derive(Debug)]
pub(super) struct Mapping(Vec<u8>);

impl Mapping {
    pub(super) fn new(mut file: &File, len: u64) -> io::Result<Self> {
        let wanted = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(wanted).map_err(|_| io::ErrorKind::OutOfMemory)?;
        Read::by_ref(&mut file).take(len).read_to_end(&mut bytes)?;
        // Like a mapping: bytes that were cut off in the meantime are zeros, and `check_unchanged` reports
        // it.
        bytes.resize(wanted, 0);
        Ok(Mapping(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn lost_pages(&self) -> bool {
        false
    }

    pub(super) fn expect(&self, _access: super::Access) {}
}

/// Nothing: returning free memory to the system takes `unsafe` code.
pub fn return_free_memory() {}
