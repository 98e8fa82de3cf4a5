//! LZMA and what is made of it, in Rust, for WebAssembly: in place of the C library.
#![deny(clippy::indexing_slicing)]

use super::stream::{Codec, OneStream, Packed};
use crate::limits::XZ_SMALL_MEMORY;
use amdgpu_object::bytes::le::LeBytes;
use lzma_rust2::{LzipReader, Lzma2Reader, LzmaReader, XzReader};
use std::io::{self, BufReader, Read};

/// A decoder of one stream; of lzip, of all that follow each other.
pub(super) enum Decoder<'a> {
    Xz(XzReader<Packed<'a>>),
    Lzma(LzmaReader<Packed<'a>>),
    Lzip(LzipReader<Packed<'a>>),
}

impl Read for Decoder<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Xz(decoder) => decoder.read(out),
            Decoder::Lzma(decoder) => decoder.read(out),
            Decoder::Lzip(decoder) => decoder.read(out),
        }
    }
}

impl<'a> OneStream<'a> for Decoder<'a> {
    fn rest(&self) -> &Packed<'a> {
        match self {
            Decoder::Xz(decoder) => decoder.inner(),
            Decoder::Lzma(decoder) => decoder.inner(),
            Decoder::Lzip(decoder) => decoder.inner(),
        }
    }
}

pub(super) fn xz(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    within(Codec::asked_of_xz(bytes.rest), Codec::Xz.memory(bytes.rest))?;
    Ok(Decoder::Xz(XzReader::new(bytes, false)))
}

/// One that takes little memory, for members.
pub(super) fn small_xz(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    within(Codec::asked_of_xz(bytes.rest), XZ_SMALL_MEMORY)?;
    Ok(Decoder::Xz(XzReader::new(bytes, false)))
}

/// The decoder of an .lzma file, in as much memory as its dictionary may take.
pub(super) fn lzma(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    let limit = Codec::Lzma.memory(bytes.rest);
    Ok(Decoder::Lzma(LzmaReader::new_mem_limit(bytes, kib(limit), None)?))
}

/// The same in little memory.
pub(super) fn small_lzma(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    Ok(Decoder::Lzma(LzmaReader::new_mem_limit(bytes, kib(XZ_SMALL_MEMORY), None)?))
}

pub(super) fn lzip(bytes: Packed<'_>) -> io::Result<Decoder<'_>> {
    Ok(Decoder::Lzip(LzipReader::new(bytes)))
}

/// LZMA whose header, that of an .lzma file, stands apart from it.
pub(super) fn with_header<'a>(header: Vec<u8>, bytes: Packed<'a>) -> io::Result<impl Read + Send + 'a> {
    let both = BufReader::new(io::Cursor::new(header).chain(bytes));
    Ok(LzmaReader::new_mem_limit(both, kib(XZ_SMALL_MEMORY), None)?)
}

/// LZMA without a header; the properties are checked.
pub(super) fn raw_lzma<'a>(
    input: Box<dyn Read + Send + 'a>,
    properties: &[u8],
    size: u64,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let (first, dictionary) = (properties.first().copied().unwrap_or(0), LeBytes(properties).u32(1));
    Ok(Box::new(LzmaReader::new_with_props(BufReader::new(input), size, first, dictionary, None)?))
}

/// The same of LZMA2.
pub(super) fn raw_lzma2<'a>(
    input: Box<dyn Read + Send + 'a>,
    properties: &[u8],
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let byte = properties.first().copied().unwrap_or(0).min(39);
    let dictionary = (2 | u32::from(byte & 1)) << (byte / 2 + 11);
    Ok(Box::new(Lzma2Reader::new(BufReader::new(input), dictionary, None)))
}

fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes >> 10).unwrap_or(u32::MAX)
}

fn within(asked: u64, given: u64) -> io::Result<()> {
    if asked <= given {
        return Ok(());
    }
    let what = format!("it takes {} MiB to unpack; {} are given", asked >> 20, given >> 20);
    Err(io::Error::new(io::ErrorKind::QuotaExceeded, what))
}
