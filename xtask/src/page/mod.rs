//! `cargo xtask page OUT [--try [FILE…]]`: the page that reads a dropped file in the browser, with its
//! WebAssembly module.

mod server;
mod try_out;

use crate::command::{cargo, program, project, stdout};
use crate::toolchain::{TARGET, has_target};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};

/// The files of the page that are written by hand, in `site/drop`.
const FILES: [&str; 5] = ["icon.svg", "index.html", "page.css", "page.js", "worker.js"];

/// The module, as cargo names it and the page fetches it.
const MODULE: &str = "rocm_audit_page.wasm";

/// Makes the page in a folder; with `--try`, opens fixtures and the files that are named in it, in a real
/// browser.
///
/// # Errors
/// The target is not installed, the module does not build, or the page says something else than the library.
pub fn run(arguments: &[String]) -> Result<()> {
    let Some((out, rest)) = arguments.split_first().filter(|(out, _)| !out.starts_with('-')) else {
        bail!("page OUT [--try [FILE…]]");
    };
    let files = match rest.split_first() {
        None => None,
        Some((flag, files)) if flag == "--try" => Some(files),
        Some((word, _)) => bail!("{word}: page OUT [--try [FILE…]]"),
    };
    let out = PathBuf::from(out);
    let module = make(&out)?;
    println!("{}: the module has {:.1} MB", out.join("index.html").display(), module as f64 / 1e6);
    if let Some(files) = files {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        println!("{}", try_out::run(&out, &files)?);
    }
    Ok(())
}

/// Makes the page and gives the size of its module.
fn make(out: &Path) -> Result<u64> {
    if !has_target()? {
        bail!("the target {TARGET} is not installed: rustup target add {TARGET}");
    }
    let target = crate::workspace::target_folder(&crate::workspace::metadata(None)?)?;
    let mut command = cargo();
    command.args(["build", "--quiet", "--release", "--locked", "--target", TARGET]);
    command.args(["--manifest-path", "bindings/page/Cargo.toml", "--target-dir"]).arg(&target);
    stdout(command)?;
    let built = target.join(TARGET).join("release").join(MODULE);
    std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    for file in FILES {
        let from = project().join("site/drop").join(file);
        std::fs::copy(&from, out.join(file)).with_context(|| from.display().to_string())?;
    }
    let module = out.join(MODULE);
    std::fs::copy(&built, &module).with_context(|| built.display().to_string())?;
    smaller(&module);
    Ok(std::fs::metadata(module)?.len())
}

/// Lets binaryen make the module smaller, where it is here.
fn smaller(module: &Path) {
    let mut command = program("wasm-opt");
    command.args(["-O2", "--all-features"]).arg(module).arg("-o").arg(module);
    // Without it the module is the same, and larger.
    let _ = stdout(command);
}
