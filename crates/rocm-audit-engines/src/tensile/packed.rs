//! Catalogs as one zlib stream: `TensileLibrary_….dat.zlib`, as hipBLASLt 1.4 and later ship them.
//!
//! Source: `MessagePack.cpp` of hipBLASLt 1.4 (ROCm/rocm-libraries #8294): the stream is that of the
//! unchanged catalog, has to reach its end, and nothing may follow. No library that reads them was there to
//! compare with.
#![deny(clippy::indexing_slicing)]

use rocm_audit_files::error::ParseError;
#[cfg(feature = "engines")]
use rocm_audit_files::limits::{TENSILE_INFLATED_BYTES, TENSILE_INFLATED_FREE, TENSILE_INFLATED_RATIO};
use std::borrow::Cow;

/// What is behind the name of a catalog that is packed so.
pub const EXTENSION: &str = ".zlib";

/// How far catalogs inflate, to reserve memory once.
#[cfg(feature = "engines")]
const USUAL_RATIO: u64 = 32;

/// The catalog that a file holds.
///
/// # Errors
/// Where the stream is broken, ends early, has bytes behind it or inflates to more than this program reads;
/// or where this build cannot inflate.
#[cfg(feature = "engines")]
pub fn inflated(packed: &[u8]) -> Result<Vec<u8>, ParseError> {
    inflated_to(packed, most(packed))
}

/// The same, unless it inflates to more than `bytes` and may: then nothing is kept.
#[cfg(feature = "engines")]
pub fn inflated_within(packed: &[u8], bytes: u64) -> Option<Result<Vec<u8>, ParseError>> {
    use rocm_audit_files::error::ParseErrorKind;
    let read = inflated_to(packed, bytes.min(most(packed)));
    let is_larger = |error: &ParseError| error.kind() == ParseErrorKind::InflatesTooFar;
    Some(read).filter(|read| bytes >= most(packed) || !read.as_ref().is_err_and(is_larger))
}

/// Most bytes to which a stream may inflate.
#[cfg(feature = "engines")]
pub fn most(packed: &[u8]) -> u64 {
    let believed = (packed.len() as u64).saturating_mul(TENSILE_INFLATED_RATIO).max(TENSILE_INFLATED_FREE);
    believed.min(TENSILE_INFLATED_BYTES)
}

#[cfg(feature = "engines")]
fn inflated_to(packed: &[u8], most: u64) -> Result<Vec<u8>, ParseError> {
    use flate2::{Decompress, FlushDecompress, Status};
    use rocm_audit_files::error::ParseErrorKind;
    let broken = |at: u64, what: &str, kind| {
        ParseError::new(at, format!("the zlib stream is broken: {what}")).of_kind(kind)
    };
    let mut decoder = Decompress::new(true);
    // Real catalogs inflate by 20; what is reserved too much is never touched.
    let first = (packed.len() as u64).saturating_mul(USUAL_RATIO).min(most);
    let mut catalog = Vec::with_capacity(usize::try_from(first).unwrap_or_default() + 1);
    loop {
        let rest =
            usize::try_from(decoder.total_in()).ok().and_then(|at| packed.get(at..)).unwrap_or_default();
        let status = decoder.decompress_vec(rest, &mut catalog, FlushDecompress::None);
        let status = status
            .map_err(|error| broken(decoder.total_in(), &error.to_string(), ParseErrorKind::Malformed))?;
        if catalog.len() as u64 > most {
            let what = format!("a zlib stream of {} bytes that inflates to more than {most}", packed.len());
            return Err(ParseError::new(0, what).of_kind(ParseErrorKind::InflatesTooFar));
        }
        if status == Status::StreamEnd {
            break;
        }
        if catalog.len() < catalog.capacity() {
            return Err(broken(decoder.total_in(), "it has no end", ParseErrorKind::CutEnd));
        }
        // One byte beyond the most tells that there is more.
        let more = (most + 1).saturating_sub(catalog.len() as u64).min(catalog.len() as u64);
        catalog.reserve_exact(usize::try_from(more).unwrap_or_default().max(1));
    }
    let at = decoder.total_in();
    if at != packed.len() as u64 {
        let what = "bytes behind the zlib stream, which its library refuses";
        return Err(ParseError::new(at, what));
    }
    Ok(catalog)
}

/// The catalog that a file of this name holds: its bytes, or what the zlib stream of them is. Nothing where
/// that is broken.
pub(super) fn content<'f>(name: &str, bytes: &'f [u8]) -> Option<Cow<'f, [u8]>> {
    if !name.ends_with(EXTENSION) {
        return Some(Cow::Borrowed(bytes));
    }
    inflated(bytes).ok().map(Cow::Owned)
}

/// In a build without zlib nothing can be inflated.
#[cfg(not(feature = "engines"))]
pub fn inflated_within(packed: &[u8], _: u64) -> Option<Result<Vec<u8>, ParseError>> {
    Some(inflated(packed))
}

/// Nothing, in a build without zlib.
#[cfg(not(feature = "engines"))]
pub fn most(_: &[u8]) -> u64 {
    0
}

/// In a build without zlib nothing can be inflated.
#[cfg(not(feature = "engines"))]
pub fn inflated(_: &[u8]) -> Result<Vec<u8>, ParseError> {
    let what = "a catalog as a zlib stream, which a build without the feature `engines` cannot read";
    Err(ParseError::new(0, what).of_kind(rocm_audit_files::error::ParseErrorKind::UnknownMethod))
}

#[cfg(all(test, feature = "engines"))]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_stream_has_to_be_whole_and_alone() {
        let content = b"\x82\xa9solutions\x90\xa7library\xc0".repeat(50);
        let stream = packed(&content);
        assert_eq!(inflated(&stream).unwrap(), content);
        assert!(inflated_within(&stream, content.len() as u64 - 1).is_none());
        assert_eq!(inflated_within(&stream, content.len() as u64).unwrap().unwrap(), content);
        // What is refused anyway is no reason to try again with more.
        let bomb = packed(&vec![0; TENSILE_INFLATED_FREE as usize + 1]);
        assert!(inflated_within(&bomb, TENSILE_INFLATED_FREE - 1).is_none());
        assert!(inflated_within(&bomb, TENSILE_INFLATED_BYTES).unwrap().is_err());
        for end in 0..stream.len() {
            assert!(inflated(&stream[..end]).is_err(), "cut at {end}");
        }
        let mut behind = stream.clone();
        behind.push(0);
        assert_eq!(inflated(&behind).unwrap_err().offset(), stream.len() as u64);
        // A second stream is nothing that the library goes on to.
        assert!(inflated(&[stream.clone(), stream.clone()].concat()).is_err());
        // The check sum stands at the end.
        let mut wrong = stream;
        *wrong.last_mut().unwrap() ^= 1;
        assert!(inflated(&wrong).is_err());
    }
}
