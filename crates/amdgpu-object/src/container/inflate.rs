//! The two methods of compressed bundles, each behind a feature of its name: zlib in Rust, smaller with the
//! feature `miniz`; zstd with its C library, or in Rust with the feature `ruzstd`, which WebAssembly needs.
//! Without the feature a bundle is still found and named, and the error explains why its content is not read.
#![deny(clippy::indexing_slicing)]

use super::method::Method;
use super::stream::Read;
use crate::error::{ParseError, ParseErrorKind};
use alloc::boxed::Box;
use alloc::string::String;

impl Method {
    /// Whether this build can inflate it.
    pub const fn is_built_in(self) -> bool {
        match self {
            Method::Zlib => cfg!(any(feature = "zlib", feature = "miniz")),
            Method::Zstd => cfg!(any(all(feature = "zstd", not(target_family = "wasm")), feature = "ruzstd")),
        }
    }
}

/// Why a stream was not inflated.
#[derive(Debug)]
// A build without decoders never says the one, a build with all of them never the other.
#[allow(dead_code)]
pub(super) enum InflateError {
    /// This build has no decoder for it; what is missing.
    NotBuiltIn(&'static str),
    /// The bytes are not what the method expects; in a sentence.
    Broken(String),
    /// The machine did not give the memory for it; in a sentence.
    OutOfMemory(String),
}

impl InflateError {
    /// The same for a stream at an absolute offset.
    pub(super) fn at(self, offset: u64) -> ParseError {
        match self {
            InflateError::NotBuiltIn(what) => {
                ParseError::new(offset, what).of_kind(ParseErrorKind::UnknownMethod)
            }
            InflateError::Broken(what) => ParseError::new(offset, what),
            InflateError::OutOfMemory(what) => {
                ParseError::new(offset, what).of_kind(ParseErrorKind::OutOfMemory)
            }
        }
    }
}

/// A stream over the inflated content of `payload`.
pub(super) fn stream<'a>(method: Method, payload: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
    match method {
        Method::Zlib => zlib::stream(payload),
        Method::Zstd => zstd::stream(payload),
    }
}

/// Fills `out` with the content of `payload` and returns the number of bytes written; returns an error, or
/// the capacity plus one, if there is more content.
pub(super) fn fill(method: Method, payload: &[u8], out: &mut [u8]) -> Result<usize, InflateError> {
    match method {
        Method::Zlib => zlib::fill(payload, out),
        Method::Zstd => zstd::fill(payload, out),
    }
}

/// Size in bytes of the compressed stream at the beginning of `payload`, which inflates to `unpacked` bytes.
pub(super) fn stored_size(method: Method, payload: &[u8], unpacked: u64) -> Result<u64, InflateError> {
    match method {
        Method::Zlib => zlib::stored_size(payload, unpacked),
        Method::Zstd => zstd::stored_size(payload),
    }
}

#[cfg(feature = "zlib")]
mod zlib {
    use super::super::stream::fill_from;
    use super::InflateError;
    use flate2::bufread::ZlibDecoder;
    use std::io::{self, Read};

    pub(super) fn stream<'a>(payload: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
        Ok(Box::new(ZlibDecoder::new(payload)))
    }

    pub(super) fn fill(payload: &[u8], out: &mut [u8]) -> Result<usize, InflateError> {
        let broken = |e: io::Error| InflateError::Broken(format!("the compressed stream is broken: {e}"));
        fill_from(&mut ZlibDecoder::new(payload), out).map_err(broken)
    }

    /// A zlib stream does not state its end, so it must be inflated.
    pub(super) fn stored_size(payload: &[u8], unpacked: u64) -> Result<u64, InflateError> {
        let mut decoder = ZlibDecoder::new(payload);
        io::copy(&mut decoder.by_ref().take(unpacked.saturating_add(1)), &mut io::sink())
            .map_err(|e| InflateError::Broken(format!("the zlib stream is broken: {e}")))?;
        Ok(decoder.total_in())
    }
}

#[cfg(all(feature = "miniz", not(feature = "zlib")))]
#[path = "inflate/miniz.rs"]
mod zlib;

#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
mod zstd {
    use super::InflateError;
    use crate::limits::ZSTD_WINDOW_LOG;
    use ::zstd::stream::raw::{InBuffer, Operation, OutBuffer, WriteBuf};
    use ::zstd::stream::zio;
    use ::zstd::zstd_safe::{self, DCtx, DParameter, ResetDirective};
    use core::cell::Cell;
    use std::io::{self, Read};

