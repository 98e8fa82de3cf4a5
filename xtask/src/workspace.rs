//! The workspace and its crates, as cargo knows them.

use crate::command::{Output, cargo, output, stdout};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::PathBuf;

/// A crate of the workspace that can be published.
#[derive(Debug)]
pub(crate) struct Published {
    pub name: String,
    pub version: String,
    /// `rust-version` of its manifest.
    pub rust: Option<String>,
}

/// What cargo says of a workspace: the project's, or that of another manifest.
///
/// # Errors
/// Cargo could not read it.
pub(crate) fn metadata(manifest: Option<&str>) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = manifest {
        command.args(["--manifest-path", manifest]);
    }
    Ok(serde_json::from_str(&stdout(command)?)?)
}

/// The folder that cargo builds in.
///
/// # Errors
/// Cargo's answer does not say it.
pub(crate) fn target_folder(metadata: &Value) -> Result<PathBuf> {
    Ok(metadata["target_directory"].as_str().context("cargo metadata names no target folder")?.into())
}

/// Builds the tool's program as the tests of the workspace do, after which nothing is left to build: with the
/// features that they turn on in crates below. Says where it is, or what the compiler printed.
///
/// # Errors
/// Where cargo could not be asked.
pub(crate) fn built_program() -> Result<Result<PathBuf, Output>> {
    built_beside_tests(&["--package", "rocm-audit", "--bin", "rocm-audit"], "rocm-audit")
}

/// Builds the library of the Python module with the same crates.
///
/// # Errors
/// Where cargo could not be asked.
pub(crate) fn built_module() -> Result<Result<PathBuf, Output>> {
    let file = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    built_beside_tests(&["--package", "rocm-audit-py", "--lib"], &file)
}

/// Builds a part of the workspace with the features that its tests turn on, and says where the file of this name
/// is.
fn built_beside_tests(part: &[&str], file: &str) -> Result<Result<PathBuf, Output>> {
    let mut command = cargo();
    command.args(["build", "--quiet"]).args(part);
    command.args(["--package", "xtask", "--features", "xtask/tests"]);
    let built = output(command)?;
    if !built.success {
        return Ok(Err(built));
    }
    Ok(Ok(target_folder(&metadata(None)?)?.join("debug").join(file)))
}

/// The crates of the workspace that can be published.
///
/// # Errors
/// Cargo's answer has no such crate.
pub(crate) fn published(metadata: &Value) -> Result<Vec<Published>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let crates: Option<Vec<_>> = packages
        .iter()
        // `publish = false` is an empty list of registries.
        .filter(|package| package["publish"].as_array().is_none_or(|registries| !registries.is_empty()))
        .map(|package| {
            Some(Published {
                name: text(package, "name")?,
                version: text(package, "version")?,
                rust: text(package, "rust_version"),
            })
        })
        .collect();
    crates.filter(|crates| !crates.is_empty()).context("cargo metadata lists no crate that can be published")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xtask_is_not_published_and_the_tool_is() {
        let metadata = metadata(None).unwrap();
        let names: Vec<String> =
            published(&metadata).unwrap().into_iter().map(|package| package.name).collect();
        assert!(names.iter().any(|name| name == "rocm-audit"), "{names:?}");
        assert!(!names.iter().any(|name| name == "xtask"), "{names:?}");
    }
}
