//! LZMA and what is made of it, by the C library.
#![deny(clippy::indexing_slicing)]

use super::stream::{Codec, Packed};
use crate::limits::{XZ_MEMORY, XZ_SMALL_MEMORY};
use liblzma::bufread::XzDecoder;
use liblzma::stream::{Filters, MtStreamBuilder, Stream};
use std::io::{self, BufReader, Read};

/// A decoder of one stream.
pub(super) type Decoder<'a> = XzDecoder<Packed<'a>>;

/// The threaded decoder: `xz -T` and dpkg write blocks that can be inflated side by side.
pub(super) fn xz(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    let stop = Codec::Xz.memory(bytes.rest);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(4) as u32);
    let mut builder = MtStreamBuilder::new();
    builder.threads(threads).memlimit_stop(stop).memlimit_threading(stop.min(XZ_MEMORY.1));
    Ok(XzDecoder::new_stream(bytes, builder.decoder()?))
}

/// One that takes little memory, for members.
pub(super) fn small_xz(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    Ok(XzDecoder::new_stream(bytes, Stream::new_stream_decoder(XZ_SMALL_MEMORY, 0)?))
}

/// The decoder of an .lzma file, in as much memory as its dictionary may take.
pub(super) fn lzma(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    let stream = Stream::new_lzma_decoder(Codec::Lzma.memory(bytes.rest))?;
    Ok(XzDecoder::new_stream(bytes, stream))
}

/// The same in little memory.
pub(super) fn small_lzma(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    Ok(XzDecoder::new_stream(bytes, Stream::new_lzma_decoder(XZ_SMALL_MEMORY)?))
}

pub(super) fn lzip(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    Ok(XzDecoder::new_stream(bytes, Stream::new_lzip_decoder(XZ_SMALL_MEMORY, 0)?))
}

/// LZMA whose header, that of an .lzma file, stands apart from it.
pub(super) fn with_header<'a>(header: Vec<u8>, bytes: Packed<'a>) -> io::Result<impl Read + Send + 'a> {
    let both = BufReader::new(io::Cursor::new(header).chain(bytes));
    Ok(XzDecoder::new_stream(both, Stream::new_lzma_decoder(XZ_SMALL_MEMORY)?))
}

/// LZMA without a header; the properties are checked.
pub(super) fn raw_lzma<'a>(
    input: Box<dyn Read + Send + 'a>,
    properties: &[u8],
    _size: u64,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    raw(input, Filters::new().lzma1_properties(properties))
}

/// The same of LZMA2.
pub(super) fn raw_lzma2<'a>(
    input: Box<dyn Read + Send + 'a>,
    properties: &[u8],
) -> io::Result<Box<dyn Read + Send + 'a>> {
    raw(input, Filters::new().lzma2_properties(properties))
}

fn raw<'a>(
    input: Box<dyn Read + Send + 'a>,
    filters: Result<&mut Filters, liblzma::stream::Error>,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(Box::new(XzDecoder::new_stream(BufReader::new(input), Stream::new_raw_decoder(filters?)?)))
}
