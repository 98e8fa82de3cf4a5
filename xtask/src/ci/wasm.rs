//! The job `wasm`: the crates for WebAssembly, as the page in the browser has them.

use super::command::{cargo, output, program, stdout};
use super::{Ended, Wishes};
use crate::page::TARGET;
use anyhow::Result;

/// Crates with the features that need no C compiler.
const CRATES: [&str; 3] = [
    "--package amdgpu-isa",
    "--package amdgpu-object --no-default-features --features zlib,ruzstd",
    "--package rocm-audit --lib --no-default-features --features engines,packages,pure",
];

pub(super) fn run(wishes: Wishes) -> Result<Ended> {
    if !has_target()? && wishes.installs() {
        let mut command = program("rustup");
        command.args(["target", "add", TARGET]);
        output(command)?;
    }
    if !has_target()? {
        return Ok(Ended::Skipped(format!("the target {TARGET} is not installed (--install does that)")));
    }
    for words in CRATES {
        let mut command = cargo();
        command.args(["check", "--quiet", "--target", TARGET]).args(words.split_whitespace());
        command.env("RUSTFLAGS", "-D warnings");
        let output = output(command)?;
        if !output.success {
            return Ok(output.failure());
        }
    }
    Ok(Ended::Passed(format!("{} crates", CRATES.len())))
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
