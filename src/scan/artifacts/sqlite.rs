//! One number of a MIOpen database in SQLite.

use super::miopen;
use crate::error::{ParseError, Unread};
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::Format;
use crate::inventory::{DatabaseFacts, DatabaseForm, DeviceCode};
use crate::scan::{Candidate, Scanned};

/// What a database is asked.
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "nothing is asked then"))]
pub(super) struct Question<'q> {
    /// Tables that it must have.
    pub tables: &'q [&'q str],
    /// Columns of these that MIOpen looks for.
    pub columns: &'q [(&'static str, &'static [&'static str])],
    /// The question for a number.
    pub count: &'q str,
}

/// What is said of a MIOpen database in SQLite: the answer to `question`, or the problem, which goes into
/// `scanned`.
pub(super) fn facts(
    candidate: &Candidate<'_>,
    name: &miopen::Name,
    asked: &Question<'_>,
    scanned: &mut Scanned,
) -> DatabaseFacts {
    if let Some(pointer) = miopen::pointer(name, candidate.format) {
        return pointer;
    }
    if candidate.format == Format::Sqlite && is_closed(scanned) {
        return miopen::facts(name, DatabaseForm::Sqlite, None);
    }
    let records = if candidate.format == Format::Sqlite {
        count(candidate, asked)
    } else {
        let what = format!("the name says SQLite database, the content is {}", candidate.format.name());
        Err(Finding::of_bytes(candidate.shown, ParseError::new(0, what)))
    };
    miopen::facts(name, DatabaseForm::Sqlite, records.map_err(|found| scanned.findings.push(found)).ok())
}

/// Asks for one number.
fn count(candidate: &Candidate<'_>, asked: &Question<'_>) -> Result<u64, Finding> {
    let lost = |what: Unread| {
        let what = format!("{what}; the database is not counted");
        Finding::of_file(&read::MALFORMED_BYTES, candidate.shown, what)
    };
    ask(candidate, asked).unwrap_or_else(|what| Err(Box::new(lost(what)))).map_err(|finding| *finding)
}

/// Whether this build has no SQLite; then the database is noted as not examined.
pub(super) fn is_closed(scanned: &mut Scanned) -> bool {
    if !cfg!(feature = "sqlite") {
        let unread = vec![CLOSED.to_owned()];
        scanned.device = Some(DeviceCode { format: Some(Format::Sqlite), unread, ..DeviceCode::default() });
    }
    !cfg!(feature = "sqlite")
}

const CLOSED: &str = "database of MIOpen or rocFFT: not read: built without the feature `sqlite`";

#[cfg(not(feature = "sqlite"))]
fn ask(_: &Candidate<'_>, _: &Question<'_>) -> Result<Result<u64, Box<Finding>>, Unread> {
    Err(CLOSED.into())
}

#[cfg(feature = "sqlite")]
fn ask(candidate: &Candidate<'_>, asked: &Question<'_>) -> Result<Result<u64, Box<Finding>>, Unread> {
    use crate::input::sqlite;
    let database = sqlite::open(candidate.file, asked.tables)?;
    if let Some(missing) = sqlite::missing_columns(&database, candidate.shown, asked.columns) {
        return Ok(Err(Box::new(missing)));
    }
    let number: i64 = database
        .query_row(asked.count, [], |row| row.get(0))
        .map_err(|e| format!("SQLite cannot count: {e}"))?;
    u64::try_from(number).map(Ok).map_err(|_| format!("SQLite counts {number} rows").into())
}
