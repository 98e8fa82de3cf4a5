//! Writes code objects out of files, inflated, each as a file of its own.

use crate::bytes::le;
use crate::container::{Bundle, bundle, bundle_reader, compressed};
use crate::error::{AuditError, ParseError, Parsed};
use crate::finding::Finding;
use crate::input::device_file::DeviceFile;
use crate::limits::{PROBLEMS_PER_RUN, UNPACKED_WHOLE};
use crate::scan::device_file::{self, FileOptions};
use crate::source::give_name;
use crate::target::TargetId;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What came of an extraction.
#[derive(Debug, Default)]
pub struct Extracted {
    /// The files written, in order.
    pub written: Vec<PathBuf>,
    /// What is wrong with the files that they are from, as a report on these says it.
    pub findings: Vec<Finding>,
}

/// Writes every wanted entry that is not empty into `folder`, which must be new or empty: nothing is ever
/// overwritten.
///
/// # Errors
/// Where the folder is not empty, a file cannot be written, or an entry cannot be inflated.
pub fn all(
    files: &[PathBuf],
    folder: &Path,
    wants: &dyn Fn(&TargetId) -> bool,
) -> Result<Extracted, AuditError> {
    fs::create_dir_all(folder).map_err(|e| AuditError::io("create", folder, e))?;
    let mut there = fs::read_dir(folder).map_err(|e| AuditError::io("read", folder, e))?;
    if there.next().is_some() {
        let what = "the folder to extract to is not empty".to_owned();
        return Err(AuditError::Path { path: folder.to_owned(), what });
    }
    let mut names = HashSet::new();
    let mut all = Extracted::default();
    for path in files {
        let mut result = Ok(());
        let mut wrong = Vec::new();
        let mut each = |open: DeviceFile| {
            if result.is_ok() {
                result = one(&open, folder, wants, &mut names, &mut all.written);
                // Hashes and metadata are compared by this reading alone.
                let read = device_file::read(&open, &FileOptions::default(), &mut |_| {});
                let room = PROBLEMS_PER_RUN.saturating_sub(all.findings.len());
                all.findings.extend(read.findings.into_iter().take(room));
            }
        };
        DeviceFile::open_each(path, &mut each, &mut |problem| wrong.push(problem))?;
        result?;
        if let Some(problem) = wrong.first() {
            return Err(AuditError::Unreadable(problem.to_string()));
        }
    }
    Ok(all)
}

/// Writes the entries of one file.
fn one(
    open: &DeviceFile,
    folder: &Path,
    wants: &dyn Fn(&TargetId) -> bool,
    names: &mut HashSet<String>,
    written: &mut Vec<PathBuf>,
) -> Result<(), AuditError> {
    let shown = open.file.locator().shown();
    let bad = |error: ParseError| AuditError::Unreadable(format!("{shown}: {error}"));
    for (index, bundle) in open.container.bundles().iter().enumerate() {
        let mut content = ExtractedBundle::from_bytes(open.file.bytes(), bundle).map_err(bad)?;
        let mut end = 0;
        for (_, entry) in bundle_reader::in_order(bundle) {
            let target = open.target_of(bundle, entry);
            // Overlapping entries would be written as often as there are entries.
            if target.as_ref().is_some_and(|t| !wants(t)) || entry.offset() < end {
                continue;
            }
            end = entry.offset() + entry.size();
            let id = target.map(|t| t.to_string()).or(entry.id().map(ToString::to_string));
            let to = folder.join(name(&shown, index, id.as_deref(), names));
            let failed = |e| AuditError::io("write", &to, e);
            let output = Output::create(folder, &to).map_err(failed)?;
            content.copy(entry, &to, &output.file).map_err(|e| e.unwrap_or_else(bad))?;
            output.finish(&to).map_err(failed)?;
            written.push(to);
        }
    }
    open.file.check_unchanged().map_err(|what| AuditError::Unreadable(format!("{shown}: {what}")))
}

/// A file that gets its name when it is complete, where the system can do that: a run that is cut short then
/// leaves no half of a code object.
struct Output {
    file: File,
    unnamed: bool,
}

impl Output {
    fn create(folder: &Path, to: &Path) -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Mode, OFlags};
            let mode = Mode::from_raw_mode(0o666);
            if let Ok(file) = rustix::fs::open(folder, OFlags::TMPFILE | OFlags::WRONLY, mode) {
                return Ok(Output { file: file.into(), unnamed: true });
            }
        }
        let _ = folder;
        Ok(Output { file: File::create_new(to)?, unnamed: false })
    }

    fn finish(self, to: &Path) -> std::io::Result<()> {
        if self.unnamed { give_name(&self.file, to) } else { Ok(()) }
    }
}

/// Longest parts of a name, so that the whole stays below what file systems take.
const STEM_CHARS: usize = 120;
const ID_CHARS: usize = 80;

/// `libggml-hip.so.0003.gfx906.co`: file, bundle, target. Never a path, whatever the id holds, and never one
/// twice.
fn name(path: &str, bundle: usize, id: Option<&str>, names: &mut HashSet<String>) -> String {
    let safe = |text: &str, most: usize| -> String {
        // `gfx90a-xnack+`, as rocBLAS names its files: Windows takes no colon.
        let allowed = |c: char| match c {
            ':' => '-',
            c if c.is_ascii_alphanumeric() || "+-_.".contains(c) => c,
            _ => '_',
        };
        text.chars().map(allowed).take(most).collect()
    };
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem =
        format!("{}.{bundle:04}.{}", safe(file, STEM_CHARS), safe(id.unwrap_or("code-object"), ID_CHARS));
    let mut name = format!("{stem}.co");
    let mut again = 1;
    while !names.insert(name.clone()) {
        again += 1;
        name = format!("{stem}.{again}.co");
    }
    name
}

/// The content of a bundle, read from its beginning to its end.
enum ExtractedBundle<'a> {
    Stored(&'a [u8]),
    Stream(Box<compressed::Unpacked<'a>>),
}

impl<'a> ExtractedBundle<'a> {
    fn from_bytes(bytes: &'a [u8], bundle: &Bundle) -> Parsed<Self> {
        let stored = within(bytes, bundle.offset(), bundle.span())?;
        Ok(match &bundle.storage().packed() {
            None => ExtractedBundle::Stored(stored),
            Some(header) => {
                let stream =
                    compressed::Unpacked::open(stored, bundle.offset(), header, false, UNPACKED_WHOLE)?;
                ExtractedBundle::Stream(Box::new(stream))
            }
        })
    }

    /// Copies one entry, which must lie behind the one before. The inner result tells writing from reading.
    fn copy(
        &mut self,
        entry: &bundle::Entry,
        to: &Path,
        mut file: &File,
    ) -> Result<(), Result<AuditError, ParseError>> {
        let mut write = |part: &[u8]| file.write_all(part).map_err(|e| Ok(AuditError::io("write", to, e)));
        match self {
            ExtractedBundle::Stored(stored) => {
                write(within(stored, entry.offset(), entry.size()).map_err(Err)?)
            }
            ExtractedBundle::Stream(stream) => {
                stream.skip(entry.offset().saturating_sub(stream.position())).map_err(Err)?;
                let end = entry.offset() + entry.size();
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
}

fn within(bytes: &[u8], offset: u64, size: u64) -> Parsed<&[u8]> {
    le::range(bytes, offset, size).ok_or_else(|| ParseError::new(offset, "an entry reaches beyond the file"))
}
