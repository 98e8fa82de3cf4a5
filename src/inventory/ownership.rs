//! Which installed package has which file: what package managers write down beside what they install.

use std::collections::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// What one file of a package manager says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owned {
    /// The files of a package. Paths that begin with `/` are of the root, others of a folder beside the list.
    Files {
        /// The package.
        name: String,
        /// Its version; `None` where another file has that.
        version: Option<String>,
        /// The folder that the paths begin in, from the folder of the list: `..` for a wheel's.
        from: &'static str,
        /// The paths.
        files: Vec<String>,
    },
    /// Versions of packages whose files are listed elsewhere.
    Versions(Vec<(String, String)>),
}

/// Files that are kept; a system has 300,000.
const MOST_FILES: usize = 1 << 20;

/// The files of installed packages.
#[derive(Debug, Default)]
pub struct Ownership {
    /// Names of packages, and versions where these are known.
    packages: Vec<(String, Option<String>)>,
    /// Hashes of paths below the root, with the place of the package. Paths would take five times the memory.
    files: HashMap<u64, u32>,
    versions: HashMap<String, String>,
}

impl Ownership {
    /// Adds what the list at a path below the root says.
    pub(crate) fn add(&mut self, list: &str, owned: Owned) {
        match owned {
            Owned::Versions(versions) => self.versions.extend(versions),
            Owned::Files { name, version, from, files } => {
                let folder = list.rsplit_once('/').map_or("", |(folder, _)| folder);
                let base = if from == ".." {
                    folder.rsplit_once('/').map_or("", |(folder, _)| folder)
                } else {
                    folder
                };
                // A root may be no whole system: then the list is not below `var/lib`, and its paths cannot be said.
                let number = self.packages.len() as u32;
                self.packages.push((name, version));
                for file in files {
                    if self.files.len() >= MOST_FILES {
                        return;
                    }
                    let path = match file.strip_prefix('/') {
                        Some(below) => below.to_owned(),
                        None if base.is_empty() => file,
                        None => format!("{base}/{file}"),
                    };
                    self.files.insert(xxh3_64(path.as_bytes()), number);
                }
            }
        }
    }

    /// The version of an installed package.
    pub(crate) fn version_of(&self, name: &str) -> Option<String> {
        let (_, version) = self.packages.iter().find(|(own, _)| own == name)?;
        version.clone().or_else(|| self.versions.get(name).cloned())
    }

    /// Name and version of the package that has a file.
    pub(crate) fn of(&self, path: &str) -> Option<Arc<str>> {
        let number = *self.files.get(&xxh3_64(path.as_bytes()))?;
        let (name, version) = self.packages.get(number as usize)?;
        let version = version.as_ref().or_else(|| self.versions.get(name));
        Some(version.map_or_else(|| name.as_str().into(), |version| format!("{name} {version}").into()))
    }
}
