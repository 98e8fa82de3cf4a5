//! Compressed streams that packages are made of.

use super::first_error::FirstError;
use super::lzma;
use crate::limits::{
    BZIP2_MEMORY, EMPTY_STREAMS, LZ4_MEMORY, PACKAGE_MEMORY_LEAST, PACKAGE_SMALL, XZ_MEMORY, XZ_SMALL_MEMORY,
    ZSTD_SMALL_WINDOW_LOG, ZSTD_WINDOW_LOG,
};
use amdgpu_object::bytes::le::LeBytes;
use amdgpu_object::format::Format;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Stored,
    Deflate,
    Deflate64,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Lz4,
    /// An .lzma file.
    Lzma,
    Lzip,
    /// LZMA as zip has it: the version of its writer, and properties without a size.
    ZipLzma,
}

impl Codec {
    /// By the first bytes of a file; `None` where they are no compressed stream.
    pub fn identify(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Codec::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Codec::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Codec::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Codec::Zstd),
            _ => match Format::identify(head) {
                Format::Lz4 => Some(Codec::Lz4),
                Format::Lzma => Some(Codec::Lzma),
                Format::Lzip => Some(Codec::Lzip),
                _ => None,
            },
        }
    }

    /// By the number of a zip member's compression method.
    pub fn of_zip(method: u16) -> Option<Self> {
        Some(match method {
            0 => Codec::Stored,
            8 => Codec::Deflate,
            9 => Codec::Deflate64,
            12 => Codec::Bzip2,
            14 => Codec::ZipLzma,
            93 => Codec::Zstd,
            95 => Codec::Xz,
            _ => return None,
        })
    }

    /// Inflates `bytes`, one stream or several after each other.
    pub fn open(self, bytes: &[u8]) -> io::Result<Box<dyn Read + Send + '_>> {
        self.open_counted(Packed { rest: bytes, taken: None }, Window::Small)
    }

    /// The same, telling how many of the bytes have been taken so far.
    pub fn open_counted<'a>(
        self,
        bytes: Packed<'a>,
        window: Window,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        let decoder: Box<dyn Read + Send + 'a> = match self {
            Codec::Stored => return Ok(Box::new(bytes)),
            Codec::Deflate => Box::new(flate2::bufread::DeflateDecoder::new(bytes)),
            Codec::Deflate64 => Box::new(deflate64::Deflate64Decoder::with_buffer(bytes)),
            Codec::Lz4 => Box::new(Lz4::new(bytes)),
            Codec::Lzma => match window {
                Window::Large => Box::new(Streams::new(bytes, Codec::Lzma, lzma::lzma)?),
                Window::Small => Box::new(Streams::new(bytes, Codec::Lzma, lzma::small_lzma)?),
            },
            Codec::Lzip => Box::new(Streams::new(bytes, Codec::Lzip, lzma::lzip)?),
            Codec::ZipLzma => Box::new(zip_lzma(bytes)?),
            Codec::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
            Codec::Bzip2 => Box::new(Streams::new(bytes, Codec::Bzip2, |bytes| {
                Ok(bzip2::bufread::BzDecoder::new(bytes))
            })?),
            Codec::Xz => match window {
                Window::Large => Box::new(Streams::new(bytes, Codec::Xz, lzma::xz)?),
                Window::Small => Box::new(Streams::new(bytes, Codec::Xz, lzma::small_xz)?),
            },
            Codec::Zstd => {
                let memory = self.memory(bytes.rest);
                let window = match window {
                    Window::Large => memory.ilog2().clamp(10, ZSTD_WINDOW_LOG),
                    Window::Small => ZSTD_SMALL_WINDOW_LOG,
                };
                zstd_frames(bytes, window)?
            }
        };
        Ok(Box::new(FirstError::from_decoder(decoder)))
    }
}

/// zstd frames, with windows up to a power of two.
#[cfg(not(target_family = "wasm"))]
pub(super) fn zstd_frames<'a>(
    bytes: impl BufRead + Send + 'a,
    window: u32,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
    decoder.window_log_max(window)?;
    Ok(Box::new(Zstd(decoder)))
}

#[cfg(target_family = "wasm")]
use super::zstd_in_rust::frames as zstd_frames;

/// zstd frames; one whose window is larger than is given says what to do.
#[cfg(not(target_family = "wasm"))]
struct Zstd<R>(R);

#[cfg(not(target_family = "wasm"))]
impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|error| match error.to_string() {
            what if what.contains("too much memory") => io::Error::new(
                io::ErrorKind::QuotaExceeded,
                format!(
                    "its window is larger than the {} MiB that are given (zstd --long): unpack it before, or pack it without --long",
                    (1u64 << ZSTD_WINDOW_LOG) >> 20
                ),
            ),
            what if what.contains("not enough memory") => io::Error::new(io::ErrorKind::OutOfMemory, what),
            _ => error,
        })
    }
}

