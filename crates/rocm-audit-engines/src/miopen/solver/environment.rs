//! The environment variables that MIOpen reads: those that affect an answer, and why the others do not.

use super::clause::Source;
use super::load_error::LoadError;
use serde::Deserialize;

/// A variable that MIOpen reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// A source file that declares it.
    pub source: Source,
    /// Why it does not affect an answer; `None` if it does.
    pub not_modelled: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentFile {
    source: Commit,
    variables: Vec<VariableFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit {
    repository: String,
    commit: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableFile {
    name: String,
    path: String,
    lines: u32,
    not_modelled: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Vec<Variable>, LoadError> {
    let file: EnvironmentFile = serde_json::from_str(text).map_err(|error| LoadError {
        file: "environment".into(),
        clause: None,
        what: format!("is no list of variables: {error}"),
    })?;
    let EnvironmentFile { source: Commit { repository, commit }, variables } = file;
    let variable = |variable: VariableFile| Variable {
        source: Source {
            repository: repository.clone(),
            commit: commit.clone(),
            path: variable.path,
            lines: variable.lines.to_string(),
            name: variable.name.clone(),
        },
        name: variable.name,
        not_modelled: variable.not_modelled,
    };
    Ok(variables.into_iter().map(variable).collect())
}
