//! Which files in a folder MIOpen would open for a device.
//!
//! Sources, MIOpen 3.3.0: `src/find_db.cpp`, `src/include/miopen/execution_context.hpp`,
//! `src/include/miopen/sqlite_db.hpp:244-280`, `src/db_path.cpp.in`.
//!
//! The exact name has precedence. Otherwise MIOpen considers every file whose `path::extension()` *equals*
//! the wanted ending and whose stem begins with the database id, and takes the one with the nearest number of
//! compute units. The extension of `gfx900_56.HIP.fdb.txt` is `.txt`, never `.fdb.txt`, so text databases are
//! never found in this way, only the SQLite perf-db (`.db`). For find-dbs this came with MIOpen's change 2823
//! of April 2024; before, it compared the whole ending.

pub use super::database_kind::DatabaseKind;
use super::device::{BaseName, Device};
use rocm_audit_files::input::folder::Folder;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable for the folder of installed databases.
pub const FOLDER_VARIABLE: &str = "MIOPEN_SYSTEM_DB_PATH";

/// Where MIOpen looks without [`FOLDER_VARIABLE`], relative to the folder of its library.
pub fn default_folder(library: &Path) -> PathBuf {
    library.parent().unwrap_or(Path::new("")).join("../share/miopen/db")
}

/// A database in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// File name.
    pub file: String,
    /// The kind that the name indicates.
    pub kind: DatabaseKind,
    /// The name without the endings.
    pub base: String,
    /// The base name taken apart.
    pub name: BaseName,
    /// True if the content is a Git LFS pointer instead of a database.
    pub pointer: bool,
}

impl Database {
    /// A database by its file name; `None` for other files.
    pub fn of_name(file: &str, pointer: bool) -> Option<Database> {
        let (kind, base) = DatabaseKind::of_name(file)?;
        let name = BaseName::parse(base)?;
        Some(Database { file: file.to_owned(), kind, base: base.to_owned(), name, pointer })
    }
}

/// The result of MIOpen's search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<'a> {
    /// The file with the device's own name.
    Exact(&'a Database),
    /// The file with the device's own name, but it is a Git LFS pointer: MIOpen opens it and finds no
    /// records.
    Pointer(&'a Database),
    /// The file with the nearest number of compute units.
    Nearest(&'a Database),
    /// The nearest file, which MIOpen looks for but cannot find.
    Unreachable(&'a Database),
    /// The kernel database of the processor, for any number of compute units.
    OfProcessor(&'a Database),
    /// Nothing.
    Nothing,
}

impl<'a> Choice<'a> {
    /// The database found, whether or not it can be read.
    pub fn file(self) -> Option<&'a Database> {
        match self {
            Choice::Exact(file)
            | Choice::Pointer(file)
            | Choice::Nearest(file)
            | Choice::Unreachable(file)
            | Choice::OfProcessor(file) => Some(file),
            Choice::Nothing => None,
        }
    }

    /// The database that MIOpen reads.
    pub fn read(self) -> Option<&'a Database> {
        match self {
            Choice::Exact(file) | Choice::Nearest(file) | Choice::OfProcessor(file) => Some(file),
            Choice::Pointer(_) | Choice::Unreachable(_) | Choice::Nothing => None,
        }
    }
}

/// The databases of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFolder {
    /// Where it is.
    pub place: Folder,
    /// Its databases, by name.
    pub databases: Vec<Database>,
}

/// The first bytes of a Git LFS pointer; MIOpen's build treats every file that begins with them as one
/// (`CMakeLists.txt:635-640`).
pub const POINTER: &[u8] = b"version ";

impl DatabaseFolder {
    /// Lists a folder, and reads the first bytes of its databases.
    ///
    /// # Errors
    ///
    /// As the system reports them for the folder. An unreadable file is listed by name.
    pub fn open(folder: impl Into<Folder>) -> io::Result<DatabaseFolder> {
        let place = folder.into();
        let mut databases = Vec::new();
        for file in place.files()? {
            if let Some(mut database) = Database::of_name(&file.name, false) {
                database.pointer = place.open(&file.name).is_ok_and(|file| file.head().starts_with(POINTER));
                databases.push(database);
            }
        }
        Ok(DatabaseFolder { place, databases })
    }

    /// The databases of a kind.
    pub fn of_kind(&self, kind: DatabaseKind) -> impl Iterator<Item = &Database> {
        self.databases.iter().filter(move |database| database.kind == kind)
    }

    /// The folder that a default build makes from this one: it converts every SQLite perf-db without a text
    /// form to text.
    #[must_use]
    pub fn as_text_build(&self) -> DatabaseFolder {
        let mut text = self.clone();
        for database in self.of_kind(DatabaseKind::PerfDbSqlite) {
            let file = format!("{}{}", database.base, DatabaseKind::PerfDbText.ending());
            if !self.databases.iter().any(|other| other.file == file) {
                text.databases.extend(Database::of_name(&file, database.pointer));
            }
        }
        text
    }

    /// The file that MIOpen finds for a device. User databases are looked up only by their exact name.
    pub fn choose(&self, device: &Device, kind: DatabaseKind) -> Choice<'_> {
        let base = device.base_name();
        if let Some(exact) = self.of_kind(kind).find(|database| database.base == base) {
            return if exact.pointer { Choice::Pointer(exact) } else { Choice::Exact(exact) };
        }
        let id = device.database_id();
        match kind {
            DatabaseKind::KernelDb => match self.of_kind(kind).find(|database| database.base == id) {
                Some(found) if found.pointer => Choice::Pointer(found),
                Some(found) => Choice::OfProcessor(found),
                None => Choice::Nothing,
            },
            DatabaseKind::UserFindDb | DatabaseKind::UserPerfDbText | DatabaseKind::UserPerfDbSqlite => {
                Choice::Nothing
            }
            _ => match self.nearest(device, kind, &id) {
                // Whether `path::extension()` can equal the whole ending.
                Some(nearest) if kind == DatabaseKind::PerfDbSqlite => Choice::Nearest(nearest),
                Some(nearest) => Choice::Unreachable(nearest),
                None => Choice::Nothing,
            },
        }
    }

    /// The file with the nearest number of compute units. Of equally near ones MIOpen takes the first that
    /// the system lists; this takes the first by name.
    fn nearest(&self, device: &Device, kind: DatabaseKind, id: &str) -> Option<&Database> {
        self.of_kind(kind)
            .filter(|database| database.base.starts_with(id) && !database.pointer)
            .filter(|database| database.name.target.processor == processor_of(id))
            .min_by_key(|database| {
                database.name.compute_units.map_or(u32::MAX, |units| units.abs_diff(device.compute_units))
            })
    }
}

