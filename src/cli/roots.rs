//! Which roots are audited where none is named.

use super::must_be_there;
use crate::error::AuditError;
use std::path::{Path, PathBuf};

/// The paths of the call, or `$ROCM_PATH`, or `/opt/rocm*`.
pub(super) fn resolve(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AuditError> {
    if !paths.is_empty() {
        paths.iter().try_for_each(|path| must_be_there(path))?;
        return Ok(paths.to_vec());
    }
    let mut tried = Vec::new();
    if let Some(path) = std::env::var_os("ROCM_PATH").filter(|p| !p.is_empty()).map(PathBuf::from) {
        if path.exists() {
            return Ok(vec![path]);
        }
        tried.push(format!("$ROCM_PATH ({})", path.display()));
    } else {
        tried.push("$ROCM_PATH (not set)".to_owned());
    }
    let found = installs(Path::new("/opt"));
    if !found.is_empty() {
        return Ok(found);
    }
    tried.push("/opt/rocm*".to_owned());
    Err(AuditError::Usage(format!(
        "no ROCm found; tried {}. Name a path: rocm-audit PATH",
        tried.join(" and ")
    )))
}

/// `/opt/rocm` and `/opt/rocm-6.4.1`, one of each that leads to the same folder.
fn installs(opt: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(opt)
        .map(|entries| entries.filter_map(Result::ok).map(|e| e.path()).collect())
        .unwrap_or_default();
    found.retain(|p| p.is_dir() && p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("rocm")));
    found.sort();
    let mut seen = std::collections::HashSet::new();
    found.retain(|p| seen.insert(p.canonicalize().unwrap_or_else(|_| p.clone())));
    found
}
