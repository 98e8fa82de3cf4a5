//! Bytes stored temporarily: in an unnamed file, or in memory if the system has no files.

use std::io::{self, Write};

/// Temporarily stored bytes, which vanish however the run ends.
#[derive(Debug)]
pub struct Temporary {
    #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
    pub(super) place: std::fs::File,
    #[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
    pub(super) place: Vec<u8>,
}

impl Temporary {
    /// Empty storage.
    ///
    /// # Errors
    ///
    /// If no temporary file can be created.
    pub fn new() -> io::Result<Self> {
        #[cfg(all(feature = "mmap", not(target_family = "wasm")))]
        let place = super::temporary_file()?;
        #[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
        let place = Vec::new();
        Ok(Temporary { place })
    }

    /// Explains the system's error for bytes that cannot be stored.
    pub fn failed(error: &io::Error) -> String {
        match cfg!(not(all(feature = "mmap", not(target_family = "wasm")))) {
            true => format!("cannot be unpacked to memory, and there are no files here: {error}"),
            false => {
                format!("cannot be unpacked to a temporary file: {error}; TMPDIR names the folder for it")
            }
        }
    }
}

#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.place.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.place.flush()
    }
}

#[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.place.len() + bytes.len();
        if len as u64 > crate::limits::ASIDE_IN_MEMORY {
            let what = format!("more than {} bytes", crate::limits::ASIDE_IN_MEMORY);
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, what));
        }
        self.place.try_reserve(bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.place.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
