//! What the names of MIOpen's databases have in common: `gfx900_56.HIP.fdb.txt`, `gfx90878.db`,
//! `gfx942130.kdb`.

use crate::engines::miopen::device::BaseName;
use crate::engines::miopen::text;
use crate::error::{ParseError, ParseErrorKind};
use crate::finding::Finding;
use crate::format::Format;
use crate::inventory::{DatabaseFacts, DatabaseForm};
use crate::scan::Candidate;
use crate::source::SourceFile;
use crate::target::TargetId;

/// A database's file name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Processor and XNACK, as far as the database id states them.
    pub target: TargetId,
    /// Number of compute units (of workgroup processors from gfx10 on).
    pub compute_units: Option<u32>,
    /// `HIP` or `OpenCL`.
    pub backend: Option<String>,
}

/// Takes `<database id><compute units>[.HIP|.OpenCL]<suffix>` apart; `None` for any other name.
///
/// Up to 64 compute units are written `_56`, more in hexadecimal without a separator: `gfx90878` is gfx908
/// with 120, so the processor is the longest known one. Source: MIOpen `handle.hpp` and
/// `target_properties.cpp`.
pub(super) fn parse_name(file: &str, suffix: &str) -> Option<Name> {
    let stem = file.strip_suffix(suffix)?;
    let (base, backend) = match stem.split_once('.') {
        Some((base, backend @ ("HIP" | "OpenCL"))) => (base, Some(backend.to_owned())),
        Some(_) => return None,
        None => (stem, None),
    };
    let BaseName { target, compute_units } = BaseName::parse(base)?;
    Some(Name { target, compute_units, backend })
}

/// The same of a user's own database: `gfx900_56.HIP.3_3_0_1234.ufdb.txt`, `gfx900_56_1.1.0.udb`. A version
/// stands between the database id and the suffix.
pub(super) fn parse_user_name(file: &str, suffix: &str) -> Option<Name> {
    let mut parts = file.strip_suffix(suffix)?.split('.');
    let base = parts.next()?;
    // In the names of SQLite's, the version stands behind an underscore.
    let base = if suffix == ".udb" { base.rsplit_once('_')?.0 } else { base };
    let backend = parts.next().filter(|backend| ["HIP", "OpenCL"].contains(backend)).map(str::to_owned);
    let BaseName { target, compute_units } = BaseName::parse(base)?;
    Some(Name { target, compute_units, backend })
}

/// What is said of a database whose content is a Git LFS pointer; `None` where it is not one.
pub(super) fn pointer(name: &Name, format: Format) -> Option<DatabaseFacts> {
    (format == Format::LfsPointer).then(|| facts(name, DatabaseForm::GitLfsPointer, None))
}

/// What is said of a database.
pub(super) fn facts(name: &Name, form: DatabaseForm, records: Option<u64>) -> DatabaseFacts {
    let (backend, compute_units) = (name.backend.clone(), name.compute_units);
    DatabaseFacts { backend, compute_units, form, records, model: None }
}

/// What was lost of a database in text, as far as its bytes show without reading it line by line: zeros,
/// which no line has, and a last line without an end that is no record.
pub(super) fn lost(candidate: &Candidate<'_>) -> Option<Finding> {
    let bytes = candidate.file.bytes();
    let told = |at: usize, what: &str, kind| {
        let error = ParseError::new(at as u64, what).of_kind(kind);
        Some(Finding::of_bytes(candidate.shown, error))
    };
    if let Some(at) = memchr::memchr(0, bytes) {
        return told(at, "zeros stand in a database of text", ParseErrorKind::Malformed);
    }
    if !bytes.is_ascii() {
        let at = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        let what = "bytes stand in a database of text that no text of it has";
        return told(at, what, ParseErrorKind::Malformed);
    }
    // Each record has one, between its key and its values: if there are more, ends of lines were lost.
    let (records, lines) = (memchr::memchr_iter(b'=', bytes).count() as u64, text::lines(bytes));
    if records > lines {
        let what = format!("{records} records stand in {lines} lines: ends of lines were lost");
        return told(0, &what, ParseErrorKind::Malformed);
    }
    let begin = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let last = bytes.get(begin..).filter(|last| !last.is_empty())?;
    let items = last.split(|byte| *byte == b'=').nth(1);
    let item = items.and_then(|items| items.split(|byte| *byte == b';').next_back());
    if item.is_some_and(|item| item.contains(&b':') && item.last() != Some(&b',')) {
        return None;
    }
    told(begin, "the last line ends in the middle of a record", ParseErrorKind::CutEnd)
}

/// Number of lines.
pub(super) fn lines(file: &SourceFile) -> u64 {
    text::lines(file.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_miopens_rule() {
        let read = |file, suffix| {
            parse_name(file, suffix)
                .map(|n| (n.target.to_string(), n.compute_units, n.backend.unwrap_or_default()))
        };
        let some = |target: &str, units, backend: &str| Some((target.to_owned(), units, backend.to_owned()));
        assert_eq!(read("gfx900_56.HIP.fdb.txt", ".fdb.txt"), some("gfx900", Some(56), "HIP"));
        assert_eq!(read("gfx90878.OpenCL.fdb.txt", ".fdb.txt"), some("gfx908", Some(120), "OpenCL"));
        assert_eq!(read("gfx90a6e.HIP.fdb.txt", ".fdb.txt"), some("gfx90a", Some(110), "HIP"));
        assert_eq!(read("gfx942130.db", ".db"), some("gfx942", Some(304), ""));
        assert_eq!(
            read("gfx906_nosramecc_60.HIP.fdb.txt", ".fdb.txt"),
            some("gfx906:sramecc-", Some(60), "HIP")
        );
        assert_eq!(read("gfx900_xnack_64.HIP.fdb.txt", ".fdb.txt"), some("gfx900:xnack+", Some(64), "HIP"));
        assert_eq!(read("gfx900.kdb", ".kdb"), some("gfx900", None, ""));
        assert_eq!(read("vega10.kdb", ".kdb"), None);
        let user =
            |file, suffix| parse_user_name(file, suffix).map(|n| (n.target.to_string(), n.compute_units));
        let vega = Some(("gfx900".to_owned(), Some(56)));
        assert_eq!(user("gfx900_56.HIP.3_3_0_1234.ufdb.txt", ".ufdb.txt"), vega);
        assert_eq!(user("gfx900_56_1.1.0.udb", ".udb"), vega);
        assert_eq!(user("notes.udb", ".udb"), None);
        assert_eq!(read("gfx900_many.kdb", ".kdb"), None);
    }
}
