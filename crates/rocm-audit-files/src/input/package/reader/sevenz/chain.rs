//! How one stream of a 7z archive is unpacked: its coders, one behind the other.

use super::super::first_error::FirstError;
use super::super::lzma;
#[cfg(not(target_family = "wasm"))]
use super::super::stream::zstd_frames;
use super::BASE;
use super::header::{Coder, Stream, Streams};
use crate::limits::XZ_MEMORY;
use amdgpu_object::bytes::le::{LeBytes, range};
use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::bcj2::Bcj2Reader;
use lzma_rust2::filter::delta::DeltaReader;
use std::io::{self, BufReader, Read};

type Stage<'a> = Box<dyn Read + Send + 'a>;

/// Opens a stream of the archive that `bytes` are.
///
/// # Errors
/// Where a coder is not known, needs a key, or takes more memory than is given.
pub(super) fn open<'a>(bytes: &'a [u8], streams: &Streams, stream: &Stream) -> io::Result<Stage<'a>> {
    output(bytes, streams, stream, stream.last, &mut Memory(XZ_MEMORY.0))
}

/// Memory that the coders of one stream may still take together, in bytes.
struct Memory(u64);

impl Memory {
    fn take(&mut self, dictionary: u64) -> io::Result<()> {
        match self.0.checked_sub(dictionary) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => {
                let what = format!(
                    "its dictionary has {} MiB; those of all its coders may have {}",
                    dictionary >> 20,
                    XZ_MEMORY.0 >> 20
                );
                Err(io::Error::new(io::ErrorKind::QuotaExceeded, what))
            }
        }
    }
}

fn output<'a>(
    bytes: &'a [u8],
    streams: &Streams,
    stream: &Stream,
    number: usize,
    memory: &mut Memory,
) -> io::Result<Stage<'a>> {
    // No output is taken twice, and the last is taken by none: the coders are a tree.
    let coder = stream.coders.get(number).ok_or_else(|| bad("a coder is missing"))?;
    let size = stream.sizes.get(number).copied().unwrap_or(0);
    let (first, count) = coder.inputs;
    let mut inputs = Vec::new();
    for input in first..first + count {
        let bound = stream.binds.iter().find(|(bound, _)| *bound == input);
        let packed = stream.packed.iter().find(|(own, _)| *own == input);
        inputs.push(match (bound, packed) {
            (Some((_, output_of)), _) => output(bytes, streams, stream, *output_of, memory)?,
            (None, Some((_, number))) => Box::new(packed_bytes(bytes, streams, *number)?),
            (None, None) => return Err(bad("a coder has an input that nothing feeds")),
        });
    }
    let stage = decode(coder, inputs, size, memory)?;
    Ok(Box::new(stage.take(size)))
}

fn packed_bytes<'a>(bytes: &'a [u8], streams: &Streams, number: usize) -> io::Result<&'a [u8]> {
    let (at, size) = streams.packs.get(number).copied().unwrap_or_default();
    range(bytes, BASE.saturating_add(at), size).ok_or_else(|| {
        let what = "its packed bytes reach beyond the archive: it is cut off, or one of several volumes";
        io::Error::new(io::ErrorKind::UnexpectedEof, what)
    })
}

