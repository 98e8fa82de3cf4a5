//! `cargo xtask python`: builds the Python module into a virtual environment and runs its tests, with
//! `--fleet` the engines of docs/fleet.md too; with `--wheel` a wheel of it for other machines, which is
//! installed into an environment of its own.

use crate::command::project;
use crate::job::Ended;
use crate::release::build::flags;
use crate::release::module::Enclosed;
use crate::workspace::{built_module, built_program};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests ask of the environment.
const PACKAGES: &[&str] =
    &["mypy", "pyarrow", "pandas", "polars", "duckdb", "fsspec", "matplotlib", "nbclient", "ipykernel"];

/// What the environment has to have.
const NEEDS: &str = "maturin mypy pyarrow pandas polars duckdb fsspec matplotlib nbclient ipykernel; with --fleet aiohttp 'dask[distributed]' 'ray[data]' pyspark and Java 17; with --wheel ziglang";

/// The tests of the module, its types, its page and its notebooks, in an environment that the job makes for
/// itself.
///
/// # Errors
/// Where one of them does not hold.
pub(crate) fn job() -> Result<Ended> {
    let place = project().join("target/python");
    let venv = place.join("venv");
    let made = Command::new("python3").args(["-m", "venv"]).arg(&venv).status();
    if !made.is_ok_and(|status| status.success()) {
        return Ok(Ended::Skipped(
            "python3 makes no virtual environment here (Debian: python3-venv)".to_owned(),
        ));
    }
    let mut pip = Command::new(venv.join("bin/pip"));
    let installed =
        pip.args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES).status()?;
    if !installed.success() {
        return Ok(Ended::Skipped(format!("pip cannot install {}", PACKAGES.join(" "))));
    }
    // What the module is compared with.
    if let Err(output) = built_program()? {
        return Ok(output.failure());
    }
    let _module = match built_module()? {
        Ok(library) => Placed::link(&library)?,
        Err(output) => return Ok(output.failure()),
    };
    let found = [("PYTHONPATH", project().join("bindings/python/python").display().to_string())];
    step(&venv, &["mypy", "--strict", "python/rocm_audit"], &[])?;
    step(&venv, UNITTEST, &found)?;
    std::fs::remove_dir_all(&place)?;
    Ok(Ended::Passed(String::new()))
}

/// The library of the module beside its Python files, as maturin lays it, for as long as this lives.
struct Placed {
    file: PathBuf,
}

impl Placed {
    fn link(library: &Path) -> Result<Self> {
        let file = project().join("bindings/python/python/rocm_audit/_native.abi3.so");
        std::fs::copy(library, &file).with_context(|| file.display().to_string())?;
        Ok(Placed { file })
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        // One that stays is ignored by git, and replaced by the next run.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// The command of the tests.
const UNITTEST: &[&str] = &[
    "python",
    "-m",
    "unittest",
    "tests/test_rocm_audit.py",
    "tests/test_notebooks.py",
    "tests/test_fleet_sql.py",
];

/// The profile of `Cargo.toml` that the module is released with.
const PROFILE: &str = "module";

/// The oldest glibc that the wheel runs with: that of CentOS 7, as the wheel of the program.
const GLIBC: &str = "manylinux_2_17";

/// What a wheel has to do on a machine that has Python and nothing else.
const TRY: &str = include_str!("python_try.py");

/// What is wanted.
enum PythonPart {
    Tests { fleet: bool },
    Wheel { out: PathBuf },
}

pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (venv, wanted) = match &words[..] {
        [venv] if !venv.starts_with('-') => (venv, PythonPart::Tests { fleet: false }),
        [venv, "--fleet"] | ["--fleet", venv] => (venv, PythonPart::Tests { fleet: true }),
        [venv, "--wheel", out] | ["--wheel", out, venv] => {
            (venv, PythonPart::Wheel { out: PathBuf::from(out) })
        }
        _ => bail!("VENV [--fleet | --wheel OUT]; VENV is a virtual environment, which has {NEEDS}"),
    };
    // Not canonical itself: a linked `bin/python` belongs to the environment by the path that it is called
    // by.
    let venv = std::path::absolute(venv)?;
    ensure!(venv.join("bin/python").exists(), "{}: no virtual environment", venv.display());
    match wanted {
        PythonPart::Tests { fleet } => tests(&venv, fleet),
        PythonPart::Wheel { out } => wheel(&venv, &std::path::absolute(out)?),
    }
}

/// A program of the environment, in the folder of the module, with variables.
fn step(venv: &Path, words: &[&str], variables: &[(&str, String)]) -> Result<()> {
    let (program, words) = words.split_first().context("no command")?;
    let bin = venv.join("bin");
    let program = bin.join(program);
    let mut command = Command::new(&program);
    command.args(words).current_dir(project().join("bindings/python")).env("VIRTUAL_ENV", venv);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    // As if it were active: maturin looks for zig among the packages of the `python3` that it finds.
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env("PATH", std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path)))?);
    // The program that the module is compared with was built beside this one.
    if std::env::var_os("ROCM_AUDIT").is_none()
        && let Ok(own) = std::env::current_exe()
    {
        command.env("ROCM_AUDIT", own.with_file_name("rocm-audit"));
    }
    let status = command.status().with_context(|| format!("{}; it needs {NEEDS}", program.display()))?;
    ensure!(status.success(), "{} {}: {status}", program.display(), words.join(" "));
    Ok(())
}

