//! What can go wrong, in two kinds: bytes that are not what they should be, and runs that cannot start.

pub use amdgpu_object::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};

use std::fmt;
use std::path::PathBuf;

/// Declares reasons: sentences that say why something was not done, each of a type that says what that was.
macro_rules! reasons {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl From<String> for $name {
            fn from(sentence: String) -> Self {
                $name(sentence)
            }
        }

        impl From<&str> for $name {
            fn from(sentence: &str) -> Self {
                $name(sentence.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(reason: $name) -> Self {
                reason.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, sentence: &&str) -> bool {
                self.0 == *sentence
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}
    )*};
}

reasons! {
    /// Why a word, an argument or a line was not understood, with what would be.
    NotUnderstood;
    /// Why a question has no answer, although it was understood.
    Unanswered;
    /// Why bytes of a file, a row or a member were not read.
    Unread;
    /// What a budget gives up, and why.
    GivenUp;
    /// Why rules that are part of this program cannot be used: a defect of it.
    BrokenRules;
}

impl From<GivenUp> for Unread {
    fn from(reason: GivenUp) -> Self {
        Unread(reason.0)
    }
}

impl From<NotUnderstood> for Unanswered {
    fn from(reason: NotUnderstood) -> Self {
        Unanswered(reason.0)
    }
}

impl From<NotUnderstood> for AuditError {
    fn from(reason: NotUnderstood) -> Self {
        AuditError::Usage(reason.0)
    }
}

impl From<BrokenRules> for AuditError {
    fn from(reason: BrokenRules) -> Self {
        AuditError::Internal(reason.0)
    }
}

/// Why a run could not be done at all (exit code 2).
#[derive(Debug)]
pub enum AuditError {
    /// The words of the call are wrong.
    Usage(String),
    /// The trees do not hold what the question is about, such as a catalog for the target.
    NotThere(String),
    /// A file that the answer rests on is damaged, is something else, or changed while it was read.
    Unreadable(String),
    /// The program's own rules or documents are wrong: a defect of this program.
    Internal(String),
    /// A file or folder that the call names is not what it has to be.
    Path {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The user or the caller ended the run.
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

    /// What kind of obstacle it is, as a word of documents.
    pub fn kind(&self) -> &'static str {
        match self {
            AuditError::Usage(_) => "usage",
            AuditError::NotThere(_) => "not-there",
            AuditError::Unreadable(_) => "unreadable",
            AuditError::Internal(_) => "internal",
            AuditError::Path { .. } => "path",
            AuditError::Stopped => "stopped",
            AuditError::Io { .. } => "io",
        }
    }

    /// True where the reader of our output went away, which is no error for a command-line tool.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, AuditError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::Usage(what) | AuditError::NotThere(what) | AuditError::Unreadable(what) => {
                f.write_str(what)
            }
            AuditError::Internal(what) => write!(f, "a defect of this program: {what}"),
            AuditError::Path { path, what } => write!(f, "{}: {what}", path.display()),
            AuditError::Stopped => f.write_str("the run was ended"),
            AuditError::Io { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for AuditError {}
