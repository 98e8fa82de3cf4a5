//! The kinds of MIOpen's databases, by the names of their files.

/// Kinds of databases, by the endings of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MiopenDatabaseKind"))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseKind {
    /// `.HIP.fdb.txt`: what a HIP build reads.
    FindDbHip,
    /// `.OpenCL.fdb.txt`: what an OpenCL build reads, dead weight for a HIP build.
    #[serde(rename = "find-db-opencl")]
    FindDbOpenCl,
    /// `.db.txt`: what a default build reads.
    PerfDbText,
    /// `.db`: what a build with `MIOPEN_USE_SQLITE_PERFDB` reads, and what the text form is made from.
    PerfDbSqlite,
    /// `.kdb`.
    KernelDb,
    /// `.ufdb.txt`: the user's find-db; a record of it replaces the installed one.
    UserFindDb,
    /// `.udb.txt`: the user's perf-db; its solvers come before the installed ones.
    UserPerfDbText,
    /// `.udb`: the same in SQLite.
    UserPerfDbSqlite,
}

impl DatabaseKind {
    /// All, longer endings before those they end with.
    pub const ALL: [DatabaseKind; 8] = [
        DatabaseKind::UserFindDb,
        DatabaseKind::UserPerfDbText,
        DatabaseKind::UserPerfDbSqlite,
        DatabaseKind::FindDbHip,
        DatabaseKind::FindDbOpenCl,
        DatabaseKind::PerfDbText,
        DatabaseKind::PerfDbSqlite,
        DatabaseKind::KernelDb,
    ];

    /// What follows the base name.
    pub fn ending(self) -> &'static str {
        match self {
            DatabaseKind::FindDbHip => ".HIP.fdb.txt",
            DatabaseKind::FindDbOpenCl => ".OpenCL.fdb.txt",
            DatabaseKind::PerfDbText => ".db.txt",
            DatabaseKind::PerfDbSqlite => ".db",
            DatabaseKind::KernelDb => ".kdb",
            DatabaseKind::UserFindDb => ".ufdb.txt",
            DatabaseKind::UserPerfDbText => ".udb.txt",
            DatabaseKind::UserPerfDbSqlite => ".udb",
        }
    }

    /// Takes a file name apart.
    pub fn of_name(name: &str) -> Option<(DatabaseKind, &str)> {
        DatabaseKind::ALL.iter().find_map(|kind| {
            let base = name.strip_suffix(kind.ending())?;
            // Version and backend stand between base name and ending of a user's database:
            // gfx900_56.HIP.3_3_0_1234.ufdb.txt, gfx900_56_1.1.0.udb.
            let cut = match kind {
                DatabaseKind::UserFindDb | DatabaseKind::UserPerfDbText => base.split('.').next()?,
                DatabaseKind::UserPerfDbSqlite => base.split('.').next()?.rsplit_once('_')?.0,
                _ => base,
            };
            Some((*kind, cut))
        })
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            DatabaseKind::FindDbHip => "find-db HIP",
            DatabaseKind::FindDbOpenCl => "find-db OpenCL",
            DatabaseKind::PerfDbText => "perf-db text",
            DatabaseKind::PerfDbSqlite => "perf-db SQLite",
            DatabaseKind::KernelDb => "kernel db",
            DatabaseKind::UserFindDb => "user find-db",
            DatabaseKind::UserPerfDbText => "user perf-db text",
            DatabaseKind::UserPerfDbSqlite => "user perf-db SQLite",
        }
    }

    /// True for find-dbs.
    pub fn is_find_db(self) -> bool {
        matches!(self, DatabaseKind::FindDbHip | DatabaseKind::FindDbOpenCl | DatabaseKind::UserFindDb)
    }
}
