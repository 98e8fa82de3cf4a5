//! MIOpen's databases: finds exactly the defects in `fixtures/miopen`, and no bytes cause a panic.

use proptest::prelude::*;
use rocm_audit::engines::miopen::census::Census;
use rocm_audit::engines::miopen::defects;
use rocm_audit::engines::miopen::defects::Measurements;
use rocm_audit::engines::miopen::device::Device;
use rocm_audit::engines::miopen::find_db;
use rocm_audit::engines::miopen::find_db::{ItemForm, Origin};
use rocm_audit::engines::miopen::folder::{Choice, DatabaseFolder, DatabaseKind};
use rocm_audit::engines::miopen::perf_db;
use rocm_audit::engines::miopen::perf_db::{Config, SqlitePerfDb};
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::text;
use rocm_audit::finding::confidence::Confidence;
use rocm_audit::source::SourceFile;
use rocm_audit::target::TargetId;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/miopen")
}

fn read(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(name)).unwrap()
}

fn sqlite_file() -> SourceFile {
    SourceFile::open(&fixtures().join("gfx1030_36.db")).unwrap()
}

#[test]
fn every_defect_is_found_where_it_is_and_nowhere_else() {
    let folder = DatabaseFolder::open(&fixtures()).unwrap();
    let mut found = defects::of_folder(&folder);
    for database in &folder.databases {
        let bytes = read(&database.file);
        if database.kind.is_find_db() {
            found.extend(defects::of_find_db(&database.file, &bytes).0);
        } else if database.kind == DatabaseKind::PerfDbText {
            found.extend(defects::of_text(&database.file, &bytes));
        }
    }
    let file = sqlite_file();
    let database = SqlitePerfDb::open(&file).unwrap();
    found.extend(defects::of_sqlite("gfx1030_36.db", &database).unwrap());
    let vega = [read("gfx900_56.HIP.fdb.txt"), read("gfx900_64.HIP.fdb.txt")];
    for name in ["gfx803_36.HIP.fdb.txt", "gfx803_64.HIP.fdb.txt", "gfx1030_36.HIP.fdb.txt"] {
        let bytes = read(name);
        let own = Measurements::read(name, &bytes);
        for (other, bytes) in ["gfx900_56.HIP.fdb.txt", "gfx900_64.HIP.fdb.txt"].iter().zip(&vega) {
            found.extend(own.copied_from(&Measurements::read(other, bytes)));
        }
    }
    let mut got: Vec<_> = found
        .iter()
        .map(|d| (d.rule.id, d.locations[0].path.as_str(), d.count, d.confidence == Confidence::Likely))
        .collect();
    got.sort();
    let (odd, mirrored, vega) = ("gfx1030_36.HIP.fdb.txt", "gfx803_64.HIP.fdb.txt", "gfx900_64.HIP.fdb.txt");
    assert_eq!(
        got,
        [
            ("miopen-3d-layout", odd, 1, false),
            ("miopen-3d-layout", "gfx1030_36.db", 1, false),
            ("miopen-3d-layout", "gfx900_56.db.txt", 1, false),
            ("miopen-copied-measurements", "gfx803_36.HIP.fdb.txt", 48, false),
            ("miopen-copied-measurements", mirrored, 48, false),
            ("miopen-dead-perf-row", "gfx1030_36.db", 2, false),
            ("miopen-dead-perf-row", "gfx900_56.db.txt", 2, false),
            ("miopen-duplicate-key", odd, 1, false),
            ("miopen-ill-formed-record", odd, 5, false),
            ("miopen-impossible-name", "gfx110136.HIP.fdb.txt", 1, false),
            ("miopen-lfs-pointer", "gfx900.kdb", 1, false),
            ("miopen-malformed-key", odd, 1, false),
            ("miopen-no-perf-db", "gfx803_36.HIP.fdb.txt", 1, false),
            ("miopen-no-perf-db", mirrored, 1, false),
            ("miopen-no-perf-db", vega, 1, false),
            ("miopen-retired-solver", odd, 2, false),
            ("miopen-swapped-height-width", mirrored, 36, false),
            ("miopen-swapped-height-width", vega, 36, false),
            ("miopen-swapped-height-width", "gfx900_64.OpenCL.fdb.txt", 1, true),
            ("miopen-zero-time", odd, 1, false),
        ]
    );
    let zero = found.iter().find(|d| d.rule.id == "miopen-zero-time").unwrap();
    assert_eq!(zero.locations[0].line, Some(2));
    let copied =
        found.iter().find(|d| d.locations[0].path == "gfx803_36.HIP.fdb.txt" && d.count == 48).unwrap();
    assert!(copied.detail.contains("with height and width exchanged"), "{}", copied.detail);
}

#[test]
fn a_census_counts_every_line_and_names_what_is_malformed() {
    let census = Census::count(&read("gfx1030_36.HIP.fdb.txt"));
    assert_eq!((census.records, census.entries, census.directions), (10, 13, [9, 0, 0]));
    assert_eq!((census.forms[&ItemForm::V1], census.forms[&ItemForm::V2]), (1, 12));
    assert_eq!((census.three_dimensional, census.three_dimensional_nchw, census.channels_last), (2, 1, 1));
    assert_eq!((census.ill_formed_lines, census.malformed_items, census.duplicate_keys), (2, 3, 1));
    assert_eq!(census.unparsable_keys, 1);
    let named: Vec<_> = census.malformed.iter().map(|m| (m.line, m.expected)).collect();
    assert_eq!(
        named,
        [
            (4, "a key and '='"),
            (5, "a key before '='"),
            (6, "a key that no earlier line has"),
            (7, "a solver that the record does not have already"),
            (8, "a time in milliseconds"),
            (8, "a solver and ':'"),
            (11, "pads of as many dimensions as the filter"),
        ]
    );
}

