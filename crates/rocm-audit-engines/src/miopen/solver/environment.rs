//! The environment variables that MIOpen reads: those that affect an answer, and why the others do not.

use super::clause::Source;
use super::written::{Commit, EnvironmentFile, VariableFile};

/// A variable that MIOpen reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Name of the variable.
    pub name: &'static str,
    /// A source file that declares it.
    pub source: Source,
    /// Why it does not affect an answer; `None` if it does.
    pub not_modelled: Option<&'static str>,
}

/// The variables of a file.
pub(super) fn read(file: &'static EnvironmentFile) -> Vec<Variable> {
    let Commit { repository, commit } = file.source;
    let variable = |variable: &VariableFile| Variable {
        source: Source {
            repository,
            commit,
            path: variable.path,
            lines: variable.lines.to_string().into(),
            name: variable.name.into(),
        },
        name: variable.name,
        not_modelled: variable.not_modelled,
    };
    file.variables.iter().map(variable).collect()
}
