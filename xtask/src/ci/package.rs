//! The job `package`: what would be published, and how large it is.

use crate::command::{cargo, output, project};
use crate::job::Ended;
use crate::workspace::{Published, metadata, published, target_folder};
use anyhow::{Context as _, Result};
use std::path::Path;

/// The largest package, compressed, in bytes.
const MOST_BYTES: u64 = 1_500_000;

/// The packages' sources as a workspace of their own, in which each takes the others from their packages, too.
/// Versions of other crates are those of the lock file, and profiles those of the project, so that nothing of
/// others is built again.
fn unpack(crates: &[Published], packages: &Path, folder: &Path) -> Result<()> {
    if folder.is_dir() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let (mut members, mut patches) = (String::new(), String::new());
    for package in crates {
        let stem = format!("{}-{}", package.name, package.version);
        let file = std::fs::File::open(packages.join(format!("{stem}.crate")))
            .with_context(|| format!("no package of {}", package.name))?;
        tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(folder)?;
        members += &format!("{stem:?}, ");
        patches += &format!("{} = {{ path = {stem:?} }}\n", package.name);
    }
    let ours = std::fs::read_to_string(project().join("Cargo.toml"))?;
    let profiles: String = ours
        .split_inclusive("\n\n")
        .filter(|section| section.contains("\n[profile.dev") || section.starts_with("[profile.dev"))
        .collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n[patch.crates-io]\n{patches}\n{profiles}"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(project().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

pub(super) fn run() -> Result<Ended> {
    let metadata = metadata(None)?;
    let crates = published(&metadata)?;
    let target = target_folder(&metadata)?;
    let folder = target.join("package");
    // All at once: a crate may need another one of the workspace that is not published yet. What is not
    // committed is packaged too, so that developers can run this before they commit.
    let mut command = cargo();
    command.args(["package", "--allow-dirty", "--quiet", "--no-verify"]);
    crates.iter().for_each(|package| _ = command.args(["--package", &package.name]));
    let packaged = output(command)?;
    if !packaged.success {
        return Ok(packaged.failure());
    }
    // Whether each builds is seen by a check: what it needs of others is checked already, for `clippy`.
    let sources = folder.join("sources");
    unpack(&crates, &folder, &sources)?;
    let mut check = cargo();
    check.args(["check", "--quiet", "--workspace", "--target-dir"]).arg(&target);
    check.arg("--manifest-path").arg(sources.join("Cargo.toml"));
    let checked = output(check)?;
    if !checked.success {
        return Ok(checked.failure());
    }
    let mut sizes = Vec::new();
    let mut fits = true;
    for package in &crates {
        let file = folder.join(format!("{}-{}.crate", package.name, package.version));
        let bytes =
            std::fs::metadata(&file).with_context(|| format!("no package of {}", package.name))?.len();
        fits &= bytes <= MOST_BYTES;
        sizes.push(format!("{} {:.2} MB", package.name, bytes as f64 / 1e6));
    }
    let sizes = sizes.join(", ");
    Ok(if fits {
        Ended::Passed(sizes)
    } else {
        Ended::Failed(format!(
            "{sizes}: above {:.1} MB. Exclude from the package what its users do not need",
            MOST_BYTES as f64 / 1e6
        ))
    })
}
