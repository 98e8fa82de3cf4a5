//! Tables that last: the rows of an audit in typed columns, batch by batch, for Parquet files and for Arrow.
//!
//! Each table is one list, which defines its columns, their descriptions in `rocm-audit list tables`, and its
//! rows. All tables begin with the same columns, which identify the artifact, so that one query can cover the
//! rows of many artifacts. Unknown or unstated values are null, never zero.

use crate::error::NotUnderstood;

mod artifact;
mod batch;
mod column;
#[cfg(feature = "parquet")]
pub mod folder;
#[cfg(feature = "parquet")]
pub mod manifests;
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
pub use column::{COMMON, Column, ColumnType, Table};
pub use rows::{ARTIFACTS, CODE_OBJECTS, FINDINGS, KERNELS, TARGETS, VERDICTS};
pub use scan::{BatchSink, Gather, files_for, scan};
#[cfg(feature = "engines")]
pub use selections::SELECTIONS;

/// Version of all tables' columns: columns are only added, and each addition raises it.
pub const VERSION: &str = "1.0.0";

/// All tables. The table of artifacts comes last: if it has an artifact's row, the others have all of theirs.
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

/// Finds a table by name.
///
/// # Errors
///
/// The known names, if this is not one of them.
pub fn by_name(name: &str) -> Result<&'static Table, NotUnderstood> {
    TABLES.iter().copied().find(|table| table.name == name).ok_or_else(|| {
        let known: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        format!("{name}: no such table; there are {}", known.join(", ")).into()
    })
}

/// The program that writes the rows: `rocm-audit 0.1.0`.
pub fn tool() -> String {
    let tool = crate::report::v1::Tool::default();
    format!("{} {}", tool.name, tool.version)
}
