//! Questions to SQLite databases: read-only, immutable, bounded in time, nothing written anywhere.
//!
//! SQLite opens a database by its path. One that has none (a member of a package, or what came through a
//! pipe) it reads where its bytes are: a file with a name only for SQLite would stay behind when the run is
//! killed.

use crate::error::Unread;
use crate::finding::Finding;
use crate::finding::rules::miopen;
use crate::limits::{
    SQLITE_COLUMNS, SQLITE_MEMORY, SQLITE_SQL_BYTES, SQLITE_STEP_UNIT, SQLITE_STEPS, SQLITE_VALUE_BYTES,
};
use amdgpu_object::locator;
use amdgpu_object::source::{SourceFile, given};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB, OpenFlags};
use std::marker::PhantomData;
use std::ops::Deref;

/// An open database. It borrows the bytes of its file, which SQLite may read in place.
#[derive(Debug)]
pub struct Database<'f> {
    connection: Connection,
    /// Bytes that are not those of the file, which SQLite reads in place. They go after the connection.
    _copy: Option<Vec<u8>>,
    _file: PhantomData<&'f SourceFile>,
}

impl Deref for Database<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// The URI of a file that SQLite can open by itself.
fn uri(file: &SourceFile) -> Result<String, Unread> {
    let path = std::path::absolute(file.path()).map_err(|e| e.to_string())?;
    Ok(format!("file:{}?mode=ro&immutable=1", locator::encode(&path)))
}

/// Where the header says whether a database has a write-ahead log, for writers and for readers, and the
/// number for one. Source: "The Database Header" in SQLite's description of its file format.
const LOG_VERSIONS: std::ops::Range<usize> = 18..20;
const HAS_LOG: u8 = 2;

/// The bytes without the mark of a write-ahead log, if they have it: SQLite reads no such database in memory.
/// The log is a file beside the database, and packages have none.
fn without_log(bytes: &[u8]) -> Result<Option<Vec<u8>>, Unread> {
    if !bytes.get(LOG_VERSIONS).is_some_and(|versions| versions.contains(&HAS_LOG)) {
        return Ok(None);
    }
    if bytes.len() as u64 > SQLITE_MEMORY.unsigned_abs() {
        return Err(format!(
            "a database with a write-ahead log, of {} bytes: SQLite needs it as a file of its own, so unpack it",
            bytes.len()
        ).into());
    }
    let mut copy = bytes.to_vec();
    copy.get_mut(LOG_VERSIONS).into_iter().flatten().for_each(|version| *version = 1);
    Ok(Some(copy))
}

/// Opens a database where its bytes are.
fn in_place<'f>(file: &'f SourceFile, flags: OpenFlags) -> Result<Database<'f>, Unread> {
    let copy = without_log(file.bytes())?;
    let bytes = copy.as_deref().unwrap_or(file.bytes());
    // SAFETY: SQLite only reads them, and only until the connection is closed. A `Database` hands its
    // connection out by reference, borrows the file, and closes the connection before it frees the copy.
    #[allow(unsafe_code)]
    let held: &'static [u8] = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
    let mut connection = Connection::open_in_memory_with_flags(flags)
        .map_err(|e| format!("SQLite cannot open a database: {e}"))?;
    connection.deserialize_bytes(MAIN_DB, held).map_err(|e| format!("SQLite cannot open it: {e}"))?;
    Ok(Database { connection, _copy: copy, _file: PhantomData })
}

fn by_path<'f>(file: &'f SourceFile, flags: OpenFlags) -> Result<Database<'f>, Unread> {
    let connection =
        Connection::open_with_flags(uri(file)?, flags).map_err(|e| format!("SQLite cannot open it: {e}"))?;
    Ok(Database { connection, _copy: None, _file: PhantomData })
}

