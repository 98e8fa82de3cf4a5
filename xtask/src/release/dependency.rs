//! Everything that is linked into the program: crates as cargo resolved them for a target, and the C code
//! that some bring.

use super::product::{FEATURES, Product, resolved};
use crate::ci::vendored::{self, Native};
use crate::command::{cargo, project, stdout};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A crate in the program.
#[derive(Debug)]
pub(super) struct Dependency {
    pub name: String,
    pub version: String,
    pub description: String,
    /// An SPDX expression, where its manifest has one.
    pub licence: Option<String>,
    pub repository: Option<String>,
    /// The SHA-256 of its package, which `Cargo.lock` has for crates from a registry.
    pub digest: Option<String>,
    /// Whether it is a crate of this workspace.
    pub is_ours: bool,
    /// Whether it only makes code while the program is built.
    pub is_macro: bool,
    pub folder: PathBuf,
    /// Package URLs of the crates that it needs.
    pub needs: Vec<String>,
    /// C code in it.
    pub native: Vec<Native>,
}

impl Dependency {
    /// As package URLs write it.
    pub fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// The crates that the program is made of on a target, itself included, in the order of their names.
///
/// # Errors
/// Cargo could not resolve them, or its answer lacks a field.
pub(super) fn all(product: &Product, target: &str) -> Result<Vec<Dependency>> {
    of_package(&product.name, &["--features", FEATURES], target)
}

/// The same of any package of the workspace.
///
/// # Errors
/// As there.
pub(super) fn package_dependencies(name: &str, target: &str) -> Result<Vec<Dependency>> {
    of_package(name, &[], target)
}

fn of_package(name: &str, features: &[&str], target: &str) -> Result<Vec<Dependency>> {
    // Metadata unite the features of all members of the workspace; the tree has those of the package alone.
    let linked_in = tree(name, features, target)?;
    let metadata = resolved(target)?;
    let lock = std::fs::read_to_string(project().join("Cargo.lock"))?;
    let digests = digests(&lock);
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let root = packages.iter().find(|(_, package)| package["name"] == *name);
    let mut asked = vec![*root.context("the program is not in cargo's metadata")?.0];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(id) = asked.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages.get(id).with_context(|| format!("{id} is not in cargo's metadata"))?;
        if !linked_in.contains(&purl(package)?) {
            continue;
        }
        let linked = nodes.get(id).into_iter().flat_map(|node| list(&node["deps"])).filter(|edge| {
            // An edge of kind null is an ordinary dependency; others are for tests and build scripts.
            list(&edge["dep_kinds"]).any(|kind| kind["kind"].is_null())
        });
        let linked: Vec<&str> = linked.filter_map(|edge| edge["pkg"].as_str()).collect();
        let needs = linked.iter().filter_map(|id| packages.get(id)).map(|package| purl(package));
        let mut needs = needs.collect::<Result<Vec<_>>>()?;
        needs.retain(|purl| linked_in.contains(purl));
        found.push(dependency(package, needs, &digests)?);
        asked.extend(linked);
    }
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

/// Package URLs of what is linked into the program.
fn tree(name: &str, features: &[&str], target: &str) -> Result<BTreeSet<String>> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--package", name, "--edges", "normal", "--prefix", "none"]);
    command.args(["--target", target, "--format", "{p}"]).args(features);
    let purl = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        Some(format!("pkg:cargo/{name}@{}", version.trim_start_matches('v')))
    };
    Ok(stdout(command)?.lines().filter_map(purl).collect())
}

fn purl(package: &Value) -> Result<String> {
    Ok(format!("pkg:cargo/{}@{}", text(package, "name")?, text(package, "version")?))
}

fn dependency(
    package: &Value,
    mut needs: Vec<String>,
    digests: &BTreeMap<(String, String), String>,
) -> Result<Dependency> {
    let (name, version) = (text(package, "name")?, text(package, "version")?);
    let said = |key: &str| package[key].as_str().map(str::to_owned);
    needs.sort();
    let folder = Path::new(text(package, "manifest_path")?).parent().map(PathBuf::from).unwrap_or_default();
    Ok(Dependency {
        digest: digests.get(&(name.to_owned(), version.to_owned())).cloned(),
        native: vendored::part(name, version, &folder)?.into_iter().collect(),
        name: name.to_owned(),
        version: version.to_owned(),
        // Folded lines are one.
        description: said("description").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
        licence: said("license"),
        repository: said("repository"),
        is_ours: package["source"].is_null(),
        is_macro: list(&package["targets"])
            .any(|target| list(&target["kind"]).any(|kind| kind == "proc-macro")),
        folder,
        needs,
    })
}

/// Checksums by name and version, from a lock file.
fn digests(lock: &str) -> BTreeMap<(String, String), String> {
    let packages = lock.split("[[package]]").skip(1).filter_map(|block| {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
            Some(line.trim_end_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    packages.collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text<'a>(package: &'a Value, key: &str) -> Result<&'a str> {
    package[key].as_str().with_context(|| format!("a package without {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_by_name_and_version() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"00ff\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let found = digests(lock);
        assert_eq!(found.len(), 1);
        assert_eq!(found[&("a".to_owned(), "1.0.0".to_owned())], "00ff");
    }

    #[test]
    fn what_is_linked_is_listed_and_what_only_others_need_is_not() {
        let product = Product::read().unwrap();
        let all = all(&product, "x86_64-unknown-linux-musl").unwrap();
        let has = |name: &str| all.iter().any(|one| one.name == name);
        for name in [
            "rocm-audit",
            "amdgpu-isa",
            "rayon",
            "zstd-sys",
            "libsqlite3-sys",
            "liblzma-sys",
            "libmimalloc-sys",
            "landlock",
            "ring",
        ] {
            assert!(has(name), "{name}");
        }
        // Of tests, of xtask, of Windows, and of crates that build others.
        for name in ["criterion", "trycmd", "anyhow", "windows-sys", "cc"] {
            assert!(!has(name), "{name}");
        }
        let known: BTreeSet<String> = all.iter().map(Dependency::purl).collect();
        for one in &all {
            assert!(one.needs.iter().all(|need| known.contains(need)), "{}: {:?}", one.name, one.needs);
            assert_eq!(one.digest.is_none(), one.is_ours, "{}", one.name);
        }
        // SQLite, xz, zstd, mimalloc, and BoringSSL's cryptography in ring.
        assert_eq!(all.iter().flat_map(|one| &one.native).count(), 5);
    }
}
