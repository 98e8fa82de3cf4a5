//! A stream that ends with its first error: decoders keep half a state behind one, and bzip2's ends the
//! process when it is asked to go on.
#![deny(clippy::indexing_slicing)]

use std::io::{self, Read};

/// Reads a decoder up to its first error, which every later read gives again. An interruption is none.
pub(super) struct FirstError<R> {
    decoder: R,
    error: Option<(io::ErrorKind, String)>,
}

impl<R> FirstError<R> {
    /// Of a decoder that has not been read yet.
    pub fn from_decoder(decoder: R) -> Self {
        FirstError { decoder, error: None }
    }
}

impl<R: Read> Read for FirstError<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some((kind, what)) = &self.error {
            return Err(io::Error::new(*kind, what.clone()));
        }
        self.decoder.read(out).map_err(in_words).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.error = Some((error.kind(), error.to_string()));
            }
        })
    }
}

/// What liblzma says of a dictionary that takes more memory than it was given, or than the machine has: nothing is
/// wrong with the bytes then.
#[cfg(not(target_family = "wasm"))]
fn in_words(error: io::Error) -> io::Error {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<liblzma::stream::Error>());
    match own {
        Some(liblzma::stream::Error::MemLimit) => {}
        Some(liblzma::stream::Error::Mem) => return io::Error::new(io::ErrorKind::OutOfMemory, error),
        _ => return error,
    }
    let what = format!(
        "its dictionary takes more memory than is given to one stream, at most {} MiB",
        crate::limits::XZ_MEMORY.0 >> 20
    );
    io::Error::new(io::ErrorKind::QuotaExceeded, what)
}

#[cfg(target_family = "wasm")]
fn in_words(error: io::Error) -> io::Error {
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives an interruption, a byte, an error, and would then go on.
    struct Steps(Vec<io::Result<u8>>);

    impl Read for Steps {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let byte = self.0.pop().expect("nothing is read behind an error")?;
            out.iter_mut().take(1).for_each(|to| *to = byte);
            Ok(1)
        }
    }

    #[test]
    fn what_failed_is_not_asked_again() {
        let error = |kind| Err(io::Error::new(kind, "no"));
        let steps = vec![Ok(9), error(io::ErrorKind::InvalidData), Ok(7), error(io::ErrorKind::Interrupted)];
        let mut read = FirstError::from_decoder(Steps(steps));
        let mut out = [0; 4];
        assert_eq!(read.read(&mut out).map_err(|e| e.kind()), Err(io::ErrorKind::Interrupted));
        assert_eq!((read.read(&mut out).ok(), out), (Some(1), [7, 0, 0, 0]));
        for _ in 0..3 {
            let error = read.read(&mut out).expect_err("the error again");
            assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::InvalidData, "no".to_owned()));
        }
    }
}
