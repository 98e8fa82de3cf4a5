//! The functions of `amdgpu_object.h`.
//!
//! Everything unsafe of the library is here: to make slices of addresses and sizes, to write into a buffer of
//! the caller's, and to take back what was handed out. Each function checks what can be checked; the rest is
//! what the header asks of the caller.

use crate::{document, serves};
use alloc::borrow::{Cow, ToOwned as _};
use alloc::boxed::Box;
use alloc::ffi::CString;
#[cfg(target_family = "wasm")]
use alloc::vec::Vec;
use amdgpu_object::carried::{CarriedCode, Serves};
use core::ffi::{CStr, c_char, c_int};

/// A file that was read: `amdgpu_file` of the header.
#[derive(Debug)]
pub struct AmdgpuFile {
    code: CarriedCode,
    json: CString,
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn amdgpu_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Whether a file serves a card; the reason goes into `reason`.
///
/// # Safety
/// `bytes` has `size` bytes, `card` ends with a zero, `reason` has room for `reason_size` bytes; each may be
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_serves(
    bytes: *const u8,
    size: usize,
    card: *const c_char,
    reason: *mut c_char,
    reason_size: usize,
) -> c_int {
    // SAFETY: as above.
    let (bytes, card) = unsafe { (slice(bytes, size), text(card)) };
    let code = CarriedCode::read(bytes, &mut |_, _| {});
    let (answer, why) = serves(&code, card.as_deref());
    // SAFETY: as above.
    unsafe { write_text(&why, reason, reason_size) };
    number(answer)
}

/// Reads a file, for questions about several cards and its document. The bytes are not needed any more then.
///
/// # Safety
/// `bytes` has `size` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_read(bytes: *const u8, size: usize) -> *mut AmdgpuFile {
    // SAFETY: as above.
    let (code, json) = document::read(unsafe { slice(bytes, size) });
    // Control characters are escaped in it, so that no zero is inside.
    let json = CString::new(json).unwrap_or_default();
    Box::into_raw(Box::new(AmdgpuFile { code, json }))
}

/// Whether a file that was read serves a card.
///
/// # Safety
/// `file` came from [`amdgpu_read`] and was not freed; the others as for [`amdgpu_serves`]. Each may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_file_serves(
    file: *const AmdgpuFile,
    card: *const c_char,
    reason: *mut c_char,
    reason_size: usize,
) -> c_int {
    // SAFETY: as above.
    let (file, card) = unsafe { (file.as_ref(), text(card)) };
    let (answer, why) = match file {
        Some(file) => serves(&file.code, card.as_deref()),
        None => (Serves::NotKnown, "no file is given".to_owned()),
    };
    // SAFETY: as above.
    unsafe { write_text(&why, reason, reason_size) };
    number(answer)
}

/// The document of a file as JSON, which lives as long as the file.
///
/// # Safety
/// `file` came from [`amdgpu_read`] and was not freed, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_file_json(file: *const AmdgpuFile) -> *const c_char {
    // SAFETY: as above.
    unsafe { file.as_ref() }.map_or(c"".as_ptr(), |file| file.json.as_ptr())
}

/// Frees a file.
///
/// # Safety
/// `file` came from [`amdgpu_read`] and is not used again, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_free(file: *mut AmdgpuFile) {
    if !file.is_null() {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(file) });
    }
}

/// Allocates memory in the module, for a caller outside of WebAssembly; null if there is not enough.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub extern "C" fn amdgpu_alloc(size: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if size == 0 || bytes.try_reserve_exact(size).is_err() {
        return core::ptr::null_mut();
    }
    bytes.resize(size, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Frees such memory.
///
/// # Safety
/// `at` came from [`amdgpu_alloc`] with this `size` and is not used again, or is null.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_dealloc(at: *mut u8, size: usize) {
    if !at.is_null() {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(at, size)) });
    }
}

/// The number of an answer in the header.
fn number(answer: Serves) -> c_int {
    match answer {
        Serves::NotKnown => 0,
        Serves::Yes => 1,
        Serves::No => 2,
    }
}

