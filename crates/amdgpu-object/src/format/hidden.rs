//! Marks of device code in bytes of unknown format: if a file's header is lost, they remain.

use super::{COMPRESSED_BUNDLE_MAGIC, OFFLOAD_BINARY_MAGIC, OFFLOAD_BUNDLE_MAGIC};
use memchr::memmem;

/// Machines of ELF files that contain or are device code: x86-64, Arm, AMD GPUs.
const EM_X86_64: u8 = 62;
const EM_AARCH64: u8 = 183;
const EM_AMDGPU: u8 = 224;

/// Bytes that only device code brings into a file, each with a clause. Section names occur in section tables.
const MARKS: [(&[u8], &str); 8] = [
    (OFFLOAD_BUNDLE_MAGIC, "holds the mark of an offload bundle"),
    (b".hip_fat", "names a section of device code"),
    (b".llvm.offloading", "names a section of device code"),
    (OFFLOAD_BINARY_MAGIC, "holds the mark of an OffloadBinary"),
    (b"amdgcn-amd-amdhsa", "names a target of AMD GPUs"),
    (b".kpackrf", "names the marker of device code that was moved to kpack archives"),
    (b".rocm_kpack_ref", "names the marker of device code that was moved to kpack archives"),
    (b"\x7fELF\x02\x01\x01\x40", "holds the header of an AMDGPU code object"),
];

/// The first mark of device code, with its offset and a clause; `None` without a mark.
pub fn mark(bytes: &[u8]) -> Option<(u64, &'static str)> {
    let found = |(mark, what): &(&[u8], &'static str)| Some((memmem::find(bytes, mark)? as u64, *what));
    MARKS.iter().filter_map(found).chain(elf_header(bytes)).min()
}

/// Range in which an ELF header is searched for, in bytes: at the beginning, or close to it if bytes were
/// inserted or removed.
const HEADER_NEAR: usize = 128;

/// Finds the fields after a lost magic of an ELF header: a type, a machine that contains or is device code,
/// version 1.
fn elf_header(bytes: &[u8]) -> Option<(u64, &'static str)> {
    let near = bytes.get(..bytes.len().min(HEADER_NEAR))?;
    let fields = |window: &[u8]| match window {
        [1..=3, 0, machine, 0, 1, 0, 0, 0] => [EM_X86_64, EM_AARCH64, EM_AMDGPU].contains(machine),
        _ => false,
    };
    let at = near.windows(8).position(fields)?;
    Some((at as u64, "holds the rest of an ELF header"))
}

/// Whether bytes are readable text, in which a mark is just a word.
pub fn is_text(head: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= 32 && *byte != 127 || matches!(byte, b'\n' | b'\r' | b'\t' | 12);
    let end = head.len().saturating_sub(if head.len() == crate::limits::HEAD_BYTES { 3 } else { 0 });
    let cut = head.get(..end).unwrap_or(head);
    let whole = core::str::from_utf8(cut).map_or_else(|e| e.error_len().is_none(), |_| true);
    !head.is_empty() && whole && head.iter().all(plain) && !head.starts_with(COMPRESSED_BUNDLE_MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes_and_marks_are_found() {
        assert!(is_text(b"INPUT ( libx.so.1 )") && is_text("ä\n".as_bytes()));
        assert!(!is_text(b"") && !is_text(b"a\0b") && !is_text(b"CCOB") && !is_text(b"\xff\xfe\xfd"));
        assert_eq!(mark(b"nothing"), None);
        // An AMDGPU code object without its first 16 bytes, and a text of the same length.
        assert_eq!(mark(b"\x03\0\xe0\0\x01\0\0\0").map(|(at, _)| at), Some(0));
        assert_eq!(mark(b"\x04\0\xe0\0\x01\0\0\0"), None);
        assert_eq!(mark(b"xx.hip_fatbin").map(|(at, _)| at), Some(2));
    }
}
