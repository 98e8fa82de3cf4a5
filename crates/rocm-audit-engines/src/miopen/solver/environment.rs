//! The variables of the environment that MIOpen reads: those that an answer heeds, and why it does not heed the others.

use super::clause::Source;
use super::load_error::LoadError;
use serde::Deserialize;

/// A variable that MIOpen reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// A place where it is declared.
    pub source: Source,
    /// Why it changes nothing in an answer; none where an answer heeds it.
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
