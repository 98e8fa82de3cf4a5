//! Questions to SQLite databases: read-only, immutable, bounded in time, nothing written anywhere.

use crate::limits::{SQLITE_MEMORY, SQLITE_STEP_UNIT, SQLITE_STEPS, SQLITE_VALUE_BYTES};
use crate::locator;
use crate::source::{OnDisk, SourceFile};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

/// Where SQLite reads a file, which it opens by itself.
fn uri(file: &SourceFile) -> Result<(String, OnDisk), String> {
    let on_disk = file.on_disk().map_err(|e| format!("SQLite needs it as a file of its own: {e}"))?;
    let path = std::path::absolute(on_disk.path()).map_err(|e| e.to_string())?;
    Ok((format!("file:{}?mode=ro&immutable=1", locator::encode(&path)), on_disk))
}

/// Opens a database, with a limit to the time that all questions to it may take. `tables` have to be plain tables: a
/// view or a computed column could make a question endless.
pub(crate) fn open(file: &SourceFile, tables: &[&str]) -> Result<Connection, String> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let (uri, _on_disk) = uri(file)?;
    let mut database =
        Connection::open_with_flags(uri, flags).map_err(|e| format!("SQLite cannot open it: {e}"))?;
    let mut steps = 0u64;
    let stop = move || {
        steps += 1;
        steps > SQLITE_STEPS
    };
    database.progress_handler(SQLITE_STEP_UNIT, Some(stop)).map_err(|e| e.to_string())?;
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, SQLITE_VALUE_BYTES).map_err(|e| e.to_string())?;
    database
        .execute_batch(&format!(
            "PRAGMA hard_heap_limit={SQLITE_MEMORY}; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; \
             PRAGMA cell_size_check=ON;"
        ))
        .map_err(|e| format!("SQLite refuses it: {e}"))?;
    for table in tables {
        let plain = "SELECT COUNT(*) FROM sqlite_schema WHERE type='table' AND name=?1 AND sql NOT LIKE 'CREATE VIRTUAL%' \
             AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden != 0)";
        let found: i64 = database
            .query_row(plain, [table], |row| row.get(0))
            .map_err(|e| format!("SQLite cannot read its schema: {e}"))?;
        if found == 0 {
            return Err(format!("a plain table {table} is expected and not there"));
        }
    }
    Ok(database)
}

/// The answer to a question for a number.
pub(crate) fn count(database: &Connection, question: &str) -> Result<u64, String> {
    let count: i64 = database.query_row(question, [], |row| row.get(0)).map_err(|e| e.to_string())?;
    u64::try_from(count).map_err(|_| format!("SQLite counts {count}"))
}
