//! Checks all databases in a folder: their contents and defects.
//!
//! Files are mapped and examined in parallel. Two find-dbs of different processors are compared with each
//! other, in pairs, only if they have equally many records.

use super::census::Census;
use super::defects;
use super::defects::Measurements;
use super::device::{Device, taken_for};
use super::folder::{Database, DatabaseFolder, DatabaseKind};
use super::model_files::{self, ModelFile};
use super::model_name::ModelName;
use super::perf_db;
use super::perf_db::SqlitePerfDb;
use super::text;
use amdgpu_object::source::{Access, SourceFile};
use amdgpu_object::target::{Processor, TargetId};
use rayon::prelude::*;
use rocm_audit_files::error::Unread;
use rocm_audit_files::finding::rules::read;
use rocm_audit_files::finding::{self, Finding};
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeMap;
use std::io;

/// The result for a folder.
#[derive(Debug)]
pub struct CheckedDatabases {
    /// The folder.
    pub folder: DatabaseFolder,
    /// Its databases, in the order of the folder.
    pub files: Vec<Contents>,
    /// Defects, unreadable files and noteworthy facts, worst first.
    pub findings: Vec<Finding>,
}

/// The contents of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The database.
    pub database: Database,
    /// Size of the file.
    pub bytes: u64,
    /// Lines of a text database as counted by `wc -l`; for a SQLite perf-db, those of its text form.
    pub lines: Option<u64>,
    /// Lines whose key no earlier line has; rows of a kernel database.
    pub records: Option<u64>,
    /// Well-formed items in these lines.
    pub entries: Option<u64>,
    /// Storage form; `None` if it could not be read.
    pub form: Option<DatabaseStorage>,
    /// Record versions in a find-db: `1.0`, `2.0`.
    pub versions: Vec<&'static str>,
}

/// Storage forms of databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseStorage {
    /// Lines of text.
    Text,
    /// SQLite.
    Sqlite,
    /// A Git LFS pointer without the database itself.
    GitLfsPointer,
}

/// A file that was examined.
struct Read {
    contents: Contents,
    findings: Vec<Finding>,
    /// Find-dbs stay mapped for comparison with each other.
    find_db: Option<SourceFile>,
}

/// Reads all databases in a folder.
///
/// # Errors
///
/// As the system reports them for the folder. Unreadable parts of files are in
/// [`CheckedDatabases::findings`].
pub fn check(folder: impl Into<Folder>) -> io::Result<CheckedDatabases> {
    let folder = DatabaseFolder::open(folder)?;
    let all: Vec<Read> = folder.databases.par_iter().map(|database| read(&folder.place, database)).collect();
    let mut findings = defects::of_folder(&folder);
    findings.extend(models(&folder.place)?);
    findings.extend(copies(&all));
    let mut files = Vec::new();
    for read in all {
        files.push(read.contents);
        findings.extend(read.findings);
    }
    for finding in &mut findings {
        for at in &mut finding.locations {
            at.path = folder.place.path_of(&at.path).to_string_lossy().into_owned();
        }
    }
    // Sorted by file first, so that the later sort for reports keeps the files of a rule in this order.
    findings.sort_rows_by(|a, b| file_of(a).cmp(file_of(b)));
    finding::sort(&mut findings);
    Ok(CheckedDatabases { folder, files, findings })
}

/// What is wrong with the files of models in a folder.
fn models(folder: &Folder) -> io::Result<Vec<Finding>> {
    let (mut findings, mut usable) = (Vec::new(), Vec::new());
    for file in folder.files()? {
        let Some(name) = ModelName::parse(&file.name) else { continue };
        match folder.open(&file.name) {
            Ok(open) => match model_files::check(&file.name, &name, open.bytes()) {
                Ok(shape) => usable.push((file.name.clone(), shape)),
                Err(finding) => findings.push(*finding),
            },
            Err(error) => {
                findings.push(Finding::of_file(&read::UNREADABLE_FILE, &file.name, error.to_string()));
            }
        }
    }
    let file = |(file, shape)| Some(ModelFile { file, name: ModelName::parse(file)?, shape });
    let files: Vec<ModelFile<'_>> =
        usable.iter().map(|(name, shape): &(String, _)| (name.as_str(), shape)).filter_map(file).collect();
    findings.extend(model_files::unfit(&files, None));
    Ok(findings)
}

