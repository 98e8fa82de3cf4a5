//! Kernel metadata since code object V3: one MessagePack map.
//!
//! Source: LLVM's AMDGPUUsage, "Code Object V3 Metadata" to V5. Arguments take most of the bytes and are
//! skipped.
#![deny(clippy::indexing_slicing)]

use super::kernel::NUMBERS;
use super::{CodeObject, Kernel, OnKernel};
use crate::bytes::msgpack::{Reader, Value};
use crate::error::{ParseError, Parsed};
use crate::limits::{KERNEL_METADATA_BYTES, NAME_BYTES};
use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

pub(super) fn read(
    content: &[u8],
    at: u64,
    object: &mut CodeObject,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<()> {
    let mut reader = Reader::new(content, at);
    object.has_metadata = true;
    let mut listed = false;
    for _ in 0..reader.map("kernel metadata")? {
        match reader.value()? {
            // PAL metadata, written for graphics drivers, lists pipelines.
            Value::Str(b"amdpal.pipelines") => {
                listed = true;
                reader.skip()?;
            }
            Value::Str(b"amdhsa.kernels") => {
                listed = true;
                let at = reader.offset();
                let count = reader.array("amdhsa.kernels")?;
                if u64::from(count) > content.len() as u64 / KERNEL_METADATA_BYTES {
                    let what =
                        format!("{count} kernels are said to be in {} bytes of metadata", content.len());
                    return Err(ParseError::new(at, what));
                }
                let target = object.target().clone();
                for _ in 0..count {
                    let kernel = read_kernel(&mut reader)?;
                    object.kernels.add(&kernel, &target);
                    on_kernel(&target, &kernel);
                }
            }
            Value::Str(b"amdhsa.target") => {
                if let Value::Str(text) = reader.value()? {
                    let text = String::from_utf8_lossy(text.get(..NAME_BYTES).unwrap_or(text));
                    object.metadata_target = Some(without_triple(&text).to_owned());
                }
            }
            Value::Str(b"amdhsa.version") => {
                let mut numbers = [0; 2];
                for index in 0..reader.array("amdhsa.version")? {
                    if let (Value::Unsigned(number), Some(slot)) =
                        (reader.value()?, numbers.get_mut(index as usize))
                    {
                        *slot = number;
                    }
                }
                object.metadata_version = Some(numbers.into());
            }
            Value::Str(_) => reader.skip()?,
            _ => return Err(ParseError::new(reader.offset(), "a key of the kernel metadata is no text")),
        }
    }
    // Writers emit the list before they know whether there is a kernel.
    if listed { Ok(()) } else { Err(ParseError::new(at, "the kernel metadata has no list of kernels")) }
}

/// `amdgcn-amd-amdhsa--gfx90a:xnack+` without its triple.
fn without_triple(text: &str) -> &str {
    text.find("-gfx").and_then(|at| text.get(at + 1..)).unwrap_or(text)
}

fn read_kernel<'a>(reader: &mut Reader<'a>) -> Parsed<Kernel<'a>> {
    let mut kernel = Kernel::default();
    for _ in 0..reader.map("a kernel of the metadata")? {
        let Value::Str(key) = reader.value()? else {
            return Err(ParseError::new(reader.offset(), "a key of a kernel's metadata is no text"));
        };
        match key {
            b".args" => reader.skip()?,
            b".name" => kernel.name = text(reader)?.unwrap_or_default(),
            b".symbol" => kernel.symbol = text(reader)?.unwrap_or_default(),
            b".kind" => kernel.kind = text(reader)?,
            _ => match NUMBERS.iter().find(|field| field.key == key) {
                Some(field) => *(field.slot)(&mut kernel) = number(reader)?,
                None => reader.skip()?,
            },
        }
    }
    Ok(kernel)
}

/// A string; a value of another type counts as not stated.
fn text<'a>(reader: &mut Reader<'a>) -> Parsed<Option<Cow<'a, str>>> {
    let mut ahead = reader.clone();
    if let Value::Str(bytes) = ahead.value()? {
        *reader = ahead;
        // Names are ASCII: to check that is several times as fast as to look for what has to be replaced.
        return Ok(Some(
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed),
        ));
    }
    reader.skip()?;
    Ok(None)
}

fn number(reader: &mut Reader<'_>) -> Parsed<Option<u64>> {
    let mut ahead = reader.clone();
    if let Value::Unsigned(number) = ahead.value()? {
        *reader = ahead;
        return Ok(Some(number));
    }
    reader.skip()?;
    Ok(None)
}
