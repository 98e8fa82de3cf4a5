//! The job `wasm`: the crates for WebAssembly, as the page in the browser has them.

use crate::command::{cargo, output, program};
use crate::job::{Ended, Wishes};
use crate::toolchain::{TARGET, has_target};
use anyhow::Result;

/// Crates with the features that need no C compiler.
const CRATES: [&str; 6] = [
    "--package amdgpu-isa",
    "--package amdgpu-kernel",
    "--package amdgpu-object --no-default-features --features zlib,ruzstd",
    "--package amdgpu-object --no-default-features --features md5,miniz,ruzstd",
    "--package amdgpu-samples",
    "--package rocm-audit --lib --no-default-features --features engines,packages,pure",
];

pub(super) fn run(wishes: Wishes) -> Result<Ended> {
    if !has_target()? && wishes.install {
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
