//! `cargo xtask release OUT`: everything that people install, from one source: archives, packages of systems
//! and languages, an image, bills of materials and checksums. Twice the same source gives twice the same
//! bytes.

mod archive;
pub(crate) mod build;
pub(crate) mod check;
mod contents;
mod dependency;
mod framework;
mod image;
mod language;
mod licences;
pub(crate) mod module;
mod platform;
mod product;
mod sbom;
mod system;
mod try_out;

pub(crate) use try_out::run as try_out;

use anyhow::{Context as _, Result, bail, ensure};
use contents::Released;
use dependency::Dependency;
use platform::{PLATFORMS, Platform};
use product::Product;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What packages of a platform are made from.
struct Job<'a> {
    product: &'a Product,
    platform: &'static Platform,
    files: &'a [Released],
    dependencies: &'a [Dependency],
    out: &'a Path,
}

/// What came of a kind of package.
enum Made {
    /// Names of files in the folder of the release.
    Files(Vec<String>),
    /// The platform has no such package.
    NotForIt,
}

/// A kind of package.
struct PackageKind {
    name: &'static str,
    make: fn(&Job<'_>) -> Result<Made>,
}

/// Every kind that is made for each platform. The image is one for all of them, and checksums come last.
const KINDS: &[PackageKind] = &[
    PackageKind { name: "archive", make: archive },
    PackageKind { name: "deb", make: system::deb },
    PackageKind { name: "rpm", make: system::rpm },
    PackageKind { name: "wheel", make: language::wheel },
    PackageKind { name: "npm", make: language::npm },
    PackageKind { name: "sbom", make: bill },
];

/// What the arguments ask for.
struct ReleaseOptions {
    out: PathBuf,
    platforms: Vec<&'static Platform>,
    /// Programs that are built already.
    built: BTreeMap<&'static str, PathBuf>,
}

const USAGE: &str = "release OUT [--platform NAME]… [--program PLATFORM=FILE]…";

/// Makes a release in a folder that does not exist or is empty.
///
/// # Errors
/// A tool is missing or fails; the folder holds something; unknown arguments.
pub fn run(arguments: &[String]) -> Result<()> {
    let wanted = wanted(arguments)?;
    std::fs::create_dir_all(&wanted.out)?;
    ensure!(
        std::fs::read_dir(&wanted.out)?.next().is_none(),
        "{}: not empty. A release is made in a folder of its own",
        wanted.out.display()
    );
    let product = Product::read()?;
    let mut programs = Vec::new();
    for platform in &wanted.platforms {
        println!("{:<16} {}", platform.name, platform.target);
        let program = match wanted.built.get(platform.name) {
            Some(program) => program.clone(),
            None => build::program(&product, platform)?,
        };
        programs.push((*platform, program));
    }
    // A program that runs here says its manual pages; all platforms have the same.
    let here = programs.iter().find(|(platform, _)| platform.is_here());
    let (_, here) = here.context("name this machine's platform too: its program writes the manual pages")?;
    let spoken = contents::spoken(here)?;
    let mut images = Vec::new();
    let mut names = Vec::new();
    for (platform, program) in &programs {
        let dependencies = dependency::all(&product, platform.target)?;
        let files = contents::contents(platform, program, &spoken, &dependencies)?;
        let job =
            Job { product: &product, platform, files: &files, dependencies: &dependencies, out: &wanted.out };
        for kind in KINDS {
            let made = (kind.make)(&job).with_context(|| format!("{}, {}", platform.name, kind.name))?;
            if let Made::Files(made) = made {
                names.extend(made);
            }
        }
        if let Some(architecture) = platform.image {
            images.push(image::image(&product, platform, architecture, &files)?);
        }
    }
    if !images.is_empty() {
        names.push(image::write(&product, &images, &wanted.out)?);
    }
    sum(&wanted.out, names, true)
}

fn wanted(arguments: &[String]) -> Result<ReleaseOptions> {
    let mut wanted = ReleaseOptions { out: PathBuf::new(), platforms: Vec::new(), built: BTreeMap::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value: {USAGE}"));
        match word.as_str() {
            "--platform" => wanted.platforms.push(Platform::named(value()?)?),
            "--program" => {
                let (name, file) = value()?.split_once('=').context(USAGE)?;
                wanted.built.insert(Platform::named(name)?.name, std::path::absolute(file)?);
            }
            flag if flag.starts_with('-') => bail!("{flag}: {USAGE}"),
            out if wanted.out.as_os_str().is_empty() => wanted.out = std::path::absolute(out)?,
            more => bail!("{more}: {USAGE}"),
        }
    }
    ensure!(!wanted.out.as_os_str().is_empty(), "{USAGE}");
    if wanted.platforms.is_empty() {
        wanted.platforms = PLATFORMS.iter().collect();
    }
    if let Some(unused) =
        wanted.built.keys().find(|name| wanted.platforms.iter().all(|one| one.name != **name))
    {
        bail!("--program {unused}: that platform is not made");
    }
    Ok(wanted)
}

/// The archive to unpack anywhere, under the name that `cargo binstall` looks for.
fn archive(job: &Job<'_>) -> Result<Made> {
    let stem = stem(job.product, job.platform);
    let entries: Vec<_> = job.files.iter().map(|file| file.unpacked(&stem)).collect();
    let (end, bytes) = match job.platform.is_windows() {
        true => ("zip", archive::zip(&entries)?),
        false => ("tar.gz", archive::gzip(&archive::tar(&entries, job.product.time)?)?),
    };
    let name = format!("{stem}.{end}");
    std::fs::write(job.out.join(&name), bytes)?;
    Ok(Made::Files(vec![name]))
}

/// The name of an archive without its ending, and of the folder in it.
fn stem(product: &Product, platform: &Platform) -> String {
    format!("{}-{}-{}", product.name, product.version, platform.target)
}

fn bill(job: &Job<'_>) -> Result<Made> {
    let name = format!("{}.cdx.json", stem(job.product, job.platform));
    let document = sbom::document(job.product, job.platform.target, job.dependencies)?;
    std::fs::write(job.out.join(&name), serde_json::to_string_pretty(&document)? + "\n")?;
    Ok(Made::Files(vec![name]))
}

/// Writes `SHA256SUMS`, as `sha256sum --check` reads it, and prints the sizes where they are wanted.
fn sum(out: &Path, mut names: Vec<String>, sizes: bool) -> Result<()> {
    names.sort();
    let mut text = String::new();
    for name in names {
        let bytes = std::fs::read(out.join(&name)).with_context(|| name.clone())?;
        if sizes {
            println!("{:>12} {name}", bytes.len());
        }
        text += &format!("{}  {name}\n", archive::sha256(&bytes));
    }
    Ok(std::fs::write(out.join("SHA256SUMS"), text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted_of(words: &str) -> Result<ReleaseOptions> {
        wanted(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn all_platforms_are_made_where_none_is_named() {
        assert_eq!(wanted_of("out").unwrap().platforms.len(), PLATFORMS.len());
        let one = wanted_of("out --platform linux-x86_64 --program linux-x86_64=/x").unwrap();
        assert_eq!(one.platforms.len(), 1);
        assert_eq!(one.built["linux-x86_64"], Path::new("/x"));
    }

    #[test]
    fn other_arguments_are_refused() {
        for words in [
            "",
            "out more",
            "out --fast",
            "out --platform",
            "out --platform amiga",
            "out --program x",
            "out --platform linux-x86_64 --program macos-aarch64=/x",
        ] {
            assert!(wanted_of(words).is_err(), "{words}");
        }
    }
}
