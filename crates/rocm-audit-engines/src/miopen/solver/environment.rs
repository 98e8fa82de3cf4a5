//! The environment variables that MIOpen reads: those that affect an answer, and why the others do not.

use super::clause::Source;
use super::load_error::LoadError;
use serde::Deserialize;

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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentFile<'a> {
    #[serde(borrow)]
    source: Commit<'a>,
    #[serde(borrow)]
    variables: Vec<VariableFile<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit<'a> {
    repository: &'a str,
    commit: &'a str,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableFile<'a> {
    name: &'a str,
    path: &'a str,
    lines: u32,
    #[serde(borrow)]
    not_modelled: Option<&'a str>,
}

pub(super) fn read(text: &'static str) -> Result<Vec<Variable>, LoadError> {
    let file: EnvironmentFile<'static> = serde_json::from_str(text).map_err(|error| LoadError {
        file: "environment".into(),
        clause: None,
        what: format!("is no list of variables: {error}"),
    })?;
    let EnvironmentFile { source: Commit { repository, commit }, variables } = file;
    let variable = |variable: VariableFile<'static>| Variable {
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
    Ok(variables.into_iter().map(variable).collect())
}
