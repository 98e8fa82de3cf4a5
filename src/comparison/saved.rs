//! Reads reports written by `rocm-audit -o FILE.json`.

use super::audited::AuditedReport;
use crate::error::AuditError;
use crate::report::v1;
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
/// Where it cannot be read, is no JSON (with line and column), or another document.
pub fn read(path: &Path, named: &str) -> Result<AuditedReport, AuditError> {
    let wrong = |what: String| AuditError::Unreadable(format!("{named}{}: {what}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| AuditError::io("read", path, error))?.len();
    if size > LARGEST {
        return Err(wrong(format!("{size} bytes, more than the {LARGEST} that a report may have")));
    }
    let bytes = std::fs::read(path).map_err(|error| AuditError::io("read", path, error))?;
    // The errors of the parser name line and column.
    let document: SavedDocument = match serde_json::from_slice(&bytes) {
        Ok(document) => document,
        // It is JSON, and no object.
        Err(error) if error.is_data() => SavedDocument::default(),
        Err(error) => return Err(wrong(format!("no JSON: {error}"))),
    };
    let schema = v1::document::REPORT.schema();
    let as_written = "as `rocm-audit -o FILE.json PATH` writes";
    match (document.schema.as_deref(), document.schema_version.as_deref()) {
        (Some(own), Some(version)) if own == schema && version.starts_with("2.") => {
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("no report of an audit: {error}")))
        }
        (Some(own), version) => {
            let version = version.unwrap_or("without a version");
            Err(wrong(format!("it is {own} {version}; expected {schema} 2, {as_written}")))
        }
        (None, _) => Err(wrong(format!("it has no \"schema\"; expected {schema}, {as_written}"))),
    }
}

/// What a document says that it is.
#[derive(Default, serde::Deserialize)]
struct SavedDocument {
    schema: Option<String>,
    schema_version: Option<String>,
}