    /// A decoder with more memory in use than this, in bytes, is not kept for the next bundle: its window was large. That
    /// of zstd's usual levels is 2 MiB, and taking and giving it back for each bundle costs as much as its first block.
    const KEPT_MEMORY: usize = 4 << 20;
    /// The window is as large as the bundle's content may be, and of one whose beginning alone was read, the rest has no
    /// memory yet: addresses of so many bytes are kept.
    const KEPT_ADDRESSES: usize = 128 << 20;

    thread_local! {
        /// The decoder that the thread used last. A new one asks the processor what it can do, which costs more
        /// than a small bundle on a virtual machine: the answer is the host's.
        static KEPT: Cell<Option<DCtx<'static>>> = const { Cell::new(None) };
    }

    /// A decoder, which goes back to its thread when it is dropped.
    struct KeptDecoder {
        /// `None` only then.
        decoder: Option<DCtx<'static>>,
        /// Bytes that it has inflated by its window.
        inflated: usize,
    }

    impl KeptDecoder {
        fn take() -> io::Result<Self> {
            let kept = KEPT.try_with(Cell::take).ok().flatten();
            let mut decoder = kept.or_else(DCtx::try_create).ok_or(io::ErrorKind::OutOfMemory)?;
            decoder.reset(ResetDirective::SessionAndParameters).map_err(broken)?;
            Ok(KeptDecoder { decoder: Some(decoder), inflated: 0 })
        }

        fn decoder(&mut self) -> io::Result<&mut DCtx<'static>> {
            self.decoder.as_mut().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
        }
    }

    impl Drop for KeptDecoder {
        fn drop(&mut self) {
            let most = if self.inflated <= KEPT_MEMORY { KEPT_ADDRESSES } else { KEPT_MEMORY };
            let small = self.decoder.take().filter(|decoder| decoder.sizeof() <= most);
            // A thread that ends keeps nothing.
            let _ = KEPT.try_with(|kept| kept.set(small));
        }
    }

    // As the crate's own decoder, which takes a context only by reference.
    impl Operation for KeptDecoder {
        fn run<C: WriteBuf + ?Sized>(
            &mut self,
            input: &mut InBuffer<'_>,
            output: &mut OutBuffer<'_, C>,
        ) -> io::Result<usize> {
            let before = output.pos();
            let hint = self.decoder()?.decompress_stream(output, input).map_err(broken)?;
            self.inflated = self.inflated.saturating_add(output.pos().saturating_sub(before));
            Ok(hint)
        }

        fn reinit(&mut self) -> io::Result<()> {
            self.decoder()?.reset(ResetDirective::SessionOnly).map_err(broken).map(|_| ())
        }

        fn finish<C: WriteBuf + ?Sized>(
            &mut self,
            _: &mut OutBuffer<'_, C>,
            finished_frame: bool,
        ) -> io::Result<usize> {
            let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "incomplete frame");
            if finished_frame { Ok(0) } else { Err(cut()) }
        }
    }

    /// What zstd returns where it gets no memory: `ZSTD_error_memory_allocation`, as a negative number.
    const NO_MEMORY: usize = 64usize.wrapping_neg();

    fn broken(code: usize) -> io::Error {
        let kind = if code == NO_MEMORY { io::ErrorKind::OutOfMemory } else { io::ErrorKind::Other };
        io::Error::new(kind, zstd_safe::get_error_name(code))
    }

    /// Why a stream was not inflated, in a sentence that begins with `what`.
    fn failed(what: &str, error: io::Error) -> InflateError {
        match error.kind() {
            io::ErrorKind::OutOfMemory => {
                InflateError::OutOfMemory(format!("no memory to inflate it: {error}"))
            }
            _ => InflateError::Broken(format!("{what}: {error}")),
        }
    }

    pub(super) fn stream<'a>(payload: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
        let failed = |error| failed("zstd", error);
        let mut kept = KeptDecoder::take().map_err(failed)?;
        let window = DParameter::WindowLogMax(ZSTD_WINDOW_LOG);
        kept.decoder().and_then(|decoder| decoder.set_parameter(window).map_err(broken)).map_err(failed)?;
        let mut reader = zio::Reader::new(payload, kept);
        reader.set_single_frame();
        Ok(Box::new(reader))
    }

    pub(super) fn fill(payload: &[u8], out: &mut [u8]) -> Result<usize, InflateError> {
        let written =
            KeptDecoder::take().and_then(|mut kept| kept.decoder()?.decompress(out, payload).map_err(broken));
        written.map_err(|error| {
            failed("the compressed stream is broken or larger than its header declares", error)
        })
    }

    /// The blocks of a frame state their sizes.
    pub(super) fn stored_size(payload: &[u8]) -> Result<u64, InflateError> {
        let size = zstd_safe::find_frame_compressed_size(payload);
        size.map(|size| size as u64).map_err(|code| {
            InflateError::Broken(format!("the zstd frame is broken: {}", zstd_safe::get_error_name(code)))
        })
    }
}

