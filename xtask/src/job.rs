//! How a job of the gate ended, and what its caller wished.

/// What the user asked for, apart from the names of jobs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// A tool that is missing is installed from its source.
    pub(crate) install: bool,
    /// A job that cannot be run here counts as failed.
    pub(crate) no_skip: bool,
}

/// How a job ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It holds; a note of what was measured, or empty.
    Passed(String),
    /// It does not hold, or could not be judged: the command and what it printed.
    Failed(String),
    /// It could not be run here, and why. Nothing was shown by it.
    Skipped(String),
}

impl Ended {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Ended::Passed(_) => "passed",
            Ended::Failed(_) => "FAILED",
            Ended::Skipped(_) => "skipped",
        }
    }

    /// The result with its note, on one line.
    pub(crate) fn line(&self) -> String {
        match self {
            Ended::Skipped(note) => format!("skipped: not run: {note}"),
            Ended::Passed(note) if !note.is_empty() => format!("passed: {note}"),
            Ended::Passed(_) | Ended::Failed(_) => self.word().to_owned(),
        }
    }
}
