//! rocFFT kernel caches: kernels compiled ahead of time, in SQLite.
//!
//! One file `rocfft_kernel_cache.db` for all targets, from rocFFT 1.0.37 one for each:
//! `rocfft_kernel_cache_gfx950.db`. The column `code` is what hipRTC gave, as it is: a code object, for
//! SPIR-V its bitcode. The column `arch` is the processor without features. Source: rocFFT's `rtc_cache.cpp`
//! and `rtc_compile.cpp`.

use super::blobs;
use super::blobs::{BlobRow, LoadedCodeObject, Table, Value};
use crate::format::Format;
use crate::inventory::{ArtifactKind, DeviceCode};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use crate::target::{Processor, TargetId};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "rocfft-cache",
    of_text: false,
    finds: "rocFFT kernel caches (rocfft_kernel_cache*.db): kernels compiled ahead of time",
    claims: |candidate| candidate.format == Format::Sqlite && parse_name(candidate.name).is_some(),
    scan,
};

static CACHE: Table = Table {
    name: "cache_v1",
    blob: "code",
    others: "arch",
    unpacked: |_| 0,
    unpack: |_, bytes| Ok(LoadedCodeObject { bytes: bytes.into(), held: None }),
    check: |row, code| disagreement(arch(row)?, code),
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let named_target = parse_name(candidate.name).flatten();
    let mut scanned = Scanned::from_kind(ArtifactKind::DeviceCode);
    blobs::read(candidate, settings, &CACHE, named_target.as_ref(), rows, &mut scanned);
    scanned.named_target = named_target;
    scanned
}

/// Whether a name is a cache's, and the target in it, if there is one.
fn parse_name(name: &str) -> Option<Option<TargetId>> {
    let middle = name.strip_prefix("rocfft_kernel_cache")?.strip_suffix(".db")?;
    if middle.is_empty() {
        return Some(None);
    }
    Some(Processor::by_name(middle.strip_prefix('_')?).map(|p| TargetId::bare(p.name())))
}

fn arch(row: &BlobRow) -> Option<&str> {
    match row.others.first() {
        Some(Value::Text(arch)) => Some(arch),
        _ => None,
    }
}

/// A code object whose target is not the row's is never found, or not loaded.
fn disagreement(arch: &str, code: &DeviceCode) -> Option<String> {
    let said = TargetId::parse(arch).map_or(arch.to_owned(), |target| target.processor);
    let other = code.targets.keys().find(|target| target.processor != said)?;
    Some(format!("arch says {arch}, its code object is for {other}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::{code_object, scan_file};
    use rusqlite::{Connection, params};

    fn database(path: &std::path::Path, rows: &[(&str, &[u8])]) {
        let database = Connection::open(path).unwrap();
        database
            .execute_batch(
                "CREATE TABLE cache_v1 (kernel_name TEXT NOT NULL, arch TEXT NOT NULL, hip_version INTEGER NOT NULL, \
                 generator_sum BLOB NOT NULL, code BLOB NOT NULL, timestamp INTEGER NOT NULL, \
                 PRIMARY KEY (kernel_name, arch, hip_version, generator_sum))",
            )
            .unwrap();
        for (n, (arch, code)) in rows.iter().enumerate() {
            let row = params![format!("fft_{n}"), arch, 60_000_000, [0u8; 32], code, 1_700_000_000];
            database.execute("INSERT INTO cache_v1 VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).unwrap();
        }
    }

    #[test]
    fn kernels_are_counted_by_target() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rocfft_kernel_cache.db");
        let (v4, v5) = (code_object("v4_gfx906"), code_object("v5_gfx1030"));
        database(&path, &[("gfx906", &v4), ("gfx1030", &v5), ("gfx906", &v4)]);
        let (scanned, lines) = scan_file(&path);
        assert!(scanned.findings.is_empty(), "{:?}", scanned.findings);
        let device = scanned.device.unwrap();
        let counts: Vec<_> =
            device.targets.iter().map(|(t, c)| (t.processor.as_str(), c.objects, c.bytes)).collect();
        assert_eq!(counts, [("gfx906", 2, 2 * v4.len() as u64), ("gfx1030", 1, v5.len() as u64)]);
        let kernels: u64 = device.targets.values().map(|c| c.kernels.count()).sum();
        assert_eq!(lines, kernels, "each kernel has a line in the inventory");
        assert!(kernels > 0);
    }

    #[test]
    fn rows_that_do_not_hold_what_they_say_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rocfft_kernel_cache_gfx906.db");
        let v4 = code_object("v4_gfx906");
        database(&path, &[("gfx942", &v4), ("gfx906", b"no code"), ("gfx906", b""), ("gfx906", &v4[..200])]);
        let (scanned, _) = scan_file(&path);
        assert_eq!(scanned.named_target, Some(TargetId::bare("gfx906")));
        let whats: Vec<_> = scanned.findings.iter().map(|p| p.locations[0].what.as_str()).collect();
        assert!(whats[0].starts_with("row 1: arch says gfx942, its code object is for gfx906"), "{whats:?}");
        assert_eq!(whats[1], "row 2: expected a code object, found unknown content");
        assert_eq!(whats[2], "row 3: expected a code object, found nothing");
        assert!(whats[3].starts_with("row 4: "), "{whats:?}");
        assert!(scanned.findings.iter().all(|p| p.locations[0].offset.is_none()));
    }

    #[test]
    fn names_with_and_without_a_target() {
        assert_eq!(parse_name("rocfft_kernel_cache.db"), Some(None));
        let target = |name| parse_name(name).flatten().map(|t| t.to_string());
        assert_eq!(target("rocfft_kernel_cache_gfx1201.db").as_deref(), Some("gfx1201"));
        assert_eq!(target("rocfft_kernel_cache_gfx10-3-generic.db").as_deref(), Some("gfx10-3-generic"));
        assert_eq!(parse_name("rocfft_kernel_cache_amdgcnspirv.db"), Some(None));
        assert_eq!(parse_name("rocfft_kernel_cache.db.bak"), None);
    }
}