/// Opens a database, with a limit to the time that all questions to it may take. `tables` have to be plain
/// tables: a view or a computed column could make a question endless.
pub fn open<'f>(file: &'f SourceFile, tables: &[&str]) -> Result<Database<'f>, Unread> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let has_path = file.locator().member.is_none() && given::len(file.path()).is_none();
    let mut database = if has_path { by_path(file, flags)? } else { in_place(file, flags)? };
    let mut steps = 0u64;
    let stop = move || {
        steps += 1;
        steps > SQLITE_STEPS
    };
    database.connection.progress_handler(SQLITE_STEP_UNIT, Some(stop)).map_err(|e| e.to_string())?;
    harden(&database)?;
    database
        .execute_batch(&format!(
            "PRAGMA hard_heap_limit={SQLITE_MEMORY}; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; \
             PRAGMA cell_size_check=ON;"
        ))
        .map_err(|e| format!("SQLite refuses it: {e}"))?;
    names_are_text(&database)?;
    database
        .connection
        .authorizer(Some(|asked: AuthContext<'_>| may(&asked.action)))
        .map_err(|e| e.to_string())?;
    for table in tables {
        // SQLite's own word for what the schema makes of it: its text may say it in many ways.
        let plain = "SELECT COUNT(*) FROM pragma_table_list WHERE schema='main' AND name=?1 AND type='table' \
             AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden != 0)";
        let found: i64 = database
            .query_row(plain, [table], |row| row.get(0))
            .map_err(|e| format!("SQLite cannot read its schema: {e}"))?;
        if found == 0 {
            return Err(format!("a plain table {table} is expected and not there").into());
        }
    }
    Ok(database)
}

/// Refuses a schema with bytes that are no UTF-8. SQLite takes them as names, and the authorizer is handed
/// names as text.
fn names_are_text(database: &Connection) -> Result<(), Unread> {
    let unread = |e: rusqlite::Error| format!("SQLite cannot read its schema: {e}");
    let question = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
    let mut statement = database.prepare(question).map_err(unread)?;
    let mut rows = statement.query([]).map_err(unread)?;
    while let Some(row) = rows.next().map_err(unread)? {
        for column in 0..4 {
            let bytes = match row.get_ref(column).map_err(unread)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
                _ => continue,
            };
            if std::str::from_utf8(bytes).is_err() {
                return Err("its schema has bytes that are no UTF-8".into());
            }
        }
    }
    Ok(())
}

/// Sets what SQLite refuses by itself.
fn harden(database: &Connection) -> Result<(), Unread> {
    let limits = [
        (Limit::SQLITE_LIMIT_LENGTH, SQLITE_VALUE_BYTES),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, SQLITE_SQL_BYTES),
        (Limit::SQLITE_LIMIT_COLUMN, SQLITE_COLUMNS),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 4),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ];
    let switches = [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    ];
    let limited =
        limits.into_iter().try_for_each(|(limit, most)| database.set_limit(limit, most).map(|_| ()));
    let switched =
        || switches.into_iter().try_for_each(|(switch, on)| database.set_db_config(switch, on).map(|_| ()));
    limited.and_then(|()| switched()).map_err(|e| e.to_string().into())
}

