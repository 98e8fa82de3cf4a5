//! The rows of a table with code objects, by SQLite.

use super::blobs::{BlobRow, Stored, Table, Value};
use crate::error::Unread;
use crate::input::sqlite;
use crate::limits::{SQLITE_BATCH_BYTES, SQLITE_BATCH_ROWS, SQLITE_BLOB_BYTES, SQLITE_ROW_BYTES};
use crate::scan::Candidate;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB};
use std::io::Read;

/// Hands out the rows of a table, some at a time, in the order of their numbers.
pub(super) fn walk(
    candidate: &Candidate<'_>,
    table: &Table,
    each: &mut dyn FnMut(Vec<Stored>),
) -> Result<(), Unread> {
    let database = sqlite::open(candidate.file, &[table.name])?;
    let cannot = |e: rusqlite::Error| Unread::from(format!("SQLite cannot read on: {e}"));
    let question = format!("SELECT rowid, {} FROM {} NOT INDEXED ORDER BY rowid", table.others, table.name);
    let mut statement = database.prepare(&question).map_err(cannot)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(cannot)?;
    let mut bytes_left = candidate.file.len();
    let mut rows_left = candidate.file.len() / SQLITE_ROW_BYTES;
    let mut reader = Reader { database: &database, table, blob: None };
    let (mut batch, mut batch_bytes) = (Vec::new(), 0);
    let stopped = loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break None,
            Err(error) => break Some(cannot(error)),
        };
        let others: Result<Vec<Value>, _> =
            (1..columns).map(|column| row.get_ref(column).map(value)).collect();
        let (id, others) = match (row.get(0), others) {
            (Ok(id), Ok(others)) => (id, others),
            (Err(error), _) | (_, Err(error)) => break Some(cannot(error)),
        };
        if rows_left == 0 {
            break Some("it has more rows than fit into the file".into());
        }
        rows_left -= 1;
        let stored = match reader.read(id, &mut bytes_left) {
            Ok(stored) => stored,
            Err(what) => break Some(what),
        };
        let text = |value: &Value| match value {
            Value::Text(text) => text.len(),
            _ => 0,
        };
        batch_bytes += stored.as_ref().map_or(0, Vec::len) + others.iter().map(text).sum::<usize>();
        batch.push((BlobRow { id, others }, stored));
        if batch_bytes > SQLITE_BATCH_BYTES || batch.len() >= SQLITE_BATCH_ROWS {
            each(std::mem::take(&mut batch));
            batch_bytes = 0;
        }
    };
    each(batch);
    stopped.map_or(Ok(()), Err)
}

fn value(column: ValueRef<'_>) -> Value {
    match column {
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(text) => {
            std::str::from_utf8(text).map_or(Value::Other, |text| Value::Text(text.to_owned()))
        }
        _ => Value::Other,
    }
}

/// Reads one value after another without SQLite holding any of them.
struct Reader<'a> {
    database: &'a Connection,
    table: &'a Table,
    blob: Option<rusqlite::blob::Blob<'a>>,
}

impl Reader<'_> {
    /// The value of a row, or why that one is not read. `left` is how many bytes all values may have yet.
    ///
    /// # Errors
    /// Where no further value is to be read.
    fn read(&mut self, id: i64, left: &mut u64) -> Result<Result<Vec<u8>, Unread>, Unread> {
        let opened = match self.blob.take() {
            Some(mut blob) => blob.reopen(id).map(|()| blob),
            None => self.database.blob_open(MAIN_DB, self.table.name, self.table.blob, id, true),
        };
        let mut blob = match opened {
            Ok(blob) => blob,
            Err(error) => return Ok(Err(format!("SQLite cannot read {}: {error}", self.table.blob).into())),
        };
        let len = blob.len();
        if len > SQLITE_BLOB_BYTES {
            return Ok(Err(format!("{} has {len} bytes, which is not believed", self.table.blob).into()));
        }
        *left = left.checked_sub(len as u64).ok_or("its values are together larger than the file")?;
        let mut bytes = vec![0; len];
        let read = blob.read_exact(&mut bytes);
        self.blob = Some(blob);
        Ok(read.map(|()| bytes).map_err(|e| format!("SQLite cannot read {}: {e}", self.table.blob).into()))
    }
}
