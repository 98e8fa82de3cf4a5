//! The kinds of MIOpen's databases, by file name.

/// Kinds of databases, by the ends of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MiopenDatabaseKind"))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseKind {
    /// `.HIP.fdb.txt`, read by HIP builds.
    FindDbHip,
    /// `.OpenCL.fdb.txt`, read by OpenCL builds and useless for HIP builds.
    #[serde(rename = "find-db-opencl")]
    FindDbOpenCl,
    /// `.db.txt`, read by default builds.
    PerfDbText,
    /// `.db`, read by builds with `MIOPEN_USE_SQLITE_PERFDB`; the text form is made from it.
    PerfDbSqlite,
    /// `.kdb`.
    KernelDb,
    /// `.ufdb.txt`: the user's find-db, whose records replace the installed ones.
    UserFindDb,
    /// `.udb.txt`: the user's perf-db, whose solvers precede the installed ones.
    UserPerfDbText,
    /// `.udb`: the same in SQLite.
    UserPerfDbSqlite,
}

impl DatabaseKind {
    /// All kinds; longer endings precede those they end with.
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

    /// The part of the file name after the base name.
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

    /// Splits a file name.
    pub fn of_name(name: &str) -> Option<(DatabaseKind, &str)> {
        DatabaseKind::ALL.iter().find_map(|kind| {
            let base = name.strip_suffix(kind.ending())?;
            // In a user's database, version and backend are between base name and ending:
            // gfx900_56.HIP.3_3_0_1234.ufdb.txt, gfx900_56_1.1.0.udb.
            let cut = match kind {
                DatabaseKind::UserFindDb | DatabaseKind::UserPerfDbText => base.split('.').next()?,
                DatabaseKind::UserPerfDbSqlite => base.split('.').next()?.rsplit_once('_')?.0,
                _ => base,
            };
            Some((*kind, cut))
        })
    }

    /// Name in reports.
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
