//! Compressed offload bundles, `CCOB` versions 1 to 3: a small header, then one zlib or zstd stream that
//! contains a plain bundle.
//!
//! Source: clang's ClangOffloadBundler documentation and llvm/Object/OffloadBundle.h; [`read_header`] has the
//! layouts of all three versions. The payload is never searched for a magic: `CCOB` occurs in compressed
//! bytes by chance (llvm-project 205587).
#![deny(clippy::indexing_slicing)]

use super::found::FoundContainer;
pub use super::method::Method;
use super::{Bundle, BundleForm, Storage, StorageKind, bundle, inflate};
use crate::budget::ObjectBudget;
use crate::bytes::le::LeBytes;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::format::Format;
use crate::limits::{UNPACKED_BYTES, UNPACKED_RATIO};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
pub use inflated::Inflated;
pub use unpacked::Unpacked;

mod inflated;
mod unpacked;

pub use crate::format::COMPRESSED_BUNDLE_MAGIC as MAGIC;

/// How compressed bundles are found and read.
pub(super) static FORM: BundleForm = BundleForm {
    format: Format::CompressedBundle,
    magic: MAGIC,
    is_plausible,
    read: |bytes, base, budget| {
        let packed = read_header(bytes, base, &mut budget.measured)?;
        let (kind, version) = (StorageKind::Compressed, Some(u32::from(packed.version)));
        let mut found = Bundle {
            span: packed.total,
            storage: Storage { kind, version, packed: Some(packed) },
            header_size: packed.header_size,
            ..Bundle::bare(base)
        };
        match unpack_header(bytes, base, &packed, budget) {
            Ok(header) => found.entries = header.entries,
            Err(error) => found.problem = Some(error),
        }
        Ok(FoundContainer::one(found))
    },
    in_images: true,
};

answer! {
    /// The header of a compressed bundle.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Header {
        /// 1, 2 or 3.
        copy version: u16,
        /// Compression method.
        copy method: Method,
        /// Size of the header itself: 20, 24 or 32 bytes.
        copy header_size: u64,
        /// Size of header and payload in bytes. Version 1 does not store it, so it is measured.
        copy total: u64,
        /// Size of the inflated bundle in bytes.
        copy unpacked: u64,
        /// First eight bytes of the inflated bundle's MD5, little-endian; `None` for a frame without a
        /// header.
        copy hash: Option<u64>,
    }
}

impl Header {
    /// The header for a zstd frame of `stored` bytes that has none.
    pub(crate) fn of_frame(stored: u64, unpacked: u64) -> Self {
        Header { version: 0, method: Method::Zstd, header_size: 0, total: stored, unpacked, hash: None }
    }

    /// The payload of the compressed bundle at the beginning of `bytes`.
    fn payload<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes.get(self.header_size as usize..self.total as usize).unwrap_or_default()
    }
}

