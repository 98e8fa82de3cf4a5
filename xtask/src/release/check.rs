//! The job `release-metadata`: packages of all kinds, made of a program that does nothing, and looked at with
//! the tools of those who install them. They have one version and the same files, twice the same bytes, and
//! the names that others look for.

use super::contents::{Purpose, Released, spoken};
use super::platform::{PLATFORMS, Platform};
use super::{Job, KINDS, Made, Product, build, dependency, image, stem, sum};
use crate::command::{is_here, output, program, project, stdout};
use crate::job::{Ended, Wishes};
use crate::workspace::built_program;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What is called to make packages and to look at them, and the packages of Debian that have it.
const TOOLS: &[(&str, &str)] = &[("dpkg-deb", "dpkg"), ("rpmbuild", "rpm"), ("rpm", "rpm"), ("tar", "tar")];

pub(crate) fn run(wishes: Wishes) -> Result<Ended> {
    let product = Product::read()?;
    binstall(&product)?;
    workflow()?;
    let lacking = || TOOLS.iter().filter(|(name, _)| !is_here(program(name))).collect::<Vec<_>>();
    if wishes.install && !lacking().is_empty() {
        let mut command = program("apt-get");
        command.args(["-qq", "install", "-y", "--no-install-recommends"]);
        lacking().iter().for_each(|(_, package)| _ = command.arg(package));
        output(command)?;
    }
    if let Some((name, _)) = lacking().first() {
        return Ok(Ended::Skipped(format!("{name} is not here; names and versions were compared")));
    }
    let tool = match built_program()? {
        Ok(tool) => tool,
        Err(built) => return Ok(built.failure()),
    };
    let spoken = spoken(&tool)?;
    let [first, second] = [tempfile::tempdir()?, tempfile::tempdir()?];
    for out in [first.path(), second.path()] {
        make(&product, &spoken, out)?;
    }
    let sums = |out: &Path| std::fs::read_to_string(out.join("SHA256SUMS"));
    let (once, again) = (sums(first.path())?, sums(second.path())?);
    ensure!(once == again, "made twice, packages differ:\n{once}\n{again}");
    let mut looked = npm(&product, first.path())?;
    for platform in PLATFORMS {
        looked += look(&product, platform, first.path(), &spoken)?;
    }
    Ok(Ended::Passed(format!(
        "{} files, made twice; {looked} looked at with dpkg-deb, rpm and tar",
        once.lines().count()
    )))
}

/// A release of a program that does nothing.
fn make(product: &Product, spoken: &[Released], out: &Path) -> Result<()> {
    let stand_in = out.join("stand-in");
    std::fs::write(&stand_in, "#!/bin/sh\n")?;
    let mut names = Vec::new();
    let mut images = Vec::new();
    for platform in PLATFORMS {
        let dependencies = dependency::all(product, platform.target)?;
        let files = super::contents::contents(platform, &stand_in, spoken, &dependencies)?;
        let job = Job { product, platform, files: &files, dependencies: &dependencies, out };
        for kind in KINDS {
            let made = (kind.make)(&job).with_context(|| format!("{}, {}", platform.name, kind.name))?;
            if let Made::Files(made) = made {
                names.extend(made);
            }
        }
        if let Some(architecture) = platform.image {
            images.push(image::image(product, platform, architecture, &files)?);
        }
    }
    names.push(image::write(product, &images, out)?);
    sum(out, names, false)
}