/// The file that a finding is about.
fn file_of(finding: &Finding) -> &str {
    finding.locations.first().map_or("", |at| &at.path)
}

fn read(folder: &Folder, database: &Database) -> Read {
    let contents = Contents {
        database: database.clone(),
        bytes: 0,
        lines: None,
        records: None,
        entries: None,
        form: None,
        versions: Vec::new(),
    };
    let mut read = Read { contents, findings: Vec::new(), find_db: None };
    let unread = |rule, what: String| Finding::of_file(rule, &database.file, what);
    let file = match folder.open(&database.file) {
        Ok(file) => file,
        Err(error) => {
            read.findings.push(unread(&read::UNREADABLE_FILE, error.to_string()));
            return read;
        }
    };
    read.contents.bytes = file.len();
    if database.pointer {
        read.contents.form = Some(DatabaseStorage::GitLfsPointer);
        return read;
    }
    file.expect(Access::Content);
    if let Err(what) = read.take(&file) {
        read.findings.push(unread(&read::MALFORMED_BYTES, what.to_string()));
    }
    if let Err(change) = file.check_unchanged() {
        read.findings.push(unread(&read::CHANGED_WHILE_READ, change.to_string()));
    }
    read.find_db = database.kind.is_find_db().then_some(file);
    read
}

impl Read {
    fn take(&mut self, file: &SourceFile) -> Result<(), Unread> {
        let name = self.contents.database.file.clone();
        match self.contents.database.kind {
            DatabaseKind::FindDbHip | DatabaseKind::FindDbOpenCl | DatabaseKind::UserFindDb => {
                let census = Census::count(file.bytes());
                self.contents.form = Some(DatabaseStorage::Text);
                self.contents.versions = census.forms.keys().map(|form| form.name()).collect();
                self.contents.lines = Some(text::lines(file.bytes()));
                self.contents.records = Some(census.records);
                self.contents.entries = Some(census.entries);
                self.findings = defects::of_find_db(&name, file.bytes()).0;
            }
            DatabaseKind::PerfDbText | DatabaseKind::UserPerfDbText => {
                let (mut records, mut entries) = (0, 0);
                for record in text::records(file.bytes()).flatten() {
                    records += 1;
                    entries += perf_db::items(&record).flatten().count() as u64;
                }
                self.contents.form = Some(DatabaseStorage::Text);
                self.contents.lines = Some(text::lines(file.bytes()));
                (self.contents.records, self.contents.entries) = (Some(records), Some(entries));
                self.findings = defects::of_text(&name, file.bytes());
            }
            DatabaseKind::PerfDbSqlite | DatabaseKind::UserPerfDbSqlite => {
                self.contents.form = Some(DatabaseStorage::Sqlite);
                let database = SqlitePerfDb::open(file)?;
                if let Some(missing) = database.missing_columns(&name) {
                    self.findings.push(missing);
                    return Ok(());
                }
                self.contents.lines = Some(database.lines()?);
                (self.contents.records, self.contents.entries) =
                    (self.contents.lines, Some(database.rows()?));
                self.findings = defects::of_sqlite(&name, &database)?;
            }
            DatabaseKind::KernelDb => {
                self.contents.form = Some(DatabaseStorage::Sqlite);
                match kernels(&name, file)? {
                    Ok(kernels) => self.contents.records = Some(kernels),
                    Err(missing) => self.findings.push(*missing),
                }
            }
        }
        Ok(())
    }
}

