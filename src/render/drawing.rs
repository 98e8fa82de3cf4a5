//! The result of drawing a report.

use std::fmt;
use std::io::{self, Write};

/// A drawn report: its text, or a function that writes it.
pub enum Drawing<'r> {
    /// Its text.
    Text(String),
    /// What may be too long for memory: the rows of one table, or JSON.
    Written(Box<WriteDrawing<'r>>),
}

/// Writes a drawing.
pub type WriteDrawing<'r> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'r;

impl Drawing<'_> {
    /// Writes the drawing.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Drawing::Text(text) => out.write_all(text.as_bytes()),
            Drawing::Written(write) => write(out),
        }
    }

    /// The whole drawing as text.
    pub fn into_text(self) -> String {
        match self {
            Drawing::Text(text) => text,
            Drawing::Written(write) => {
                let mut out = Vec::new();
                // Writing to memory cannot fail.
                let _ = write(&mut out);
                String::from_utf8_lossy(&out).into_owned()
            }
        }
    }
}

impl From<String> for Drawing<'_> {
    fn from(text: String) -> Self {
        Drawing::Text(text)
    }
}

impl fmt::Debug for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Drawing::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Drawing::Written(_) => f.write_str("Written"),
        }
    }
}
