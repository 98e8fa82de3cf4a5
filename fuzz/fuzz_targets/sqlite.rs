//! Arbitrary bytes after the header of a database: perf-dbs, kernel databases and rocFFT's caches. Our counts
//! equal SQLite's without our limits.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::miopen::defects;
use rocm_audit::engines::miopen::perf_db::SqlitePerfDb;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::source::SourceFile;
use rocm_audit_fuzz::folder;
use rusqlite::{Connection, OpenFlags};

/// File names for a database, with different tables of code objects.
const NAMES: &[&str] = &["gfx1030_36.db", "gfx900.kdb", "rocfft_kernel_cache.db"];

/// SQLite's own count; `None` if it rejects the database, or if a row of the text form would not be text.
fn plainly(path: &std::path::Path) -> Option<u64> {
    let mut database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    // Has the same step limit as ours, so that a cyclic database ends for both.
    let mut steps = 0;
    let stop = move || {
        steps += 1;
        steps > 100
    };
    database.progress_handler(1000, Some(stop)).ok()?;
    let count: i64 = database.query_row(SqlitePerfDb::LINES, [], |row| row.get(0)).ok()?;
    u64::try_from(count).ok()
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, content)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(*kind) % NAMES.len()];
    let path = folder().join(name);
    let mut file = b"SQLite format 3\0".to_vec();
    file.extend(content);
    std::fs::write(&path, &file).expect("the database is written");
    if name == NAMES[0] {
        let opened = SourceFile::open(&path).expect("the database is there");
        if let Ok(database) = SqlitePerfDb::open(&opened) {
            let (lines, rows) = (database.lines(), database.rows());
            let mut seen = 0;
            let each = database.each_row(|_| seen += 1);
            if let (Ok(rows), Ok(())) = (&rows, &each) {
                // A row belongs to one configuration, but a damaged index can repeat ids.
                assert!(seen <= rows.saturating_mul(4096).max(seen.min(1 << 20)), "{seen} {rows}");
            }
            let (records, _) = (database.records(), defects::of_sqlite(name, &database));
            if let (Ok(lines), Some(plain)) = (lines, plainly(&path)) {
                assert_eq!(lines, plain);
            }
            drop(records);
        }
    } else {
        let found =
            audit(std::slice::from_ref(&path), &Options::default(), &Silent, None).expect("an inventory");
        let objects: u64 = found
            .artifacts
            .iter()
            .filter_map(|artifact| artifact.device.as_ref())
            .flat_map(|code| code.targets.values())
            .map(|code| code.bytes)
            .sum();
        // A kernel database's code object is compressed, and limited by its stated size.
        assert!(objects < 128 << 20);
    }
    std::fs::remove_file(&path).expect("the database is removed");
});
