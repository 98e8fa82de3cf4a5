//! Device code in the values of SQLite tables: row by row, on all cores, bounded by the size of the file.
//!
//! The values of a database take up room in its file, so all of them together are no larger than it. A file
//! that says otherwise has pages that stand in several rows, and is read no further.
// Without SQLite nothing makes a row.
#![cfg_attr(not(feature = "sqlite"), allow(dead_code))]

use super::sqlite;
use crate::budget::MemoryPermit;
use crate::container::bundle_reader::Payload;
use crate::error::{ParseError, ParseErrors, Unread};
use crate::finding::Finding;
use crate::inventory::DeviceCode;
use crate::limits::{SQLITE_UNPACKED_BYTES, SQLITE_UNPACKED_RATIO};
use crate::scan::device_code;
use crate::scan::device_code::{Blob, DeviceCodePart};
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Settings};
use crate::target::TargetId;
use rayon::prelude::*;
use std::borrow::Cow;

#[cfg(feature = "sqlite")]
use super::blob_rows::walk;

/// No row is read without SQLite.
#[cfg(not(feature = "sqlite"))]
fn walk(_: &Candidate<'_>, _: &Table, _: &mut dyn FnMut(Vec<Stored>)) -> Result<(), Unread> {
    Ok(())
}

/// A table whose rows hold code objects.
pub(super) struct Table {
    /// Its name.
    pub name: &'static str,
    /// The column of the code objects.
    pub blob: &'static str,
    /// The column that the functions below are given.
    pub others: &'static str,
    /// How many bytes a row says that its code object has, where it is compressed; 0 where it is not.
    pub unpacked: fn(&BlobRow) -> u64,
    /// Makes the code object of what is stored.
    pub unpack: for<'a> fn(&BlobRow, &'a [u8]) -> Result<LoadedCodeObject<'a>, Unread>,
    /// Holds what was read against what the row says, in words where they disagree.
    pub check: fn(&BlobRow, &DeviceCode) -> Option<String>,
}

/// One row without its code object.
pub(super) struct BlobRow {
    /// Its number in the table.
    pub id: i64,
    /// The columns that the table wants.
    pub others: Vec<Value>,
}

/// What stands in a column that a table wants.
pub(super) enum Value {
    /// A number.
    Integer(i64),
    /// Text.
    Text(String),
    /// Anything else.
    Other,
}

/// A code object as the loader gets it.
pub(super) struct LoadedCodeObject<'a> {
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
    /// The memory it takes, where it was inflated.
    pub held: Option<MemoryPermit>,
}

/// A row with what is stored in it, or why that is not read.
pub(super) type Stored = (BlobRow, Result<Vec<u8>, Unread>);

/// Reads all code objects of a table. What it finds goes into `scanned`; `named` is the target that the
/// file's name names.
pub(super) fn read(
    candidate: &Candidate<'_>,
    settings: &Settings<'_>,
    table: &Table,
    named: Option<&TargetId>,
    rows: &mut OnRows<'_>,
    scanned: &mut Scanned,
) {
    if sqlite::is_closed(scanned) {
        return;
    }
    let mut all = DeviceCode { format: Some(candidate.format), ..DeviceCode::default() };
    let mut errors = ParseErrors::default();
    let mut index = 0;
    let len = candidate.file.len();
    let mut unpacked_left = len.saturating_mul(SQLITE_UNPACKED_RATIO).max(SQLITE_UNPACKED_BYTES);
    let mut each = |mut batch: Vec<Stored>| {
        for (row, stored) in &mut batch {
            let size = (table.unpacked)(row);
            // What lies in a package counts as what it unpacks to, like its other members.
            let allowed = settings.allowance.map_or(Ok(()), |allowance| allowance.take(size));
            match (unpacked_left.checked_sub(size), allowed) {
                (Some(left), Ok(())) => unpacked_left = left,
                (None, _) => *stored = Err(format!("inflates to {size} bytes, which is not believed").into()),
                (_, Err(what)) => *stored = Err(what.into()),
            }
        }
        let parts: Vec<DeviceCodePart> = batch
            .par_iter()
            .enumerate()
            .map(|(n, (row, stored))| read_row(candidate, settings, table, named, index + n, row, stored))
            .collect();
        index += batch.len();
        for part in parts {
            all.merge(part.code);
            scanned.details.merge(part.details);
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
    row: &BlobRow,
    stored: &Result<Vec<u8>, Unread>,
) -> DeviceCodePart {
    let content = stored.as_ref().map_err(Clone::clone).and_then(|bytes| (table.unpack)(row, bytes));
    let mut part = match &content {
        Ok(content) => {
            let at = candidate.file.locator().clone();
            let blob = Blob { bytes: &content.bytes, index, at, held: content.held.is_some() };
            device_code::read_blob(candidate, settings, named, &blob)
        }
        Err(what) => {
            let mut part = DeviceCodePart::default();
            part.problems.push(ParseError::new(0, format!("row {}: {what}", row.id)));
            return part;
        }
    };
    let inside = |e: ParseError| {
        let what = format!("row {}: {}, at offset {:#x} of its code object", row.id, e.what(), e.offset());
        e.saying(what)
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
