//! Rules on MIOpen's databases.

use super::Row;
use crate::common::fixture;
use crate::common::seen::{Seen, folder, in_files, in_tree};
use crate::common::shared;
use rocm_audit::engines::miopen::check;
use rocm_audit::scan::run::Options;
use std::fs;

pub(super) const ROWS: &[Row] = &[
    ("miopen-swapped-height-width", || vega64("gfx900_64"), || vega64("gfx803_36")),
    ("miopen-copied-measurements", || polaris_beside("gfx900_64"), || polaris_beside("gfx900_56")),
    (
        "miopen-zero-time",
        || find_db(&[&line(1, "GemmFwd1x1_0_1:0")]),
        || find_db(&[&line(1, "GemmFwd1x1_0_1:0.01")]),
    ),
    ("miopen-malformed-key", || three_dimensional("0x0", "NCDHW"), || three_dimensional("0x0x0", "NCDHW")),
    ("miopen-3d-layout", || three_dimensional("0x0x0", "NCHW"), || three_dimensional("0x0x0", "NCDHW")),
    (
        "miopen-ill-formed-record",
        || find_db(&[&line(1, FAST).replace('=', " ")]),
        || find_db(&[&line(1, FAST), "", ""]),
    ),
    (
        "miopen-duplicate-key",
        || find_db(&[&line(1, FAST), &line(1, FAST)]),
        || find_db(&[&line(1, FAST), &line(2, FAST)]),
    ),
    (
        "miopen-retired-solver",
        || find_db(&[&line(1, "ConvOclDirectFwd3x3:1")]),
        || find_db(&[&line(1, "ConvOclDirectFwd:1")]),
    ),
    ("miopen-dead-perf-row", || perf_db("1"), || perf_db("4")),
    ("miopen-impossible-name", || find_db_named("gfx110136"), || find_db_named("gfx1101_54")),
    ("miopen-no-perf-db", || vega64_with("gfx900_56.db.txt"), || vega64_with("gfx900_64.db.txt")),
    (
        "miopen-lfs-pointer",
        || kernel_db("miopen/gfx900.kdb"),
        || kernel_db("rocm/share/miopen/db/gfx900.kdb"),
    ),
    ("miopen-model-unusable", || model(|layers, _| layers.truncate(layers.len() / 2)), || model(|_, _| {})),
    (
        "miopen-model-unfit",
        || model(|layers, _| *layers = of_model("ConvAsm1x1U_decoder.ktn")),
        || model(|_, _| {}),
    ),
    ("miopen-columns-missing", || columns("fil_h"), || columns("")),
    (
        "miopen-user-database-of-another-release",
        || user_database(b"MIOpen version 3.5.1.\0"),
        || user_database(b"MIOpen version 3.4.0.\0"),
    ),
];

/// A valid item of a record.
const FAST: &str = "GemmFwd1x1_0_1:0.5";

pub(super) const DEVICE: &str = "gfx900_56.HIP.fdb.txt";

pub(super) fn key(ty: &str) -> String {
    format!("64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-{ty}-F")
}

/// A record for a problem with `n` images: a solver and its time, as in `ConvAsm1x1U:0.5`.
fn line(n: u32, item: &str) -> String {
    format!("16-7-7-1x1-16-7-7-{n}-0x0-1x1-1x1-0-NCHW-FP32-F={item},0,miopenConvolutionFwdAlgoGEMM")
}

fn databases(files: &[(&str, &[u8])]) -> Vec<Seen> {
    check::check(folder(files).path()).unwrap().findings.iter().map(Seen::from).collect()
}

fn find_db(lines: &[&str]) -> Vec<Seen> {
    databases(&[(DEVICE, lines.join("\n").as_bytes())])
}

fn find_db_named(base: &str) -> Vec<Seen> {
    databases(&[(&format!("{base}.HIP.fdb.txt"), line(1, FAST).as_bytes())])
}

/// The measurements of a fixture.
pub(super) fn measured(base: &str) -> Vec<u8> {
    fs::read(fixture(&format!("miopen/{base}.HIP.fdb.txt"))).unwrap()
}