#[cfg(all(feature = "ruzstd", any(not(feature = "zstd"), target_family = "wasm")))]
mod zstd {
    use super::super::stream::{self, Read, fill_from};
    use super::InflateError;
    use crate::bytes::le::LeBytes;
    use crate::error::ParseErrorKind;
    use crate::limits::ZSTD_WINDOW_LOG;
    use alloc::borrow::ToOwned;
    use alloc::boxed::Box;
    use alloc::format;
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
    #[cfg(not(feature = "std"))]
    use ruzstd::io::Read as _;

    pub(super) fn stream<'a>(payload: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
        let mut frame = Frame { decoder: FrameDecoder::new(), payload };
        frame.decoder.set_max_window_size(1 << ZSTD_WINDOW_LOG);
        match frame.decoder.init(&mut frame.payload) {
            Ok(()) => Ok(Box::new(frame)),
            Err(_) => Err(InflateError::Broken("zstd: the header of the frame is broken".to_owned())),
        }
    }

    /// A frame being read. The decoder's own stream keeps its errors as they are, whose texts take 20 KB and
    /// more of a small module.
    struct Frame<'a> {
        decoder: FrameDecoder,
        payload: &'a [u8],
    }

    impl Read for Frame<'_> {
        fn read(&mut self, out: &mut [u8]) -> Result<usize, stream::Error> {
            let broken = || stream::error(ParseErrorKind::Malformed, "a block is broken");
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let block = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.payload, block).map_err(|_| broken())?;
            }
            self.decoder.read(out).map_err(|_| broken())
        }
    }

    pub(super) fn fill(payload: &[u8], out: &mut [u8]) -> Result<usize, InflateError> {
        let broken = |e: stream::Error| {
            InflateError::Broken(format!(
                "the compressed stream is broken or larger than its header declares: {e}"
            ))
        };
        fill_from(&mut *stream(payload)?, out).map_err(broken)
    }

    /// Magic, descriptor, window, dictionary and content size; blocks after three bytes each; a checksum.
    /// Source: RFC 8878, 3.1.1.
    pub(super) fn stored_size(payload: &[u8]) -> Result<u64, InflateError> {
        let cut = || InflateError::Broken("the zstd frame is broken: it is cut off".to_owned());
        if !payload.starts_with(&0xfd2f_b528u32.to_le_bytes()) {
            return Err(InflateError::Broken("the zstd frame is broken: it has another magic".to_owned()));
        }
        let descriptor = *payload.get(4).ok_or_else(cut)?;
        let single = descriptor & 0x20 != 0;
        let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or(0);
        let content = match descriptor >> 6 {
            0 => usize::from(single),
            width => 1 << width,
        };
        let mut at = 5 + usize::from(!single) + dictionary + content;
        loop {
            let head = payload.get(at..).and_then(|rest| rest.first_chunk::<3>()).ok_or_else(cut)?;
            let head = LeBytes(&[head[0], head[1], head[2], 0]).u32(0);
            at += 3 + match head >> 1 & 3 {
                1 => 1,
                _ => (head >> 3) as usize,
            };
            if head & 1 != 0 {
                break;
            }
        }
        at += if descriptor & 4 != 0 { 4 } else { 0 };
        if at > payload.len() { Err(cut()) } else { Ok(at as u64) }
    }
}

#[cfg(not(any(feature = "zlib", feature = "miniz")))]
mod zlib {
    use super::super::stream::Read;
    use super::InflateError;
    use alloc::boxed::Box;

    const WHY: &str = "zlib streams are not inflated: built without the feature `zlib`";

    pub(super) fn stream<'a>(_: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }

    pub(super) fn fill(_: &[u8], _: &mut [u8]) -> Result<usize, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }

    pub(super) fn stored_size(_: &[u8], _: u64) -> Result<u64, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }
}

#[cfg(not(any(all(feature = "zstd", not(target_family = "wasm")), feature = "ruzstd")))]
mod zstd {
    use super::super::stream::Read;
    use super::InflateError;
    use alloc::boxed::Box;

    const WHY: &str = "zstd streams are not inflated: built without the feature `zstd`";

    pub(super) fn stream<'a>(_: &'a [u8]) -> Result<Box<dyn Read + 'a>, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }

    pub(super) fn fill(_: &[u8], _: &mut [u8]) -> Result<usize, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }

    pub(super) fn stored_size(_: &[u8]) -> Result<u64, InflateError> {
        Err(InflateError::NotBuiltIn(WHY))
    }
}

