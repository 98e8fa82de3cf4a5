//! zstd in Rust, for WebAssembly: in place of the C library.
#![deny(clippy::indexing_slicing)]

use super::stream::Packed;
use amdgpu_object::bytes::le::LeBytes;
use ruzstd::decoding::StreamingDecoder;
use std::io::{self, Read};

/// Frames one behind the other, with windows up to a power of two.
pub(super) fn frames<'a>(bytes: Packed<'a>, window: u32) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(Box::new(Frames { decoder: None, rest: bytes, window: 1 << window }))
}

type Decoder<'a> = StreamingDecoder<Packed<'a>, ruzstd::decoding::FrameDecoder>;

struct Frames<'a> {
    decoder: Option<Decoder<'a>>,
    /// What is behind the frame that was read last.
    rest: Packed<'a>,
    window: u64,
}

impl Frames<'_> {
    /// Begins the next frame; false at the end. Skips frames for others (RFC 8878, 3.1.2).
    fn begin(&mut self) -> io::Result<bool> {
        while let Some(0x184d_2a50..=0x184d_2a5f) = self.rest.rest.get(..4).map(|magic| LeBytes(magic).u32(0))
        {
            let size = self.rest.rest.get(4..8).map_or(0, |size| LeBytes(size).u32(0)) as usize;
            self.rest.rest = self.rest.rest.get(8..).and_then(|rest| rest.get(size..)).unwrap_or_default();
        }
        if self.rest.rest.is_empty() {
            return Ok(false);
        }
        let decoder = StreamingDecoder::new_with_max_window_size(self.rest.clone(), self.window);
        self.decoder = Some(decoder.map_err(|error| broken(&error.to_string()))?);
        Ok(true)
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.is_none() && !self.begin()? {
                return Ok(0);
            }
            let Some(decoder) = &mut self.decoder else { return Ok(0) };
            let read = decoder.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let frame = &decoder.decoder;
            let stated = frame.get_checksum_from_data();
            if stated.is_some() && stated != frame.get_calculated_checksum() {
                return Err(broken("the checksum of a zstd frame is not what it says"));
            }
            self.rest = decoder.get_ref().clone();
            self.decoder = None;
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