fn processor_of(id: &str) -> &str {
    id.split('_').next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_object::target::TargetId;

    fn folder(files: &[&str]) -> DatabaseFolder {
        let databases =
            files.iter().filter_map(|file| Database::of_name(file, file.contains("908"))).collect();
        DatabaseFolder { place: Folder::on_disk(""), databases }
    }

    fn chosen(folder: &DatabaseFolder, target: &str, compute_units: u32, kind: DatabaseKind) -> String {
        let device = Device { target: TargetId::parse(target).unwrap(), compute_units };
        match folder.choose(&device, kind) {
            Choice::Exact(d) => format!("exact {}", d.file),
            Choice::Pointer(d) => format!("pointer {}", d.file),
            Choice::Nearest(d) => format!("nearest {}", d.file),
            Choice::Unreachable(d) => format!("unreachable {}", d.file),
            Choice::OfProcessor(d) => format!("processor {}", d.file),
            Choice::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn text_databases_are_only_found_by_their_exact_name() {
        let folder = folder(&[
            "gfx1030_36.db",
            "gfx900.kdb",
            "gfx900_56.HIP.fdb.txt",
            "gfx900_56.db",
            "gfx900_56.db.txt",
            "gfx900_64.HIP.fdb.txt",
            "gfx900_64.OpenCL.fdb.txt",
            "gfx90878.HIP.fdb.txt",
            "gfx900_56.HIP.3_3_0_12.ufdb.txt",
            "gfx900_56_1.1.0.udb",
            "notes.txt",
        ]);
        let vega = |units, kind| chosen(&folder, "gfx900", units, kind);
        assert_eq!(vega(64, DatabaseKind::FindDbHip), "exact gfx900_64.HIP.fdb.txt");
        assert_eq!(vega(62, DatabaseKind::FindDbHip), "unreachable gfx900_64.HIP.fdb.txt");
        assert_eq!(vega(64, DatabaseKind::PerfDbText), "unreachable gfx900_56.db.txt");
        assert_eq!(vega(64, DatabaseKind::PerfDbSqlite), "nearest gfx900_56.db");
        assert_eq!(vega(56, DatabaseKind::PerfDbText), "exact gfx900_56.db.txt");
        assert_eq!(vega(64, DatabaseKind::KernelDb), "processor gfx900.kdb");
        assert_eq!(vega(56, DatabaseKind::FindDbOpenCl), "unreachable gfx900_64.OpenCL.fdb.txt");
        assert_eq!(vega(56, DatabaseKind::UserFindDb), "exact gfx900_56.HIP.3_3_0_12.ufdb.txt");
        assert_eq!(vega(56, DatabaseKind::UserPerfDbSqlite), "exact gfx900_56_1.1.0.udb");
        assert_eq!(chosen(&folder, "gfx908", 120, DatabaseKind::FindDbHip), "pointer gfx90878.HIP.fdb.txt");
        assert_eq!(chosen(&folder, "gfx900:xnack+", 64, DatabaseKind::FindDbHip), "nothing");
        assert_eq!(chosen(&folder, "gfx1100", 48, DatabaseKind::PerfDbSqlite), "nothing");
        assert_eq!(folder.databases.len(), 10);
    }

    #[test]
    fn the_default_folder_is_beside_that_of_the_library() {
        let folder = default_folder(Path::new("/opt/rocm/lib/libMIOpen.so.1"));
        assert_eq!(folder, Path::new("/opt/rocm/lib/../share/miopen/db"));
    }
}
