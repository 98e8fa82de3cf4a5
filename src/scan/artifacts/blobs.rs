//! Device code in the values of SQLite tables: row by row, on all cores, bounded by the size of the file.
//!
//! The values of a database take up room in its file, so all of them together are no larger than it. A file that says
//! otherwise has pages that stand in several rows, and is read no further.

use crate::budget::MemoryPermit;
use crate::container::bundle_reader::Payload;
use crate::error::{ParseError, ParseErrors};
use crate::finding::Finding;
use crate::input::sqlite;
use crate::inventory::DeviceCode;
use crate::limits::{
    SQLITE_BATCH_BYTES, SQLITE_BATCH_ROWS, SQLITE_BLOB_BYTES, SQLITE_ROW_BYTES, SQLITE_UNPACKED_BYTES,
    SQLITE_UNPACKED_RATIO,
};
use crate::scan::device_code;
use crate::scan::device_code::{Blob, Part};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Settings};
use crate::target::TargetId;
use rayon::prelude::*;
use rusqlite::types::Value;
use rusqlite::{Connection, MAIN_DB};
use std::borrow::Cow;
use std::io::Read;

/// A table whose rows hold code objects.
pub(super) struct Table {
    /// Its name.
    pub name: &'static str,
    /// The column of the code objects.
    pub blob: &'static str,
    /// The column that the functions below are given.
    pub others: &'static str,
    /// How many bytes a row says that its code object has, where it is compressed; 0 where it is not.
    pub unpacked: fn(&Row) -> u64,
    /// Makes the code object of what is stored.
    pub unpack: for<'a> fn(&Row, &'a [u8]) -> Result<Content<'a>, String>,
    /// Holds what was read against what the row says, in words where they disagree.
    pub check: fn(&Row, &DeviceCode) -> Option<String>,
}

/// One row without its code object.
pub(super) struct Row {
    /// Its number in the table.
    pub id: i64,
    /// The columns that the table wants.
    pub others: Vec<Value>,
}

/// A code object as the loader gets it.
pub(super) struct Content<'a> {
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
    /// The memory it takes, where it was inflated.
    pub held: Option<MemoryPermit>,
}

/// A row with what is stored in it, or why that is not read.
type Stored = (Row, Result<Vec<u8>, String>);

/// Reads all code objects of a table. What it finds goes into `scanned`; `named` is the target that the file's name names.
pub(super) fn read(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    table: &Table,
    named: Option<&TargetId>,
    rows: &mut OnRows<'_>,
    scanned: &mut Scanned,
) {
    let mut all = DeviceCode { format: Some(candidate.format), ..DeviceCode::default() };
    let mut errors = ParseErrors::default();
    let mut index = 0;
    let len = candidate.file.len();
    let mut unpacked_left = len.saturating_mul(SQLITE_UNPACKED_RATIO).max(SQLITE_UNPACKED_BYTES);
    let mut each = |mut batch: Vec<Stored>| {
        for (row, stored) in &mut batch {
            let size = (table.unpacked)(row);
            match unpacked_left.checked_sub(size) {
                Some(left) => unpacked_left = left,
                None => *stored = Err(format!("inflates to {size} bytes, which is not believed")),
            }
        }
        let parts: Vec<Part> = batch
            .par_iter()
            .enumerate()
            .map(|(n, (row, stored))| read_row(candidate, settings, table, named, index + n, row, stored))
            .collect();
        index += batch.len();
        for part in parts {
            all.merge(part.code);
            errors.append(part.problems);
            rows(part.rows);
        }
    };
    if let Err(what) = walk(candidate, table, &mut each) {
        errors.push(ParseError::new(0, format!("{what}; the code objects behind are not read")));
    }
    // Pages of a table lie scattered: an offset in the file would say nothing.
    let mut found = Finding::all_of_bytes(candidate.shown, &errors);
    found.iter_mut().flat_map(|finding| &mut finding.locations).for_each(|at| at.offset = None);
    scanned.findings.extend(found);
    scanned.device = (!all.targets.is_empty() || !all.other_payloads.is_empty()).then_some(all);
}

