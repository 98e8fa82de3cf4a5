//! Reads reports written by `rocm-audit -o FILE.json`.

use super::audited::AuditedReport;
use crate::error::AuditError;
use crate::report::v1::{self, Manifest};
use crate::source::{SourceFile, given};
use serde::Deserializer as _;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How the names of manifests end, behind the names of their artifacts.
pub const MANIFEST_END: &str = ".rocm.json";

/// Size limit for a saved report in bytes.
const LARGEST: u64 = 1 << 30;
/// Size limit for a manifest in bytes: one of a large package has 10 KB.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// Whether a path means a saved report: its name ends with `.json`.
pub fn is_named_so(path: &Path) -> bool {
    has_its_name(path) && (path.is_file() || given::len(path).is_some())
}

/// The same of a file that is known to be there.
pub(super) fn has_its_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Reads an audit report. `named` is the option or word that named it, for error messages.
///
/// # Errors
/// Where it cannot be read, is no JSON (with line and column), or another document.
pub fn read(path: &Path, named: &str) -> Result<AuditedReport, AuditError> {
    SavedText::open(path, named, LARGEST)?.read(
        v1::document::REPORT,
        "an audit",
        "rocm-audit -o FILE.json PATH",
    )
}

/// Reads a manifest.
///
/// # Errors
/// As [`read`], and where it contradicts itself.
pub fn read_manifest(path: &Path) -> Result<Manifest, AuditError> {
    let text = SavedText::open(path, "", LARGEST_MANIFEST)?;
    let manifest = text.manifest()?;
    match manifest.contradiction() {
        None => Ok(manifest),
        Some(what) => {
            Err(text.wrong(&format!("it contradicts itself: {what}; fetch it again, or write it again")))
        }
    }
}

/// Refuses paths to documents of this program, where files with code are expected.
///
/// # Errors
/// For the first such path, with the commands that read it.
pub fn refuse_documents(paths: &[PathBuf]) -> Result<(), AuditError> {
    for path in paths.iter().filter(|path| is_named_so(path)) {
        let Ok(text) = SavedText::open(path, "", LARGEST_MANIFEST) else { continue };
        let Some(schema) = text.document.as_ref().ok().and_then(|own| own.schema.as_deref()) else {
            continue;
        };
        let readers = match schema {
            own if own == v1::document::MANIFEST.schema() => {
                "a manifest, no file with code; `check`, `choose` and `diff` read manifests"
            }
            own if own == v1::document::REPORT.schema() => {
                "a saved report, no file with code; `diff` and `check --baseline` read reports"
            }
            own if v1::document::DOCUMENTS.iter().any(|known| known.schema() == own) => {
                "a document that this program wrote, no file with code"
            }
            _ => continue,
        };
        return Err(AuditError::Usage(format!("{}: {readers}", path.display())));
    }
    Ok(())
}

/// The text of a JSON file, and what it says that it is.
pub(super) struct SavedText {
    named: String,
    pub(super) bytes: Vec<u8>,
    /// An error if it is no JSON.
    document: Result<SavedDocument, serde_json::Error>,
}

impl SavedText {
    /// Opens it. `named` is the option or word that named it, for error messages.
    ///
    /// # Errors
    /// Where it cannot be read, or has more than `largest` bytes.
    pub(super) fn open(path: &Path, named: &str, largest: u64) -> Result<Self, AuditError> {
        let named = format!("{named}{}", path.display());
        let unread = |error| AuditError::io("read", path, error);
        let fits = |size: u64| match size > largest {
            true => Err(AuditError::Unreadable(format!(
                "{named}: {size} bytes, more than the {largest} that such a file may have"
            ))),
            false => Ok(()),
        };
        let bytes = match given::len(path) {
            None => {
                // Asked of the open file, and read no further: it may grow, or be another one by now.
                let mut file = std::fs::File::open(path).map_err(unread)?;
                let size = file.metadata().map_err(unread)?.len();
                fits(size)?;
                let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
                (&mut file).take(largest + 1).read_to_end(&mut bytes).map_err(unread)?;
                fits(bytes.len() as u64)?;
                bytes
            }
            Some(size) => {
                fits(size)?;
                let file = SourceFile::open(path).map_err(unread)?;
                let bytes = file.bytes().to_vec();
                file.check_unchanged()
                    .map_err(|change| AuditError::Unreadable(format!("{named}: {change}")))?;
                bytes
            }
        };
        let document = SavedDocument::read(&bytes);
        Ok(SavedText { named, bytes, document })
    }

