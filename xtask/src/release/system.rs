//! Packages of systems: `.deb` by dpkg-deb and `.rpm` by rpmbuild.

use super::contents::{Purpose, Released};
use super::platform::Platform;
use super::product::Product;
use super::{Job, Made};
use crate::command::{program, stdout};
use anyhow::{Context as _, Result};
use std::path::Path;

/// The mode of every folder of a package, whatever the umask is where it is made.
const FOLDER: u32 = 0o755;

/// Writes files below a folder with their modes, and gives the folder's files as absolute paths of the
/// system.
fn laid_out(root: &Path, files: &[Released], zsh: &str) -> Result<Vec<(Purpose, String)>> {
    let mut paths = Vec::new();
    for file in files {
        let entry = file.installed()?;
        // Where zsh looks is the one thing in which the systems differ.
        let path = entry.path.replace("zsh/site-functions", zsh);
        let at = root.join(&path);
        let folder = at.parent().with_context(|| at.display().to_string())?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&at, entry.bytes.unwrap_or_default())?;
        set_mode(&at, entry.mode)?;
        paths.push((file.purpose, format!("/{path}")));
    }
    Ok(paths)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    anyhow::bail!("packages of Linux are made where files have modes")
}

/// Gives every folder of a tree, and its root, the mode that folders of packages have.
fn open_folders(root: &Path) -> Result<()> {
    set_mode(root, FOLDER)?;
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}

/// The file `copyright` that Debian wants of every package, in its machine-readable form (Debian Policy,
/// 12.5; copyright-format 1.0).
fn copyright(product: &Product) -> Result<String> {
    let mit = String::from_utf8(super::product::source("LICENSE-MIT")?)?;
    let held = mit
        .lines()
        .find_map(|line| line.strip_prefix("Copyright "))
        .context("LICENSE-MIT has no line that begins with Copyright")?;
    // An empty line of a text is a dot, and each line is indented.
    let text = |text: &str| -> String {
        let lines = text
            .trim()
            .lines()
            .map(|line| if line.trim().is_empty() { " .\n".into() } else { format!(" {line}\n") });
        lines.collect()
    };
    let source =
        product.repository.as_ref().map(|address| format!("Source: {address}\n")).unwrap_or_default();
    let terms = mit
        .split_once("\n\n")
        .and_then(|(_, rest)| rest.split_once("\n\n"))
        .context("LICENSE-MIT has no terms")?
        .1;
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: {name}\n{source}\
         Comment:\n The program is linked statically. What is linked into it, and the licences of that, are in\n \
         /usr/share/doc/{name}/{third}.\n\nFiles: *\nCopyright: {held}\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{expat}\nLicense: Apache-2.0\n On Debian systems the text of this licence is in\n \
         /usr/share/common-licenses/Apache-2.0; it is in /usr/share/doc/{name}/LICENSE-APACHE, too.\n",
        name = product.name,
        third = super::contents::THIRD_PARTY,
        expat = text(terms),
    ))
}

/// The fields of a Debian package.
pub(super) fn control(product: &Product, architecture: &str, kibibytes: u64) -> String {
    let mut text = format!(
        "Package: {}\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {}\nInstalled-Size: {kibibytes}\n\
         Section: devel\nPriority: optional\n",
        product.name, product.version, product.maintainer
    );
    if let Some(address) = &product.repository {
        text += &format!("Homepage: {address}\n");
    }
    let (short, long) = described(product);
    text + &format!("Description: {short}\n {long}\n")
}

/// A description of at most 80 letters and the whole sentence.
fn described(product: &Product) -> (String, String) {
    (
        "what a ROCm install can run on which GPU, from its bytes".to_owned(),
        format!("{}.", product.description),
    )
}

/// The `.deb`, where the platform has one.
pub(super) fn deb(job: &Job<'_>) -> Result<Made> {
    let Some(architecture) = job.platform.deb else { return Ok(Made::NotForIt) };
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("root");
    laid_out(&root, job.files, "zsh/vendor-completions")?;
    let bytes: usize = job.files.iter().map(|file| file.bytes.len()).sum();
    let control_folder = root.join("DEBIAN");
    std::fs::create_dir(&control_folder)?;
    let control = control(job.product, architecture, bytes.div_ceil(1024) as u64);
    std::fs::write(control_folder.join("control"), control)?;
    let document = root.join("usr/share/doc").join(&job.product.name).join("copyright");
    std::fs::write(&document, copyright(job.product)?)?;
    for file in [&control_folder.join("control"), &document] {
        set_mode(file, 0o644)?;
    }
    open_folders(&root)?;
    let name = format!("{}_{}_{architecture}.deb", job.product.name, job.product.version);
    let mut command = program("dpkg-deb");
    // One thread: what xz makes depends on their number. Times are clamped to the variable.
    command.args(["--root-owner-group", "-Zxz", "--threads-max=1", "--build"]);
    command.arg(&root).arg(job.out.join(&name)).env("SOURCE_DATE_EPOCH", job.product.time.to_string());
    stdout(command)?;
    Ok(Made::Files(vec![name]))
}

