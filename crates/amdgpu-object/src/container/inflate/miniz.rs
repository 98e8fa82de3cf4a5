//! zlib streams by a decoder of half the size, which needs no standard library.
#![deny(clippy::indexing_slicing)]

use super::super::stream::{self, Read, fill_from};
use super::InflateError;
use crate::error::ParseErrorKind::{CutEnd, Malformed};
use alloc::boxed::Box;
use alloc::format;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

pub(super) fn stream<'a>(payload: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
    Ok(Box::new(Decoder::new(payload)))
}

/// A zlib stream being read.
struct Decoder<'a> {
    state: Box<InflateState>,
    payload: &'a [u8],
    is_over: bool,
}

impl<'a> Decoder<'a> {
    fn new(payload: &'a [u8]) -> Self {
        Decoder { state: InflateState::new_boxed(DataFormat::Zlib), payload, is_over: false }
    }
}

impl Read for Decoder<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, stream::Error> {
        while !self.is_over && !out.is_empty() {
            let step = inflate(&mut self.state, self.payload, out, MZFlush::None);
            self.payload = self.payload.get(step.bytes_consumed..).unwrap_or_default();
            self.is_over = match step.status {
                Ok(MZStatus::StreamEnd) => true,
                Ok(_) | Err(MZError::Buf) if step.bytes_consumed > 0 || step.bytes_written > 0 => false,
                Ok(_) | Err(MZError::Buf) => return Err(stream::error(CutEnd, "incomplete deflate stream")),
                Err(_) => return Err(stream::error(Malformed, "corrupt deflate stream")),
            };
            if step.bytes_written > 0 {
                return Ok(step.bytes_written);
            }
        }
        Ok(0)
    }
}

pub(super) fn fill(payload: &[u8], out: &mut [u8]) -> Result<usize, InflateError> {
    let broken = |e: stream::Error| InflateError::Broken(format!("the compressed stream is broken: {e}"));
    fill_from(&mut Decoder::new(payload), out).map_err(broken)
}

/// A zlib stream does not state its end, so it must be inflated.
pub(super) fn stored_size(payload: &[u8], unpacked: u64) -> Result<u64, InflateError> {
    let mut decoder = Decoder::new(payload);
    stream::skip_up_to(&mut decoder, unpacked.saturating_add(1))
        .map_err(|e| InflateError::Broken(format!("the zlib stream is broken: {e}")))?;
    Ok((payload.len() - decoder.payload.len()) as u64)
}

#[cfg(test)]
#[cfg(feature = "ruzstd")]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::container::compressed::{self, Header};
    use std::path::Path;

    fn bundle(name: &str) -> (Vec<u8>, Header) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/containers/ccob");
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let header = compressed::read_header(&bytes, 0, &mut u64::MAX.clone()).unwrap();
        (bytes[header.header_size as usize..header.total as usize].to_vec(), header)
    }

    fn in_pieces(payload: &[u8], piece: usize) -> Result<Vec<u8>, stream::Error> {
        let (mut decoder, mut all, mut out) = (Decoder::new(payload), Vec::new(), vec![0; piece]);
        loop {
            match decoder.read(&mut out)? {
                0 => return Ok(all),
                count => all.extend(&out[..count]),
            }
        }
    }

    /// The same bundle is there compressed with zstd.
    #[test]
    fn pieces_of_any_size_are_those_of_the_whole() {
        let ((zlib, header), (zstd, _)) = (bundle("v2-zlib.co"), bundle("v2-zstd.co"));
        let mut whole = vec![0; header.unpacked as usize];
        let written = super::super::fill(compressed::Method::Zstd, &zstd, &mut whole).unwrap();
        assert_eq!(written, whole.len());
        for piece in [1, 7, 4096, 1 << 20] {
            assert!(in_pieces(&zlib, piece).unwrap() == whole, "{piece}");
        }
        let behind = [&zlib[..], b"more"].concat();
        assert_eq!(stored_size(&behind, header.unpacked).unwrap(), zlib.len() as u64);
        assert_eq!(fill(&zlib, &mut whole[..100]).unwrap(), 101);
    }

    #[test]
    fn a_stream_that_is_cut_or_changed_is_an_error() {
        let (zlib, _) = bundle("v2-zlib.co");
        for end in 0..zlib.len() {
            let error = in_pieces(&zlib[..end], 1 << 20).unwrap_err();
            assert_eq!(error.to_string(), "incomplete deflate stream", "{end}");
            assert_eq!(stream::kind(&error), crate::error::ParseErrorKind::CutEnd);
        }
        // Its last four bytes are the checksum.
        let mut changed = zlib.clone();
        changed[zlib.len() - 1] ^= 1;
        assert_eq!(in_pieces(&changed, 1 << 20).unwrap_err().to_string(), "corrupt deflate stream");
    }
}