#[test]
fn a_device_gets_its_files_and_the_users_record_first() {
    let folder = DatabaseFolder::open(&fixtures()).unwrap();
    let vega = Device { target: TargetId::bare("gfx900"), compute_units: 64 };
    let Choice::Exact(system) = folder.choose(&vega, DatabaseKind::FindDbHip) else { panic!("no find-db") };
    let Choice::Exact(user) = folder.choose(&vega, DatabaseKind::UserFindDb) else {
        panic!("no user find-db")
    };
    assert!(matches!(folder.choose(&vega, DatabaseKind::PerfDbText), Choice::Unreachable(_)));
    assert!(matches!(folder.choose(&vega, DatabaseKind::KernelDb), Choice::Pointer(_)));
    let (system, user) = (read(&system.file), read(&user.file));
    let asked = "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F";
    let (origin, record) = find_db::find(Some(&user), || text::find(&system, asked), asked).unwrap();
    assert_eq!((origin, find_db::by_time(&record)[0].solver), (Origin::User, "GemmFwdRest"));
    assert_eq!(text::find(&system, asked), None);
    let mirrored = ConvolutionProblem::parse(asked).unwrap().transposed().to_string();
    assert_eq!(text::find(&system, &mirrored).unwrap().line, 1);
}

#[test]
fn both_forms_of_a_perf_db_hold_the_same() {
    let (bytes, file) = (read("gfx900_56.db.txt"), sqlite_file());
    let database = SqlitePerfDb::open(&file).unwrap();
    let records = database.records().unwrap();
    assert_eq!(database.lines().unwrap(), 5);
    assert_eq!(records.len(), 5);
    for record in text::records(&bytes) {
        let record = record.unwrap();
        let config = perf_db::config(&record).unwrap();
        let tuned: Vec<_> = perf_db::items(&record).map(Result::unwrap).collect();
        assert_eq!(records[&config.to_string()], tuned);
        assert_eq!(database.find(&config).unwrap(), tuned);
        assert_eq!(perf_db::find(&bytes, &config), Some(record));
    }
    let problem = ConvolutionProblem::parse("16-7-7-1x1-16-7-7-3-0x0-1x1-1x1-0-NCHW-FP32-F").unwrap();
    assert_eq!(database.find(&Config::from_problem(&problem)).unwrap(), []);
}

/// Reads bytes in every available way.
fn read_all(bytes: &[u8]) {
    Census::count(bytes);
    let (defects, _) = defects::of_find_db("x", bytes);
    assert!(defects.iter().all(|d| d.count > 0 && d.locations.len() <= defects::EXAMPLES));
    defects::of_text("x", bytes);
    Measurements::read("x", bytes).copied_from(&Measurements::read("y", &bytes[..bytes.len() / 2]));
    for record in text::records(bytes).flatten() {
        find_db::by_time(&record);
        perf_db::items(&record).for_each(drop);
        let _ = perf_db::config(&record);
        assert_eq!(bytes[record.offset as usize..].get(..record.key.len()), Some(record.key));
        if let Ok(key) = record.key_text() {
            let first = text::find(bytes, key).unwrap();
            assert!(first.line <= record.line && first.key == record.key);
        }
    }
}

#[test]
fn cut_and_mutated_databases_do_not_panic() {
    let bytes = read("gfx1030_36.HIP.fdb.txt");
    (0..bytes.len()).for_each(|end| read_all(&bytes[..end]));
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] = [b'=', b';', b'\n', 0xff, b','][at % 5];
        read_all(&bytes);
    }
    let perf = read("gfx900_56.db.txt");
    (0..perf.len()).for_each(|end| read_all(&perf[..end]));
}

#[test]
fn broken_sqlite_databases_are_refused_or_read() {
    let bytes = read("gfx1030_36.db");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gfx1030_36.db");
    for at in (0..bytes.len()).step_by(7) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x5a;
        broken.truncate(if at % 2 == 0 { bytes.len() } else { at });
        fs::write(&path, &broken).unwrap();
        if let Ok(database) = SqlitePerfDb::open(&SourceFile::open(&path).unwrap()) {
            let _ = (database.lines(), database.records(), defects::of_sqlite("x", &database));
        }
    }
}

proptest! {
    #[test]
    fn random_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        read_all(&bytes);
    }

    #[test]
    fn random_words_do_not_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP32-F", "=", ";", ":", ",", "\n", "miopenConvolutionFwdAlgoGEMM",
                "GemmFwdRest", "0.5", "1e39", "-1", "18446744073709551616", "x", "2x16x7x7x1x1x1x1x16", "é", "\r",
            ]),
            0..200,
        )
    ) {
        read_all(words.concat().as_bytes());
    }

    #[test]
    fn any_key_is_looked_up(key in ".{0,40}") {
        let bytes = read("gfx900_64.HIP.fdb.txt");
        prop_assert_eq!(text::find(&bytes, &key), None);
    }
}

#[test]
fn files_without_a_record_are_no_copies_of_each_other() {
    let copied = |bytes: &[u8]| {
        Measurements::read("a", bytes)
            .copied_from(&Measurements::read("b", bytes))
            .map(|finding| finding.count)
    };
    assert_eq!(copied(b"no record\n"), None);
    assert_eq!(copied(b"key=value\n"), Some(1));
}
