//! The compilers that are installed.

use crate::command::{program, stdout};
use anyhow::Result;

/// What the module is built for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Whether a version such as `1.89.0-x86_64-unknown-linux-gnu` or `1.89` is the wanted one, `1.89`.
pub(crate) fn is_version(found: &str, wanted: &str) -> bool {
    let number = found.split('-').next().unwrap_or_default();
    number.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The name of the installed toolchain of a version.
pub(crate) fn installed(wanted: &str) -> Option<String> {
    let mut command = program("rustup");
    command.args(["toolchain", "list", "--quiet"]);
    let names = stdout(command).ok()?;
    names
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .find(|name| is_version(name, wanted))
        .map(str::to_owned)
}

/// The version of the compiler that is in use, such as `1.95.0` or `1.97.0-nightly`.
///
/// # Errors
/// There is no compiler.
pub(crate) fn compiler() -> Result<String> {
    let mut command = program(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.arg("--version");
    Ok(stdout(command)?.split_whitespace().nth(1).unwrap_or_default().to_owned())
}

/// Whether the compiler has the library of the target.
///
/// # Errors
/// There is no compiler.
pub(crate) fn has_target() -> Result<bool> {
    let mut command = program(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--print", "target-libdir", "--target", TARGET]);
    let folder = stdout(command)?;
    Ok(std::path::Path::new(folder.trim()).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_known_by_its_version() {
        for found in ["1.89", "1.89.0", "1.89.1-x86_64-unknown-linux-gnu", "1.89-aarch64-apple-darwin"] {
            assert!(is_version(found, "1.89"), "{found}");
        }
        for found in ["1.8", "1.890", "1.90.0", "stable-x86_64-unknown-linux-gnu", "nightly"] {
            assert!(!is_version(found, "1.89"), "{found}");
        }
        assert!(is_version("1.89.1", "1.89.1") && !is_version("1.89.0", "1.89.1"));
    }
}
