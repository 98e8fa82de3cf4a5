//! The program for a platform, of bytes that depend on the source and the pinned tools alone.

use super::platform::Platform;
use super::product::{FEATURES, Product};
use crate::command::{cargo, cargo_home, output, project};
use crate::workspace::{metadata, target_folder};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// The profile of Cargo.toml that is released.
const PROFILE: &str = "dist";

/// The version of cargo-zigbuild, and that of the linker and the C compiler that it calls.
pub(super) const TOOLS: &str = "pip install cargo-zigbuild==0.24.0 ziglang==0.17.1";

/// What the linker leaves out on Linux, where a program that ends at a panic needs no tables for unwinding. They
/// are a fifteenth of it, and compilers that are asked for none write them for what unwinds in the standard library.
const NO_UNWIND_TABLES: &str = "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) \
     *(.gcc_except_table .gcc_except_table.*) } } INSERT AFTER .rodata;\n";

/// Code that stands at several places of the program is put into a function of its own where that saves so many
/// bytes: a thirtieth of the program, for one to three per cent more instructions.
const SHARED_CODE: &str = "-Cllvm-args=-enable-machine-outliner=always -outliner-benefit-threshold=20";

/// Where the flags stand that all builds in the repository have for C.
const CONFIGURATION: &str = include_str!("../../../.cargo/config.toml");

/// Builds with cargo-zigbuild, which links for all platforms from one.
///
/// # Errors
/// The build failed, or cargo-zigbuild or the target is not installed.
pub(super) fn program(product: &Product, platform: &Platform) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["zigbuild", "--locked", "--profile", PROFILE, "--target", platform.target]);
    command.args(["--package", &product.name, "--features", FEATURES]);
    command.env("CARGO_INCREMENTAL", "0").env("SOURCE_DATE_EPOCH", product.time.to_string());
    let (mut rust, c) = flags()?;
    rust.push_str(&format!("\x1f{SHARED_CODE}"));
    let target = target_folder(&metadata(None)?)?;
    if platform.target.contains("linux") {
        let script = target.join("no-unwind-tables.ld");
        std::fs::write(&script, NO_UNWIND_TABLES)?;
        rust.push_str(&format!("\x1f-Clink-arg=-Wl,--no-eh-frame-hdr,-T,{}", script.display()));
    }
    if platform.target.contains("apple") {
        rust.push_str(&format!("\x1f-Clink-arg=-F{}", super::framework::write(&target)?.display()));
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", rust).env("CFLAGS", c);
    let built = output(command)?;
    if !built.success {
        bail!(
            "{}: not built. It needs `{TOOLS}` and `rustup target add {}`\n{}",
            platform.name,
            platform.target,
            built.text
        );
    }
    let folder = target.join(platform.target).join(PROFILE);
    Ok(folder.join(platform.program()))
}

/// Flags for Rust and for C: without the folders of this machine in what compilers write, and with as much of
/// zstd as is used.
///
/// # Errors
/// Nothing says where cargo keeps sources.
pub(crate) fn flags() -> Result<(String, String)> {
    let home = cargo_home()?;
    let mut rust = Vec::new();
    let mut c = Vec::new();
    for (folder, name) in [(project(), "/source"), (home, "/cargo")] {
        rust.push(format!("--remap-path-prefix={}={name}", folder.display()));
        c.push(format!("-ffile-prefix-map={}={name}", folder.display()));
    }
    // These variables replace the flags of the configuration, which has none for Rust.
    c.extend(flags_for_c().map(str::to_owned));
    Ok((rust.join("\x1f"), c.join(" ")))
}

/// The flags for C of the configuration.
fn flags_for_c() -> impl Iterator<Item = &'static str> {
    let line = CONFIGURATION.lines().find_map(|line| line.strip_prefix("CFLAGS = \""));
    line.into_iter().flat_map(|flags| flags.trim_end_matches('"').split_whitespace())
}

#[cfg(test)]
mod tests {
    #[test]
    fn releases_have_the_flags_of_other_builds() {
        let flags: Vec<&str> = super::flags_for_c().collect();
        assert!(flags.iter().filter(|flag| flag.starts_with("-DZSTD_EXCLUDE_")).count() > 3, "{flags:?}");
    }
}
