//! Tables that last: the rows of an audit in typed columns, batch by batch, for Parquet files and for Arrow.
//!
//! A table is one list, from which its columns, what `rocm-audit list tables` says of them, and its rows are made. All tables
//! begin with the same columns, which say of which artifact a row is, so that the rows of many artifacts stand together
//! in one query. What is not known or not stated is null, never zero.

mod artifact;
mod batch;
mod column;
#[cfg(feature = "parquet")]
pub mod folder;
#[cfg(feature = "parquet")]
pub mod parquet;
mod place;
mod rows;
mod scan;
#[cfg(feature = "engines")]
mod selections;
#[cfg(feature = "parquet")]
mod wanted;

pub use artifact::Origin;
pub use batch::{Batch, Texts, Values};
pub use column::{COMMON, Column, Kind, Table};
pub use rows::{ARTIFACTS, CODE_OBJECTS, FINDINGS, KERNELS, TARGETS, VERDICTS};
pub use scan::{BatchSink, Gather, files_for, scan};
#[cfg(feature = "engines")]
pub use selections::SELECTIONS;

/// The version of the columns of all tables: columns are only added, and each addition raises it.
pub const VERSION: &str = "1.0.0";

/// All tables, the one of artifacts last: where it has the row of an artifact, the others have all of theirs.
pub static TABLES: &[&Table] = &[
    &KERNELS,
    &CODE_OBJECTS,
    &TARGETS,
    &VERDICTS,
    #[cfg(feature = "engines")]
    &SELECTIONS,
    &FINDINGS,
    &ARTIFACTS,
];

/// The table of a name.
///
/// # Errors
/// The names that there are, where this is none of them.
pub fn by_name(name: &str) -> Result<&'static Table, String> {
    TABLES.iter().copied().find(|table| table.name == name).ok_or_else(|| {
        let known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        format!("{name}: no such table; there are {}", known.join(", "))
    })
}

/// Who writes the rows: `rocm-audit 0.1.0`.
pub fn tool() -> String {
    let tool = crate::report::v1::Tool::default();
    format!("{} {}", tool.name, tool.version)
}