impl Codec {
    /// Memory in bytes in which a package's stream is inflated: what its first header asks for, within
    /// bounds. Nothing of it may take more.
    pub fn memory(self, bytes: &[u8]) -> u64 {
        let small = (bytes.len() as u64) < PACKAGE_SMALL;
        let least = if small { PACKAGE_MEMORY_LEAST.0 } else { PACKAGE_MEMORY_LEAST.1 };
        match self {
            Codec::Stored | Codec::Deflate | Codec::Deflate64 | Codec::Gzip => 1 << 20,
            // Two of the largest blocks, of 4 MiB, or of 8 in the older form, and the window.
            Codec::Lz4 => LZ4_MEMORY,
            Codec::Lzma => lzma_memory(bytes.get(1..5)).clamp(least, XZ_MEMORY.0),
            Codec::Lzip => XZ_SMALL_MEMORY,
            Codec::ZipLzma => lzma_memory(bytes.get(5..9)).min(XZ_SMALL_MEMORY),
            Codec::Bzip2 => BZIP2_MEMORY,
            Codec::Zstd => {
                let most = 1 << ZSTD_WINDOW_LOG;
                // The window, rounded up as the decoder's limit is, and the blocks beside it.
                let window = zstd_window(bytes).unwrap_or(most).min(most).next_power_of_two();
                window.max(least) + (1 << 20)
            }
            Codec::Xz => xz_memory(bytes).unwrap_or(XZ_MEMORY.0).clamp(least, XZ_MEMORY.0),
        }
    }

    /// What the first header of an xz stream asks for, without bounds.
    #[cfg(target_family = "wasm")]
    pub fn asked_of_xz(bytes: &[u8]) -> u64 {
        xz_memory(bytes).unwrap_or(0)
    }
}

/// The memory of an LZMA decoder in bytes, by the dictionary of its properties.
fn lzma_memory(dictionary: Option<&[u8]>) -> u64 {
    let dictionary = dictionary.map_or(0, |field| LeBytes(field).u32(0));
    u64::from(dictionary) + (1 << 20)
}

/// The window of a zstd frame in bytes, by its header (RFC 8878, 3.1.1.1).
fn zstd_window(bytes: &[u8]) -> Option<u64> {
    let descriptor = *bytes.get(4)?;
    if descriptor & 0x20 == 0 {
        let window = u64::from(*bytes.get(5)?);
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * (window & 7));
    }
    let at = 5 + [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied()?;
    let size = |len: usize| {
        let mut field = [0; 8];
        field.get_mut(..len)?.copy_from_slice(bytes.get(at..at + len)?);
        Some(u64::from_le_bytes(field))
    };
    match descriptor >> 6 {
        0 => size(1),
        1 => size(2).map(|size| size + 256),
        2 => size(4),
        _ => size(8),
    }
}

/// The memory of an xz stream in bytes, by the header of its first block (.xz file format, 3.1): its
/// dictionary, and where blocks have their sizes, what inflating several at once may take.
fn xz_memory(bytes: &[u8]) -> Option<u64> {
    let flags = *bytes.get(13)?;
    let mut rest = bytes.get(14..12 + 4 * (usize::from(*bytes.get(12)?) + 1))?;
    let number = |rest: &mut &[u8]| {
        let mut value = 0u64;
        for shift in 0..9 {
            let (byte, behind) = rest.split_first()?;
            *rest = behind;
            value |= u64::from(byte & 0x7f) << (7 * shift);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    for _ in 0..(flags >> 6).count_ones() {
        number(&mut rest)?;
    }
    let mut dictionary = 0;
    for _ in 0..=flags & 3 {
        let (filter, len) = (number(&mut rest)?, usize::try_from(number(&mut rest)?).ok()?);
        if let (0x21, Some(bits)) = (filter, rest.first().map(|bits| u64::from(bits & 0x3f))) {
            dictionary = if bits >= 40 { u64::from(u32::MAX) } else { (2 | bits & 1) << (bits / 2 + 11) };
        }
        rest = rest.get(len..)?;
    }
    let one = dictionary.saturating_add(2 << 20);
    Some(if flags & 0x40 != 0 { one.max(XZ_MEMORY.1) } else { one })
}

/// How much memory a decoder may take. Only one stream is read at a time of a package that lies in no other;
/// of zip members as many as there are threads, and of packages in packages one for each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    Large,
    Small,
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

/// LZMA as zip has it (APPNOTE, 5.8): two bytes of version, the number of bytes of properties, which is 5,
/// and those. An .lzma file has the same properties, and a size, which is unknown here.
fn zip_lzma<'a>(mut bytes: Packed<'a>) -> io::Result<impl Read + Send + 'a> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let header = bytes.rest.get(..9).ok_or_else(|| bad("its LZMA header is cut off"))?;
    if header.get(2..4) != Some(&[5, 0]) {
        return Err(bad("its LZMA properties do not have 5 bytes"));
    }
    let mut own = header.get(4..).unwrap_or_default().to_vec();
    own.extend([0xff; 8]);
    bytes.consume(9);
    lzma::with_header(own, bytes)
}

