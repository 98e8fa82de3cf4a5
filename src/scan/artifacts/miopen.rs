//! What the names of MIOpen's databases have in common: `gfx900_56.HIP.fdb.txt`, `gfx90878.db`, `gfx942130.kdb`.

use crate::engines::miopen::device::BaseName;
use crate::engines::miopen::text;
use crate::format::Format;
use crate::inventory::{DatabaseFacts, DatabaseForm};
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
/// Up to 64 compute units are written `_56`, more in hexadecimal without a separator: `gfx90878` is gfx908 with 120, so
/// the processor is the longest known one. Source: MIOpen `handle.hpp` and `target_properties.cpp`.
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

/// What is said of a database whose content is a Git LFS pointer; `None` where it is not one.
pub(super) fn pointer(name: &Name, format: Format) -> Option<DatabaseFacts> {
    (format == Format::LfsPointer).then(|| facts(name, DatabaseForm::GitLfsPointer, None))
}

/// What is said of a database.
pub(super) fn facts(name: &Name, form: DatabaseForm, records: Option<u64>) -> DatabaseFacts {
    DatabaseFacts { backend: name.backend.clone(), compute_units: name.compute_units, form, records }
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
        assert_eq!(read("gfx900_many.kdb", ".kdb"), None);
    }
}