#[cfg(test)]
#[cfg(not(any(feature = "zlib", feature = "miniz", feature = "zstd", feature = "ruzstd")))]
mod tests {
    use crate::container;
    use crate::error::ParseErrorKind;
    use crate::format::Format;

    #[test]
    fn what_is_not_built_in_is_found_and_named() {
        for (method, name) in [(0u8, "zlib"), (1, "zstd")] {
            // Version 2: magic, version, method, total, unpacked, hash; then a payload that is never read.
            let mut bytes = b"CCOB\x02\0".to_vec();
            bytes.extend([method, 0, 32, 0, 0, 0, 100, 0, 0, 0]);
            bytes.resize(32, 1);
            let found = container::open(&bytes, Format::CompressedBundle);
            let [bundle] = found.bundles.as_slice() else { panic!("{found:?}") };
            assert_eq!((bundle.offset, bundle.span, bundle.storage.unpacked()), (0, 32, Some(100)));
            let error = bundle.problem.clone().unwrap();
            assert_eq!(error.kind, ParseErrorKind::UnknownMethod);
            assert!(error.what.contains(&format!("built without the feature `{name}`")), "{error}");
            assert_eq!(found.problems.iter().next(), Some(&error));
            assert_eq!(container::find::search_magics(&bytes, 0, &mut Default::default()).0.len(), 1);
        }
    }
}

#[cfg(test)]
#[cfg(feature = "ruzstd")]
#[allow(clippy::indexing_slicing)]
mod ruzstd_tests {
    use crate::codeobject::disassembly::CodeAsk;
    use crate::container::bundle_reader::{self, Depth, Payload};
    use crate::container::{self, compressed};
    use crate::format::Format;
    use std::path::Path;

    #[test]
    fn a_bundle_is_read_without_c_as_it_is_with_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/containers/ccob");
        for version in ["v1", "v2", "v3"] {
            let [zlib, zstd] = ["zlib", "zstd"].map(|method| {
                let bytes = std::fs::read(folder.join(format!("{version}-{method}.co"))).unwrap();
                let found = container::open(&bytes, Format::CompressedBundle);
                assert!(found.problems.is_empty(), "{:?}", found.problems);
                assert_eq!(found.bundles[0].span, bytes.len() as u64);
                let content = bundle_reader::read(
                    &bytes,
                    &found.bundles[0],
                    Depth::Whole,
                    CodeAsk::Nothing,
                    &mut |_, _, _| {},
                );
                let kernels = |payload: &Payload| match payload {
                    Payload::CodeObject(object) => object.kernels.count,
                    _ => 0,
                };
                let counts: Vec<u64> = content.payloads.iter().map(kernels).collect();
                let header = compressed::read_header(&bytes, 0, &mut u64::MAX.clone()).unwrap();
                let content = compressed::Inflated::read(&bytes, 0, &header).unwrap();
                assert_eq!(content.fits(&header), Some(true));
                (counts, content.bytes().to_vec())
            });
            assert_eq!(zlib, zstd, "{version}");
            assert!(zstd.0.iter().sum::<u64>() > 0);
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "zstd", not(target_family = "wasm")))]
mod zstd_tests {
    use super::{Method, fill, stream};
    use std::io::Read;

    #[test]
    fn a_decoder_that_was_left_or_failed_reads_the_next_bundle_as_a_new_one() {
        let plain: Vec<u8> = (0..100_000u32).flat_map(|n| (n.wrapping_mul(n) >> 3).to_le_bytes()).collect();
        let packed = ::zstd::encode_all(plain.as_slice(), 3).unwrap();
        let cut = packed.get(..packed.len() / 2).unwrap();
        let all = |mut stream: Box<dyn Read + '_>| {
            let mut out = Vec::new();
            stream.read_to_end(&mut out).map(|_| out)
        };
        let mut out = vec![0; plain.len()];
        for _ in 0..3 {
            let mut begun = stream(Method::Zstd, &packed).unwrap();
            begun.read_exact(&mut [0; 1000]).unwrap();
            // Two are read at once, and one ends first.
            assert_eq!(all(stream(Method::Zstd, &packed).unwrap()).unwrap(), plain);
            drop(begun);
            assert!(all(stream(Method::Zstd, cut).unwrap()).is_err());
            assert!(fill(Method::Zstd, cut, &mut out).is_err());
            assert!(fill(Method::Zstd, &packed, out.get_mut(1..).unwrap()).is_err());
            assert_eq!(fill(Method::Zstd, &packed, &mut out).unwrap(), plain.len());
            assert_eq!(out, plain);
            assert_eq!(all(stream(Method::Zstd, &packed).unwrap()).unwrap(), plain);
        }
    }
}