/// Reads the header of the compressed bundle at the beginning of `bytes`, and checks that its payload exists.
///
/// | offset | version 1 | version 2 | version 3 |
/// |---|---|---|---|
/// | 4 | u16 version, u16 method | same | same |
/// | 8 | u32 unpacked | u32 total | u64 total |
/// | 12 | u64 hash | u32 unpacked | |
/// | 16 | payload at 20 | u64 hash, payload at 24 | u64 unpacked |
/// | 24 | | | u64 hash, payload at 32 |
///
/// The end of a version 1 zlib stream is known only after inflating it; these bytes are subtracted from
/// `measured`.
///
/// # Errors
/// With the offset of the malformed field.
pub fn read_header(bytes: &[u8], base: u64, measured: &mut u64) -> Parsed<Header> {
    let bad = |offset: u64, what: String| ParseError::new(base + offset, what);
    let short = || {
        let what = format!("the header of the compressed bundle ends after {} bytes", bytes.len());
        bad(0, what).of_kind(ParseErrorKind::CutEnd)
    };
    let fields = LeBytes(bytes);
    let u32_at = |at: usize| fields.get_u32(at).map(u64::from);
    if !bytes.starts_with(MAGIC) {
        return Err(bad(0, "expected the magic of a compressed bundle, CCOB".into()));
    }
    let version = fields.get_u16(4).ok_or_else(short)?;
    let method = match fields.get_u16(6).ok_or_else(short)? {
        0 => Method::Zlib,
        1 => Method::Zstd,
        other => {
            let what = format!("compression method {other} is unknown; 0 (zlib) and 1 (zstd) are expected");
            return Err(bad(6, what).of_kind(ParseErrorKind::UnknownMethod));
        }
    };
    let (header_size, total, unpacked, hash) = match version {
        1 => (20, None, u32_at(8), fields.get_u64(12)),
        2 => (24, Some(u32_at(8)), u32_at(12), fields.get_u64(16)),
        3 => (32, Some(fields.get_u64(8)), fields.get_u64(16), fields.get_u64(24)),
        other => {
            return Err(bad(
                4,
                format!("version {other} of the compressed bundle is unknown; 1 to 3 are expected"),
            ));
        }
    };
    let unpacked = unpacked.ok_or_else(short)?;
    let hash = hash.ok_or_else(short)?;
    let believed =
        |stored: u64| match unpacked > UNPACKED_BYTES || unpacked > stored.saturating_mul(UNPACKED_RATIO) {
            true => {
                let what =
                    format!("{stored} stored bytes are said to inflate to {unpacked}, which is not believed");
                Err(bad(8, what).of_kind(ParseErrorKind::InflatesTooFar))
            }
            false => Ok(()),
        };
    let available = bytes.len() as u64;
    let total = match total {
        Some(total) => total.ok_or_else(short)?,
        None => {
            let payload = bytes.get(header_size as usize..).unwrap_or_default();
            believed(available)?;
            let left = measured.checked_sub(unpacked);
            // The budget is then used up, so that later bundles are not tried either.
            *measured = left.unwrap_or_default();
            left.ok_or_else(|| {
                bad(8, "too many bundles of version 1 to find their ends".into())
                    .of_kind(ParseErrorKind::WorkLimit)
            })?;
            let stored = inflate::stored_size(method, payload, unpacked);
            header_size + stored.map_err(|error| error.at(base + header_size))?
        }
    };
    if total < header_size || total > available {
        let what = format!(
            "the compressed bundle is said to be {total} bytes long; {header_size} to {available} are possible here"
        );
        let error = bad(8, what);
        return Err(if total > available { error.of_kind(ParseErrorKind::CutEnd) } else { error });
    }
    believed(total)?;
    Ok(Header { version, method, header_size, total, unpacked, hash: Some(hash) })
}

/// Inflates just enough of a compressed bundle to read its header table.
fn unpack_header(
    bytes: &[u8],
    base: u64,
    packed: &Header,
    budget: &mut ObjectBudget,
) -> Parsed<bundle::Header> {
    let mut stream = Unpacked::open(bytes, base, packed, false, 0)?;
    let mut head = Vec::new();
    let mut step = 4096;
    loop {
        budget.work(base, step.min(packed.unpacked))?;
        stream.read_onto(&mut head, step)?;
        match bundle::read_header(&head, 0, packed.unpacked) {
            Ok(header) => return Ok(header),
            Err(bundle::UnreadHeader::Malformed(error)) => return Err(error.in_unpacked()),
            Err(bundle::UnreadHeader::Short) if (head.len() as u64) < packed.unpacked => {
                step = head.len() as u64
            }
            Err(bundle::UnreadHeader::Short) => {
                return Err(ParseError::new(0, "the header table of the bundle reaches beyond its end")
                    .of_kind(ParseErrorKind::CutEnd)
                    .in_unpacked());
            }
        }
    }
}

/// Whether bytes begin like a compressed bundle: magic, a known version and method.
pub fn is_plausible(bytes: &[u8]) -> bool {
    matches!(bytes, [b'C', b'C', b'O', b'B', 1..=3, 0, 0 | 1, 0, ..])
}

