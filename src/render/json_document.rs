//! Writes JSON documents that are too long to keep in memory: a head, the elements of one array as they come,
//! an end.

use crate::report::v1::{Found, Header};
use std::io::{self, Write};

/// Writes the elements of one array of a JSON document, one line each.
pub(super) struct JsonDocument {
    first: bool,
}

impl JsonDocument {
    /// Begins a document with this header, whose array field is named `elements`.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(out: &mut dyn Write, header: &Header, elements: &str) -> io::Result<Self> {
        let text = super::json::pretty(header).map_err(io::Error::other)?;
        let head = text.strip_suffix("\n}").unwrap_or(&text);
        write!(out, "{head},\n  \"{elements}\": [")?;
        Ok(JsonDocument { first: true })
    }

    /// Writes elements, one for each line of `lines`.
    ///
    /// # Errors
    /// As [`JsonDocument::begin`].
    pub fn lines(&mut self, out: &mut dyn Write, lines: &[u8]) -> io::Result<()> {
        for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            out.write_all(if self.first { b"\n    " } else { b",\n    " })?;
            out.write_all(line)?;
            self.first = false;
        }
        Ok(())
    }

    /// Ends the document with the findings, which are known only after everything was read.
    ///
    /// # Errors
    ///
    /// As [`JsonDocument::begin`].
    pub fn end(self, out: &mut dyn Write, found: &Found) -> io::Result<()> {
        let text = super::json::pretty(found).map_err(io::Error::other)?;
        let fields = text.strip_prefix('{').unwrap_or(&text);
        let close = if self.first { "]," } else { "\n  ]," };
        writeln!(out, "{close}{fields}")
    }
}
