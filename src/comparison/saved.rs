//! Reads reports written by `rocm-audit -o FILE.json`.

use crate::capability::coverage::Coverage;
use crate::error::AuditError;
use crate::report::v1;
use serde_json::Value;
use std::path::Path;

/// Size limit for a saved report in bytes.
const LARGEST: u64 = 1 << 30;

/// Whether a path means a saved report: its name ends with `.json`.
pub fn is_named_so(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Reads an audit report. `named` is the option or word that named it, for error messages.
///
/// # Errors
///
/// If it cannot be read, is not JSON (with line and column), or is another document.
pub fn read(path: &Path, named: &str) -> Result<Value, AuditError> {
    let wrong = |what: String| AuditError::Unreadable(format!("{named}{}: {what}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| AuditError::io("read", path, error))?.len();
    if size > LARGEST {
        return Err(wrong(format!("{size} bytes, more than the {LARGEST} that a report may have")));
    }
    let bytes = std::fs::read(path).map_err(|error| AuditError::io("read", path, error))?;
    // The parser's error has line and column.
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("no JSON: {error}")))?;
    let schema = v1::document::REPORT.schema();
    let as_written = "as `rocm-audit -o FILE.json PATH` writes";
    match (value["schema"].as_str(), value["schema_version"].as_str()) {
        (Some(own), Some(version)) if own == schema && version.starts_with("2.") => Ok(value),
        (Some(own), version) => {
            let version = version.unwrap_or("without a version");
            Err(wrong(format!("it is {own} {version}; expected {schema} 2, {as_written}")))
        }
        (None, _) => Err(wrong(format!("it has no \"schema\"; expected {schema}, {as_written}"))),
    }
}

/// Parses the JSON word for a coverage.
pub(super) fn coverage(word: &str) -> Option<Coverage> {
    let written = |own: &Coverage| serde_json::to_value(own).ok();
    Coverage::ALL.into_iter().find(|own| written(own).is_some_and(|value| value == word))
}

/// The elements of a list in an object; empty if the list is missing.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}
