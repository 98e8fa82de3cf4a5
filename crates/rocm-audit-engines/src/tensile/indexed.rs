//! Catalogs of format 2: the solutions stand in one value of bytes, each found by a table of places.
//!
//! Source: `SolutionLibrary.hpp` and `SolutionBlobCache.hpp` of hipBLASLt's develop (ROCm/rocm-libraries
//! #11295, 2026-09). The library reads a solution when a problem first reaches it, and so does selection
//! here; `verify` and audits read all, so that one that is broken is found before.
#![deny(clippy::indexing_slicing)]

use super::values;
use amdgpu_object::bytes::msgpack::{Reader, Value};
use rocm_audit_files::error::{ParseError, ParseErrorKind, Parsed};
use std::collections::HashSet;

/// The newest format that is known.
const NEWEST: u64 = 2;

/// The parts of a catalog that say where its solutions are.
#[derive(Debug, Default)]
pub(super) struct Indexed<'a> {
    version: u64,
    /// Index, offset and length of each solution.
    rows: Option<Vec<(u32, u64, u64)>>,
    blob: Option<(&'a [u8], u64)>,
}

/// A solution's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Apart<'a> {
    /// The index by which the catalog finds it.
    pub index: u32,
    bytes: &'a [u8],
    /// Where they begin in the catalog.
    pub at: u64,
}

impl<'a> Apart<'a> {
    /// A reader of the bytes.
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.bytes, self.at)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl<'a> Indexed<'a> {
    /// Reads the value of a key where it is one of these; whether it was.
    ///
    /// # Errors
    /// Where the value is not what the library accepts.
    pub fn read(&mut self, key: &[u8], reader: &mut Reader<'a>) -> Parsed<bool> {
        match key {
            b"format_version" => {
                let at = reader.offset();
                self.version = values::unsigned(reader, "format_version")?;
                if self.version > NEWEST {
                    let what = format!("a catalog of format {}, which is not known", self.version);
                    return Err(ParseError::new(at, what));
                }
            }
            b"solutions_index" => self.rows = Some(rows(reader)?),
            b"solutions_blob" => {
                let at = reader.offset();
                let Value::Bin(blob) = reader.value()? else {
                    return Err(ParseError::new(at, "solutions_blob is not bytes"));
                };
                self.blob = Some((blob, reader.offset() - blob.len() as u64));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The solutions in the order of the table; none for a catalog whose solutions are a list.
    ///
    /// # Errors
    /// Where a part is missing, two rows have one index, or a row leaves the bytes.
    pub fn solutions(self) -> Parsed<Option<Vec<Apart<'a>>>> {
        if self.version < NEWEST {
            return Ok(None);
        }
        let rows = values::required(self.rows, 0, "a catalog of format 2", "solutions_index")?;
        let (blob, base) = values::required(self.blob, 0, "a catalog of format 2", "solutions_blob")?;
        let mut seen = HashSet::new();
        let mut claimed = 0u64;
        let one = |(index, offset, length): (u32, u64, u64)| {
            if !seen.insert(index) {
                return Err(ParseError::new(base, format!("two solutions have the index {index}")));
            }
            claimed = claimed.saturating_add(length);
            let end = offset.checked_add(length).filter(|end| *end <= blob.len() as u64);
            let slice = end.and_then(|end| blob.get(offset as usize..end as usize));
            let outside =
                || ParseError::new(base, format!("solution {index} lies outside of solutions_blob"));
            let slice = slice.ok_or_else(outside)?;
            // What several rows name would be read for each of them, so that a small file could take any
            // time.
            if claimed > blob.len() as u64 {
                let what = format!("solution {index} overlaps another in solutions_blob");
                return Err(ParseError::new(base + offset, what).of_kind(ParseErrorKind::Overlap));
            }
            Ok(Apart { index, bytes: slice, at: base + offset })
        };
        rows.into_iter().map(one).collect::<Parsed<Vec<_>>>().map(Some)
    }
}

/// What is wrong with the bytes of one solution: they are no map of MessagePack to their end, or have another
/// index than the table. The library passes such a solution over when a problem reaches it.
pub(super) fn fault_of(index: u32, mut solution: Reader<'_>) -> Option<ParseError> {
    let at = solution.offset();
    let mut own = None;
    let mut read = || {
        for _ in 0..solution.map("a solution")? {
            match values::key(&mut solution)? {
                b"index" => own = Some(super::solution::index(&mut solution)?),
                _ => solution.skip()?,
            }
        }
        Ok(solution.at_end())
    };
    match read() {
        Err(error) => Some(error),
        Ok(false) => Some(ParseError::new(at, format!("bytes behind the map of solution {index}"))),
        Ok(true) if own != Some(index) => {
            let has = own.map_or("a solution without an index".to_owned(), |own| format!("solution {own}"));
            Some(ParseError::new(at, format!("the table finds {has} by the index {index}")))
        }
        Ok(true) => None,
    }
}

/// Number of solutions that a table of places is for.
///
/// # Errors
/// Where it is no array, or has not three numbers for each.
pub(super) fn count(reader: &mut Reader<'_>) -> Parsed<u64> {
    let at = reader.offset();
    let count = reader.array("solutions_index")?;
    if !count.is_multiple_of(3) {
        let what = "solutions_index does not hold three numbers for each solution";
        return Err(ParseError::new(at, what));
    }
    Ok(u64::from(count / 3))
}

fn rows(reader: &mut Reader<'_>) -> Parsed<Vec<(u32, u64, u64)>> {
    let mut rows = Vec::new();
    for _ in 0..count(reader)? {
        let at = reader.offset();
        let index = values::unsigned(reader, "the index of a solution")?;
        let Some(index) = u32::try_from(index).ok().filter(|index| i32::try_from(*index).is_ok()) else {
            return Err(ParseError::new(at, format!("the index {index} of a solution is too large")));
        };
        let offset = values::unsigned(reader, "the place of a solution")?;
        rows.push((index, offset, values::unsigned(reader, "the length of a solution")?));
    }
    Ok(rows)
}
