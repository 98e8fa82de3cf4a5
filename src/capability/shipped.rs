//! Files beside code: Tensile library folders, MIOpen databases, firmware.

use crate::inventory::{Artifact, ArtifactKind, DatabaseFacts, Inventory};
use crate::locator::Locator;
use crate::locator::file_name;
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Says whether the rows of a processor were asked for, or, of none, all rows.
pub(super) type Wanted<'w> = dyn Fn(Option<&str>) -> bool + 'w;

/// What is shipped besides code, counted kind by kind.
#[derive(Debug)]
pub struct Shipped<'a> {
    /// Tensile library folders: library × processor.
    pub tensile: Vec<TensileRow<'a>>,
    /// MIOpen databases.
    pub miopen: MiopenDatabases<'a>,
    /// Firmware by codename.
    pub firmware: Firmware<'a>,
}

impl<'a> Shipped<'a> {
    /// Counts what the files say, for the processors that are `wanted`.
    pub(super) fn in_inventory(inventory: &'a Inventory, wanted: &Wanted<'_>) -> Self {
        Shipped {
            tensile: tensile(inventory, wanted),
            miopen: MiopenDatabases::in_inventory(inventory, wanted),
            firmware: Firmware::in_inventory(inventory, wanted),
        }
    }
}

/// Files of one processor in a Tensile library folder. A file counts for the processor in its name.
#[derive(Debug)]
pub struct TensileRow<'a> {
    /// rocBLAS or hipBLASLt.
    pub library: &'a str,
    /// The processor; nothing for files that name none.
    pub processor: Option<&'a str>,
    /// Number of files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Code files among them, fallback ones included.
    pub code_files: u64,
    /// Catalogs among them, the lazy one included.
    pub catalogs: u64,
    /// Fallback files among them.
    pub fallback_files: u64,
    /// Solutions that its catalogs list.
    pub solutions: u64,
    /// Number of files by type code.
    pub types: KeyMap<&'a str, u64>,
    /// One of the files.
    pub first: &'a Locator,
}

/// Library, and the processor with its place in the table.
type TensileKey<'a> = (&'a str, Option<(usize, &'a str)>);

fn tensile<'a>(inventory: &'a Inventory, wanted: &Wanted<'_>) -> Vec<TensileRow<'a>> {
    let mut rows: KeyMap<TensileKey<'_>, TensileRow<'a>> = KeyMap::new();
    for artifact in &inventory.artifacts {
        let ArtifactKind::Tensile(role, facts) = &artifact.kind else { continue };
        let processor = artifact.named_target.as_ref().map(|t| t.processor.as_str());
        if !wanted(processor) {
            continue;
        }
        let library = artifact.library.as_str();
        let key = (library, processor.map(|p| (Processor::rank(p), p)));
        let row = rows.entry(key).or_insert_with(|| TensileRow {
            library,
            processor,
            files: 0,
            bytes: 0,
            code_files: 0,
            catalogs: 0,
            fallback_files: 0,
            solutions: 0,
            types: KeyMap::new(),
            first: &artifact.locator,
        });
        row.files += 1;
        row.bytes += artifact.bytes;
        let code = artifact.device.is_some() || role.is_code();
        row.code_files += u64::from(code);
        row.catalogs += u64::from(!code);
        row.fallback_files += u64::from(role.is_fallback());
        row.solutions += facts.solutions.unwrap_or(0);
        if let Some(code) = &facts.type_code {
            *row.types.entry(code.as_str()).or_default() += 1;
        }
    }
    // Files that name no target come last.
    let (none, some): (Vec<_>, Vec<_>) = rows.into_values().partition(|row| row.processor.is_none());
    some.into_iter().chain(none).collect()
}

/// What a database of MIOpen is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseKind {
    /// Measured solvers.
    FindDb,
    /// Compiled kernels.
    KernelDb,
    /// Predictions of solvers or their parameters.
    Model,
    /// Tuned parameters.
    PerfDb,
}

impl DatabaseKind {
    /// Whether its records are lines that are summed.
    fn has_lines(self) -> bool {
        matches!(self, DatabaseKind::FindDb | DatabaseKind::PerfDb)
    }
}

/// One database.
#[derive(Debug)]
pub struct Database<'a> {
    /// The processor in its name.
    pub processor: &'a str,
    /// What it is for.
    pub kind: DatabaseKind,
    /// What is counted of it.
    pub facts: &'a DatabaseFacts,
    /// Its path as reports show it.
    pub path: &'a str,
}

/// The find-dbs and perf-dbs of one processor.
#[derive(Debug)]
pub struct DatabaseLines<'a> {
    /// The processor.
    pub processor: &'a str,
    /// How many they are.
    pub databases: u64,
    /// Their lines.
    pub lines: u64,
}

