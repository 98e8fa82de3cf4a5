//! Jobs that need a tool or a toolchain that a machine may not have.

use crate::command::{Tool, cargo, output, program, stdout};
use crate::job::{Ended, Wishes};
use crate::toolchain::{compiler, installed, is_version};
use crate::workspace::{metadata, published};
use anyhow::Result;
use std::collections::BTreeMap;

/// Checks every published crate with the Rust of its manifest.
pub(super) fn msrv(wishes: Wishes) -> Result<Ended> {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in published(&metadata(None)?)? {
        let Some(rust) = package.rust else {
            return Ok(Ended::Failed(format!("{} has no rust-version", package.name)));
        };
        versions.entry(rust).or_default().push(package.name);
    }
    for (version, names) in &versions {
        if wishes.install && installed(version).is_none() {
            let mut command = program("rustup");
            command.args(["toolchain", "install", version, "--profile", "minimal"]);
            let output = output(command)?;
            if !output.success {
                return Ok(output.failure());
            }
        }
        let mut command = if let Some(toolchain) = installed(version) {
            let mut command = program("rustup");
            command.args(["run", &toolchain, "cargo"]);
            command
        } else if is_version(&compiler()?, version) {
            cargo()
        } else {
            return Ok(Ended::Skipped(format!("toolchain {version} is not installed (--install does that)")));
        };
        command.args(["check", "--quiet"]);
        names.iter().for_each(|name| _ = command.args(["--package", name]));
        let output = output(command)?;
        if !output.success {
            return Ok(output.failure());
        }
    }
    Ok(Ended::Passed(versions.into_keys().collect::<Vec<_>>().join(", ")))
}

const DENY: Tool = Tool { called: "cargo deny", install: "cargo-deny" };

/// Dependencies against `deny.toml`.
pub(super) fn deny(wishes: Wishes) -> Result<Ended> {
    if let Some(ended) = DENY.missing(wishes)? {
        return Ok(ended);
    }
    let deny = |words: &[&str]| {
        let mut command = DENY.command();
        command.args(words);
        output(command)
    };
    let checked = deny(&["check", "bans", "licenses", "sources"])?;
    if !checked.success {
        return Ok(checked.failure());
    }
    let mut fetched = deny(&["fetch", "db"])?;
    if !fetched.success && wishes.no_skip {
        return Ok(fetched.failure());
    }
    if !fetched.success {
        return Ok(Ended::Passed(
            "bans, licenses, sources; advisories not checked: their database cannot be fetched".to_owned(),
        ));
    }
    fetched = deny(&["check", "advisories"])?;
    Ok(if fetched.success {
        Ended::Passed("bans, licenses, sources, advisories".to_owned())
    } else {
        fetched.failure()
    })
}

const SEMVER_CHECKS: Tool =
    Tool { called: "cargo semver-checks", install: "cargo-semver-checks --version 0.51.0" };

/// The crates' public interfaces against those of the last release, which is the newest tag before this
/// commit.
pub(super) fn semver(wishes: Wishes) -> Result<Ended> {
    let mut command = program("git");
    command.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]);
    let Ok(tag) = stdout(command) else {
        return Ok(Ended::Passed("there is no release yet that could be broken".to_owned()));
    };
    if let Some(ended) = SEMVER_CHECKS.missing(wishes)? {
        return Ok(ended);
    }
    let mut command = SEMVER_CHECKS.command();
    command.args(["--baseline-rev", tag.trim()]);
    for package in published(&metadata(None)?)? {
        command.args(["--package", &package.name]);
    }
    let checked = output(command)?;
    Ok(if checked.success { Ended::Passed(format!("against {}", tag.trim())) } else { checked.failure() })
}
