//! `cargo xtask python`: builds the Python module into a virtual environment and runs its tests, with `--fleet` the engines of
//! docs/fleet.md too.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the environment has to have.
const NEEDS: &str = "maturin mypy pyarrow pandas polars duckdb fsspec; with --fleet aiohttp 'dask[distributed]' 'ray[data]' pyspark and Java 17";

pub fn run(arguments: &[String]) -> Result<()> {
    let fleet = arguments.iter().any(|word| word == "--fleet");
    let folders: Vec<&String> = arguments.iter().filter(|word| *word != "--fleet").collect();
    let [venv] = &folders[..] else {
        bail!("name one virtual environment, which has {NEEDS}");
    };
    let venv = std::fs::canonicalize(venv).with_context(|| venv.to_string())?;
    let root = std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    let module = root.join("crates/rocm-audit-py");
    let python = venv.join("bin/python");
    let step = |words: &[&str]| -> Result<()> {
        let (program, words) = words.split_first().context("no command")?;
        let program: PathBuf =
            if *program == "python" { python.clone() } else { venv.join("bin").join(program) };
        let mut command = Command::new(&program);
        command.args(words).current_dir(&module).env("VIRTUAL_ENV", &venv);
        // The program that the module is compared with was built beside this one.
        if std::env::var_os("ROCM_AUDIT").is_none()
            && let Ok(own) = std::env::current_exe()
        {
            command.env("ROCM_AUDIT", own.with_file_name("rocm-audit"));
        }
        let status = command.status().with_context(|| format!("{}; it needs {NEEDS}", program.display()))?;
        if !status.success() {
            bail!("{} {}: {status}", program.display(), words.join(" "));
        }
        Ok(())
    };
    step(&["maturin", "develop", "--release"])?;
    step(&["mypy", "--strict", "python/rocm_audit"])?;
    step(&["python", "-m", "unittest", "tests/test_rocm_audit.py"])?;
    if fleet {
        step(&["python", "tests/fleet.py"])?;
    }
    Ok(())
}
