//! `--exclude`, for all commands that have it.

use crate::error::AuditError;
use crate::input::exclude::Exclusion;

// What is left out. No doc comment, which would become the help of each command that has these.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub(super) struct ExcludeArgs {
    /// Leave out files, folders and members of packages that match; without a slash by name, with one by the
    /// path below the root; repeatable
    #[arg(long = "exclude", value_name = "GLOB")]
    pub patterns: Vec<String>,
}

impl ExcludeArgs {
    /// The patterns, read.
    pub fn exclusion(&self) -> Result<Exclusion, AuditError> {
        Exclusion::new(&self.patterns)
    }
}