/// A Vega 64 with the measurements of a fixture; those of gfx803_36 are its own in the correct orientation.
fn vega64(of: &str) -> Vec<Seen> {
    databases(&[("gfx900_64.HIP.fdb.txt", &measured(of))])
}

/// Polaris with the Vega 64's measurements, next to a Vega with those of a fixture.
fn polaris_beside(of: &str) -> Vec<Seen> {
    databases(&[("gfx803_36.HIP.fdb.txt", &measured("gfx803_36")), ("gfx900_64.HIP.fdb.txt", &measured(of))])
}

fn vega64_with(perf_db: &str) -> Vec<Seen> {
    let tuned = fs::read(fixture("miopen/gfx900_56.db.txt")).unwrap();
    databases(&[("gfx900_64.HIP.fdb.txt", &measured("gfx803_36")), (perf_db, &tuned)])
}

fn three_dimensional(pad: &str, layout: &str) -> Vec<Seen> {
    find_db(&[&format!(
        "16-4-7-7-1x1x1-16-4-7-7-1-{pad}-1x1x1-1x1x1-0-{layout}-FP32-F={FAST},0,miopenConvolutionFwdAlgoGEMM"
    )])
}

/// Tuned parameters for a problem with this many groups.
fn perf_db(groups: &str) -> Vec<Seen> {
    let config = format!("2x16x7x7x1x1x1x1x16x1x0x0x0x1x1x0x1x1x0x0x{groups}xNCHWxFP32xF");
    databases(&[("gfx900_56.db.txt", format!("{config}=ConvBinWinogradRxSf2x3:8\n").as_bytes())])
}

fn kernel_db(of: &str) -> Vec<Seen> {
    databases(&[("gfx900.kdb", &fs::read(fixture(of)).unwrap())])
}

/// A file of a model among the fixtures, by what stands between processor and `.model`.
fn of_model(part: &str) -> Vec<u8> {
    let (processor, dot) = if part.starts_with("Conv") { ("gfx908", "_") } else { ("gfx942", "") };
    fs::read(fixture(&format!("rocm/share/miopen/db/{processor}{dot}{part}.model"))).unwrap()
}

/// The audit of a folder with the layers and the metadata of a model, after this change.
fn model(change: fn(&mut Vec<u8>, &mut Vec<u8>)) -> Vec<Seen> {
    let (mut layers, mut metadata) = (of_model(".tn"), of_model("_metadata.tn"));
    change(&mut layers, &mut metadata);
    in_files(&[("gfx942.tn.model", &layers), ("gfx942_metadata.tn.model", &metadata)])
}

/// The audit of a user's find-db, named as release 3.4.0 does, beside a library of MIOpen under another name.
fn user_database(constants: &[u8]) -> Vec<Seen> {
    let library = shared::file(&shared::Library {
        soname: "libconvolutions.so",
        needed: &["libamdhip64.so.6"],
        symbols: vec![shared::exported("miopenGetVersion", Some("MIOPEN_HIP_1"))],
        sections: vec![(".rodata", constants.to_vec())],
        ..shared::Library::default()
    });
    let record = line(1, FAST);
    in_files(&[
        ("libconvolutions.so", &library),
        ("gfx906_60.HIP.3_4_0_.ufdb.txt", format!("{record}\n").as_bytes()),
    ])
}

/// A perf-db in SQLite with all columns that MIOpen looks for but this one.
fn columns(without: &str) -> Vec<Seen> {
    let file = fixture("rocm/share/miopen/db/gfx1030_36.db");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gfx1030_36.db");
    fs::copy(file, &path).unwrap();
    if !without.is_empty() {
        let database = rusqlite::Connection::open(&path).unwrap();
        database.execute_batch("DROP INDEX IF EXISTS idx_config;").unwrap();
        database.execute_batch(&format!("ALTER TABLE config DROP COLUMN {without};")).unwrap();
    }
    in_tree(folder.path(), &Options::default())
}
