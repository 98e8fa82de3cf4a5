//! Entries of the caches in which HotSwap keeps code objects that it has translated for another GPU.
//!
//! The HSA runtime has `SALT/KEY.co`, each 16 hexadecimal digits: a header of 32 bytes (`HSHOTSW2`, u32
//! version 1, u32 reserved, u64 salt, u64 size) and the code object. comgr has `KK/KEY.hsaco`, 64 digits
//! behind their first two, beside `KEY.json`, which names the kernels that are in it. Sources: ROCr's
//! `hotswap.cpp` and comgr's `translation_cache.cpp` (ROCm/rocm-systems #10037).
#![deny(clippy::indexing_slicing)]

use crate::bytes::le::LeBytes;
use crate::error::{ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::format::Format;
use crate::inventory::ArtifactKind;
use crate::inventory::DeviceCode;
use crate::inventory::cache_file::is_of_hotswap;
use crate::inventory::kernel_manifest::{KernelManifest, ManifestOf, ManifestRow};
use crate::limits::{MANIFEST_ROWS, TEXT_BYTES};
use crate::scan::device_code::{Blob, read_blob};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use serde_json::Value;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "hotswap-cache",
    of_text: false,
    finds: "code objects that HotSwap has translated for another GPU and kept",
    claims: |candidate| {
        is_of_hotswap(candidate.path)
            && (candidate.format == Format::Other || candidate.name.ends_with(".json"))
    },
    scan,
};

const MAGIC: &[u8; 8] = b"HSHOTSW2";

/// Bytes of the header before a code object.
const HEADER_BYTES: usize = 32;

/// The version of the header that is read.
const VERSION: u32 = 1;

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    if candidate.name.ends_with(".json") {
        return Scanned { manifest: manifest(candidate).map(Box::new), ..Scanned::default() };
    }
    let bytes = candidate.file.bytes();
    if !bytes.starts_with(MAGIC) {
        return Scanned::default();
    }
    let code = match code_object(bytes) {
        Ok(code) => code,
        Err(error) => {
            return Scanned {
                findings: vec![Finding::of_bytes(candidate.shown, error)],
                ..Scanned::default()
            };
        }
    };
    let at = candidate.file.locator().range(HEADER_BYTES as u64, code.len() as u64);
    let part = read_blob(candidate, settings, None, &Blob { bytes: code, index: 0, at, held: false });
    let problems = part.problems.map(|error| {
        ParseError::new(error.offset() + HEADER_BYTES as u64, error.what().to_owned()).of_kind(error.kind())
    });
    rows(part.rows);
    let device = DeviceCode { format: Some(candidate.format), ..part.code };
    Scanned {
        device: Some(device),
        details: part.details,
        findings: Finding::all_of_bytes(candidate.shown, &problems),
        ..Scanned::from_kind(ArtifactKind::DeviceCode)
    }
}

/// The code object behind the header.
fn code_object(bytes: &[u8]) -> Result<&[u8], ParseError> {
    let fields = LeBytes(bytes);
    let cut = |at: u64, what: String| ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd);
    let (Some(version), Some(size), Some(code)) =
        (fields.get_u32(8), fields.get_u64(24), bytes.get(HEADER_BYTES..))
    else {
        return Err(cut(
            0,
            format!("the header of a translated code object has 32 bytes, {} are there", bytes.len()),
        ));
    };
    if version != VERSION {
        let what = format!("version {version} of HotSwap's cache is unknown; {VERSION} is expected");
        return Err(ParseError::new(8, what));
    }
    if size != code.len() as u64 {
        return Err(cut(
            24,
            format!("the translated code object has {size} bytes, {} are there", code.len()),
        ));
    }
    Ok(code)
}

/// The kernels that comgr says are in the code object beside its metadata.
fn manifest(candidate: &Candidate<'_>) -> Option<KernelManifest> {
    let bytes = candidate.file.bytes();
    let stated: Value = serde_json::from_slice(bytes.get(..TEXT_BYTES.min(bytes.len()))?).ok()?;
    stated.get("cached_object_sha256")?;
    let file = format!("{}.hsaco", candidate.name.strip_suffix(".json")?);
    let names = stated.get("kernel_names")?.as_array()?.iter().filter_map(Value::as_str).take(MANIFEST_ROWS);
    let row = |kernel: &str| ManifestRow {
        line: 1,
        offset: 0,
        kernel: kernel.to_owned(),
        file: file.clone(),
        entry: None,
    };
    let rows: Vec<ManifestRow> = names.map(row).collect();
    Some(KernelManifest { shown: candidate.shown.to_owned(), of: ManifestOf::HotSwap, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_to_fit_the_bytes_behind_it() {
        let entry = |version: u32, size: u64| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(version.to_le_bytes());
            bytes.extend([0; 12]);
            bytes.extend(size.to_le_bytes());
            bytes.extend(b"\x7fELF");
            bytes
        };
        assert_eq!(code_object(&entry(1, 4)).unwrap(), b"\x7fELF");
        let cut = entry(1, 4).into_iter().take(31).collect();
        for (bytes, offset) in [(entry(2, 4), 8), (entry(1, 5), 24), (cut, 0)] {
            assert_eq!(code_object(&bytes).unwrap_err().offset(), offset);
        }
    }
}
