//! Code objects of real packages, by the SHA-256 of their bytes.

use crate::digest::hex;
use crate::kernel::rows::ListedKernel;
use anyhow::{Context as _, Result};
use rocm_audit::format::Format;
use rocm_audit::{container, source::SourceFile};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Writes the code objects that rows name, from the packages in folders, to `out` as `SHA256.co`.
pub fn run(rows: &str, out: &str, folders: &[&str]) -> Result<()> {
    let mut wanted: HashSet<String> = named(rows)?;
    let all = wanted.len();
    std::fs::create_dir_all(out)?;
    wanted.retain(|sha| !Path::new(out).join(format!("{sha}.co")).exists());
    let mut open: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        if wanted.is_empty() {
            break;
        }
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).with_context(|| path.display().to_string())? {
                open.push(entry?.path());
            }
        } else if path.is_file() && !path.is_symlink() {
            take(&path, Path::new(out), &mut wanted)?;
        }
    }
    println!("{} of {all} code objects are there", all - wanted.len());
    Ok(())
}

/// The code objects that a list names: in its rows as JSON, or in the first of its columns.
fn named(rows: &str) -> Result<HashSet<String>> {
    if !rows.contains(".tsv") {
        return Ok(ListedKernel::read(rows)?.into_iter().map(|row| row.object).collect());
    }
    let text = super::text(rows)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.filter_map(|line| line.split('\t').next()).map(str::to_owned).collect())
}

fn take(path: &Path, out: &Path, wanted: &mut HashSet<String>) -> Result<()> {
    let Ok(file) = SourceFile::open(path) else { return Ok(()) };
    let found = container::open(file.bytes(), Format::identify(file.head()));
    for bundle in found.bundles() {
        let Ok(open) = bundle.open(file.bytes()) else { continue };
        for entry in open.entries().filter(|entry| entry.is_code_object()) {
            let sha = hex(&Sha256::digest(entry.bytes()));
            if wanted.remove(&sha) {
                std::fs::write(out.join(format!("{sha}.co")), entry.bytes())?;
            }
        }
    }
    Ok(())
}
