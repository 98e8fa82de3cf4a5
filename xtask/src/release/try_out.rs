//! `cargo xtask try-release OUT ROOT`: installs what a release has, each way as people do, on a system
//! without Rust, and runs the README's first example there. Its screen has to be that of the program of the
//! archive, run here.

use super::platform::PLATFORMS;
use crate::command::{Output, output, program, project, stdout};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};

/// A way to install and to run, as one types it.
struct InstallWay {
    name: &'static str,
    /// Whether `ROOT` is needed; otherwise the commands run here, with an empty folder.
    inside: bool,
    /// A program without which the way cannot be tried.
    needs: &'static str,
    /// Commands; the last one prints the screen. `V` is the version, `/release` and `/fixtures` hold what
    /// they say. Outside, these are below `$HERE`.
    script: &'static str,
}

const WAYS: &[InstallWay] = &[
    InstallWay {
        name: "archive",
        inside: true,
        needs: "tar",
        script: "tar -xzf /release/rocm-audit-V-x86_64-unknown-linux-musl.tar.gz -C /opt\n\
                 /opt/rocm-audit-V-x86_64-unknown-linux-musl/rocm-audit fixtures/rocm",
    },
    InstallWay {
        name: "deb",
        inside: true,
        needs: "dpkg",
        script: "dpkg --install /release/rocm-audit_V_amd64.deb > /dev/null\n\
                 test -e /usr/share/man/man1/rocm-audit-fatbin.1.gz\n\
                 test -e /usr/share/bash-completion/completions/rocm-audit\n\
                 rocm-audit fixtures/rocm",
    },
    InstallWay {
        name: "wheel",
        inside: true,
        needs: "python3",
        script: "python3 -m venv /opt/venv\n\
                 /opt/venv/bin/pip install --quiet --no-index --find-links /release rocm-audit==V\n\
                 /opt/venv/bin/rocm-audit fixtures/rocm",
    },
    InstallWay {
        name: "npm",
        inside: true,
        needs: "npm",
        script: "mkdir -p /opt/node && cd /opt/node\n\
                 npm install --offline --silent /release/rocm-audit-V.tgz /release/rocm-audit-linux-x64-V.tgz\n\
                 cd / && /opt/node/node_modules/.bin/rocm-audit fixtures/rocm",
    },
    InstallWay {
        name: "rpm",
        inside: false,
        needs: "rpm",
        script: "rpm --root $HERE/system --initdb\n\
                 rpm --root $HERE/system --install --ignoreos --nodeps $HERE/release/rocm-audit-V-1.x86_64.rpm\n\
                 rpm --root $HERE/system --verify rocm-audit\n\
                 test -e $HERE/system/usr/share/zsh/site-functions/_rocm-audit\n\
                 cp -R $HERE/fixtures/ $HERE/system/fixtures\n\
                 chroot $HERE/system /usr/bin/rocm-audit fixtures/rocm",
    },
    InstallWay {
        name: "image",
        inside: false,
        needs: "skopeo",
        script: "skopeo --override-arch amd64 copy --quiet oci-archive:$HERE/release/rocm-audit-V-oci.tar oci:$HERE/oci:V\n\
                 umoci unpack --image $HERE/oci:V $HERE/bundle > /dev/null\n\
                 cp -R $HERE/fixtures/ $HERE/bundle/rootfs/fixtures\n\
                 chroot $HERE/bundle/rootfs /usr/bin/rocm-audit fixtures/rocm",
    },
];

/// Tries every way for which this machine has the tool.
///
/// # Errors
/// A way failed, or the screen was another one.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (out, root) = match arguments {
        [out] => (out, None),
        [out, root] => (out, Some(std::path::absolute(root)?)),
        _ => bail!("try-release OUT [ROOT]"),
    };
    let out = std::path::absolute(out)?;
    let version = super::Product::read()?.version;
    let here = tempfile::tempdir()?;
    let folder = here.path();
    copy(&out, &folder.join("release"))?;
    copy(&project().join("fixtures/rocm"), &folder.join("fixtures/rocm"))?;
    let wanted = screen(&out, &version, folder)?;
    if let Some(root) = &root {
        ensure!(!has(root, "rustc") && !has(root, "cargo"), "{}: has Rust", root.display());
        copy(&out, &root.join("release"))?;
        copy(&project().join("fixtures/rocm"), &root.join("fixtures/rocm"))?;
    }
    let mut failed = Vec::new();
    for way in WAYS {
        let place = if way.inside { root.as_deref() } else { Some(Path::new("/")) };
        let Some(place) = place.filter(|place| has(place, way.needs)) else {
            println!(
                "{:<8} not tried: no {} {}",
                way.name,
                way.needs,
                if way.inside { "in ROOT" } else { "here" }
            );
            continue;
        };
        let script = way.script.replace('V', &version);
        let tried = tried(way, place, &script, folder)?;
        let same = tried.text.ends_with(&wanted);
        println!(
            "{:<8} {}",
            way.name,
            if tried.success && same { "installed; the same screen" } else { "FAILED" }
        );
        script.lines().for_each(|line| println!("         $ {line}"));
        if !tried.success || !same {
            println!("{}", tried.text);
            failed.push(way.name);
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    print!("\n{wanted}");
    Ok(())
}

/// What the program of the archive for this machine prints here.
fn screen(out: &Path, version: &str, folder: &Path) -> Result<String> {
    let platform =
        PLATFORMS.iter().find(|one| one.is_here()).context("no platform of a release runs here")?;
    let stem = format!("rocm-audit-{version}-{}", platform.target);
    let mut command = program("tar");
    command.arg("-xzf").arg(out.join(format!("{stem}.tar.gz"))).arg("-C").arg(folder);
    stdout(command)?;
    let mut command = program(folder.join(stem).join(platform.program()));
    command.arg("fixtures/rocm").current_dir(folder).env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    stdout(command)
}

fn tried(way: &InstallWay, place: &Path, script: &str, folder: &Path) -> Result<Output> {
    let mut command = program(if way.inside { "chroot" } else { "sh" });
    if way.inside {
        command.arg(place).arg("sh");
    }
    let own = folder.join(way.name);
    std::fs::create_dir(&own)?;
    for shared in ["release", "fixtures"] {
        std::os::unix::fs::symlink(folder.join(shared), own.join(shared))?;
    }
    command.args(["-ec", script]).env("HERE", own).env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    command.env("HOME", "/root").current_dir("/");
    output(command)
}

/// Whether a system has a program.
fn has(root: &Path, name: &str) -> bool {
    ["usr/bin", "bin", "usr/sbin", "sbin", "usr/local/bin"]
        .iter()
        .any(|folder| root.join(folder).join(name).exists())
}

fn copy(from: &Path, to: &PathBuf) -> Result<()> {
    std::fs::create_dir_all(to)?;
    let mut command = program("cp");
    command.args(["-R", "--"]).arg(from.join(".")).arg(to);
    stdout(command).map(drop)
}
