//! Compressed streams that packages are made of.

use crate::limits::{XZ_MEMORY, ZSTD_WINDOW_LOG};
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Stored,
    Deflate,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Codec {
    /// By the first bytes of a file; `None` where they are no compressed stream.
    pub fn identify(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Codec::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Codec::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Codec::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Codec::Zstd),
            _ => None,
        }
    }

    /// By the number of a zip member's compression method.
    pub fn of_zip(method: u16) -> Option<Self> {
        Some(match method {
            0 => Codec::Stored,
            8 => Codec::Deflate,
            12 => Codec::Bzip2,
            93 => Codec::Zstd,
            95 => Codec::Xz,
            _ => return None,
        })
    }

    /// Inflates `bytes`, of which several streams may follow each other.
    pub fn open(self, bytes: &[u8]) -> io::Result<Box<dyn Read + Send + '_>> {
        self.open_counted(Packed { rest: bytes, taken: None })
    }

    /// The same, telling how many of the bytes have been taken so far.
    pub fn open_counted<'a>(self, bytes: Packed<'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Codec::Stored => Box::new(bytes),
            Codec::Deflate => Box::new(flate2::bufread::DeflateDecoder::new(bytes)),
            Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
            Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(bytes)),
            Codec::Xz => Box::new(XzStreams { decoder: xz(bytes)? }),
            Codec::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}

/// Packed bytes, with a counter of how many of them have been taken.
#[derive(Debug, Clone)]
pub(super) struct Packed<'a> {
    pub rest: &'a [u8],
    pub taken: Option<Arc<AtomicU64>>,
}

impl Read for Packed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(out)?;
        self.count(read);
        Ok(read)
    }
}

impl BufRead for Packed<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Not all at once: a decoder that is handed everything cannot be seen to get on.
        Ok(self.rest.get(..STEP).unwrap_or(self.rest))
    }

    fn consume(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
        self.count(count);
    }
}

/// Packed bytes handed to a decoder at once.
const STEP: usize = 1 << 20;

impl Packed<'_> {
    fn count(&self, bytes: usize) {
        if let Some(taken) = &self.taken {
            taken.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}

/// The threaded decoder: `xz -T` and dpkg write blocks that can be inflated side by side.
fn xz(bytes: Packed<'_>) -> io::Result<liblzma::bufread::XzDecoder<Packed<'_>>> {
    let (stop, threading) = XZ_MEMORY;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(4) as u32);
    let mut builder = liblzma::stream::MtStreamBuilder::new();
    builder.threads(threads).memlimit_stop(stop).memlimit_threading(threading);
    Ok(liblzma::bufread::XzDecoder::new_stream(bytes, builder.decoder()?))
}

/// xz streams one behind the other, which the threaded decoder does not step over by itself.
struct XzStreams<'a> {
    decoder: liblzma::bufread::XzDecoder<Packed<'a>>,
}

impl Read for XzStreams<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.decoder.read(out)?;
            let rest = self.decoder.get_ref();
            if read > 0 || out.is_empty() || Codec::identify(rest.rest) != Some(Codec::Xz) {
                return Ok(read);
            }
            self.decoder = xz(rest.clone())?;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    fn compress(codec: Codec, text: &[u8]) -> Vec<u8> {
        match codec {
            Codec::Stored => text.to_vec(),
            Codec::Deflate => {
                let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Codec::Gzip => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Codec::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Codec::Xz => {
                let mut out = liblzma::write::XzEncoder::new(Vec::new(), 1);
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Codec::Zstd => zstd::encode_all(text, 1).unwrap(),
        }
    }

    #[test]
    fn streams_that_follow_each_other_are_one() {
        for codec in [Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd] {
            let bytes = [compress(codec, b"one, "), compress(codec, b"two")].concat();
            assert_eq!(Codec::identify(&bytes), Some(codec));
            let mut text = String::new();
            codec.open(&bytes).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "one, two", "{codec:?}");
        }
    }

    #[test]
    fn a_stream_that_is_cut_off_is_an_error_and_not_an_end() {
        let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        for codec in [Codec::Deflate, Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd] {
            let bytes = compress(codec, &text);
            let cut = bytes.get(..bytes.len() / 2).unwrap();
            let mut out = Vec::new();
            assert!(codec.open(cut).unwrap().read_to_end(&mut out).is_err(), "{codec:?}");
            assert!(text.starts_with(&out));
        }
    }
}
