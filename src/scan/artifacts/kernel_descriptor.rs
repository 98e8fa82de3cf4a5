//! hipDNN's kernel descriptors: JSON that says which kernel of a kpack archive serves which operation.
//!
//! `*.ukd.json` describes one kernel, `*.kdp.json` has several in `kernelDescriptors`. Each has a
//! `kernel_source`; of the kind `kpack` it names the archive (`library`, from the folder of the descriptor),
//! the entry in its table (`toc_key`), the kernel (`symbol`) and a digest; the other kinds are source text,
//! which the plugin has compiled for the GPU that is there. Source: ROCm/rocm-libraries,
//! `dnn-providers/hip-kernel-provider/descriptor-packaging` (#10820, #11144, #11165).

use crate::error::ParseError;
use crate::finding::Finding;
use crate::finding::rules::read::TOO_MANY_PARTS;
use crate::inventory::kernel_manifest::{KernelManifest, ManifestOf, ManifestRow};
use crate::limits::{MANIFEST_BYTES, MANIFEST_ROWS, NAME_BYTES};
use crate::scan::{Candidate, Scanned, Scanner};
use memchr::memmem;
use serde_json::Value;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "kernel-descriptor",
    of_text: false,
    finds: "hipDNN's kernel descriptors (*.kdp.json, *.ukd.json), which name kernels of kpack archives",
    claims: |candidate| candidate.name.ends_with(".kdp.json") || candidate.name.ends_with(".ukd.json"),
    scan: |candidate, _, _| scan(candidate),
};

/// The key of what says where a kernel is.
const SOURCE: &str = "kernel_source";

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let bytes = candidate.file.bytes();
    let mut scanned = Scanned::default();
    if bytes.len() > MANIFEST_BYTES {
        let what = "the kernel descriptors are larger than is read";
        scanned.findings.push(Finding::of_file(&TOO_MANY_PARTS, candidate.shown, what));
        return scanned;
    }
    let stated: Value = match serde_json::from_slice(bytes) {
        Ok(stated) => stated,
        Err(error) => {
            let what = format!("a kernel descriptor is not JSON: {error}");
            let error = ParseError::new(offset_of(bytes, error.line(), error.column()), what);
            scanned.findings.push(Finding::of_bytes(candidate.shown, error));
            return scanned;
        }
    };
    let own = [&stated];
    let all = stated.get("kernelDescriptors").and_then(Value::as_array);
    let sources = all.map_or(&[][..], Vec::as_slice).iter().chain(own).filter_map(|one| one.get(SOURCE));
    // The places of the key, in the order of the file.
    let key = format!("\"{SOURCE}\"");
    let mut places = memmem::find_iter(bytes, key.as_bytes());
    let mut rows = Vec::new();
    let mut more = 0;
    for source in sources {
        let offset = places.next().unwrap_or_default();
        let word = |key: &str| {
            let word = source.get(key).and_then(Value::as_str)?;
            (!word.is_empty() && word.len() <= NAME_BYTES * 4).then(|| word.to_owned())
        };
        if word("kind").as_deref() != Some("kpack") {
            continue;
        }
        let (Some(file), Some(kernel)) = (word("library"), word("symbol")) else {
            let what = "a kernel descriptor of a kpack archive names no library or no symbol";
            scanned.findings.push(Finding::of_bytes(candidate.shown, ParseError::new(offset as u64, what)));
            continue;
        };
        if rows.len() >= MANIFEST_ROWS {
            more += 1;
            continue;
        }
        let line = 1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count() as u64;
        rows.push(ManifestRow { line, offset: offset as u64, kernel, file, entry: word("toc_key") });
    }
    if more > 0 {
        let what = "the table of kernels has more rows than are kept";
        scanned.findings.push(Finding::of_file(&TOO_MANY_PARTS, candidate.shown, what));
    }
    let manifest = KernelManifest { shown: candidate.shown.to_owned(), of: ManifestOf::HipDnn, rows };
    scanned.manifest = (!manifest.rows.is_empty()).then(|| Box::new(manifest));
    scanned
}

/// The offset of a place that a JSON error names by line and column, both from 1.
fn offset_of(bytes: &[u8], line: usize, column: usize) -> u64 {
    let before: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (before + column.saturating_sub(1)) as u64
}