/// MIOpen's databases.
#[derive(Debug, Default)]
pub struct MiopenDatabases<'a> {
    /// One by one, by processor and compute units.
    pub rows: Vec<Database<'a>>,
    /// Sums by processor.
    pub by_processor: Vec<DatabaseLines<'a>>,
    /// Lines of all find-dbs and perf-dbs.
    pub lines: u64,
}

impl<'a> MiopenDatabases<'a> {
    pub(super) fn in_inventory(inventory: &'a Inventory, wanted: &Wanted<'_>) -> Self {
        let row = |artifact: &'a Artifact| {
            let (kind, facts) = match &artifact.kind {
                ArtifactKind::FindDb(facts) => (DatabaseKind::FindDb, facts),
                ArtifactKind::PerfDb(facts) => (DatabaseKind::PerfDb, facts),
                ArtifactKind::KernelDb(facts) => (DatabaseKind::KernelDb, facts),
                ArtifactKind::Model(facts) => (DatabaseKind::Model, facts),
                _ => return None,
            };
            let processor = artifact.named_target.as_ref().map_or("", |t| t.processor.as_str());
            Some(Database { processor, kind, facts, path: &artifact.shown })
        };
        let all = inventory.artifacts.iter().filter_map(row);
        let mut rows: Vec<Database<'a>> = all.filter(|row| wanted(Some(row.processor))).collect();
        rows.sort_rows_by_key(|row| {
            (Processor::rank(row.processor), row.processor, row.facts.compute_units, row.kind, row.path)
        });
        let mut sums: Vec<DatabaseLines<'a>> = Vec::new();
        for rows in rows.chunk_by(|a, b| a.processor == b.processor) {
            let Some(first) = rows.first() else { continue };
            let counted = || rows.iter().filter(|row| row.kind.has_lines());
            sums.push(DatabaseLines {
                processor: first.processor,
                databases: counted().count() as u64,
                lines: counted().filter_map(|row| row.facts.records).sum(),
            });
        }
        let lines = sums.iter().map(|sum| sum.lines).sum();
        MiopenDatabases { rows, by_processor: sums, lines }
    }
}

/// A number of firmware files.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirmwareCount {
    /// Files.
    pub files: u64,
    /// Links to such files.
    pub links: u64,
    /// Bytes of both.
    pub bytes: u64,
}

impl FirmwareCount {
    fn merge(&mut self, other: FirmwareCount) {
        self.files += other.files;
        self.links += other.links;
        self.bytes += other.bytes;
    }
}

/// Firmware of one codename.
#[derive(Debug)]
pub struct FirmwareRow<'a> {
    /// `vega10`.
    pub codename: &'a str,
    /// The processor, where the name leads to one.
    pub processor: Option<&'a str>,
    /// How much it is.
    pub count: FirmwareCount,
    /// Files for the micro engine scheduler (MES) with their release.
    pub mes: Vec<(&'a str, u32)>,
    /// One of the files.
    pub first: &'a Locator,
}

/// Firmware.
#[derive(Debug, Default)]
pub struct Firmware<'a> {
    /// By codename.
    pub rows: Vec<FirmwareRow<'a>>,
    /// All of it.
    pub total: FirmwareCount,
    /// What names no processor.
    pub of_no_processor: FirmwareCount,
}

impl<'a> Firmware<'a> {
    pub(super) fn in_inventory(inventory: &'a Inventory, wanted: &Wanted<'_>) -> Self {
        let mut rows: KeyMap<(usize, &str), FirmwareRow<'a>> = KeyMap::new();
        for artifact in &inventory.artifacts {
            let ArtifactKind::Firmware { codename, alias, mes_release } = &artifact.kind else { continue };
            let processor = artifact.named_target.as_ref().map(|t: &TargetId| t.processor.as_str());
            let rank = processor.map_or(usize::MAX, Processor::rank);
            let row = rows.entry((rank, codename)).or_insert_with(|| FirmwareRow {
                codename,
                processor,
                count: FirmwareCount::default(),
                mes: Vec::new(),
                first: &artifact.locator,
            });
            let name = file_name(&artifact.relative);
            row.mes.extend(mes_release.map(|release| (name, release)));
            row.count.merge(FirmwareCount {
                files: u64::from(!alias),
                links: u64::from(*alias),
                bytes: artifact.bytes,
            });
        }
        let mut firmware = Firmware::default();
        for row in rows.into_values().filter(|row| wanted(row.processor)) {
            firmware.total.merge(row.count);
            if row.processor.is_none() {
                firmware.of_no_processor.merge(row.count);
            }
            firmware.rows.push(row);
        }
        firmware
    }
}
