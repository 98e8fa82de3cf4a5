//! SHA-256 of inputs, so that a report can be matched with the files that it is about.

use crate::error::AuditError;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The SHA-256 of a file in hexadecimal, and its size in bytes.
///
/// # Errors
/// Where the file cannot be read.
pub fn sha256(path: &Path) -> Result<(String, u64), AuditError> {
    let failed = |error| AuditError::io("read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut size = 0;
    loop {
        let read = file.read(&mut piece).map_err(failed)?;
        if read == 0 {
            break;
        }
        hasher.update(piece.get(..read).unwrap_or_default());
        size += read as u64;
    }
    Ok((digits(hasher), size))
}

/// The SHA-256 of bytes in hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

fn digits(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        std::fs::write(&file, "abc").unwrap();
        // FIPS 180-2, example B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&file).unwrap(), (abc.to_owned(), 3));
        assert_eq!(of_bytes(b"abc"), abc);
        assert!(sha256(folder.path()).is_err());
    }
}
