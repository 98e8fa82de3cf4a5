//! The code objects of real packages: where each stands, and its bytes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow, ensure};
use rayon::prelude::*;
use rocm_audit::container::bundle::Entry;
use rocm_audit::format::is_code_object;
use rocm_audit::input::device_file::DeviceFile;
use sha2::{Digest, Sha256};

use super::tally::Code;
use crate::digest;
use crate::files::all_files;

/// SHA-256 of a code object.
pub type Sha = [u8; 32];

/// Where a code object stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeObjectPlace {
    pub path: PathBuf,
    /// The how manieth of the bundles of its file.
    pub bundle: usize,
    /// The how manieth of the entries of its bundle.
    pub entry: usize,
}

/// A code object of a package.
#[derive(Clone, Debug)]
pub struct PackageCodeObject {
    /// The package's folder, without `lib`.
    pub library: String,
    pub processor: String,
    /// Bytes of machine code.
    pub text: u64,
    pub sha: Sha,
    pub place: CodeObjectPlace,
}

/// Takes a code object with its bytes.
pub type Each<'a> = dyn Fn(&PackageCodeObject, &Code<'_>) -> Result<()> + Sync + 'a;

/// All code objects of the packages below `corpus`, each library's distinct ones once, handed to `each` in no
/// order.
pub fn survey(corpus: &Path, each: &Each<'_>) -> Result<Vec<PackageCodeObject>> {
    let mut files = Vec::new();
    for folder in ["deb", "whl"].map(|name| corpus.join(name)).iter().filter(|folder| folder.is_dir()) {
        all_files(folder, folder, &mut files)?;
    }
    ensure!(!files.is_empty(), "{}: no packages in deb/ or whl/ here", corpus.display());
    let (seen, found) = (Mutex::new(HashSet::new()), Mutex::new(Vec::new()));
    files.par_iter().try_for_each(|(relative, path)| {
        let package = relative.split('/').next().unwrap_or_default();
        let library = package.strip_prefix("lib").unwrap_or(package).to_owned();
        let open = DeviceFile::open(path).map_err(|error| anyhow!("{error}"))?;
        for number in 0..open.container.bundles().len() {
            in_bundle(&open, number, &mut |entry, bytes| {
                let sha: Sha = Sha256::digest(bytes).into();
                if !seen.lock().map_err(|_| anyhow!("a thread panicked"))?.insert((library.clone(), sha)) {
                    return Ok(());
                }
                let place = CodeObjectPlace { path: path.clone(), bundle: number, entry };
                let code = Code::from_bytes(bytes).with_context(|| place.shown())?;
                let (library, processor) = (library.clone(), code.processor.clone());
                let one = PackageCodeObject { library, processor, text: code.text_bytes(), sha, place };
                each(&one, &code).with_context(|| one.place.shown())?;
                found.lock().map_err(|_| anyhow!("a thread panicked"))?.push(one);
                Ok(())
            })?;
        }
        anyhow::Ok(())
    })?;
    let mut found = found.into_inner().map_err(|_| anyhow!("a thread panicked"))?;
    found.sort_by(|a, b| (&a.library, &a.processor, &a.sha).cmp(&(&b.library, &b.processor, &b.sha)));
    Ok(found)
}

/// The code objects of one bundle, by their entries.
fn in_bundle(
    open: &DeviceFile,
    number: usize,
    each: &mut dyn FnMut(usize, &[u8]) -> Result<()>,
) -> Result<()> {
    let bundle = open.container.bundles().get(number).context("no such bundle")?;
    let body = digest::body(open.file.bytes(), bundle)
        .map_err(|error| anyhow!("{}: {error}", open.file.path().display()))?;
    for (index, entry) in bundle.entries().iter().enumerate() {
        let end = entry.offset().saturating_add(entry.size()) as usize;
        match body.get(entry.offset() as usize..end) {
            Some(bytes) if is_code_object(bytes) => each(index, bytes)?,
            _ => {}
        }
    }
    Ok(())
}

impl CodeObjectPlace {
    /// The entry of that id in a bundle of a file.
    pub fn named(path: &Path, bundle: usize, id: &str) -> Result<Self> {
        let open = DeviceFile::open(path).map_err(|error| anyhow!("{error}"))?;
        let entries = open.container.bundles().get(bundle).context("no such bundle")?.entries();
        let is_it = |entry: &Entry| entry.id().is_some_and(|own| own.to_string() == id);
        let entry = entries.iter().position(is_it).with_context(|| format!("no entry {id}"))?;
        Ok(CodeObjectPlace { path: path.to_owned(), bundle, entry })
    }

    /// The bytes of the code object here.
    pub fn read(&self) -> Result<Vec<u8>> {
        let open = DeviceFile::open(&self.path).map_err(|error| anyhow!("{error}"))?;
        let mut found = None;
        in_bundle(&open, self.bundle, &mut |entry, bytes| {
            if entry == self.entry {
                found = Some(bytes.to_vec());
            }
            Ok(())
        })?;
        found.with_context(|| format!("{}: no code object here", self.shown()))
    }

    /// The place in words.
    pub fn shown(&self) -> String {
        format!("{} bundle {} entry {}", self.path.display(), self.bundle, self.entry)
    }
}
