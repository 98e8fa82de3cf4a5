//! The table of hipBLASLt's other operations: softmax, layer normalization, the largest absolute value.
#![deny(clippy::indexing_slicing)]

use super::values;
use super::values::{key, required};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::limits::NAME_BYTES;

/// A kernel of hipBLASLt's other operations, and the file it is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExtOp {
    /// The target.
    pub target: String,
    /// `Softmax`, `LayerNorm`, `AMax`.
    pub operation: String,
    /// The kernel.
    pub kernel: String,
    /// The file beside the table.
    pub file: String,
}

/// Reads `hipblasltExtOpLibrary.dat`: target, operation, type, kernels.
///
/// # Errors
/// Where it is not of that form.
pub fn read_ext_ops(bytes: &[u8]) -> Parsed<Vec<ExtOp>> {
    let mut reader = Reader::new(bytes, 0);
    let name = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let mut all = Vec::new();
    for _ in 0..reader.map("hipBLASLt's table of other operations")? {
        let target = repeated(&mut reader, "a target")?;
        for _ in 0..reader.map("the operations of a target")? {
            let operation = repeated(&mut reader, "an operation")?;
            for _ in 0..reader.map("the types of an operation")? {
                reader.skip()?;
                for _ in 0..reader.array("the kernels of an operation")? {
                    let at = reader.offset();
                    let (mut kernel, mut file) = (None, None);
                    for _ in 0..reader.map("a kernel")? {
                        match key(&mut reader)? {
                            b"func_name" => kernel = Some(name(values::text(&mut reader, "func_name")?)),
                            b"co_path" => file = Some(name(values::text(&mut reader, "co_path")?)),
                            _ => reader.skip()?,
                        }
                    }
                    all.push(ExtOp {
                        target: target.clone(),
                        operation: operation.clone(),
                        kernel: required(kernel, at, "a kernel", "func_name")?,
                        file: required(file, at, "a kernel", "co_path")?,
                    });
                }
            }
        }
    }
    Ok(all)
}

/// A name that each kernel below it is given: a long one would take its length times their number.
fn repeated(reader: &mut Reader<'_>, what: &str) -> Parsed<String> {
    let at = reader.offset();
    let text = values::text(reader, what)?;
    if text.len() > NAME_BYTES {
        let what =
            format!("{what} is said to have a name of {} bytes; at most {NAME_BYTES} are read", text.len());
        return Err(ParseError::new(at, what));
    }
    Ok(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_kernels_repeat_is_short() {
        let kernel = b"\x82\xa9func_name\xa1k\xa7co_path\xa1c";
        let table = |target: usize, operation: usize| {
            let mut bytes = vec![0x81];
            for name in [target, operation] {
                bytes.push(0xda);
                bytes.extend((name as u16).to_be_bytes());
                bytes.extend(vec![b'n'; name]);
                bytes.push(0x81);
            }
            bytes.extend(b"\xa1S\x92");
            bytes.extend(kernel.repeat(2));
            read_ext_ops(&bytes).map(|found| found.len())
        };
        assert_eq!(table(NAME_BYTES, NAME_BYTES), Ok(2));
        let error = table(NAME_BYTES + 1, 1).unwrap_err();
        assert_eq!(
            (error.offset(), error.what().contains("a target is said to have a name of 257 bytes")),
            (1, true)
        );
        assert_eq!(table(1, 60_000).unwrap_err().offset(), 6);
    }
}
