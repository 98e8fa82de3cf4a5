//! Kernel databases: kernels that were built before, in SQLite. MIOpen looks for one by the name of its object
//! file and by all options of its compilation, letter by letter.
//!
//! Source, MIOpen 3.3.0: `src/include/miopen/kern_db.hpp`, `src/binary_cache.cpp:117-165`,
//! `src/include/miopen/filesystem.hpp:191` (the object file has the name of the source and `.o`).

use super::perf_db::Refused;
use amdgpu_object::source::SourceFile;

/// How many kernels a database has that were compiled from a source file. None means that MIOpen compiles;
/// with some, their options decide.
///
/// # Errors
///
/// As SQLite reports them, or the missing table.
#[cfg(feature = "sqlite")]
pub fn kernels_of(file: &SourceFile, source: &str) -> Result<u64, Refused> {
    use rocm_audit_files::input::sqlite;
    let database = sqlite::open(file, &["kern_db"])?;
    let question = "SELECT COUNT(*) FROM kern_db WHERE kernel_name = ?";
    let count = database.query_row(question, [format!("{source}.o")], |row| row.get::<_, i64>(0));
    let cannot = |e| Refused::from(format!("SQLite cannot look for kernels: {e}"));
    Ok(count.map_err(cannot)?.unsigned_abs())
}

/// Fails.
///
/// # Errors
///
/// Always, since SQLite is not built in.
#[cfg(not(feature = "sqlite"))]
pub fn kernels_of(_: &SourceFile, _: &str) -> Result<u64, Refused> {
    Err("a database in SQLite is not read: built without the feature `sqlite`".into())
}
