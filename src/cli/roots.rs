//! Which roots are audited where none is named.

use super::must_be_there;
use crate::comparison::saved::refuse_documents;
use crate::error::AuditError;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::path::{Path, PathBuf};

/// Variables that name an install: ROCm's own, and those that its installers for Windows and PyTorch's
/// extensions use.
const VARIABLES: [&str; 3] = ["ROCM_PATH", "ROCM_HOME", "HIP_PATH"];

/// The paths of the call, or `$ROCM_PATH`, or `/opt/rocm*`, or where distributions, pip and conda have it. Documents
/// of this program are refused.
pub(super) fn resolve(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AuditError> {
    let found = or_documents(paths)?;
    refuse_documents(&found)?;
    Ok(found)
}

/// The same for commands that read documents of this program too.
pub(super) fn or_documents(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AuditError> {
    if !paths.is_empty() {
        paths.iter().try_for_each(|path| must_be_there(path))?;
        return Ok(paths.to_vec());
    }
    let mut tried = Vec::new();
    for name in VARIABLES {
        if let Some(path) = std::env::var_os(name).filter(|p| !p.is_empty()).map(PathBuf::from) {
            if path.exists() {
                return Ok(vec![path]);
            }
            tried.push(format!("${name} ({})", path.display()));
        } else if name == VARIABLES[0] {
            tried.push(format!("${name} (not set)"));
        }
    }
    let found = installs(Path::new("/opt"));
    if !found.is_empty() {
        return Ok(found);
    }
    tried.push("/opt/rocm*".to_owned());
    for place in usual_places() {
        if has_runtime(&place) {
            return Ok(vec![place]);
        }
        tried.push(place.display().to_string());
    }
    Err(AuditError::Usage(format!("no ROCm found; tried {}. Name a path: rocm-audit PATH", tried.join(", "))))
}

/// Folders in which packages put ROCm's libraries: pip's wheels of the active environment and of the user,
/// conda's, Debian's, Fedora's and Arch's, and the one that Ollama brings.
fn usual_places() -> Vec<PathBuf> {
    let of_variable =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let mut places = Vec::new();
    for environment in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(of_variable) {
        let lib = environment.join("lib");
        places.extend(of_python(&lib));
        places.push(lib);
    }
    places.extend(of_variable("HOME").iter().flat_map(|home| of_python(&home.join(".local/lib"))));
    let of_system = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let of_ollama = ["/usr/local/lib/ollama/rocm", "/usr/lib/ollama/rocm", "/usr/lib/ollama"];
    places.extend(of_system.into_iter().chain(of_ollama).map(PathBuf::from));
    places
}

/// Folders of wheels with ROCm below a `lib` that has those of Python's releases.
fn of_python(lib: &Path) -> Vec<PathBuf> {
    let releases = std::fs::read_dir(lib).into_iter().flatten().filter_map(Result::ok);
    let mut packages: Vec<PathBuf> = releases
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .map(|entry| entry.path().join("site-packages"))
        .collect();
    packages.sort_rows();
    packages.iter().flat_map(|package| ["_rocm_sdk_core", "torch"].map(|name| package.join(name))).collect()
}

/// Whether a folder, or the `lib` in it, has the HIP runtime or rocBLAS.
fn has_runtime(folder: &Path) -> bool {
    let is_runtime = |name: &str| name.starts_with("libamdhip64.so") || name.starts_with("librocblas.so");
    [folder.to_owned(), folder.join("lib")].iter().any(|folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        entries.take(100_000).any(|entry| is_runtime(&entry.file_name().to_string_lossy()))
    })
}

/// `/opt/rocm` and `/opt/rocm-6.4.1`, one of each that leads to the same folder.
fn installs(opt: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(opt)
        .map(|entries| entries.filter_map(Result::ok).map(|e| e.path()).collect())
        .unwrap_or_default();
    found.retain(|p| p.is_dir() && p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("rocm")));
    found.sort_rows();
    let mut seen = std::collections::HashSet::new();
    found.retain(|p| seen.insert(p.canonicalize().unwrap_or_else(|_| p.clone())));
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_where_the_runtime_is() {
        let tree = tempfile::tempdir().unwrap();
        assert!(!has_runtime(tree.path()));
        std::fs::create_dir(tree.path().join("lib")).unwrap();
        std::fs::write(tree.path().join("lib/libamdhip64.so.7"), b"").unwrap();
        assert!(has_runtime(tree.path()) && has_runtime(&tree.path().join("lib")));
    }
}