/// Find-dbs that contain another processor's measurements. Of two equal ones, the older processor's is the
/// copy: it contains solvers that run only on the other.
fn copies(all: &[Read]) -> Vec<Finding> {
    let rank = |read: &Read| Processor::rank(&read.contents.database.name.target.processor);
    let find_dbs = || all.iter().filter(|read| read.contents.database.kind != DatabaseKind::UserFindDb);
    let pairs: Vec<_> = find_dbs()
        .flat_map(|own| find_dbs().map(move |other| (own, other)))
        .filter(|(own, other)| {
            let same =
                |of: fn(&Contents) -> (DatabaseKind, Option<u64>)| of(&own.contents) == of(&other.contents);
            rank(own) < rank(other) && same(|c| (c.database.kind, c.records))
        })
        .filter_map(|(own, other)| Some((own, own.find_db.as_ref()?, other, other.find_db.as_ref()?)))
        .collect();
    let copied = |(own, own_file, other, other_file): &(&Read, &SourceFile, &Read, &SourceFile)| {
        let of = Measurements::read(&own.contents.database.file, own_file.bytes());
        of.copied_from(&Measurements::read(&other.contents.database.file, other_file.bytes()))
    };
    pairs.par_iter().filter_map(copied).collect()
}

/// Filters for a check.
#[derive(Debug, Clone, Default)]
pub struct CheckFilter {
    /// Targets to check; empty for all.
    pub targets: Vec<TargetId>,
    /// Compute units of the devices with these targets.
    pub compute_units: Vec<u32>,
}

impl CheckFilter {
    /// Whether databases for this target are checked.
    pub fn wants(&self, target: &TargetId) -> bool {
        let same = |asked: &TargetId| taken_for(&asked.processor) == taken_for(&target.processor);
        self.targets.is_empty() || self.targets.iter().any(same)
    }

    /// The devices to look up databases for: those named in the folder, and those the user asked about. A
    /// target without a device has 0 compute units, since nothing depends on the number then.
    pub fn devices(&self, folder: &DatabaseFolder) -> Vec<Device> {
        let named = folder.databases.iter().filter(|database| self.wants(&database.name.target));
        let mut devices: BTreeMap<_, Device> = BTreeMap::new();
        let mut add = |device: Device| {
            let place = (Processor::rank(taken_for(&device.target.processor)), device.database_id());
            devices.entry((place, device.compute_units)).or_insert(device);
        };
        named.filter_map(|database| database.name.device()).for_each(&mut add);
        for target in &self.targets {
            for &compute_units in &self.compute_units {
                add(Device { target: target.clone(), compute_units });
            }
        }
        for target in &self.targets {
            let device = Device { target: target.clone(), compute_units: 0 };
            if !devices.keys().any(|((_, id), _)| *id == device.database_id()) {
                let place = (Processor::rank(taken_for(&target.processor)), device.database_id());
                devices.insert((place, 0), device);
            }
        }
        devices.into_values().collect()
    }
}

/// Number of kernels in a kernel database, or the finding where it lacks columns.
#[cfg(feature = "sqlite")]
fn kernels(name: &str, file: &SourceFile) -> Result<Result<u64, Box<Finding>>, Unread> {
    use super::kernel_db::COLUMNS;
    use rocm_audit_files::input::sqlite;
    let database = sqlite::open(file, &["kern_db"])?;
    match sqlite::missing_columns(&database, name, COLUMNS) {
        Some(missing) => Ok(Err(Box::new(missing))),
        None => sqlite::count(&database, "SELECT COUNT(*) FROM kern_db").map(Ok),
    }
}

#[cfg(not(feature = "sqlite"))]
fn kernels(_: &str, _: &SourceFile) -> Result<Result<u64, Box<Finding>>, Unread> {
    Err("a database in SQLite is not read: built without the feature `sqlite`".into())
}
