//! Writes code objects out of files, inflated, each as a file of its own.

use crate::container::{Bundle, Storage, bundle, compressed};
use crate::error::{AuditError, ParseError, Parsed};
use crate::fatbin::OpenFile;
use crate::limits::UNPACKED_WHOLE;
use crate::target::TargetId;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes every wanted entry that is not empty into `folder`, which must be new or empty: nothing is ever overwritten.
/// Gives the files written, in order.
///
/// # Errors
/// Where the folder is not empty, a file cannot be written, or an entry cannot be inflated.
pub fn all(
    files: &[PathBuf],
    folder: &Path,
    wants: &dyn Fn(&TargetId) -> bool,
) -> Result<Vec<PathBuf>, AuditError> {
    fs::create_dir_all(folder).map_err(|e| AuditError::io("create", folder, e))?;
    let mut there = fs::read_dir(folder).map_err(|e| AuditError::io("read", folder, e))?;
    if there.next().is_some() {
        return Err(AuditError::Usage(format!(
            "{}: the folder to extract to is not empty",
            folder.display()
        )));
    }
    let mut names = HashSet::new();
    let mut written = Vec::new();
    for path in files {
        let open = OpenFile::open(path)?;
        for (index, bundle) in open.container.bundles.iter().enumerate() {
            for (number, entry) in bundle.entries.iter().enumerate().filter(|(_, e)| e.size > 0) {
                let id = entry.id.as_ref().map(|id| id.as_str());
                let target = entry.id.as_ref().and_then(|id| id.target());
                if target.is_some_and(|t| !wants(t)) {
                    continue;
                }
                let target = target.map(ToString::to_string);
                let name = name(path, index, number, target.as_deref().or(id), &mut names);
                let to = folder.join(name);
                let file = File::create_new(&to).map_err(|e| AuditError::io("write", &to, e))?;
                copy(open.file.bytes(), bundle, entry, &to, file).map_err(|e| {
                    e.unwrap_or_else(|error| AuditError::Usage(format!("{}: {error}", path.display())))
                })?;
                written.push(to);
            }
        }
    }
    Ok(written)
}

/// `libggml-hip.so.0003.gfx906.co`: file, bundle, target. Never a path, whatever the id holds.
fn name(path: &Path, bundle: usize, entry: usize, id: Option<&str>, names: &mut HashSet<String>) -> String {
    let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || "+-_.:".contains(c) { c } else { '_' };
    let id: String = id.unwrap_or("code-object").chars().map(safe).take(80).collect();
    let mut name = format!("{file}.{bundle:04}.{id}.co");
    if !names.insert(name.clone()) {
        name = format!("{file}.{bundle:04}.{entry}.{id}.co");
        names.insert(name.clone());
    }
    name
}

/// Copies one entry. The inner result tells writing from reading.
fn copy(
    bytes: &[u8],
    bundle: &Bundle,
    entry: &bundle::Entry,
    to: &Path,
    mut file: File,
) -> Result<(), Result<AuditError, ParseError>> {
    let mut write = |part: &[u8]| file.write_all(part).map_err(|e| Ok(AuditError::io("write", to, e)));
    let stored = range(bytes, bundle.offset, bundle.span).map_err(Err)?;
    match &bundle.storage {
        Storage::Bare | Storage::Plain => write(range(stored, entry.offset, entry.size).map_err(Err)?),
        Storage::Compressed(header) => {
            let mut stream = compressed::Unpacked::open(stored, bundle.offset, header, false, UNPACKED_WHOLE)
                .map_err(Err)?;
            stream.skip(entry.offset).map_err(Err)?;
            let end = entry.offset + entry.size;
            let mut part = Vec::new();
            while stream.position() < end {
                part.clear();
                stream.read_onto(&mut part, (end - stream.position()).min(1 << 20)).map_err(Err)?;
                write(&part)?;
            }
            Ok(())
        }
    }
}

fn range(bytes: &[u8], offset: u64, size: u64) -> Parsed<&[u8]> {
    let end = offset.checked_add(size).and_then(|end| usize::try_from(end).ok());
    let range = usize::try_from(offset).ok().zip(end).and_then(|(start, end)| bytes.get(start..end));
    range.ok_or_else(|| ParseError::new(offset, "an entry reaches beyond the file"))
}
