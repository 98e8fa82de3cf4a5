//! Device code in host files, bundles and code objects, wherever they lie.

use super::{Candidate, Scanned, Scanner, Settings};
use crate::codeobject::{CodeObject, Kernel};
use crate::container::content::{self, Depth, Payload};
use crate::container::{self, Bundle, Container, Read, Storage};
use crate::inventory::{ArtifactKind, DeviceCode, Disagreement, Problem, Tally};
use crate::limits::PROBLEMS_PER_FILE;
use crate::locator::Locator;
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::BTreeSet;

pub(super) static SCANNER: Scanner = Scanner {
    id: "code-objects",
    finds: "offload bundles and AMDGPU code objects in host libraries, archives and files of their own",
    claims: |candidate| candidate.format.read() == Read::Yes,
    scan,
};

/// Appends a line for one kernel of one code object.
pub type KernelWriter<'a> = dyn Fn(&mut Vec<u8>, &Place<'_>, &Kernel<'_>) + Sync + 'a;

/// Where a kernel stands.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The file as reports show it.
    pub shown: &'a str,
    /// Index of the bundle in its file.
    pub bundle: usize,
    /// The entry's id, if it is in a bundle.
    pub id: Option<&'a str>,
    /// The target of the code object.
    pub target: &'a TargetId,
    /// The code object.
    pub locator: Locator,
}

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>) -> Scanned {
    let mut scanned = read(candidate, settings, None);
    if scanned.device.as_ref().is_some_and(|d| !d.targets.is_empty() || d.bundles > 0 || !d.unread.is_empty())
    {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    scanned
}

/// Reads all device code of a file. `named` is the target that its name names, to be held against its content.
pub(super) fn read(candidate: &Candidate<'_>, settings: &Settings<'_>, named: Option<&TargetId>) -> Scanned {
    let bytes = candidate.file.bytes();
    let container = container::open(bytes, candidate.format);
    let parts: Vec<Part> = container
        .bundles
        .par_iter()
        .enumerate()
        .map(|(index, bundle)| read_bundle(candidate, settings, named, index, bundle))
        .collect();
    merge(candidate, container, parts)
}

/// What one bundle gives.
#[derive(Default)]
struct Part {
    code: DeviceCode,
    problems: Vec<crate::error::ParseError>,
    kernel_lines: Vec<u8>,
}

fn read_bundle(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    named: Option<&TargetId>,
    index: usize,
    bundle: &Bundle,
) -> Part {
    let path = candidate.file.path();
    let mut part = Part::default();
    let mut lines = Vec::new();
    let content =
        content::read(candidate.file.bytes(), bundle, settings.depth, &mut |entry, target, kernel| {
            if let (Some(write), Some(entry)) = (settings.kernels, bundle.entries.get(entry)) {
                let id = entry.id.as_ref().map(|id| id.as_str());
                let locator = locate(path, bundle, entry.offset, entry.size);
                write(
                    &mut lines,
                    &Place { shown: candidate.shown, bundle: index, id, target, locator },
                    kernel,
                );
            }
        });
    part.kernel_lines = lines;
    part.problems = content.problems;
    let code = &mut part.code;
    code.bundles = u64::from(bundle.storage != Storage::Bare);
    if let Storage::Compressed(header) = &bundle.storage {
        code.compressed = 1;
        code.unpacked_bytes = header.unpacked;
        code.unverified = u64::from(content.hash_fits.is_none());
    }
    let mut targets = BTreeSet::new();
    for (entry, payload) in bundle.entries.iter().zip(content.payloads) {
        if let Some(id) = &entry.id {
            code.entries.entry(id.to_string()).or_default().add(entry.size);
        }
        let at = || locate(path, bundle, entry.offset, entry.size);
        let other = match payload {
            Payload::CodeObject(object) => {
                let target = object.target().clone();
                code.targets.entry(target.clone()).or_default().add(&object, entry.size, at);
                let id = entry.id.as_ref().map(|id| id.target().map_or(id.to_string(), ToString::to_string));
                code.disagreements.extend(disagreement(&object, id, named, at));
                targets.insert(target);
                continue;
            }
            Payload::Empty => continue,
            Payload::Bitcode => "LLVM bitcode",
            Payload::SpirV => "SPIR-V",
            Payload::OtherElf => "ELF for another machine",
            Payload::Other => "unknown content",
        };
        code.other_payloads.entry(other).or_default().add(entry.size);
    }
    for target in targets {
        code.targets.entry(target).or_default().bundles += 1;
    }
    part
}

/// The place of an entry's content.
pub fn locate(path: &std::path::Path, bundle: &Bundle, offset: u64, size: u64) -> Locator {
    match &bundle.storage {
        Storage::Compressed(_) => Locator {
            path: path.to_owned(),
            range: Some((bundle.offset, bundle.span)),
            unpacked: Some((offset, size)),
        },
        Storage::Bare | Storage::Plain => Locator::range(path, bundle.offset + offset, size),
    }
}

/// Holds the names of one code object against each other. The file name is held against processor and, where it says
/// so, XNACK only.
pub fn disagreement(
    object: &CodeObject,
    bundle_id: Option<String>,
    named: Option<&TargetId>,
    at: impl FnOnce() -> Locator,
) -> Option<Disagreement> {
    let target = object.target();
    let text = target.to_string();
    let metadata = object.metadata_target.clone();
    let name_fits = named
        .is_none_or(|n| n.processor == target.processor && (n.xnack.is_none() || n.xnack == target.xnack));
    let fits = bundle_id.as_ref().is_none_or(|id| *id == text)
        && metadata.as_ref().is_none_or(|m| *m == text)
        && name_fits;
    (!fits).then(|| Disagreement {
        bundle_id,
        e_flags: text,
        metadata,
        file_name: named.map(ToString::to_string),
        count: 1,
        first: at(),
    })
}

fn merge(candidate: &Candidate<'_>, container: Container, parts: Vec<Part>) -> Scanned {
    let mut all = DeviceCode {
        format: Some(candidate.format),
        soname: container.soname,
        gaps: container.gaps,
        unread: container.unread,
        ..DeviceCode::default()
    };
    let mut errors = container.problems;
    let mut kernel_lines = Vec::new();
    for part in parts {
        let code = part.code;
        all.bundles += code.bundles;
        all.compressed += code.compressed;
        all.unpacked_bytes += code.unpacked_bytes;
        all.unverified += code.unverified;
        for (id, tally) in code.entries {
            sum(all.entries.entry(id).or_default(), tally);
        }
        for (what, tally) in code.other_payloads {
            sum(all.other_payloads.entry(what).or_default(), tally);
        }
        for (target, found) in code.targets {
            all.targets.entry(target).or_default().merge(&found);
        }
        for found in code.disagreements {
            let same = |d: &&mut Disagreement| {
                (&d.bundle_id, &d.e_flags, &d.metadata) == (&found.bundle_id, &found.e_flags, &found.metadata)
            };
            match all.disagreements.iter_mut().find(same) {
                Some(known) => known.count += 1,
                None => all.disagreements.push(found),
            }
        }
        errors.extend(part.problems);
        kernel_lines.extend(part.kernel_lines);
    }
    let total = errors.len();
    let mut problems: Vec<Problem> =
        errors.into_iter().take(PROBLEMS_PER_FILE).map(|e| Problem::malformed(candidate.shown, e)).collect();
    if total > problems.len() {
        let what = format!("{} more problems in this file are not listed", total - problems.len());
        problems.push(Problem::file(crate::inventory::ProblemKind::Malformed, candidate.shown, what));
    }
    let device = (!all.targets.is_empty() || all.bundles > 0 || !all.unread.is_empty()).then_some(all);
    Scanned { device, problems, kernel_lines, ..Scanned::default() }
}

fn sum(into: &mut Tally, tally: Tally) {
    into.count += tally.count;
    into.bytes += tally.bytes;
}

/// The depth that verifies hashes.
pub const VERIFY: Depth = Depth::Whole;
