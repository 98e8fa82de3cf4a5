//! Kernel metadata of code object V2: YAML in a note, written by ROCm 1 to 3 and by LLVM up to 16.
//!
//! Source: LLVM's AMDGPUUsage, "Code Object V2 Metadata".

use super::{CodeObject, Kernel, OnKernel};
use crate::error::{ParseError, Parsed};
use crate::limits::{NOTE_YAML_BYTES, YAML_FLOWS};
use serde::Deserialize;

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "Version", default)]
    version: Vec<u64>,
    #[serde(rename = "Kernels", default)]
    kernels: Vec<KernelV2>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KernelV2 {
    name: String,
    #[serde(default)]
    symbol_name: String,
    #[serde(default)]
    code_props: CodeProps,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct CodeProps {
    kernarg_segment_size: Option<u64>,
    group_segment_fixed_size: Option<u64>,
    private_segment_fixed_size: Option<u64>,
    wavefront_size: Option<u64>,
    #[serde(rename = "NumSGPRs")]
    num_sgprs: Option<u64>,
    #[serde(rename = "NumVGPRs")]
    num_vgprs: Option<u64>,
    max_flat_work_group_size: Option<u64>,
    #[serde(rename = "NumSpilledSGPRs")]
    num_spilled_sgprs: Option<u64>,
    #[serde(rename = "NumSpilledVGPRs")]
    num_spilled_vgprs: Option<u64>,
}

pub(super) fn read(
    content: &[u8],
    at: u64,
    object: &mut CodeObject,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<()> {
    if content.len() as u64 > NOTE_YAML_BYTES {
        let what =
            format!("V2 kernel metadata of {} bytes; at most {NOTE_YAML_BYTES} are read", content.len());
        return Err(ParseError::new(at, what));
    }
    if object.has_metadata {
        return Err(ParseError::new(at, "a second note of V2 kernel metadata is not read"));
    }
    let content = content.split(|&b| b == 0).next().unwrap_or_default();
    let flows = content.iter().filter(|b| matches!(b, b'[' | b'{')).count();
    // Nesting costs the YAML reader more than its bytes: `[[[[`, and `- - - -` on one line.
    let nested = memchr::memmem::find(content, b"[[").or_else(|| memchr::memmem::find(content, b"{{"));
    if flows > YAML_FLOWS || nested.or_else(|| memchr::memmem::find(content, b"- - - -")).is_some() {
        return Err(ParseError::new(at, "the V2 kernel metadata is nested as no compiler writes it"));
    }
    let metadata: Metadata = serde_yaml::from_slice(content)
        .map_err(|e| ParseError::new(at, format!("the V2 kernel metadata is not the expected YAML: {e}")))?;
    object.has_metadata = true;
    if let [major, minor, ..] = metadata.version[..] {
        object.metadata_version = Some((major, minor));
    }
    for kernel in metadata.kernels {
        let props = kernel.code_props;
        let kernel = Kernel {
            name: kernel.name.into(),
            symbol: kernel.symbol_name.into(),
            kind: None,
            sgprs: props.num_sgprs,
            vgprs: props.num_vgprs,
            agprs: None,
            sgpr_spills: props.num_spilled_sgprs,
            vgpr_spills: props.num_spilled_vgprs,
            // V2 leaves out what is zero.
            lds: Some(props.group_segment_fixed_size.unwrap_or(0)),
            scratch: Some(props.private_segment_fixed_size.unwrap_or(0)),
            kernarg: props.kernarg_segment_size,
            wavefront: props.wavefront_size,
            max_workgroup: props.max_flat_work_group_size,
        };
        object.kernels.add(&kernel);
        on_kernel(object.target(), &kernel);
    }
    Ok(())
}
