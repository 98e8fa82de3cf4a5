//! Marks of device code in bytes of no known format: where a file's own header is gone, they are what is left.

use super::{COMPRESSED_BUNDLE_MAGIC, OFFLOAD_BINARY_MAGIC, OFFLOAD_BUNDLE_MAGIC};
use memchr::memmem;

/// What only device code brings into a file: each with a clause. A name of a section is found in tables of sections.
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

/// The first mark of device code, with its offset and a clause; nothing where there is none.
pub fn mark(bytes: &[u8]) -> Option<(u64, &'static str)> {
    let found = |(mark, what): &(&[u8], &'static str)| Some((memmem::find(bytes, mark)? as u64, *what));
    MARKS.iter().filter_map(found).min()
}

/// Whether bytes are text that people read: then a mark in them is a word.
pub fn is_text(head: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= 32 && *byte != 127 || matches!(byte, b'\n' | b'\r' | b'\t' | 12);
    let end = head.len().saturating_sub(if head.len() == crate::source::HEAD_BYTES { 3 } else { 0 });
    let cut = head.get(..end).unwrap_or(head);
    let whole = std::str::from_utf8(cut).map_or_else(|e| e.error_len().is_none(), |_| true);
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
        assert_eq!(mark(b"xx.hip_fatbin").map(|(at, _)| at), Some(2));
    }
}
