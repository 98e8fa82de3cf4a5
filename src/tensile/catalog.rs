//! Tensile catalogs, counted: how many solutions one lists. Reading them is another matter.

use crate::error::Parsed;
use crate::msgpack::{Reader, Value};

/// Number of solutions in a MessagePack catalog. Touches only what stands before the list, which is nothing in every
/// real file; `None` where the top-level map has no `solutions`.
///
/// # Errors
/// Where the bytes are not MessagePack or not a map.
pub fn solutions(bytes: &[u8]) -> Parsed<Option<u64>> {
    let mut reader = Reader::new(bytes, 0);
    for _ in 0..reader.map("a Tensile catalog")? {
        if reader.value()? == Value::Str(b"solutions") {
            return reader.array("the solutions of a Tensile catalog").map(|count| Some(u64::from(count)));
        }
        reader.skip()?;
    }
    Ok(None)
}