fn read_row(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    table: &Table,
    named: Option<&TargetId>,
    index: usize,
    row: &Row,
    stored: &Result<Vec<u8>, String>,
) -> Part {
    let content = stored.as_ref().map_err(Clone::clone).and_then(|bytes| (table.unpack)(row, bytes));
    let mut part = match &content {
        Ok(content) => {
            let at = candidate.file.locator().clone();
            let blob = Blob { bytes: &content.bytes, index, at, held: content.held.is_some() };
            device_code::read_blob(candidate, settings, named, &blob)
        }
        Err(what) => {
            let mut part = Part::default();
            part.problems.push(ParseError::new(0, format!("row {}: {what}", row.id)));
            return part;
        }
    };
    let inside = |e: ParseError| {
        let what = format!("row {}: {}, at offset {:#x} of its code object", row.id, e.what, e.offset);
        ParseError { what, ..e }
    };
    part.problems = part.problems.map(inside);
    let unknown = [Payload::Other.name(), Payload::OtherElf.name()];
    let wrong = unknown.into_iter().find(|name| part.code.other_payloads.contains_key(name));
    let nothing = (part.code.targets.is_empty() && part.code.other_payloads.is_empty()).then_some("nothing");
    let found = wrong.or(nothing).map(|found| format!("expected a code object, found {found}"));
    if part.problems.is_empty()
        && let Some(what) = found.or_else(|| (table.check)(row, &part.code))
    {
        part.problems.push(ParseError::new(0, format!("row {}: {what}", row.id)));
    }
    part
}

/// Hands out the rows of a table, some at a time, in the order of their numbers.
fn walk(candidate: &Candidate<'_>, table: &Table, each: &mut dyn FnMut(Vec<Stored>)) -> Result<(), String> {
    let database = sqlite::open(candidate.file, &[table.name])?;
    let cannot = |e: rusqlite::Error| format!("SQLite cannot read on: {e}");
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
        let others: Result<Vec<Value>, _> = (1..columns).map(|column| row.get(column)).collect();
        let (id, others) = match (row.get(0), others) {
            (Ok(id), Ok(others)) => (id, others),
            (Err(error), _) | (_, Err(error)) => break Some(cannot(error)),
        };
        if rows_left == 0 {
            break Some("it has more rows than fit into the file".to_owned());
        }
        rows_left -= 1;
        let stored = match reader.read(id, &mut bytes_left) {
            Ok(stored) => stored,
            Err(what) => break Some(what),
        };
        let text = |value: &Value| match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            _ => 0,
        };
        batch_bytes += stored.as_ref().map_or(0, Vec::len) + others.iter().map(text).sum::<usize>();
        batch.push((Row { id, others }, stored));
        if batch_bytes > SQLITE_BATCH_BYTES || batch.len() >= SQLITE_BATCH_ROWS {
            each(std::mem::take(&mut batch));
            batch_bytes = 0;
        }
    };
    each(batch);
    stopped.map_or(Ok(()), Err)
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
    fn read(&mut self, id: i64, left: &mut u64) -> Result<Result<Vec<u8>, String>, String> {
        let opened = match self.blob.take() {
            Some(mut blob) => blob.reopen(id).map(|()| blob),
            None => self.database.blob_open(MAIN_DB, self.table.name, self.table.blob, id, true),
        };
        let mut blob = match opened {
            Ok(blob) => blob,
            Err(error) => return Ok(Err(format!("SQLite cannot read {}: {error}", self.table.blob))),
        };
        let len = blob.len();
        if len > SQLITE_BLOB_BYTES {
            return Ok(Err(format!("{} has {len} bytes, which is not believed", self.table.blob)));
        }
        *left = left.checked_sub(len as u64).ok_or("its values are together larger than the file")?;
        let mut bytes = vec![0; len];
        let read = blob.read_exact(&mut bytes);
        self.blob = Some(blob);
        Ok(read.map(|()| bytes).map_err(|e| format!("SQLite cannot read {}: {e}", self.table.blob)))
    }
}