/// Frames of lz4, one behind the other, of the newer and the older form.
struct Lz4<'a>(lz4_flex::frame::FrameDecoder<Packed<'a>>, u32);

impl<'a> Lz4<'a> {
    fn new(bytes: Packed<'a>) -> Self {
        Lz4(lz4_flex::frame::FrameDecoder::new(bytes), 0)
    }
}

impl Read for Lz4<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(out)?;
            let rest = self.0.get_ref().rest;
            if read > 0 || out.is_empty() || rest.is_empty() {
                if read > 0 {
                    self.1 = 0;
                }
                return Ok(read);
            }
            if Codec::identify(rest) != Some(Codec::Lz4) {
                let what = format!("{} bytes behind the compressed stream are of no such stream", rest.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            self.1 += 1;
            if self.1 > EMPTY_STREAMS {
                let what = format!("more than {EMPTY_STREAMS} empty streams follow each other");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            let next = self.0.get_ref().clone();
            self.0 = lz4_flex::frame::FrameDecoder::new(next);
        }
    }
}

/// A decoder of one stream, which gives back what is behind it.
pub(super) trait OneStream<'a>: Read {
    fn rest(&self) -> &Packed<'a>;
}

#[cfg(not(target_family = "wasm"))]
impl<'a> OneStream<'a> for liblzma::bufread::XzDecoder<Packed<'a>> {
    fn rest(&self) -> &Packed<'a> {
        self.get_ref()
    }
}

impl<'a> OneStream<'a> for bzip2::bufread::BzDecoder<Packed<'a>> {
    fn rest(&self) -> &Packed<'a> {
        self.get_ref()
    }
}

/// Streams of one kind one behind the other, in xz with zeros between them; anything else behind them is an
/// error.
struct Streams<'a, D> {
    decoder: D,
    codec: Codec,
    open: fn(Packed<'a>) -> io::Result<D>,
    /// Streams without content since the last one with some.
    empty: u32,
}

impl<'a, D: OneStream<'a>> Streams<'a, D> {
    fn new(bytes: Packed<'a>, codec: Codec, open: fn(Packed<'a>) -> io::Result<D>) -> io::Result<Self> {
        Ok(Streams { decoder: open(bytes)?, codec, open, empty: 0 })
    }
}

impl<'a, D: OneStream<'a>> Read for Streams<'a, D> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.decoder.read(out)?;
            if read > 0 || out.is_empty() {
                self.empty = 0;
                return Ok(read);
            }
            let mut rest = self.decoder.rest().clone();
            while let (Codec::Xz, [0, 0, 0, 0, behind @ ..]) = (self.codec, rest.rest) {
                rest.rest = behind;
            }
            if rest.rest.is_empty() {
                return Ok(0);
            }
            if Codec::identify(rest.rest) != Some(self.codec) {
                let what =
                    format!("{} bytes behind the compressed stream are of no such stream", rest.rest.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            self.empty += 1;
            if self.empty > EMPTY_STREAMS {
                let what = format!("more than {EMPTY_STREAMS} empty streams follow each other");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            self.decoder = (self.open)(rest)?;
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
            Codec::Lz4 => {
                let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            Codec::Lzma => {
                let options = liblzma::stream::LzmaOptions::new_preset(1).unwrap();
                let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
                let mut out = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
                out.write_all(text).unwrap();
                out.finish().unwrap()
            }
            // There are no writers of these: packages of other programs are read in tests/all/forms.rs.
            Codec::Deflate64 | Codec::Lzip | Codec::ZipLzma => unreachable!(),
        }
    }

    #[test]
    fn streams_that_follow_each_other_are_one() {
        for codec in [Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd, Codec::Lz4] {
            let bytes = [compress(codec, b"one, "), compress(codec, b"two")].concat();
            assert_eq!(Codec::identify(&bytes), Some(codec));
            let mut text = String::new();
            codec.open(&bytes).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "one, two", "{codec:?}");
        }
    }

    #[test]
    fn a_window_that_is_too_large_says_what_to_do() {
        let mut out = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        out.set_parameter(zstd::stream::raw::CParameter::WindowLog(29)).unwrap();
        out.write_all(&[7; 1 << 16]).unwrap();
        let packed = out.finish().unwrap();
        let bytes = Packed { rest: &packed, taken: None };
        let mut stream = Codec::Zstd.open_counted(bytes, Window::Large).unwrap();
        let error = stream.read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("128 MiB") && error.to_string().contains("--long"), "{error}");
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
    }

    #[test]
    fn a_stream_that_is_cut_off_is_an_error_and_not_an_end() {
        let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        for codec in
            [Codec::Deflate, Codec::Gzip, Codec::Bzip2, Codec::Xz, Codec::Zstd, Codec::Lz4, Codec::Lzma]
        {
            let bytes = compress(codec, &text);
            let cut = bytes.get(..bytes.len() / 2).unwrap();
            let mut out = Vec::new();
            assert!(codec.open(cut).unwrap().read_to_end(&mut out).is_err(), "{codec:?}");
            assert!(text.starts_with(&out));
        }
    }
}
