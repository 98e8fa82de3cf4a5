//! Kernel metadata of code object V2: YAML in a note, written by ROCm 1 to 3 and by LLVM up to 16.
//!
//! Source: LLVM's AMDGPUUsage, "Code Object V2 Metadata".

use super::{CodeObject, Kernel, OnKernel};
use crate::error::{ParseError, Parsed};
use crate::limits::{KERNEL_YAML_BRACKETS, KERNEL_YAML_BYTES};
use alloc::format;
use alloc::vec::Vec;

pub(super) fn read(
    content: &[u8],
    at: u64,
    object: &mut CodeObject,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<()> {
    if object.has_metadata {
        return Err(ParseError::new(at, "a second note of V2 kernel metadata is not read"));
    }
    let content = content.split(|&b| b == 0).next().unwrap_or_default();
    let text = core::str::from_utf8(content)
        .map_err(|e| ParseError::new(at + e.valid_up_to() as u64, "the V2 kernel metadata is not UTF-8"))?;
    object.has_metadata = true;
    object.metadata_version = version(text);
    let target = object.target().clone();
    for (offset, item) in kernels(text) {
        let at = at + offset as u64;
        is_bounded(item, at)?;
        for kernel in yaml::kernels(item).map_err(|what| ParseError::new(at, what).of_kind(yaml::FAULT))? {
            object.kernels.add(&kernel, &target);
            on_kernel(&target, &kernel);
        }
    }
    Ok(())
}

/// Whether the YAML reader can process this in proportionate time and memory: it builds everything in memory,
/// and for each token looks at every open bracket.
fn is_bounded(item: &str, at: u64) -> Parsed<()> {
    if item.len() > KERNEL_YAML_BYTES {
        let what = format!("the V2 metadata of one kernel has {} bytes and is not read", item.len());
        return Err(ParseError::new(at, what));
    }
    let brackets = item.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if brackets > KERNEL_YAML_BRACKETS {
        let what = format!("the V2 metadata of one kernel opens {brackets} brackets and is not read");
        return Err(ParseError::new(at, what));
    }
    Ok(())
}

/// `Version: [ 1, 0 ]`.
fn version(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().take(64).find_map(|line| line.strip_prefix("Version:"))?;
    let mut numbers = line.trim().trim_matches(['[', ']']).split(',').map(|n| n.trim().parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// The items of the `Kernels` sequence with their offsets, each as a separate YAML sequence: otherwise the
/// YAML reader would build thousands of kernels in memory at once.
fn kernels(text: &str) -> Vec<(usize, &str)> {
    let mut items = Vec::new();
    let mut begin: Option<usize> = None;
    let mut dash: Option<usize> = None;
    let mut inside = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let item = line.get(indent..).is_some_and(|rest| rest.starts_with("- "));
        let ends = inside && !item && indent == 0 && !line.trim().is_empty();
        let starts = inside && item && indent == *dash.get_or_insert(indent);
        if starts || ends {
            items.extend(begin.and_then(|from| Some((from, text.get(from..at)?))));
            begin = starts.then_some(at);
        }
        inside = (inside && !ends) || line.trim_end() == "Kernels:";
        at += line.len();
    }
    items.extend(begin.and_then(|from| Some((from, text.get(from..)?))));
    items
}

#[cfg(feature = "metadata-v2")]
mod yaml {
    use super::Kernel;
    use crate::error::ParseErrorKind;
    use serde::Deserialize;

    /// What is wrong where kernels are not read.
    pub(super) const FAULT: ParseErrorKind = ParseErrorKind::Malformed;

    /// The kernels of a YAML sequence.
    pub(super) fn kernels(text: &str) -> Result<Vec<Kernel<'static>>, String> {
        let kernels: Result<Vec<KernelV2>, _> = serde_yaml::from_str(text);
        let kernels = kernels.map_err(|e| format!("V2 kernel metadata: {e}"))?;
        Ok(kernels.into_iter().map(KernelV2::into_kernel).collect())
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

    impl KernelV2 {
        fn into_kernel(self) -> Kernel<'static> {
            let props = self.code_props;
            Kernel {
                name: self.name.into(),
                symbol: self.symbol_name.into(),
                sgprs: props.num_sgprs,
                vgprs: props.num_vgprs,
                sgpr_spills: props.num_spilled_sgprs,
                vgpr_spills: props.num_spilled_vgprs,
                // V2 omits zeros.
                lds: Some(props.group_segment_fixed_size.unwrap_or(0)),
                scratch: Some(props.private_segment_fixed_size.unwrap_or(0)),
                kernarg: props.kernarg_segment_size,
                wavefront: props.wavefront_size,
                max_workgroup: props.max_flat_work_group_size,
                // Fields introduced after V2.
                ..Kernel::default()
            }
        }
    }
}

#[cfg(not(feature = "metadata-v2"))]
mod yaml {
    use super::Kernel;
    use crate::error::ParseErrorKind;
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use alloc::vec::Vec;

    /// What is wrong where kernels are not read.
    pub(super) const FAULT: ParseErrorKind = ParseErrorKind::UnknownMethod;

    pub(super) fn kernels(_: &str) -> Result<Vec<Kernel<'static>>, String> {
        Err("V2 kernel metadata is not read: built without the feature `metadata-v2`".to_owned())
    }
}

#[cfg(test)]
#[cfg(feature = "metadata-v2")]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_cut_apart_at_any_indentation() {
        for indent in ["", "  "] {
            let text = format!(
                "---\nVersion:         [ 1, 0 ]\nKernels:\n{indent}- Name:            a\n{indent}  Args:\n\
                 {indent}    - Name: x\n{indent}      Size: 8\n{indent}- Name:            'b'\n\
                 {indent}  CodeProps:\n{indent}    NumSGPRs:        10\nPrintf:\n  - '1:1:4:%d'\n...\n"
            );
            assert_eq!(version(&text), Some((1, 0)));
            let read: Vec<Kernel<'_>> =
                kernels(&text).into_iter().flat_map(|(_, item)| yaml::kernels(item).unwrap()).collect();
            let names: Vec<&str> = read.iter().map(|kernel| &*kernel.name).collect();
            assert_eq!(names, ["a", "b"], "{text}");
            assert_eq!(read.last().and_then(|kernel| kernel.sgprs), Some(10));
        }
        assert!(kernels("---\nVersion: [ 1, 0 ]\n...\n").is_empty());
    }

    #[test]
    fn no_kernel_reaches_the_yaml_reader_with_many_brackets() {
        let item = |brackets: usize| format!("- Name: k\n  Z: {}\n", "[".repeat(brackets));
        assert_eq!(is_bounded(&item(KERNEL_YAML_BRACKETS), 0), Ok(()));
        for brackets in [KERNEL_YAML_BRACKETS + 1, 60_000] {
            assert!(
                is_bounded(&item(brackets), 0)
                    .unwrap_err()
                    .what()
                    .contains(&format!("opens {brackets} brackets"))
            );
        }
    }
}
