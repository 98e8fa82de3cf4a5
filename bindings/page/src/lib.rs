//! The library as plain functions, for a page that reads a file in the browser: bytes in, the document of
//! `audit` as JSON out.
//!
//! The caller owns the memory: [`alloc`] allocates it, the caller writes the file and its name to it,
//! [`audit`] takes both and returns the document, and [`free`] frees that. The module has no threads, files
//! or imports, so it can only compute.

use rocm_audit::source::given;
use rocm_audit::{AuditQuestion, Card, PROCESSORS, TargetId, Trees, products as all_products};
use std::path::Path;
use std::sync::Mutex;

/// Allocates `len` bytes; null if there is not enough memory or `len` is 0.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if len == 0 || bytes.try_reserve_exact(len).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(len, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Frees memory.
///
/// # Safety
///
/// It came from [`alloc`] with this `len`, or from [`audit`], and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(at: *mut u8, len: usize) {
    // SAFETY: as above.
    drop(unsafe { taken(at, len) });
}

/// Audits a file and returns its document as JSON, or an object with `error`: the address in the upper 32
/// bits, the length in the lower.
///
/// # Safety
///
/// Both buffers came from [`alloc`] with these lengths; the function takes ownership.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn audit(file: *mut u8, len: usize, name: *mut u8, name_len: usize) -> u64 {
    // SAFETY: as above.
    let (file, name) = unsafe { (taken(file, len), taken(name, name_len)) };
    remember_panics();
    let json = document(file, &String::from_utf8_lossy(&name)).unwrap_or_else(|error| {
        let error = serde_json::Value::from(error);
        format!("{{\"error\":{error}}}").into_bytes()
    });
    handed_out(json)
}

/// All product names with their processors, as pairs in a JSON array; a verdict contains only a few of them.
#[unsafe(no_mangle)]
pub extern "C" fn products() -> u64 {
    let pairs: Vec<_> = all_products().iter().map(|product| (product.name(), product.processor())).collect();
    handed_out(serde_json::to_vec(&pairs).unwrap_or_default())
}

/// The error message if [`audit`] did not return, in the same form as [`audit`]'s document.
#[unsafe(no_mangle)]
pub extern "C" fn why() -> u64 {
    handed_out(PANIC.try_lock().map(|message| message.clone().into_bytes()).unwrap_or_default())
}

static PANIC: Mutex<String> = Mutex::new(String::new());

fn remember_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut message) = PANIC.try_lock() {
            *message = panic.to_string();
        }
    }));
}

/// # Safety
///
/// As for [`free`].
unsafe fn taken(at: *mut u8, len: usize) -> Vec<u8> {
    if at.is_null() || len == 0 {
        return Vec::new();
    }
    // SAFETY: `alloc` and `handed_out` return boxed slices of this length.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len)) }.into_vec()
}

fn handed_out(bytes: Vec<u8>) -> u64 {
    let len = bytes.len() as u64;
    let at = Box::into_raw(bytes.into_boxed_slice()).cast::<u8>() as usize as u64;
    at << 32 | len
}

/// The document of `audit` for one file, with a verdict on every processor.
fn document(file: Vec<u8>, name: &str) -> Result<Vec<u8>, String> {
    let path = Path::new(name);
    let _given = given::give_bytes(path, file).map_err(|error| error.to_string())?;
    let every = PROCESSORS.iter().map(|processor| Card::unnamed(TargetId::bare(processor.name())));
    let trees = Trees::at([path]);
    let inventory = trees.inventory().map_err(|error| error.to_string())?;
    let mut report = AuditQuestion::default().by_tables(&inventory);
    report.verdicts = AuditQuestion::about(every).by_tables(&inventory).verdicts;
    serde_json::to_vec(&report).map_err(|error| error.to_string())
}