fn decode<'a>(
    coder: &Coder,
    mut inputs: Vec<Stage<'a>>,
    size: u64,
    memory: &mut Memory,
) -> io::Result<Stage<'a>> {
    const BCJ2: u64 = 0x0303_011b;
    if coder.method == BCJ2 {
        if inputs.len() != 4 {
            return Err(bad("BCJ2 has four inputs"));
        }
        return Ok(Box::new(Bcj2Reader::new(inputs, size)));
    }
    let input =
        inputs.pop().filter(|_| inputs.is_empty()).ok_or_else(|| bad("a coder has several inputs"))?;
    let decoder: Stage<'_> = match coder.method {
        0 => return Ok(input),
        0x21 => lzma::raw_lzma2(input, &lzma2_properties(&coder.properties, size, memory)?)?,
        0x03_01_01 => lzma::raw_lzma(input, &lzma1_properties(&coder.properties, size, memory)?, size)?,
        3 => {
            let distance = coder.properties.first().map_or(1, |byte| usize::from(*byte) + 1);
            Box::new(DeltaReader::new(input, distance))
        }
        4 | 0x0303_0103 => Box::new(BcjReader::new_x86(input, 0)),
        5 | 0x0303_0205 => Box::new(BcjReader::new_ppc(input, 0)),
        7 | 0x0303_0501 => Box::new(BcjReader::new_arm(input, 0)),
        8 | 0x0303_0701 => Box::new(BcjReader::new_arm_thumb(input, 0)),
        0xa => Box::new(BcjReader::new_arm64(input, 0)),
        0x04_01_08 => Box::new(flate2::bufread::DeflateDecoder::new(BufReader::new(input))),
        0x04_01_09 => Box::new(deflate64::Deflate64Decoder::new(input)),
        0x04_02_02 => Box::new(bzip2::bufread::MultiBzDecoder::new(BufReader::new(input))),
        #[cfg(not(target_family = "wasm"))]
        0x04f7_1101 => {
            memory.take(1 << crate::limits::ZSTD_WINDOW_LOG)?;
            zstd_frames(BufReader::new(input), crate::limits::ZSTD_WINDOW_LOG)?
        }
        0x06f1_0701 => return Err(io::Error::new(io::ErrorKind::PermissionDenied, "is encrypted")),
        other => {
            let name = METHODS.iter().find(|(method, _)| *method == other).map_or("", |(_, name)| name);
            let what = format!("is packed by method {other:x}{name}, which is not read");
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
    };
    Ok(Box::new(FirstError::from_decoder(decoder)))
}

/// Names of methods that are known and not read.
const METHODS: [(u64, &str); 5] = [
    (0x03_04_01, " (PPMd)"),
    (0x04f7_1101, " (zstd)"),
    (0x04f7_1102, " (Brotli)"),
    (0x04f7_1104, " (lz4)"),
    (0x0b, " (a filter for RISC-V)"),
];

/// The properties of LZMA with a dictionary no larger than what is unpacked: more is never looked at.
fn lzma1_properties(properties: &[u8], size: u64, memory: &mut Memory) -> io::Result<Vec<u8>> {
    let mut own = properties.to_vec();
    let dictionary = u64::from(LeBytes(properties).u32(1)).min(size.max(4096));
    let field = own.get_mut(1..5).ok_or_else(|| bad("the properties of LZMA are cut off"))?;
    field.copy_from_slice(&u32::try_from(dictionary).unwrap_or(u32::MAX).to_le_bytes());
    memory.take(dictionary)?;
    Ok(own)
}

/// The same of LZMA2: one byte, for 2 or 3 by powers of two.
fn lzma2_properties(properties: &[u8], size: u64, memory: &mut Memory) -> io::Result<Vec<u8>> {
    let asked = properties.first().copied().unwrap_or(0).min(40);
    let dictionary = |byte: u8| (2 | u64::from(byte & 1)) << (byte / 2 + 11);
    let enough = (0..=asked).find(|byte| dictionary(*byte) >= size.max(4096)).unwrap_or(asked);
    memory.take(dictionary(enough))?;
    Ok(vec![enough])
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
#[cfg(not(target_family = "wasm"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zstd::stream::raw::CParameter::WindowLog;

    fn unpacked(window: u32) -> io::Result<Vec<u8>> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.set_parameter(WindowLog(window)).unwrap();
        encoder.write_all(b"kernels").unwrap();
        let frame = encoder.finish().unwrap();
        let coder = Coder { method: 0x04f7_1101, properties: Vec::new(), inputs: (0, 1) };
        let input: Stage<'_> = Box::new(&*frame);
        let mut bytes = Vec::new();
        decode(&coder, vec![input], 7, &mut Memory(XZ_MEMORY.0))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn a_zstd_window_beyond_what_is_given_is_no_damage() {
        assert_eq!(unpacked(20).unwrap(), b"kernels");
        let refused = unpacked(crate::limits::ZSTD_WINDOW_LOG + 1).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::QuotaExceeded, "{refused}");
    }
}