/// Whether a statement may do something. Questions read tables and call functions; nothing else is ever
/// asked.
fn may(action: &AuthAction<'_>) -> Authorization {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Function { .. } => Authorization::Allow,
        AuthAction::Pragma { pragma_name: "table_list" | "table_xinfo", .. } => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// The answer to a question for a number.
pub fn count(database: &Connection, question: &str) -> Result<u64, Unread> {
    let count: i64 = database.query_row(question, [], |row| row.get(0)).map_err(|e| e.to_string())?;
    u64::try_from(count).map_err(|_| format!("SQLite counts {count}").into())
}

/// The finding for a database of MIOpen that lacks columns which MIOpen looks for, table by table.
pub fn missing_columns(database: &Connection, shown: &str, wanted: &[(&str, &[&str])]) -> Option<Finding> {
    let of_table = |(table, wanted): &(&str, &[&str])| {
        let missing = lacking(database, table, wanted);
        (!missing.is_empty()).then(|| format!("{table} has no {}", missing.join(", ")))
    };
    let missing: Vec<String> = wanted.iter().filter_map(of_table).collect();
    (!missing.is_empty()).then(|| Finding::of_file(&miopen::COLUMNS_MISSING, shown, missing.join("; ")))
}

/// The columns of a table that it has not, of those that are wanted.
fn lacking<'c>(database: &Connection, table: &str, wanted: &[&'c str]) -> Vec<&'c str> {
    // In backquotes, what is no column is an error and not a text.
    let is_missing = |column: &&&str| {
        let asked = database.prepare(&format!("SELECT `{column}` FROM `{table}`"));
        asked.is_err_and(|error| error.to_string().contains("no such column"))
    };
    wanted.iter().filter(is_missing).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn refusal(path: &Path) -> String {
        open(&SourceFile::open(path).unwrap(), &["t"]).err().map(String::from).unwrap_or_default()
    }

    /// A database whose table `t` is made by `sql`, as in a file written by hand.
    fn database(folder: &Path, name: &str, sql: &str) -> std::path::PathBuf {
        let path = folder.join(name);
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA writable_schema=ON;")
            .unwrap();
        database.execute("UPDATE sqlite_schema SET sql=?1 WHERE name='t'", [sql]).unwrap();
        path
    }

    #[test]
    fn a_schema_that_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), "name", "CREATE TABLE t (a, xyz)");
        let bytes = std::fs::read(&path).unwrap();
        let at = memchr::memmem::find(&bytes, b"xyz").unwrap();
        let mut damaged = bytes.clone();
        damaged[at] = 0xff;
        std::fs::write(&path, &damaged).unwrap();
        assert!(refusal(&path).contains("no UTF-8"), "{}", refusal(&path));
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(refusal(&path), "");
    }

    #[test]
    fn only_plain_tables_are_asked() {
        let folder = tempfile::tempdir().unwrap();
        let plain = database(folder.path(), "plain.db", "CREATE TABLE t (a)");
        assert_eq!(refusal(&plain), "");
        let many: Vec<String> = (0..SQLITE_COLUMNS + 1).map(|n| format!("c{n}")).collect();
        for (name, sql) in [
            ("virtual", "CREATE VIRTUAL TABLE t USING dbstat"),
            ("comment", "CREATE /* */ VIRTUAL TABLE t USING dbstat"),
            ("computed", "CREATE TABLE t (a, b AS (a + 1))"),
            ("columns", &format!("CREATE TABLE t ({})", many.join(","))),
            ("long", &format!("CREATE TABLE t (a /* {} */)", "x".repeat(SQLITE_SQL_BYTES as usize))),
        ] {
            assert_ne!(refusal(&database(folder.path(), name, sql)), "", "{name}");
        }
    }

    #[test]
    fn what_has_no_path_is_read_where_its_bytes_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), "plain.db", "CREATE TABLE t (a)");
        let mut bytes = std::fs::read(&path).unwrap();
        let member = locator::Locator::file(Path::new("/x.zip")).within("x.db");
        let rows = |bytes: &[u8]| {
            let file = SourceFile::in_memory(member.clone(), bytes.to_vec());
            open(&file, &["t"]).and_then(|database| count(&database, "SELECT COUNT(*) FROM t"))
        };
        assert_eq!(rows(&bytes), Ok(1));
        assert!(rows(&bytes[..100]).is_err() && rows(b"").is_err());
        // As a database is left by a program that writes a log first.
        bytes[LOG_VERSIONS].fill(HAS_LOG);
        assert_eq!(rows(&bytes), Ok(1));
        bytes.resize(SQLITE_MEMORY as usize + 1, 0);
        assert!(rows(&bytes).unwrap_err().contains("unpack it"));
    }

    #[test]
    fn questions_only_read() {
        let folder = tempfile::tempdir().unwrap();
        let plain = database(folder.path(), "plain.db", "CREATE TABLE t (a)");
        let file = SourceFile::open(&plain).unwrap();
        let database = open(&file, &["t"]).unwrap();
        assert_eq!(count(&database, "SELECT COUNT(*) FROM t"), Ok(1));
        for words in [
            "ATTACH ':memory:' AS other",
            "PRAGMA hard_heap_limit=0",
            "CREATE TEMP TABLE x (a)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
        ] {
            assert!(database.prepare(words).is_err(), "{words}");
        }
    }
}
