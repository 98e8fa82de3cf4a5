//! Entry ids of offload bundles: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`, parsed leniently.
//!
//! Real ids have four device forms and three host spellings, and names of generic targets contain the
//! separator, so an id is split at `-gfx` and not at its last `-` (clang's ClangOffloadBundler documentation;
//! real files of ROCm 3 to 7).

use crate::target::TargetId;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// One entry id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryId {
    text: String,
    kind: EntrySide,
    target: Option<TargetId>,
}

/// The side that an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntrySide {
    /// The host's placeholder; empty in every linked image.
    Host,
    /// A GPU.
    Device,
    /// Neither: the id has no known form.
    Unknown,
}

impl EntryId {
    /// Parses an id; never fails, since an id of no known form becomes [`EntrySide::Unknown`].
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let (offload_kind, rest) = text.split_once('-').unwrap_or((&text, ""));
        let target = target_of(rest);
        let kind = match offload_kind {
            "host" => EntrySide::Host,
            "hip" | "hipv4" | "hcc" | "openmp" | "sycl" if target.is_some() => EntrySide::Device,
            _ => EntrySide::Unknown,
        };
        EntryId { kind, target, text }
    }

    /// The name of an entry in another container, with the target that the container states separately.
    pub fn named(text: impl Into<String>, target: Option<TargetId>) -> Self {
        let kind = if target.is_some() { EntrySide::Device } else { EntrySide::Unknown };
        EntryId { text: text.into(), kind, target }
    }

    /// The id as written in the bundle.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host, device, or neither.
    pub fn kind(&self) -> EntrySide {
        self.kind
    }

    /// The target it names; `amdgcnspirv` for SPIR-V.
    pub fn target(&self) -> Option<&TargetId> {
        self.target.as_ref()
    }
}

/// The target in what follows the offload kind: `amdgcn-amd-amdhsa--gfx906`, `amdgcn-amd-amdhsa-gfx900`,
/// `amdgcn-amd-amdhsa-unknown-gfx900`, `spirv64-amd-amdhsa--amdgcnspirv`, and the sub-architecture triples
/// `amdgpu9.42-amd-amdhsa` of 2026.
fn target_of(rest: &str) -> Option<TargetId> {
    let at = |name: &[u8]| rest.as_bytes().windows(name.len()).position(|at| at == name);
    if let Some(at) = at(b"-gfx").or_else(|| at(b"-amdgcnspirv")) {
        return TargetId::parse(rest.get(at + 1..)?);
    }
    let version = rest.strip_prefix("amdgpu")?.split('-').next()?;
    let (major, minor_stepping) = version.split_once('.')?;
    TargetId::parse(&format!("gfx{major}{minor_stepping}"))
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_seen_in_real_files_is_understood() {
        for (id, kind, target) in [
            ("host-x86_64-unknown-linux-gnu-", EntrySide::Host, None),
            ("host-x86_64-unknown-linux--", EntrySide::Host, None),
            ("host-x86_64-unknown-linux", EntrySide::Host, None),
            ("host-x86_64-pc-linux-gnu-", EntrySide::Host, None),
            ("hipv4-amdgcn-amd-amdhsa--gfx906", EntrySide::Device, Some("gfx906")),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                EntrySide::Device,
                Some("gfx90a:sramecc+:xnack-"),
            ),
            ("hip-amdgcn-amd-amdhsa-gfx900", EntrySide::Device, Some("gfx900")),
            ("hip-amdgcn-amd-amdhsa-unknown-gfx900", EntrySide::Device, Some("gfx900")),
            (
                "hip-amdgcn-amd-amdhsa--gfx906+xnack+sram-ecc",
                EntrySide::Device,
                Some("gfx906:sramecc+:xnack+"),
            ),
            ("hcc-amdgcn-amd-amdhsa--gfx803", EntrySide::Device, Some("gfx803")),
            ("openmp-amdgcn-amd-amdhsa--gfx906", EntrySide::Device, Some("gfx906")),
            (
                "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+",
                EntrySide::Device,
                Some("gfx9-4-generic:xnack+"),
            ),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", EntrySide::Device, Some("amdgcnspirv")),
            ("hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", EntrySide::Device, Some("amdgcnspirv")),
            ("hip-amdgpu9.42-amd-amdhsa", EntrySide::Device, Some("gfx942")),
            ("hip-amdgpu9.0a-amd-amdhsa", EntrySide::Device, Some("gfx90a")),
            ("hip-amdgpu12.01-amd-amdhsa", EntrySide::Device, Some("gfx1201")),
            ("cuda-nvptx64-nvidia-cuda--sm_80", EntrySide::Unknown, None),
            ("", EntrySide::Unknown, None),
        ] {
            let read = EntryId::new(id);
            assert_eq!(read.kind(), kind, "{id}");
            assert_eq!(read.target().map(ToString::to_string).as_deref(), target, "{id}");
        }
    }
}
