//! JSON documents that are too long to be held: a head, the elements of one array as they come, an end.

use serde::Serialize;
use std::io::{self, Write};

/// Writes the elements of one array of a JSON document, a line each.
pub(super) struct Document {
    first: bool,
}

impl Document {
    /// Begins with a document whose one array, which is its last field, is empty.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(out: &mut dyn Write, empty: &impl Serialize) -> io::Result<Self> {
        let text = super::json::pretty(empty).map_err(io::Error::other)?;
        let head = text.strip_suffix("]\n}").unwrap_or(&text);
        out.write_all(head.as_bytes())?;
        Ok(Document { first: true })
    }

    /// Writes elements, each of which is one line of `lines`.
    ///
    /// # Errors
    /// As [`Document::begin`].
    pub fn lines(&mut self, out: &mut dyn Write, lines: &[u8]) -> io::Result<()> {
        for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            out.write_all(if self.first { b"\n    " } else { b",\n    " })?;
            out.write_all(line)?;
            self.first = false;
        }
        Ok(())
    }

    /// # Errors
    /// As [`Document::begin`].
    pub fn end(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\n  ]\n}\n")
    }
}
