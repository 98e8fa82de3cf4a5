//! Checks the readers of MIOpen's databases on the real ones: counts, defects, speed.
//!
//! An independent reader in another language made the expected numbers from MIOpen's databases as of its
//! commit 2d1fd997a6fc (October 2024, version 3.3.0).

mod expected;

use anyhow::{Context, Result, bail};
use expected::{DEFECTS, FIND_DBS, LINES, SUMS};
use rocm_audit::engines::miopen::census::Census;
use rocm_audit::engines::miopen::defects;
use rocm_audit::engines::miopen::defects::Measurements;
use rocm_audit::engines::miopen::find_db;
use rocm_audit::engines::miopen::find_db::ItemForm;
use rocm_audit::engines::miopen::folder::{DatabaseFolder, DatabaseKind};
use rocm_audit::engines::miopen::perf_db::SqlitePerfDb;
use rocm_audit::engines::miopen::text;
use rocm_audit::finding::Finding;
use rocm_audit::finding::confidence::Confidence;
use rocm_audit::source::{Access, SourceFile};
use rocm_audit::target::Processor;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Records to look up in each file.
const LOOKED_UP: usize = 50;

/// A mapped find-db.
struct FindDb {
    name: String,
    file: SourceFile,
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [data] = arguments else { bail!("miopen-databases DATA_FOLDER") };
    let unpacked = tempfile::Builder::new().prefix("miopen-databases-").tempdir_in("/var/tmp")?;
    unpack(Path::new(data), unpacked.path())?;
    let folder = DatabaseFolder::open(unpacked.path())?;
    let mut wrong = Vec::new();
    let mut lines = BTreeMap::new();
    let mut found = defects::of_folder(&folder);

