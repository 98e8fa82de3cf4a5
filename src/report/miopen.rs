//! Makes the report on a folder with MIOpen's databases.

use super::findings;
use super::v1::{
    self, DatabaseChoice, DatabaseForm, Evidence, MiopenDatabase, MiopenDatabaseKind, MiopenDevice,
    MiopenFolder, MiopenKindSum, MiopenLines, MiopenOpened, MiopenSum, MiopenTarget,
};
use crate::engines::miopen::check::{CheckFilter, CheckedDatabases, Contents, DatabaseStorage};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::{Choice, DatabaseFolder, DatabaseKind};
use crate::finding::Finding;
use crate::finding::rules::answer::NO_DATABASE;
use crate::target::Processor;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::Path;

/// Kinds of databases that a device looks up, in the order of the report.
const LOOKED_UP: [DatabaseKind; 7] = [
    DatabaseKind::FindDbHip,
    DatabaseKind::UserFindDb,
    DatabaseKind::PerfDbText,
    DatabaseKind::UserPerfDbText,
    DatabaseKind::PerfDbSqlite,
    DatabaseKind::UserPerfDbSqlite,
    DatabaseKind::KernelDb,
];

/// The contents of one folder, and the files that the asked devices open there.
pub(super) fn folder(checked: &CheckedDatabases, asked: &CheckFilter) -> MiopenFolder {
    let files: Vec<&Contents> =
        checked.files.iter().filter(|file| asked.wants(&file.database.name.target)).collect();
    let path_of = |file: &Contents| checked.folder.place.path_of(&file.database.file);
    let wanted = |found: &&Finding| {
        found.locations.first().is_none_or(|at| files.iter().any(|file| path_of(file) == Path::new(&at.path)))
    };
    let found: Vec<&Finding> = checked.findings.iter().filter(wanted).collect();
    let of_file = |file: &Contents| {
        let path = path_of(file);
        found.iter().filter(|f| f.locations.first().is_some_and(|at| Path::new(&at.path) == path)).count()
            as u64
    };
    let databases = files.iter().map(|file| database(file, of_file(file))).collect();
    let mut found: Vec<Finding> = found.into_iter().cloned().collect();
    if files.is_empty() && !asked.targets.is_empty() {
        let targets: Vec<String> = asked.targets.iter().map(ToString::to_string).collect();
        let folder = checked.folder.place.path().to_string_lossy().into_owned();
        let none = Finding::of_file(&NO_DATABASE, &folder, format!("none is for {}", targets.join(", ")));
        found.push(none);
    }
    let found = findings::rows(&found);
    let text = checked.folder.as_text_build();
    let devices = asked.devices(&checked.folder);
    MiopenFolder {
        path: checked.folder.place.path().to_string_lossy().into_owned(),
        databases,
        targets: targets(&files),
        records: files.iter().filter_map(|file| file.records).sum(),
        entries: files.iter().filter_map(|file| file.entries).sum(),
        bytes: files.iter().map(|file| file.bytes).sum(),
        devices: devices.iter().map(|of| device(of, &checked.folder, &text)).collect(),
        lines: lines(&files),
        counts: v1::SeverityCounts::from_found(&found),
        findings: found,
    }
}

fn database(file: &Contents, findings: u64) -> MiopenDatabase {
    MiopenDatabase {
        file: file.database.file.clone(),
        base: file.database.base.clone(),
        target: file.database.name.target.to_string(),
        compute_units: file.database.name.compute_units,
        kind: kind_of(file.database.kind),
        form: file.form.map(|form| match form {
            DatabaseStorage::Text => DatabaseForm::Text,
            DatabaseStorage::Sqlite => DatabaseForm::Sqlite,
            DatabaseStorage::GitLfsPointer => DatabaseForm::GitLfsPointer,
        }),
        versions: file.versions.iter().map(|version| (*version).to_owned()).collect(),
        bytes: file.bytes,
        lines: file.lines,
        records: file.records,
        entries: file.entries,
        findings,
    }
}

/// The sums for each target, sorted by target.
fn targets(files: &[&Contents]) -> Vec<MiopenTarget> {
    let mut order: KeyMap<(usize, String), Vec<&Contents>> = KeyMap::new();
    for file in files {
        let target = &file.database.name.target;
        let place = (Processor::rank(target.processor.as_str()), target.to_string());
        order.entry(place).or_default().push(file);
    }
    order.into_iter().map(|((_, target), files)| of_target(target, &files)).collect()
}

fn of_target(target: String, files: &[&Contents]) -> MiopenTarget {
    let units: BTreeSet<u32> = files.iter().filter_map(|file| file.database.name.compute_units).collect();
    let mut kinds: Vec<MiopenKindSum> = Vec::new();
    for file in files {
        let kind = kind_of(file.database.kind);
        if !kinds.iter().any(|sum| sum.kind == kind) {
            let same = files.iter().filter(|other| other.database.kind == file.database.kind);
            kinds.push(MiopenKindSum { kind, sum: sum_of(same) });
        }
    }
    MiopenTarget { target, compute_units: units.into_iter().collect(), sum: sum_of(files.iter()), kinds }
}