/// The recipe of an RPM package whose files lie ready.
pub(super) fn spec(product: &Product, files: &[(Purpose, String)]) -> String {
    let (short, long) = described(product);
    let mut text = format!(
        "Name: {}\nVersion: {}\nRelease: 1\nSummary: {short}\nLicense: {}\nPackager: {}\n",
        product.name, product.version, product.licence, product.maintainer
    );
    if let Some(address) = &product.repository {
        text += &format!("URL: {address}\n");
    }
    // Nothing is looked for in a static program, and nothing of it is stripped again.
    text += &format!("AutoReqProv: no\n\n%description\n{long}\n\n%files\n");
    for (purpose, path) in files {
        let (mark, mode) = match purpose {
            Purpose::Program => ("", "0755"),
            Purpose::Licence => ("%license ", "0644"),
            Purpose::Manual | Purpose::Document => ("%doc ", "0644"),
            Purpose::Completion(_) => ("", "0644"),
        };
        text += &format!("%attr({mode}, root, root) {mark}{path}\n");
    }
    text
}

/// The `.rpm`, where the platform has one.
pub(super) fn rpm(job: &Job<'_>) -> Result<Made> {
    let Some(architecture) = job.platform.rpm else { return Ok(Made::NotForIt) };
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("root");
    let files = laid_out(&root, job.files, "zsh/site-functions")?;
    open_folders(&root)?;
    let recipe = folder.path().join("rocm-audit.spec");
    std::fs::write(&recipe, spec(job.product, &files))?;
    let top = folder.path().join("top");
    let mut command = program("rpmbuild");
    command.arg("-bb").arg("--quiet").args(["--target", &format!("{architecture}-linux")]);
    command.arg("--buildroot").arg(&root).env("SOURCE_DATE_EPOCH", job.product.time.to_string());
    let macros = [
        ("_topdir", top.to_string_lossy().into_owned()),
        ("_buildhost", "localhost".to_owned()),
        ("use_source_date_epoch_as_buildtime", "1".to_owned()),
        ("clamp_mtime_to_source_date_epoch", "1".to_owned()),
        ("source_date_epoch_from_changelog", "0".to_owned()),
        ("__os_install_post", "%{nil}".to_owned()),
        ("__spec_install_pre", "%{___build_pre}".to_owned()),
        ("debug_package", "%{nil}".to_owned()),
        ("_build_id_links", "none".to_owned()),
        ("_binary_payload", "w6.xzdio".to_owned()),
        ("_rpmfilename", "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm".to_owned()),
    ];
    for (name, value) in macros {
        command.args(["--define", &format!("{name} {value}")]);
    }
    command.arg(&recipe);
    stdout(command)?;
    let name = format!("{}-{}-1.{architecture}.rpm", job.product.name, job.product.version);
    std::fs::copy(top.join("RPMS").join(&name), job.out.join(&name)).with_context(|| name.clone())?;
    Ok(Made::Files(vec![name]))
}

/// What a package calls the platform, for the light check.
pub(super) fn architectures(platform: &Platform) -> [Option<&'static str>; 2] {
    [platform.deb, platform.rpm]
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn folders_have_one_mode_whatever_the_umask_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        let inner = root.join("usr/share/doc");
        std::fs::create_dir_all(&inner).unwrap();
        // As a umask of 077 makes them.
        let folders = || inner.ancestors().take_while(|at| at.starts_with(&root));
        folders().for_each(|at| set_mode(at, 0o700).unwrap());
        open_folders(&root).unwrap();
        let mode = |at: &Path| std::fs::metadata(at).unwrap().permissions().mode() & 0o7777;
        assert_eq!(folders().map(mode).collect::<Vec<_>>(), [0o755; 4]);
    }

    #[test]
    fn the_copyright_names_both_licences_and_who_holds_it() {
        let text = copyright(&Product::read().unwrap()).unwrap();
        assert!(
            text.starts_with("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
        );
        for part in [
            "\nFiles: *\n",
            "\nLicense: Expat or Apache-2.0\n",
            "\nLicense: Expat\n Permission is hereby",
            "common-licenses/Apache-2.0",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // A stanza ends at an empty line, and a line of a text begins with a blank.
        assert_eq!(text.split("\n\n").count(), 4, "{text}");
    }
}