/// Bytes of the caller's; none for null, and for a size that no object has.
///
/// # Safety
/// `at` has `size` bytes that stay as they are while the slice is used, or is null.
unsafe fn slice<'a>(at: *const u8, size: usize) -> &'a [u8] {
    if at.is_null() || isize::try_from(size).is_err() {
        return &[];
    }
    // SAFETY: as above, and the size is one that a slice may have.
    unsafe { core::slice::from_raw_parts(at, size) }
}

/// A text of the caller's.
///
/// # Safety
/// `at` ends with a zero, or is null.
unsafe fn text<'a>(at: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: as above.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy())
}

/// Writes as much of a text as there is room for, cut at a character, and a zero.
///
/// # Safety
/// `out` has room for `size` bytes, or is null.
unsafe fn write_text(text: &str, out: *mut c_char, size: usize) {
    let Some(room) = size.checked_sub(1).filter(|_| !out.is_null()) else { return };
    let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    // SAFETY: `end` is at most `size - 1` and within the text.
    unsafe {
        core::ptr::copy_nonoverlapping(text.as_ptr(), out.cast(), end);
        *out.add(end) = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/rocm/lib/");
        std::fs::read(folder.to_owned() + name).unwrap()
    }

    #[test]
    fn one_call_and_a_file_that_was_read_say_the_same() {
        let bytes = fixture("librocblas.so.4.4");
        for (card, wanted) in [(c"gfx906", 1), (c"gfx1036", 2), (c"navi", 0)] {
            let mut reasons = [[1u8; 80]; 2];
            let [first, second] = &mut reasons;
            // SAFETY: what is handed over lives until the end of the test.
            let answers = unsafe {
                let (at, size) = (bytes.as_ptr(), bytes.len());
                let one = amdgpu_serves(at, size, card.as_ptr(), first.as_mut_ptr().cast(), first.len());
                let file = amdgpu_read(at, size);
                let out = second.as_mut_ptr().cast();
                let other = amdgpu_file_serves(file, card.as_ptr(), out, second.len());
                amdgpu_free(file);
                [one, other]
            };
            assert_eq!(answers, [wanted; 2], "{card:?}");
            assert_eq!(reasons[0], reasons[1]);
            assert!(CStr::from_bytes_until_nul(&reasons[0]).is_ok_and(|reason| !reason.is_empty()));
        }
    }

    #[test]
    fn null_and_no_room_are_answered() {
        // SAFETY: null is what the functions expect.
        unsafe {
            let null = std::ptr::null_mut();
            assert_eq!(amdgpu_serves(std::ptr::null(), 5, std::ptr::null(), null, 9), 0);
            assert_eq!(amdgpu_file_serves(std::ptr::null(), c"gfx906".as_ptr(), null, 0), 0);
            assert!(CStr::from_ptr(amdgpu_file_json(std::ptr::null())).is_empty());
            amdgpu_free(std::ptr::null_mut());
        }
    }

    #[test]
    fn a_reason_is_cut_at_a_character() {
        let mut out = [7u8; 4];
        // SAFETY: the buffer has as many bytes.
        unsafe { write_text("aéé", out.as_mut_ptr().cast(), out.len()) };
        assert_eq!(out, [b'a', 0xc3, 0xa9, 0]);
        // SAFETY: as above.
        unsafe { write_text("éé", out.as_mut_ptr().cast(), 2) };
        assert_eq!(out[0], 0);
    }

    /// The header declares what is exported, and nothing else.
    #[test]
    fn the_header_has_every_function() {
        let read =
            |file: &str| std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/").to_owned() + file);
        let (header, source) = (read("amdgpu_object.h").unwrap(), read("src/boundary.rs").unwrap());
        let exported: Vec<&str> = source
            .lines()
            .filter_map(|line| line.strip_prefix("pub ")?.split_once("extern \"C\" fn ")?.1.split('(').next())
            .collect();
        let declared: Vec<&str> = header
            .lines()
            .filter(|line| line.contains('(') && !line.starts_with([' ', '/', '#', '*']))
            .filter_map(|line| line.split('(').next()?.rsplit([' ', '*']).next())
            .collect();
        assert_eq!(exported.len(), 8);
        assert_eq!(declared, exported);
    }
}
