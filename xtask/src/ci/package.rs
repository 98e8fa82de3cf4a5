//! The job `package`: what would be published, and how large it is.

use crate::command::{cargo, cargo_home, output};
use crate::job::Ended;
use crate::workspace::{Published, metadata, published, target_folder};
use anyhow::{Context as _, Result};
use std::path::Path;

/// The largest package, compressed, in bytes.
const MOST_BYTES: u64 = 1_500_000;

/// cargo unpacks the package of a crate once for each version, into a folder whose name begins with a hyphen,
/// and builds it once: those of an earlier run are of an earlier source.
fn forget_unpacked(crates: &[Published], target: &Path) -> Result<()> {
    let mut is_first_run = true;
    let Ok(sources) = std::fs::read_dir(cargo_home()?.join("registry/src")) else { return Ok(()) };
    for source in sources {
        let source = source?;
        for package in crates.iter().filter(|_| source.file_name().to_string_lossy().starts_with('-')) {
            let unpacked = source.path().join(format!("{}-{}", package.name, package.version));
            if unpacked.is_dir() {
                std::fs::remove_dir_all(unpacked)?;
                is_first_run = false;
            }
        }
    }
    let Ok(built) = std::fs::read_dir(target.join("debug/.fingerprint")) else { return Ok(()) };
    for entry in built.filter(|_| !is_first_run) {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let stem = name.rsplit_once('-').map_or("", |(stem, _)| stem);
        if crates.iter().any(|package| package.name == stem) {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

pub(super) fn run() -> Result<Ended> {
    let metadata = metadata(None)?;
    let crates = published(&metadata)?;
    let target = target_folder(&metadata)?;
    let folder = target.join("package");
    // All at once: a crate may need another one of the workspace that is not published yet. What is not
    // committed is packaged too, so that developers can run this before they commit.
    let package = |flag: &str| {
        let mut command = cargo();
        command.args(["package", "--allow-dirty", flag]);
        crates.iter().for_each(|package| _ = command.args(["--package", &package.name]));
        output(command)
    };
    forget_unpacked(&crates, &target)?;
    // The second one builds each from its package, with the packages of the others.
    for flag in ["--list", "--quiet"] {
        let output = package(flag)?;
        if !output.success {
            return Ok(output.failure());
        }
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