#[cfg(test)]
#[cfg(all(feature = "md5", feature = "zlib", feature = "zstd"))]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::codeobject::disassembly::CodeAsk;
    use crate::container;
    use crate::container::bundle_reader::{self, Depth};
    use md5::Digest as _;
    use std::io::Write;

    fn pack(version: u16, method: Method, plain: &[u8]) -> Vec<u8> {
        let payload = match method {
            Method::Zstd => zstd::encode_all(plain, 3).unwrap(),
            Method::Zlib => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(plain).unwrap();
                encoder.finish().unwrap()
            }
        };
        let hash = u64::from_le_bytes(*md5::Md5::digest(plain).first_chunk().unwrap());
        let mut out = MAGIC.to_vec();
        out.extend(version.to_le_bytes());
        out.extend(u16::from(method == Method::Zstd).to_le_bytes());
        let (plain_size, payload_size) = (plain.len() as u32, payload.len() as u32);
        match version {
            1 => out.extend(plain_size.to_le_bytes()),
            2 => {
                out.extend((payload_size + 24).to_le_bytes());
                out.extend(plain_size.to_le_bytes());
            }
            _ => {
                out.extend(u64::from(payload_size + 32).to_le_bytes());
                out.extend(u64::from(plain_size).to_le_bytes());
            }
        }
        out.extend(hash.to_le_bytes());
        out.extend(payload);
        out
    }

    fn unpack(bytes: &[u8]) -> Parsed<(Vec<u8>, Option<bool>)> {
        let header = read_header(bytes, 0, &mut (1 << 40))?;
        let at_once = Inflated::read(bytes, 0, &header).map(|all| (all.bytes().to_vec(), all.fits(&header)));
        let streamed = stream(bytes, &header);
        assert_eq!(at_once.clone().ok(), streamed.clone().ok(), "both ways of reading agree");
        streamed
    }

    fn stream(bytes: &[u8], header: &Header) -> Parsed<(Vec<u8>, Option<bool>)> {
        let mut stream = Unpacked::open(bytes, 0, header, true, 1 << 20)?;
        let mut out = Vec::new();
        stream.read_onto(&mut out, u64::MAX)?;
        Ok((out, stream.finish()?))
    }

    #[test]
    fn all_versions_and_methods_unpack_and_verify() {
        let plain: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        for version in 1..=3 {
            for method in [Method::Zlib, Method::Zstd] {
                let mut bytes = pack(version, method, &plain);
                let stored = bytes.len() as u64;
                bytes.extend([0; 100]);
                let header = read_header(&bytes, 0, &mut (1 << 40)).unwrap();
                assert_eq!((header.version, header.method, header.total), (version, method, stored));
                assert_eq!(unpack(&bytes).unwrap(), (plain.clone(), Some(true)));
            }
        }
    }

    #[test]
    fn a_large_bundle_is_hashed_beside_the_reading_of_its_entries() {
        let mut plain = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        let (id, size) = (b"hip-amdgcn-amd-amdhsa--gfx900", 1u64 << 20);
        for number in [1, 128, size, id.len() as u64] {
            plain.extend(number.to_le_bytes());
        }
        plain.extend(id);
        plain.resize(128, 0);
        plain.extend((0..1u32 << 18).flat_map(u32::to_le_bytes));
        let good = pack(2, Method::Zstd, &plain);
        let mut wrong = good.clone();
        wrong[16] ^= 1;
        for (bytes, expected) in [(good, true), (wrong, false)] {
            let found = container::open(&bytes, Format::CompressedBundle);
            let ask = (Depth::Whole, CodeAsk::Nothing);
            let content = bundle_reader::read(&bytes, &found.bundles[0], ask.0, ask.1, &mut |_, _, _| {});
            assert_eq!(content.hash_fits, Some(expected));
            let kinds: Vec<ParseErrorKind> = content.problems.iter().map(|problem| problem.kind).collect();
            assert_eq!(kinds.contains(&ParseErrorKind::WrongHash), !expected, "{kinds:?}");
        }
    }

    #[test]
    fn lies_are_found() {
        let plain = vec![1u8; 10_000];
        let good = pack(2, Method::Zstd, &plain);
        let mut wrong_hash = good.clone();
        wrong_hash[16] ^= 1;
        assert_eq!(unpack(&wrong_hash).unwrap().1, Some(false));
        let mut too_small = good.clone();
        too_small[12..16].copy_from_slice(&9_999u32.to_le_bytes());
        assert!(unpack(&too_small).unwrap_err().what.contains("goes on beyond"));
        let mut too_large = good.clone();
        too_large[12..16].copy_from_slice(&10_001u32.to_le_bytes());
        assert!(unpack(&too_large).unwrap_err().what.contains("ends after 10000"));
        let mut bomb = good.clone();
        bomb[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(unpack(&bomb).unwrap_err().what.contains("not believed"));
        for end in 0..good.len() {
            assert!(unpack(&good[..end]).is_err());
        }
    }
}
