//! Which installed package owns which file, from the lists that package managers install.

use crate::limits::OWNED_FILES;
use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Facts from one file of a package manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owned {
    /// The files of a package. Paths that begin with `/` start at the root, others at a folder relative to
    /// the list.
    Files {
        /// The package; Debian's with `:amd64` where it may be installed for several architectures.
        name: String,
        /// Its version; `None` if another file states it.
        version: Option<String>,
        /// The folder at which the paths start, relative to the list's folder: `..` for a wheel.
        from: &'static str,
        /// The paths.
        files: Vec<String>,
    },
    /// Versions of packages whose files are listed elsewhere.
    Versions(Vec<(String, String)>),
}

/// The files of installed packages.
#[derive(Debug, Default)]
pub struct Ownership {
    /// Root and name of each package, and its version if known.
    packages: Vec<(usize, String, Option<String>)>,
    /// Hashes of roots and paths below them, with the index of the package. Storing paths would take five
    /// times the memory.
    files: HashMap<u64, u32>,
    /// Versions by root and package.
    versions: HashMap<(usize, String), String>,
}

impl Ownership {
    /// Adds the facts of a list, given the list's path below a root.
    pub(crate) fn add(&mut self, root: usize, list: &str, owned: Owned) {
        match owned {
            Owned::Versions(versions) => {
                let of_root = versions.into_iter().map(|(name, version)| ((root, name), version));
                self.versions.extend(of_root);
            }
            Owned::Files { name, version, from, files } => {
                let folder = list.rsplit_once('/').map_or("", |(folder, _)| folder);
                let base = if from == ".." {
                    folder.rsplit_once('/').map_or("", |(folder, _)| folder)
                } else {
                    folder
                };
                // If a root is not a whole system, the list is not below `var/lib`, and its paths cannot be
                // resolved.
                let number = self.packages.len() as u32;
                self.packages.push((root, name, version));
                for file in files {
                    if self.files.len() >= OWNED_FILES {
                        return;
                    }
                    let path = match file.strip_prefix('/') {
                        Some(below) => below.to_owned(),
                        None if base.is_empty() => file,
                        None => format!("{base}/{file}"),
                    };
                    self.files.insert(key(root, &path), number);
                }
            }
        }
    }

    /// The version of an installed package.
    pub(crate) fn version_of(&self, name: &str) -> Option<String> {
        let (root, own, version) = self.packages.iter().find(|(_, own, _)| shown(own) == name)?;
        version.clone().or_else(|| self.stated(*root, own).cloned())
    }

    /// The version that another file states for a package.
    fn stated(&self, root: usize, name: &str) -> Option<&String> {
        let named = |name: &str| self.versions.get(&(root, name.to_owned()));
        named(name).or_else(|| named(shown(name)))
    }

    /// Name and version of the package that has a file.
    pub(crate) fn owner(&self, root: usize, path: &str) -> Option<Arc<str>> {
        let number = *self.files.get(&key(root, path))?;
        let (root, name, version) = self.packages.get(number as usize)?;
        let version = version.as_ref().or_else(|| self.stated(*root, name));
        let name = shown(name);
        Some(version.map_or_else(|| name.into(), |version| format!("{name} {version}").into()))
    }
}

/// The name of a package without its architecture.
fn shown(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

fn key(root: usize, path: &str) -> u64 {
    xxh3_64_with_seed(path.as_bytes(), root as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `dpkg` lays down where a library is installed for two architectures, in two versions.
    #[test]
    fn a_package_of_two_architectures_has_two_versions() {
        let mut all = Ownership::default();
        let versions =
            [("libx1:amd64", "1-5+b2"), ("libx1", "1-5+b2"), ("libx1:i386", "1-4"), ("libx1", "1-4")];
        let versions = versions.map(|(name, version)| (name.to_owned(), version.to_owned())).to_vec();
        all.add(0, "var/lib/dpkg/status", Owned::Versions(versions));
        for architecture in ["amd64", "i386"] {
            let files = vec![format!("/usr/lib/{architecture}/libx.so")];
            let name = format!("libx1:{architecture}");
            all.add(0, "var/lib/dpkg/info/x.list", Owned::Files { name, version: None, from: "", files });
        }
        assert_eq!(all.owner(0, "usr/lib/amd64/libx.so").as_deref(), Some("libx1 1-5+b2"));
        assert_eq!(all.owner(0, "usr/lib/i386/libx.so").as_deref(), Some("libx1 1-4"));
    }

    /// Two environments that contain the same paths.
    #[test]
    fn each_root_has_its_own_packages() {
        let mut all = Ownership::default();
        for (root, version) in [(0, "1.0"), (1, "2.0")] {
            let files = vec!["torch/lib/libx.so".to_owned()];
            let (name, version) = ("torch".to_owned(), Some(version.to_owned()));
            all.add(root, "site/torch.dist-info/RECORD", Owned::Files { name, version, from: "..", files });
        }
        let owner = |root| all.owner(root, "site/torch/lib/libx.so");
        assert_eq!((owner(0).as_deref(), owner(1).as_deref()), (Some("torch 1.0"), Some("torch 2.0")));
        assert_eq!(all.owner(2, "site/torch/lib/libx.so"), None);
    }
}
