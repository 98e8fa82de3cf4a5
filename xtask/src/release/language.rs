//! Packages of languages' package managers that bring the program: a wheel for pip and uv, and packages for
//! npm.

use super::archive::{Entry, gzip, tar, zip};
use super::contents::Purpose;
use super::platform::{PLATFORMS, Platform};
use super::product::{Product, source};
use super::{Job, Made};
use anyhow::Result;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The wheel: the program among its scripts, as maturin's `bindings = "bin"` does, and nothing of Python.
pub(super) fn wheel(job: &Job<'_>) -> Result<Made> {
    let name = job.product.name.replace('-', "_");
    let stem = format!("{name}-{}", job.product.version);
    let info = format!("{stem}.dist-info");
    let mut entries = Vec::new();
    for file in job.files {
        match file.purpose {
            Purpose::Program => {
                entries.push(Entry::file(
                    format!("{stem}.data/scripts/{}", file.name),
                    0o755,
                    file.bytes.clone(),
                ));
            }
            // In a virtual environment, too, these are where `man` and shells look.
            Purpose::Manual | Purpose::Completion(_) => {
                let installed = file.installed()?;
                let path = installed.path.trim_start_matches("usr/");
                entries.push(Entry::file(
                    format!("{stem}.data/data/{path}"),
                    0o644,
                    installed.bytes.unwrap_or_default(),
                ));
            }
            Purpose::Licence => {
                entries.push(Entry::file(
                    format!("{info}/licenses/{}", file.name),
                    0o644,
                    file.bytes.clone(),
                ));
            }
            Purpose::Document => {}
        }
    }
    entries.push(Entry::file(format!("{info}/METADATA"), 0o644, wheel_metadata(job.product)?));
    entries.push(Entry::file(format!("{info}/WHEEL"), 0o644, wheel_tags(job.platform)));
    let mut record = String::new();
    for entry in &entries {
        let bytes = entry.bytes.as_deref().unwrap_or_default();
        record += &format!(
            "{},sha256={},{}\n",
            entry.path,
            BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)),
            bytes.len()
        );
    }
    record += &format!("{info}/RECORD,,\n");
    entries.push(Entry::file(format!("{info}/RECORD"), 0o644, record));
    let file = format!("{stem}-py3-none-{}.whl", job.platform.wheel.join("."));
    std::fs::write(job.out.join(&file), zip(&entries)?)?;
    Ok(Made::Files(vec![file]))
}

/// `METADATA`, of version 2.4, with README as its page.
pub(super) fn wheel_metadata(product: &Product) -> Result<String> {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nKeywords: {}\nLicense-Expression: {}\n",
        product.name,
        product.version,
        product.description,
        product.keywords.join(","),
        product.licence
    );
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "LICENSES-THIRD-PARTY.txt"] {
        text += &format!("License-File: {file}\n");
    }
    if let Some(address) = &product.repository {
        text += &format!("Project-URL: Source, {address}\n");
    }
    text += "Requires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n";
    Ok(text + &String::from_utf8(source("README.md")?)?)
}

fn wheel_tags(platform: &Platform) -> String {
    let mut text = "Wheel-Version: 1.0\nGenerator: cargo xtask release\nRoot-Is-Purelib: false\n".to_owned();
    for tag in platform.wheel {
        text += &format!("Tag: py3-none-{tag}\n");
    }
    text
}

/// What starts the program that npm has installed for this system.
const LAUNCHER: &str = include_str!("launcher.js");

/// Two packages: one for the platform with the program, which npm installs only there, and, with the first
/// platform, the one that people name. This is how esbuild and Biome bring theirs.
pub(super) fn npm(job: &Job<'_>) -> Result<Made> {
    let mut made = Vec::new();
    let mut entries = Vec::new();
    for file in job.files.iter().filter(|file| matches!(file.purpose, Purpose::Program | Purpose::Licence)) {
        let (folder, mode) = if file.purpose == Purpose::Program { ("bin/", 0o755) } else { ("", 0o644) };
        entries.push(Entry::file(format!("package/{folder}{}", file.name), mode, file.bytes.clone()));
    }
    made.push(packed(job, &npm_platform(job.product, job.platform), entries)?);
    if PLATFORMS.first().is_some_and(|first| first.name == job.platform.name) {
        let mut entries = vec![Entry::file("package/bin/rocm-audit.js", 0o755, LAUNCHER)];
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            entries.push(Entry::file(format!("package/{name}"), 0o644, source(name)?));
        }
        made.push(packed(job, &npm_program(job.product), entries)?);
    }
    Ok(Made::Files(made))
}

fn packed(job: &Job<'_>, manifest: &Value, mut entries: Vec<Entry>) -> Result<String> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    entries.insert(0, Entry::file("package/package.json", 0o644, text));
    let name = manifest["name"].as_str().unwrap_or_default();
    let file = format!("{name}-{}.tgz", job.product.version);
    std::fs::write(job.out.join(&file), gzip(&tar(&entries, job.product.time)?)?)?;
    Ok(file)
}

/// The name of the package with the program for a platform.
fn npm_name(product: &Product, platform: &Platform) -> String {
    format!("{}-{}-{}", product.name, platform.npm.0, platform.npm.1)
}

fn npm_common(product: &Product, name: &str) -> Value {
    let mut all = json!({
        "name": name,
        "version": product.version,
        "description": product.description,
        "license": format!("({})", product.licence),
    });
    if let Some(address) = &product.repository {
        all["repository"] = json!({ "type": "git", "url": format!("git+{address}.git") });
    }
    all
}

/// The manifest of the package for one platform.
pub(super) fn npm_platform(product: &Product, platform: &Platform) -> Value {
    let mut all = npm_common(product, &npm_name(product, platform));
    all["os"] = json!([platform.npm.0]);
    all["cpu"] = json!([platform.npm.1]);
    all["files"] = json!(["bin"]);
    all
}

/// The manifest of the package that people name.
pub(super) fn npm_program(product: &Product) -> Value {
    let mut all = npm_common(product, &product.name);
    all["keywords"] = json!(product.keywords);
    all["bin"] = json!({ product.name.as_str(): "bin/rocm-audit.js" });
    all["files"] = json!(["bin"]);
    all["engines"] = json!({ "node": ">=14" });
    let others = PLATFORMS.iter().map(|platform| (npm_name(product, platform), json!(product.version)));
    all["optionalDependencies"] = Value::Object(others.collect());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launcher_looks_for_the_packages_that_are_made() {
        let product = Product::read().unwrap();
        assert!(LAUNCHER.contains("`rocm-audit-${process.platform}-${process.arch}`"));
        for platform in PLATFORMS {
            let name = npm_name(&product, platform);
            assert_eq!(npm_program(&product)["optionalDependencies"][&name], product.version.as_str());
            assert_eq!(npm_platform(&product, platform)["name"], name.as_str());
        }
    }
}