fn sum_of<'a>(files: impl Iterator<Item = &'a &'a Contents>) -> MiopenSum {
    files.fold(MiopenSum::default(), |sum, file| MiopenSum {
        files: sum.files + 1,
        unread: sum.unread + u64::from(file.form.is_none()),
        records: sum.records + file.records.unwrap_or(0),
        entries: sum.entries + file.entries.unwrap_or(0),
        bytes: sum.bytes + file.bytes,
    })
}

fn kind_of(kind: DatabaseKind) -> MiopenDatabaseKind {
    kind
}

fn device(device: &Device, folder: &DatabaseFolder, text: &DatabaseFolder) -> MiopenDevice {
    let counted = device.compute_units > 0;
    let looked_up = LOOKED_UP.iter().map(|kind| {
        let folder = if *kind == DatabaseKind::PerfDbText { text } else { folder };
        (*kind, folder.choose(device, *kind))
    });
    MiopenDevice {
        base: if counted { device.base_name() } else { device.database_id() },
        target: device.target.to_string(),
        compute_units: counted.then_some(device.compute_units),
        opened: looked_up.map(|(kind, choice)| opened(kind, choice, device, folder)).collect(),
    }
}

fn opened(kind: DatabaseKind, choice: Choice<'_>, device: &Device, folder: &DatabaseFolder) -> MiopenOpened {
    let state = match choice {
        Choice::Exact(_) => DatabaseChoice::Exact,
        Choice::Nearest(_) => DatabaseChoice::Nearest,
        Choice::OfProcessor(_) => DatabaseChoice::Processor,
        Choice::Unreachable(_) => DatabaseChoice::Unreachable,
        Choice::Pointer(_) => DatabaseChoice::Pointer,
        Choice::Nothing => DatabaseChoice::None,
    };
    let found = choice.file();
    let asked = format!("{}{}", device.base_name(), kind.ending());
    let made_from = found
        .filter(|found| !folder.databases.iter().any(|other| other.file == found.file))
        .map(|found| format!("{}{}", found.base, DatabaseKind::PerfDbSqlite.ending()));
    let why = match choice {
        Choice::Exact(_) => "it has the device's own name".to_owned(),
        Choice::Nearest(_) => {
            format!("{asked} is not there, and this has the nearest number of compute units")
        }
        Choice::OfProcessor(_) => {
            format!("{asked} is not there, and this is for all devices of the processor")
        }
        Choice::Unreachable(found) => format!(
            "{asked} is not there, and MIOpen compares the whole ending with path::extension(), which of {} is only .txt",
            found.file
        ),
        Choice::Pointer(_) => "it is a Git LFS pointer: it is opened, and nothing is in it".to_owned(),
        Choice::Nothing => "the folder has none that its name allows".to_owned(),
    };
    MiopenOpened {
        kind: kind_of(kind),
        state,
        file: found.map(|found| found.file.clone()),
        base: found.map(|found| found.base.clone()),
        made_from,
        why,
        known: Evidence::Code,
    }
}

/// For each processor its rows, plus their sum if there are several; the total comes last.
fn lines(files: &[&Contents]) -> Vec<MiopenLines> {
    let mut processors: KeyMap<(usize, &str), KeyMap<&str, MiopenLines>> = KeyMap::new();
    let has_text = |base: &str| {
        files.iter().any(|file| file.database.kind == DatabaseKind::PerfDbText && file.database.base == base)
    };
    for file in files {
        let processor = file.database.name.target.processor.as_str();
        let base = file.database.base.as_str();
        let count = file.lines.unwrap_or(0);
        let bases = processors.entry((Processor::rank(processor), processor)).or_default();
        let row = || MiopenLines { base: Some(base.to_owned()), ..empty(Some(processor)) };
        let add = match file.database.kind {
            DatabaseKind::FindDbHip => MiopenLines { find_db_hip: count, ..row() },
            DatabaseKind::FindDbOpenCl => MiopenLines { find_db_opencl: count, ..row() },
            DatabaseKind::PerfDbText => MiopenLines { perf_db: count, ..row() },
            DatabaseKind::PerfDbSqlite if !has_text(base) => MiopenLines { perf_db: count, ..row() },
            _ => continue,
        };
        sum(bases.entry(base).or_insert_with(row), &add);
    }
    let mut rows = Vec::new();
    let mut all = empty(None);
    for ((_, processor), bases) in processors {
        let mut total = empty(Some(processor));
        bases.values().for_each(|row| sum(&mut total, row));
        sum(&mut all, &total);
        let several = bases.len() > 1;
        rows.extend(bases.into_values());
        rows.extend(several.then_some(total));
    }
    let several = rows.len() > 1;
    rows.extend(several.then_some(all));
    rows
}

fn empty(processor: Option<&str>) -> MiopenLines {
    let processor = processor.map(str::to_owned);
    MiopenLines { processor, base: None, find_db_hip: 0, find_db_opencl: 0, perf_db: 0, lines: 0 }
}

fn sum(row: &mut MiopenLines, add: &MiopenLines) {
    row.find_db_hip += add.find_db_hip;
    row.find_db_opencl += add.find_db_opencl;
    row.perf_db += add.perf_db;
    row.lines = row.find_db_hip + row.find_db_opencl + row.perf_db;
}
