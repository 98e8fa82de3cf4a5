//! The bytes that a bundle's entries lie in, and digests as text.

use rocm_audit::container::{Bundle, compressed};
use rocm_audit::error::ParseError;
use std::borrow::Cow;

/// What the entries of a bundle lie in: its bytes, inflated.
pub fn body<'a>(bytes: &'a [u8], bundle: &Bundle) -> Result<Cow<'a, [u8]>, ParseError> {
    let stored = &bytes[bundle.offset() as usize..(bundle.offset() + bundle.span()) as usize];
    match &bundle.storage().packed() {
        Some(header) if header.hash().is_some() => {
            let mut stream = compressed::Unpacked::open(stored, 0, header, false, header.unpacked())?;
            let mut all = Vec::new();
            stream.read_onto(&mut all, header.unpacked())?;
            Ok(Cow::Owned(all))
        }
        Some(_) => {
            Err(ParseError::new(bundle.offset(), "a zstd frame of a kpack archive is not inflated here"))
        }
        None => Ok(Cow::Borrowed(stored)),
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