    /// Whether it says that it is a manifest.
    ///
    /// # Errors
    /// Where it is no JSON, with line and column.
    pub(super) fn is_manifest(&self) -> Result<bool, AuditError> {
        Ok(self.document()?.schema.as_deref() == Some(&v1::document::MANIFEST.schema()))
    }

    fn document(&self) -> Result<&SavedDocument, AuditError> {
        self.document.as_ref().map_err(|error| self.no_json(error))
    }

    fn no_json(&self, error: &serde_json::Error) -> AuditError {
        self.wrong(&format!("no JSON: {error}"))
    }

    pub(super) fn wrong(&self, what: &str) -> AuditError {
        AuditError::Unreadable(format!("{}: {what}", self.named))
    }

    pub(super) fn manifest(&self) -> Result<Manifest, AuditError> {
        let command = "rocm-audit manifest -o FILE.json PATH";
        let mut manifest: Manifest = self.read(v1::document::MANIFEST, "a manifest", command)?;
        manifest.header = self.document()?.header();
        Ok(manifest)
    }

    fn read<T: DeserializeOwned>(
        &self,
        as_: v1::Document,
        what: &str,
        command: &str,
    ) -> Result<T, AuditError> {
        let found = self.document()?;
        let schema = as_.schema();
        let major = as_.version.split('.').next().unwrap_or_default();
        let as_written = format!("as `{command}` writes");
        match (found.schema.as_deref(), found.schema_version.as_deref()) {
            (Some(own), Some(version)) if own == schema && version.split('.').next() == Some(major) => {
                // UTF-8 is checked once then, and not for each string.
                let read = match std::str::from_utf8(&self.bytes) {
                    Ok(text) => serde_json::from_str(text),
                    Err(_) => serde_json::from_slice(&self.bytes),
                };
                read.map_err(|error| match error.is_data() {
                    true => self.wrong(&format!("not the document of {what}: {error}")),
                    false => self.no_json(&error),
                })
            }
            (Some(own), version) => {
                let version = version.unwrap_or("without a version");
                Err(self.wrong(&format!("it is {own} {version}; expected {schema} {major}, {as_written}")))
            }
            (None, _) => Err(self.wrong(&format!("it has no \"schema\"; expected {schema}, {as_written}"))),
        }
    }
}

/// What was found so far of what a document says that it is.
#[derive(Default)]
struct SavedParts {
    schema: Option<String>,
    schema_version: Option<String>,
    tool: Option<v1::Tool>,
}

impl SavedParts {
    fn are_all(&self) -> bool {
        self.schema.is_some() && self.schema_version.is_some() && self.tool.is_some()
    }
}

impl<'de> Visitor<'de> for &mut SavedParts {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while !self.are_all() {
            match map.next_key::<Cow<'de, str>>()?.as_deref() {
                Some("schema") => self.schema = map.next_value()?,
                Some("schema_version") => self.schema_version = map.next_value()?,
                Some("tool") => self.tool = Some(map.next_value()?),
                Some(_) => drop(map.next_value::<IgnoredAny>()?),
                None => break,
            }
        }
        Ok(())
    }
}

/// What a document says that it is.
#[derive(Default, serde::Deserialize)]
struct SavedDocument {
    schema: Option<String>,
    schema_version: Option<String>,
    #[serde(default)]
    tool: v1::Tool,
}

impl SavedDocument {
    /// What a JSON says that it is. Our documents say so in their first lines, and no more is read of them.
    fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let mut found = SavedParts::default();
        let read = serde_json::Deserializer::from_slice(bytes).deserialize_map(&mut found);
        match read {
            Ok(()) => {}
            Err(_) if found.are_all() => {}
            // What is no such object may be JSON all the same.
            Err(_) => {
                return match serde_json::from_slice(bytes) {
                    Err(error) if error.is_data() => Ok(SavedDocument::default()),
                    read => read,
                };
            }
        }
        let SavedParts { schema, schema_version, tool } = found;
        Ok(SavedDocument { schema, schema_version, tool: tool.unwrap_or_default() })
    }

    fn header(&self) -> v1::Header {
        v1::Header {
            schema: self.schema.clone().unwrap_or_default(),
            schema_version: self.schema_version.clone().unwrap_or_default(),
            tool: self.tool.clone(),
        }
    }
}