    let mut find_dbs = Vec::new();
    for database in folder.databases.iter().filter(|d| d.kind.is_find_db() && !d.pointer) {
        let file = folder.place.open(&database.file)?;
        file.expect(Access::Content);
        find_dbs.push(FindDb { name: database.file.clone(), file });
    }
    statistics(&find_dbs, &mut lines, &mut wrong);
    speed(&find_dbs);
    for db in &find_dbs {
        let (defects, orientation) = defects::of_find_db(&db.name, db.file.bytes());
        found.extend(defects);
        println!(
            "{:<28} witnesses of height before width {:>5}, of the opposite {:>5}; not square {:>6}",
            db.name, orientation.only_as_is, orientation.only_swapped, orientation.not_square
        );
    }
    found.extend(copies(&find_dbs));
    for database in folder.of_kind(DatabaseKind::PerfDbSqlite) {
        let file = folder.place.open(&database.file)?;
        let begun = Instant::now();
        let perf = SqlitePerfDb::open(&file).map_err(anyhow::Error::msg)?;
        lines.insert(database.file.clone(), perf.lines().map_err(anyhow::Error::msg)?);
        let records = perf.records().map_err(anyhow::Error::msg)?;
        let rows: usize = records.values().map(Vec::len).sum();
        println!(
            "{:<28} {} configurations, {rows} rows in {:.0?}",
            database.file,
            records.len(),
            begun.elapsed()
        );
        if records.len() as u64 != lines[&database.file] {
            wrong.push(format!("{}: {} records, not its lines", database.file, records.len()));
        }
        found.extend(defects::of_sqlite(&database.file, &perf).map_err(anyhow::Error::msg)?);
    }
    sums(&lines, &mut wrong);
    tell_defects(&found, &mut wrong);
    for what in &wrong {
        println!("DIFFERS: {what}");
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{} numbers differ", wrong.len()) }
}

/// Unpacks files that end in `.bz2`, and copies nothing else.
fn unpack(from: &Path, to: &Path) -> Result<()> {
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix(".bz2") {
            let mut packed = bzip2::read::BzDecoder::new(std::fs::File::open(&path)?);
            std::io::copy(&mut packed, &mut std::fs::File::create(to.join(name))?)
                .with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn statistics(find_dbs: &[FindDb], lines: &mut BTreeMap<String, u64>, wrong: &mut Vec<String>) {
    println!(
        "{:<28} {:>7} {:>8} {:>4}  {:<27} {:<18} {:>3} {:>5} {:>7} {:>7} {:>10}",
        "file",
        "records",
        "entries",
        "form",
        "FP32/FP16/BF16/INT8",
        "F/B/W",
        "3D",
        "NHWC",
        "grouped",
        "dilated",
        "unparsable"
    );
    let mut total = (0, 0);
    for db in find_dbs {
        let census = Census::count(db.file.bytes());
        let form = match census.forms.keys().copied().collect::<Vec<_>>()[..] {
            [form] => form.name(),
            _ => "both",
        };
        let types = ["FP32", "FP16", "BF16", "INT8"].map(|t| census.data_types.get(t).copied().unwrap_or(0));
        let row = (
            db.name.as_str(),
            census.records,
            // The independent reader left out items whose keys it could not read.
            census.entries - census.entries_of_unparsable_keys,
            form,
            types,
            census.directions,
            [
                census.three_dimensional,
                census.channels_last,
                census.grouped,
                census.dilated,
                census.unparsable_keys,
            ],
        );
        println!(
            "{:<28} {:>7} {:>8} {:>4}  {:<27} {:<18} {:>3} {:>5} {:>7} {:>7} {:>10}",
            row.0,
            row.1,
            row.2,
            row.3,
            types.map(|t| t.to_string()).join("/"),
            census.directions.map(|d| d.to_string()).join("/"),
            row.6[0],
            row.6[1],
            row.6[2],
            row.6[3],
            row.6[4]
        );
        match FIND_DBS.iter().find(|expected| expected.0 == row.0) {
            Some(expected) if *expected == row => {}
            expected => wrong.push(format!("{row:?}, expected {expected:?}")),
        }
        let odd = census.ill_formed_lines + census.malformed_items + census.duplicate_keys;
        if odd > 0 {
            wrong.push(format!(
                "{}: {odd} ill-formed or duplicate, first {:?}",
                db.name,
                census.malformed.first()
            ));
        }
        total = (total.0 + census.records, total.1 + census.entries);
        lines.insert(db.name.clone(), census.records);
    }
    println!("{:<28} {:>7} {:>8}", "TOTAL", total.0, total.1);
}

/// CPU time of this thread, or elapsed time if the system does not measure it.
fn on_core(begun: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

/// Time of the fastest of three runs, without time in which other threads used the core.
fn fastest<T>(mut run: impl FnMut() -> T) -> Duration {
    let epoch = Instant::now();
    let once = |run: &mut dyn FnMut() -> T| {
        let begun = on_core(epoch);
        std::hint::black_box(run());
        on_core(epoch) - begun
    };
    (0..3).map(|_| once(&mut run)).min().unwrap_or_default()
}

fn speed(find_dbs: &[FindDb]) {
    let bytes: usize = find_dbs.iter().map(|db| db.file.bytes().len()).sum();
    let report = |what: &str, time: Duration| {
        println!("{what:<36} {:>8.0} MB/s on one core", bytes as f64 / 1e6 / time.as_secs_f64());
    };
    let each = |of: &dyn Fn(&text::Record<'_>) -> usize| {
        fastest(|| -> usize {
            find_dbs.iter().flat_map(|db| text::records(db.file.bytes())).flatten().map(|r| of(&r)).sum()
        })
    };
    let items = |r: &text::Record<'_>| find_db::items(r).flatten().filter(|i| i.form == ItemForm::V1).count();
    report("lines", each(&|r| r.key.len()));
    report("lines and items", each(&items));
    report("lines, items and keys", each(&|r| items(r) + usize::from(r.problem().is_ok())));
    report(
        "defects",
        fastest(|| {
            find_dbs.iter().map(|db| defects::of_find_db(&db.name, db.file.bytes()).0.len()).sum::<usize>()
        }),
    );
    let mut slowest = (Duration::ZERO, "");
    for db in find_dbs {
        let all: Vec<_> = text::records(db.file.bytes()).flatten().collect();
        for record in all.iter().step_by((all.len() / LOOKED_UP).max(1)).chain(all.last()) {
            let key = record.key_text().unwrap_or_default();
            // Includes opening, as for an answer to a single request.
            let begun = Instant::now();
            let file = SourceFile::open(db.file.path());
            let found = file.as_ref().ok().and_then(|file| {
                file.expect(Access::Content);
                text::find(file.bytes(), key)
            });
            let time = begun.elapsed();
            assert_eq!(found.map(|f| (f.line, f.content)), Some((record.line, record.content)));
            slowest = slowest.max((time, db.name.as_str()));
        }
    }
    println!("slowest look-up: {:.1?} in {}", slowest.0, slowest.1);
}

/// Finds files of a processor that hold the measurements of a later one.
fn copies(find_dbs: &[FindDb]) -> Vec<Finding> {
    let all: Vec<_> = find_dbs
        .iter()
        .map(|db| {
            let (_, base) = DatabaseKind::of_name(&db.name).unwrap_or((DatabaseKind::FindDbHip, ""));
            let rank = Processor::longest_prefix(base).map_or(0, |(p, _)| Processor::rank(p.name()));
            (rank, db.name.contains(".HIP."), Measurements::read(&db.name, db.file.bytes()))
        })
        .collect();
    let mut found = Vec::new();
    for (rank, hip, own) in &all {
        for (_, _, other) in all.iter().filter(|(of, backend, _)| of > rank && backend == hip) {
            found.extend(own.copied_from(other));
        }
    }
    found
}

fn sums(lines: &BTreeMap<String, u64>, wrong: &mut Vec<String>) {
    for (file, expected) in LINES {
        if lines.get(*file) != Some(expected) {
            wrong.push(format!("{file}: {:?} lines, expected {expected}", lines.get(*file)));
        }
    }
    println!("lines of all find-dbs and perf-dbs, a database in SQLite counted as its text form:");
    for (what, bases, expected) in SUMS {
        let of: Vec<u64> = lines
            .iter()
            .filter(|(file, _)| bases.iter().any(|base| file.starts_with(base)))
            .map(|(_, lines)| *lines)
            .collect();
        let sum: u64 = of.iter().sum();
        println!("{what:<12} {} = {sum}", of.iter().map(u64::to_string).collect::<Vec<_>>().join(" + "));
        if sum != *expected {
            wrong.push(format!("{what}: {sum}, expected {expected}"));
        }
    }
}

fn tell_defects(found: &[Finding], wrong: &mut Vec<String>) {
    let mut left: Vec<_> = DEFECTS.to_vec();
    for defect in found {
        let likely = defect.confidence == Confidence::Likely;
        let file = defect.locations.first().map_or("", |at| at.path.as_str());
        println!(
            "{} {}{} {}: {}",
            defect.rule.id,
            file,
            if likely { " (likely)" } else { "" },
            defect.count,
            defect.detail
        );
        for place in &defect.locations {
            println!("    {place}");
        }
        let row = (defect.rule.id, file, defect.count, likely);
        match left.iter().position(|expected| *expected == row) {
            Some(at) => drop(left.swap_remove(at)),
            None => wrong.push(format!("not expected: {row:?}")),
        }
    }
    wrong.extend(left.iter().map(|expected| format!("not found: {expected:?}")));
}