fn tests(venv: &Path, fleet: bool) -> Result<()> {
    step(venv, &["maturin", "develop", "--profile", PROFILE, "--locked"], &[])?;
    step(venv, &["mypy", "--strict", "python/rocm_audit"], &[])?;
    step(venv, UNITTEST, &[])?;
    if fleet {
        step(venv, &["python", "tests/fleet.py"], &[])?;
    }
    Ok(())
}

/// Makes a wheel and tries it.
fn wheel(venv: &Path, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let made = tempfile::tempdir_in(out)?;
    let folder = made.path().display().to_string();
    // maturin looks whether the library asks for anything that such a system lacks, and fails where it does.
    let mut words =
        vec!["maturin", "build", "--profile", PROFILE, "--locked", "--zig", "--compatibility", GLIBC];
    let enclosed = Enclosed::write(&project().join("bindings/python"))?;
    let bill = enclosed.bill().display().to_string();
    words.extend(["--out", &folder, "--sbom-include", &bill]);
    let (rust, c) = flags()?;
    step(venv, &words, &[("CARGO_ENCODED_RUSTFLAGS", rust), ("CFLAGS", c)])?;
    let found: Vec<PathBuf> =
        std::fs::read_dir(made.path())?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let [wheel] = &found[..] else { bail!("{} files were made, not one wheel", found.len()) };
    let name = wheel.file_name().context("a wheel has no name")?.to_string_lossy().into_owned();
    ensure!(
        name.contains("-abi3-") && name.contains(GLIBC),
        "{name}: not for every Python from 3.9 on {GLIBC}"
    );
    tried(venv, wheel)?;
    std::fs::rename(wheel, out.join(&name))?;
    println!(
        "{}: {:.1} MB",
        out.join(&name).display(),
        std::fs::metadata(out.join(&name))?.len() as f64 / 1e6
    );
    Ok(())
}

/// Installs the wheel into a new environment, without a network, and runs it with nothing else on the PATH.
fn tried(venv: &Path, wheel: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let fresh = folder.path().join("fresh");
    let fixtures = project().join("fixtures");
    let script = folder.path().join("try.py");
    std::fs::write(&script, TRY)?;
    let steps: [(PathBuf, Vec<&std::ffi::OsStr>); 3] = [
        (venv.join("bin/python"), vec!["-m".as_ref(), "venv".as_ref(), fresh.as_ref()]),
        (
            fresh.join("bin/python"),
            ["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
                .map(AsRef::as_ref)
                .into_iter()
                .chain([wheel.as_os_str()])
                .collect(),
        ),
        (fresh.join("bin/python"), vec!["-I".as_ref(), script.as_ref(), fixtures.as_ref()]),
    ];
    for (program, words) in steps {
        let mut command = Command::new(&program);
        command.args(&words).current_dir(folder.path()).env_clear().env("PATH", fresh.join("bin"));
        let status = command.status().with_context(|| program.display().to_string())?;
        ensure!(status.success(), "{} {words:?}: {status}", program.display());
    }
    Ok(())
}
