//! The facts that an independent extractor (`truth.py`) states for a file, computed with the library.

use crate::digest::{body, hex};
use anyhow::Result;
use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::codeobject::{AbiVersion, Kernel};
use rocm_audit::container::bundle_reader;
use rocm_audit::container::bundle_reader::{Depth, Payload};
use rocm_audit::container::{Bundle, StorageKind};
use rocm_audit::error::ParseError;
use rocm_audit::input::device_file::DeviceFile;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// All facts to compare.
#[derive(Default)]
pub struct ComparedFacts {
    pub bundles: u64,
    pub compressed: u64,
    pub bare: u64,
    pub entries: BTreeMap<String, (u64, u64, u64)>,
    pub objects: u64,
    pub by_tid: BTreeMap<String, u64>,
    pub kernels: u64,
    /// Descriptors of linked code objects; `None` if the symbols of one were not read.
    pub descriptors: Option<u64>,
    pub versions: BTreeMap<String, u64>,
    pub without_metadata: u64,
    pub hashes_wrong: u64,
    pub lines: Vec<String>,
    pub extended: Vec<String>,
    pub content: Vec<String>,
    pub problems: Vec<String>,
}

impl ComparedFacts {
    pub fn read(open: &DeviceFile) -> Result<ComparedFacts> {
        let mut facts = ComparedFacts { descriptors: Some(0), ..ComparedFacts::default() };
        facts.problems.extend(open.container.problems().iter().map(ToString::to_string));
        for bundle in open.container.bundles() {
            facts
                .add(open.file.bytes(), bundle)
                .map_err(|e| anyhow::anyhow!("{}: {e}", open.file.path().display()))?;
        }
        Ok(facts)
    }

    fn add(&mut self, bytes: &[u8], bundle: &Bundle) -> Result<(), ParseError> {
        match bundle.storage().kind() {
            StorageKind::CodeObject => self.bare += 1,
            StorageKind::Plain => self.bundles += 1,
            StorageKind::Compressed => self.compressed += 1,
            // The extractor does not count these.
            _ => return Ok(()),
        }
        let mut lines: Vec<(usize, String, String)> = Vec::new();
        let content = bundle_reader::read(
            bytes,
            bundle,
            Depth::Whole,
            CodeAsk::Nothing,
            &mut |index, target, kernel| {
                lines.push((index, line(&target.processor, kernel), extended(&target.to_string(), kernel)));
            },
        );
        self.problems.extend(content.problems().iter().map(ToString::to_string));
        self.hashes_wrong += u64::from(content.hash_fits() == Some(false));
        let body = body(bytes, bundle)?;
        for (index, (entry, payload)) in bundle.entries().iter().zip(content.payloads()).enumerate() {
            if let Some(id) = entry.id() {
                let counts = self.entries.entry(id.to_string()).or_default();
                *counts = (counts.0 + 1, counts.1 + u64::from(entry.size() == 0), counts.2 + entry.size());
            }
            let Payload::CodeObject(object) = payload else { continue };
            self.objects += 1;
            *self.by_tid.entry(object.header().target().to_string()).or_default() += 1;
            self.kernels += object.kernels().count();
            self.without_metadata += u64::from(!object.has_metadata());
            // The extractor counts descriptors of linked objects by their dynamic symbols.
            if object.header().is_loadable() {
                self.descriptors = self.descriptors.zip(object.descriptors()).map(|(a, b)| a + b);
            }
            *self.versions.entry(version(object.header().version())).or_default() += 1;
            let code = &body[entry.offset() as usize..(entry.offset() + entry.size()) as usize];
            self.content.push(hex(&Sha256::digest(code)));
            let v2 = object.header().version().code_object() == Some(2);
            for (_, line, extended) in lines.iter().filter(|(i, ..)| *i == index) {
                self.lines.push(line.clone());
                if !v2 {
                    self.extended.push(extended.clone());
                }
            }
        }
        Ok(())
    }
}

/// SHA-256 over sorted lines, each with its line end.
pub fn digest(lines: &[String]) -> String {
    let mut sorted: Vec<&String> = lines.iter().collect();
    sorted.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    let mut hash = Sha256::new();
    for line in sorted {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

fn version(version: AbiVersion) -> String {
    match version.code_object() {
        Some(v) => format!("v{v}"),
        None => format!("osabi{}_abi{}", version.os_abi(), version.abi_version()),
    }
}

fn or(number: Option<u64>, none: &str) -> String {
    number.map_or_else(|| none.to_owned(), |n| n.to_string())
}

fn line(arch: &str, k: &Kernel<'_>) -> String {
    format!("{arch} {} {} {} {}", k.name(), or(k.vgprs(), "None"), or(k.sgprs(), "None"), or(k.lds(), "None"))
}

fn extended(tid: &str, k: &Kernel<'_>) -> String {
    let symbol = if k.symbol().is_empty() { "None" } else { k.symbol() };
    let none = |n: Option<u64>| or(n, "None");
    [
        tid.to_owned(),
        symbol.to_owned(),
        k.name().to_string(),
        none(k.vgprs()),
        or(k.agprs(), "-"),
        none(k.sgprs()),
        none(k.lds()),
        none(k.scratch()),
        none(k.kernarg()),
        none(k.wavefront()),
        none(k.max_workgroup()),
        or(k.vgpr_spills(), "-"),
        or(k.sgpr_spills(), "-"),
    ]
    .join(" ")
}
