//! What is released: the facts that every kind of package repeats, from Cargo's metadata and the repository.

use crate::command::{cargo, program, project, stdout};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::time::{Duration, UNIX_EPOCH};

/// The program, as packages describe it.
#[derive(Debug)]
pub(super) struct Product {
    pub name: String,
    pub version: String,
    /// One sentence.
    pub description: String,
    /// An SPDX expression.
    pub licence: String,
    pub keywords: Vec<String>,
    /// The address of the source, where the manifest names one.
    pub repository: Option<String>,
    /// Who answers for packages: a name and an address.
    pub maintainer: String,
    /// `[package.metadata.binstall]`.
    pub binstall: Value,
    /// When the source was committed, in seconds since 1970: the time of every file in a package.
    pub time: u64,
}

impl Product {
    /// Reads the manifest, and the time of the commit unless `SOURCE_DATE_EPOCH` says another.
    ///
    /// # Errors
    /// The manifest lacks a field; neither git nor the variable says a time.
    pub fn read() -> Result<Self> {
        let metadata = crate::workspace::metadata(None)?;
        let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
        let package = packages
            .iter()
            .find(|package| package["name"] == "rocm-audit")
            .context("no package rocm-audit in the workspace")?;
        let text = |key: &str| {
            package[key].as_str().map(str::to_owned).with_context(|| format!("Cargo.toml has no {key}"))
        };
        let maintainer = package["metadata"]["release"]["maintainer"].as_str();
        let keywords = package["keywords"].as_array().cloned().unwrap_or_default();
        Ok(Product {
            name: text("name")?,
            version: text("version")?,
            description: text("description")?,
            licence: text("license")?,
            keywords: keywords.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            repository: text("repository").ok(),
            maintainer: maintainer
                .context("Cargo.toml has no package.metadata.release.maintainer")?
                .to_owned(),
            binstall: package["metadata"]["binstall"].clone(),
            time: time()?,
        })
    }

    /// The time of the commit as RFC 3339 writes it.
    pub fn date(&self) -> String {
        let time = UNIX_EPOCH + Duration::from_secs(self.time);
        humantime::format_rfc3339_seconds(time).to_string()
    }
}

fn time() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => {
            let mut command = program("git");
            command.args(["log", "-1", "--format=%ct"]);
            stdout(command).context("no commit, and no SOURCE_DATE_EPOCH")?
        }
    };
    text.trim().parse().with_context(|| format!("{text:?} is no time"))
}

/// A file of the project, as it is released.
///
/// # Errors
/// It cannot be read.
pub(super) fn source(path: &str) -> Result<Vec<u8>> {
    std::fs::read(project().join(path)).with_context(|| path.to_owned())
}

/// What a release has beside the default features.
pub(super) const FEATURES: &str = "tls";

/// Cargo's metadata with all dependencies, as they are for a target.
///
/// # Errors
/// Cargo could not resolve them.
pub(super) fn resolved(target: &str) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target]);
    command.args(["--features", &format!("rocm-audit/{FEATURES}")]);
    Ok(serde_json::from_str(&stdout(command)?)?)
}
