//! The notes of a code object: owner, type, description, each padded to four bytes.
#![deny(clippy::indexing_slicing)]

use super::{CodeObject, OnKernel, metadata, metadata_v2};
use crate::bytes::le::LeBytes;
use crate::error::{ParseError, ParseErrorKind};
use crate::limits::NOTE_BYTES;
use crate::target::TargetId;
use alloc::borrow::ToOwned;
use alloc::format;

/// `NT_AMDGPU_METADATA`, owner `AMDGPU`: MessagePack, since V3.
const METADATA: u32 = 32;
/// `NT_AMD_HSA_ISA_VERSION`, owner `AMD`: V2.
const V2_ISA_VERSION: u32 = 3;
/// `NT_AMD_HSA_METADATA`, owner `AMD`: YAML, V2.
const V2_METADATA: u32 = 10;

/// Reads all notes of one note segment or section into `object`, and calls `on_kernel` for kernels.
pub(super) fn read_all(bytes: &[u8], base: u64, object: &mut CodeObject, on_kernel: &mut OnKernel<'_>) {
    let mut rest = bytes;
    let mut at = base;
    if bytes.len() >= 12 && bytes.iter().all(|byte| *byte == 0) {
        object.problems.push(ParseError::new(at, "the note segment holds zeros only"));
        return;
    }
    if !bytes.is_empty() && bytes.len() < 12 {
        let what = format!("the note segment has {} bytes, and a note at least 12", bytes.len());
        object.problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd));
    }
    while rest.len() >= 12 {
        let header = LeBytes(rest);
        let (name_size, size, kind) = (header.u32(0) as usize, header.u32(4) as usize, header.u32(8));
        let name_end = 12 + name_size.saturating_add(3) / 4 * 4;
        let (Some(owner), Some(content)) =
            (rest.get(12..12 + name_size), rest.get(name_end..name_end.saturating_add(size)))
        else {
            let what = format!("a note of {name_size}+{size} bytes reaches beyond its segment");
            object.problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd));
            return;
        };
        let content_at = at + name_end as u64;
        let owner = owner.split(|&b| b == 0).next().unwrap_or_default();
        read_one(owner, kind, content, content_at, object, on_kernel);
        let step = name_end + size.saturating_add(3) / 4 * 4;
        rest = rest.get(step..).unwrap_or_default();
        at += step as u64;
    }
}

fn read_one(
    owner: &[u8],
    kind: u32,
    content: &[u8],
    at: u64,
    object: &mut CodeObject,
    on_kernel: &mut OnKernel<'_>,
) {
    if content.len() as u64 > NOTE_BYTES {
        object.problems.push(ParseError::new(at, format!("a note of {} bytes is not read", content.len())));
        return;
    }
    let result = match (owner, kind) {
        (b"AMDGPU", METADATA) => metadata::read(content, at, object, on_kernel),
        (b"AMD", V2_METADATA) => metadata_v2::read(content, at, object, on_kernel),
        (b"AMD", V2_ISA_VERSION) => {
            object.isa_note = isa_version(content).filter(|target| target.known().is_some());
            match object.isa_note {
                Some(_) => Ok(()),
                None => Err(ParseError::new(at, "the V2 ISA note names no processor that is known")),
            }
        }
        _ => {
            let known = match owner {
                b"GNU" => true,
                b"AMD" => (1..=11).contains(&kind),
                _ => false,
            };
            object.unknown_notes += u64::from(!known);
            Ok(())
        }
    };
    if let Err(error) = result {
        object.problems.push(error);
    }
}

/// The V2 ISA note: u16 lengths of vendor and architecture names, then major, minor and stepping as u32. The
/// stepping is written in hexadecimal in the processor's name.
fn isa_version(content: &[u8]) -> Option<TargetId> {
    let fields = LeBytes(content);
    let (major, minor, stepping) = (fields.get_u32(4)?, fields.get_u32(8)?, fields.get_u32(12)?);
    let target = |processor: &str, xnack: Option<bool>, sramecc: Option<bool>| {
        Some(TargetId { processor: processor.to_owned(), xnack, sramecc })
    };
    // AMDGPUUsage, "Code Object V2 Note Records": these steppings do not spell the processor.
    match (major, minor, stepping) {
        (8, 0, 0) => target("gfx802", None, None),
        (8, 0, 1) => target("gfx801", Some(true), None),
        (9, 0, 0 | 2 | 4) => target(&format!("gfx90{stepping}"), Some(false), None),
        (9, 0, 1 | 3 | 5) => target(&format!("gfx90{}", stepping - 1), Some(true), None),
        (9, 0, 6) => target("gfx906", Some(false), Some(false)),
        (9, 0, 7) => target("gfx906", Some(true), Some(false)),
        (9, 0, 12) => target("gfx90c", Some(false), None),
        _ => target(&format!("gfx{major}{minor}{stepping:x}"), None, None),
    }
}
