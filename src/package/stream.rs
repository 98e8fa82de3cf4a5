//! Compressed streams that packages are made of.

use crate::limits::{XZ_MEMORY, ZSTD_WINDOW_LOG};
use std::io::{self, Read};

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

/// The threaded decoder: `xz -T` and dpkg write blocks that can be inflated side by side.
fn xz(bytes: &[u8]) -> io::Result<liblzma::bufread::XzDecoder<&[u8]>> {
    let (stop, threading) = XZ_MEMORY;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(4) as u32);
    let mut builder = liblzma::stream::MtStreamBuilder::new();
    builder.threads(threads).memlimit_stop(stop).memlimit_threading(threading);
    Ok(liblzma::bufread::XzDecoder::new_stream(bytes, builder.decoder()?))
}

/// xz streams one behind the other, which the threaded decoder does not step over by itself.
struct XzStreams<'a> {
    decoder: liblzma::bufread::XzDecoder<&'a [u8]>,
}

impl Read for XzStreams<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.decoder.read(out)?;
            let rest: &[u8] = self.decoder.get_ref();
            if read > 0 || out.is_empty() || Codec::identify(rest) != Some(Codec::Xz) {
                return Ok(read);
            }
            self.decoder = xz(rest)?;
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
