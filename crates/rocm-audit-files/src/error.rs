//! What can go wrong, in two kinds: bytes that are not what they should be, and runs that cannot start.

pub use amdgpu_object::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};

use std::fmt;
use std::path::PathBuf;

/// Why a run could not be done at all (exit code 2).
#[derive(Debug)]
pub enum AuditError {
    /// The words of the call are off.
    Usage(String),
    /// A file or folder that the call names is not what it has to be.
    Path {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Somebody ended it.
    Stopped,
    /// A file named by the user, or an output, could not be read or written.
    Io {
        /// What was being done, as in `read` or `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl AuditError {
    /// Wraps an I/O error with the file and the action.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        AuditError::Io { doing, path: path.into(), source }
    }

    /// True where the reader of our output went away, which is no error for a command-line tool.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, AuditError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::Usage(what) => f.write_str(what),
            AuditError::Path { path, what } => write!(f, "{}: {what}", path.display()),
            AuditError::Stopped => f.write_str("the run was ended"),
            AuditError::Io { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for AuditError {}
