//! Arbitrary bytes as MIOpen's text databases: find-db and perf-db, their keys, items and defects. Keys and
//! file names are written back unchanged; counts of different readers agree.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::miopen::census::Census;
use rocm_audit::engines::miopen::defects::{self, Measurements};
use rocm_audit::engines::miopen::device::{BaseName, Device};
use rocm_audit::engines::miopen::folder::Database;
use rocm_audit::engines::miopen::perf_db::Config;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::{find_db, notation, perf_db, text};

fn key(key: &str) {
    if let Ok(config) = Config::parse(key) {
        let written = config.to_string();
        assert_eq!(Config::parse(&written).as_ref(), Ok(&config));
    }
    if let Ok(problem) = ConvolutionProblem::parse(key) {
        let config = Config::from_problem(&problem);
        let written = config.to_string();
        // A perf-db cannot have a layout or type that contains the letter between fields.
        if !key.contains('x') || !problem.data_type.contains('x') && !problem.layouts[0].contains('x') {
            assert_eq!(Config::parse(&written).as_ref(), Ok(&config));
        }
        let _ = (problem.forward(), problem.transposed().forward(), problem.has_layout_of_fewer_dimensions());
    }
    if let Ok(written) = notation::key(key) {
        assert!(ConvolutionProblem::parse(&written).is_ok(), "{key} is {written}");
    }
    if let Some(name) = BaseName::parse(key)
        && let Some(device) = name.device()
    {
        let _ = (device.base_name(), name.never_produced(key));
    }
    if let Some(database) = Database::of_name(key, false) {
        assert!(key.starts_with(&database.base));
    }
}

fn database(bytes: &[u8]) {
    let census = Census::count(bytes);
    let mut records = 0;
    for record in text::records(bytes).flatten() {
        records += 1;
        let items: Vec<_> = find_db::items(&record).collect();
        assert_eq!(find_db::by_time(&record).len(), items.iter().filter(|item| item.is_ok()).count());
        let tuned = perf_db::items(&record).flatten();
        let merged = perf_db::merge(std::iter::empty(), tuned);
        assert!(merged.len() <= record.content.len());
        let at = record.offset as usize;
        assert_eq!(bytes.get(at..at + record.key.len()), Some(record.key));
        if let Ok(problem) = record.problem() {
            let found = text::find(bytes, std::str::from_utf8(record.key).expect("a problem's key is text"));
            assert!(found.is_some_and(|found| found.key == record.key));
            let _ = Config::from_problem(&problem);
        }
        if let Ok(config) = perf_db::config(&record) {
            let _ = perf_db::find(bytes, &config);
        }
    }
    assert_eq!(records, census.records + census.duplicate_keys);
    assert!(records + census.ill_formed_lines <= text::lines(bytes));
    let (findings, _) = defects::of_find_db("gfx900_56.HIP.fdb.txt", bytes);
    let more = defects::of_text("gfx900_56.db.txt", bytes);
    assert!(findings.iter().chain(&more).all(|finding| finding.count > 0));
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind % 4 {
        0 => {
            if let Ok(text) = std::str::from_utf8(rest) {
                text.lines().for_each(key);
            }
        }
        1 => {
            let (one, other) = rest.split_at(rest.len() / 2);
            let (one, other) = (Measurements::read("a", one), Measurements::read("b", other));
            assert!(one.copied_from(&other).is_none_or(|finding| finding.count > 0));
        }
        2 => {
            // If a file name is one that MIOpen writes, it is read as its device.
            let [processor, features, units, more, ..] = rest else { return };
            let all = rocm_audit::target::PROCESSORS;
            let processor = all[usize::from(*processor) % all.len()].name();
            let mut target = rocm_audit::target::TargetId::bare(processor);
            target.xnack = [None, Some(true), Some(false)][usize::from(*features) % 3];
            let device = Device { target, compute_units: u32::from(*units) | u32::from(*more) << 8 };
            if let Some(name) = BaseName::parse(&device.base_name()) {
                let _ = name.device();
            }
        }
        _ => database(rest),
    }
});