/// Looks at the packages of a platform with the tools of others, and gives their number.
fn look(product: &Product, platform: &Platform, out: &Path, spoken: &[Released]) -> Result<usize> {
    let said = |name: &str, words: &[&str], file: &str| {
        let mut command = program(name);
        command.args(words).arg(out.join(file));
        stdout(command)
    };
    let (name, version) = (&product.name, &product.version);
    let mut looked = 1;
    if !platform.is_windows() {
        let listed = said("tar", &["-tzf"], &format!("{}.tar.gz", stem(product, platform)))?;
        let count = spoken.len() + 6;
        ensure!(listed.lines().count() == count, "{}: {count} files are wanted:\n{listed}", platform.name);
    }
    // The lists of files, without folders and without what only the systems differ in.
    let files = |list: String| -> BTreeSet<String> {
        let files = list.lines().filter(|line| !line.ends_with('/'));
        files
            .map(|path| path.trim_start_matches('.').replace("vendor-completions", "site-functions"))
            .collect()
    };
    let [deb, rpm] = super::system::architectures(platform);
    if let (Some(deb), Some(rpm)) = (deb, rpm) {
        let file = format!("{name}_{version}_{deb}.deb");
        let fields =
            said("dpkg-deb", &["--show", "--showformat=${Package} ${Version} ${Architecture}"], &file)?;
        ensure!(fields == format!("{name} {version} {deb}"), "{file}: {fields}");
        let listed = said("dpkg-deb", &["--contents"], &file)?;
        ensure!(listed.lines().all(|line| line.contains(" root/root ")), "{file}: owners\n{listed}");
        // Whatever the umask is where it is made.
        let mut folders = listed.lines().filter(|line| line.starts_with('d'));
        ensure!(folders.all(|line| line.starts_with("drwxr-xr-x ")), "{file}: modes of folders\n{listed}");
        let path = |line: &str| line.split_whitespace().last().map(|path| format!("{path}\n"));
        let mut in_deb = files(listed.lines().filter_map(path).collect());
        // Debian has the licences in one file of this name.
        let copyright = format!("/usr/share/doc/{name}/copyright");
        ensure!(in_deb.remove(&copyright), "{file}: no {copyright}\n{listed}");
        let file = format!("{name}-{version}-1.{rpm}.rpm");
        let fields = said("rpm", &["-qp", "--qf", "%{NAME} %{VERSION} %{ARCH} %{LICENSE}"], &file)?;
        ensure!(fields == format!("{name} {version} {rpm} {}", product.licence), "{file}: {fields}");
        let in_rpm = files(said("rpm", &["-qlp"], &file)?);
        ensure!(in_deb == in_rpm, "{}: {:?}", platform.name, in_deb.symmetric_difference(&in_rpm));
        for released in spoken.iter().filter(|file| file.purpose == Purpose::Manual) {
            let path = format!("/usr/share/man/man1/{}.gz", released.name);
            ensure!(in_deb.contains(&path), "{}: no {path}", platform.name);
        }
        looked += 2;
    }
    Ok(looked)
}

/// The package that people name asks for one for each platform, all of its own version, and these are made.
/// Gives their number.
fn npm(product: &Product, out: &Path) -> Result<usize> {
    let manifest = |name: &str| -> Result<Value> {
        let mut command = program("tar");
        command
            .arg("-xzOf")
            .arg(out.join(format!("{name}-{}.tgz", product.version)))
            .arg("package/package.json");
        Ok(serde_json::from_str(&stdout(command)?)?)
    };
    let main = manifest(&product.name)?;
    let others = main["optionalDependencies"].as_object().context("no optionalDependencies")?;
    ensure!(others.len() == PLATFORMS.len(), "{others:?}");
    for (name, version) in others {
        let other = manifest(name)?;
        ensure!(other["version"] == *version && main["version"] == *version, "{name}: {version}");
        ensure!(other["os"][0].is_string() && other["cpu"][0].is_string(), "{name}: for every system");
    }
    Ok(others.len() + 1)
}

/// `[package.metadata.binstall]` leads to the archives, by what `cargo binstall` puts into its places.
fn binstall(product: &Product) -> Result<()> {
    for platform in PLATFORMS {
        // Windows is known by another target than the one that is linked.
        let asked = if platform.is_windows() { "x86_64-pc-windows-msvc" } else { platform.target };
        let over = &product.binstall["overrides"][asked];
        let value = |key: &str| {
            let text = over[key].as_str().or_else(|| product.binstall[key].as_str());
            text.with_context(|| format!("Cargo.toml: no package.metadata.binstall.{key}"))
        };
        let end = match value("pkg-fmt")? {
            "tgz" => "tar.gz",
            "zip" => "zip",
            other => anyhow::bail!("package.metadata.binstall.pkg-fmt: {other}"),
        };
        let ending = if platform.is_windows() { ".exe" } else { "" };
        let filled = |text: &str| {
            text.replace("{ repo }", "REPO")
                .replace("{ name }", &product.name)
                .replace("{ bin }", &product.name)
                .replace("{ version }", &product.version)
                .replace("{ target }", asked)
                .replace("{ binary-ext }", ending)
        };
        let stem = stem(product, platform);
        let wanted = format!("REPO/releases/download/v{}/{stem}.{end}", product.version);
        ensure!(filled(value("pkg-url")?) == wanted, "binstall asks for {}", filled(value("pkg-url")?));
        let wanted = format!("{stem}/{}", platform.program());
        ensure!(filled(value("bin-dir")?) == wanted, "binstall looks for {}", filled(value("bin-dir")?));
    }
    Ok(())
}

/// The workflow installs the tools that this program names, and every target.
fn workflow() -> Result<()> {
    let text = std::fs::read_to_string(project().join(".github/workflows/release.yml"))?;
    ensure!(text.contains(build::TOOLS), "release.yml does not say: {}", build::TOOLS);
    for platform in PLATFORMS {
        ensure!(text.contains(platform.target), "release.yml does not add the target {}", platform.target);
    }
    Ok(())
}
