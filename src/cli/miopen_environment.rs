//! The variables of MIOpen's in options: `--env NAME=VALUE`.

use crate::answers::check_environment;
use crate::error::AuditError;
use std::collections::BTreeMap;

/// The variables that options name.
pub(super) fn environment(options: &[String]) -> Result<BTreeMap<String, String>, AuditError> {
    let pair = |variable: &String| {
        let pair = variable.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        pair.ok_or_else(|| AuditError::Usage(format!("--env {variable}: NAME=VALUE is expected")))
    };
    let all = options.iter().map(pair).collect::<Result<_, _>>()?;
    checked(all)
}

/// Variables that can be MIOpen's, with values that it takes.
pub(super) fn checked(environment: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, AuditError> {
    if let Some(name) = environment.keys().find(|name| !name.starts_with("MIOPEN_")) {
        let what = format!("--env {name}: MIOpen's variables begin with MIOPEN_");
        return Err(AuditError::Usage(what));
    }
    check_environment(&environment)?;
    Ok(environment)
}
