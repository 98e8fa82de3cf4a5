//! What a report became.

use std::fmt;
use std::io::{self, Write};

/// What a report became: its text, or what makes that while it is written.
pub enum Drawing<'r> {
    /// Its text.
    Text(String),
    /// The rows of one table, of which there may be very many.
    Rows(Box<WriteRows<'r>>),
}

/// Writes rows.
pub type WriteRows<'r> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'r;

impl Drawing<'_> {
    /// Writes it.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Drawing::Text(text) => out.write_all(text.as_bytes()),
            Drawing::Rows(write) => write(out),
        }
    }

    /// All of it as text.
    pub fn into_text(self) -> String {
        match self {
            Drawing::Text(text) => text,
            Drawing::Rows(write) => {
                let mut out = Vec::new();
                // Memory takes what is written to it.
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
            Drawing::Rows(_) => f.write_str("Rows"),
        }
    }
}
