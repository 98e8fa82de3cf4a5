//! `rocm-audit verify` on `fixtures/miopen`: every kind of defect with its file and line, the files that
//! devices open, misuse.

use crate::common::program::run_at;
use rocm_audit::finding::rule::Rule;
use rocm_audit::finding::rules::RULES;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

const FIXTURES: &str = "fixtures/miopen";

/// Rules on files that the folder does not have; `findings/miopen.rs` makes them.
const ELSEWHERE: [&str; 4] = [
    "miopen-model-unusable",
    "miopen-model-unfit",
    "miopen-columns-missing",
    "miopen-user-database-of-another-release",
];

fn miopen(columns: usize, words: &[&str]) -> Output {
    run_at(columns, &[&["verify", "--fail-on", "never"], words].concat())
}

fn text(words: &[&str]) -> String {
    let output = miopen(100, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&text(&[&["-f", "json"], words].concat())).unwrap()
}

/// The list in a field.
fn list<'a>(value: &'a Value, field: &str) -> &'a Vec<Value> {
    value[field].as_array().unwrap_or_else(|| panic!("{field} of {value}"))
}

fn folder(report: &Value) -> &Value {
    assert_eq!(report["schema"], "rocm-audit/verify");
    let folders = list(report, "databases");
    assert_eq!(folders.len(), 1);
    &folders[0]
}

/// The file of a kind that a device opens, and its state.
fn opened(folder: &Value, base: &str, kind: &str) -> (String, String) {
    let devices = list(folder, "devices");
    let device = devices.iter().find(|d| d["base"] == base).unwrap_or_else(|| panic!("{base}: {devices:?}"));
    let opened = list(device, "opened").iter().find(|o| o["kind"] == kind).unwrap();
    assert!(!opened["why"].as_str().unwrap().is_empty() && opened["known"] == "code");
    let word = |field: &str| opened[field].as_str().unwrap_or_default().to_owned();
    (word("state"), word("file"))
}

/// The rules on databases.
fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|(topic, _)| *topic == "miopen").map(|(_, rule)| *rule)
}

#[test]
fn every_kind_of_defect_is_named_with_file_and_line() {
    let report = json(&[FIXTURES]);
    assert_eq!(report["complete"], true);
    let mut got = Vec::new();
    for finding in list(folder(&report), "findings") {
        let known = if finding["confidence"] == "likely" { "inferred" } else { "observed" };
        assert!(!finding["effect"].as_str().unwrap().is_empty() && finding["known"] == known, "{finding}");
        let at = &finding["locations"][0];
        let place = match &at["row"] {
            Value::Null => at["line"].to_string(),
            row => format!("row {row}"),
        };
        let path = at["path"].as_str().unwrap();
        assert!(path.starts_with(FIXTURES), "{path}");
        got.push(format!(
            "{} {} {} {} {} at {place}",
            finding["severity"].as_str().unwrap(),
            finding["id"].as_str().unwrap(),
            path.rsplit('/').next().unwrap(),
            finding["count"],
            finding["confidence"].as_str().unwrap(),
        ));
    }
    let expected = [
        "error miopen-swapped-height-width gfx803_64.HIP.fdb.txt 36 certain at 1",
        "error miopen-swapped-height-width gfx900_64.HIP.fdb.txt 36 certain at 1",
        "error miopen-swapped-height-width gfx900_64.OpenCL.fdb.txt 1 likely at 1",
        "error miopen-copied-measurements gfx803_36.HIP.fdb.txt 48 certain at null",
        "error miopen-copied-measurements gfx803_64.HIP.fdb.txt 48 certain at null",
        "error miopen-zero-time gfx1030_36.HIP.fdb.txt 1 certain at 2",
        "error miopen-impossible-name gfx110136.HIP.fdb.txt 1 certain at null",
        "error miopen-lfs-pointer gfx900.kdb 1 certain at null",
        "warning miopen-malformed-key gfx1030_36.HIP.fdb.txt 1 certain at 11",
        "warning miopen-3d-layout gfx1030_36.HIP.fdb.txt 1 certain at 10",
        "warning miopen-3d-layout gfx1030_36.db 1 certain at row 5",
        "warning miopen-3d-layout gfx900_56.db.txt 1 certain at 5",
        "warning miopen-ill-formed-record gfx1030_36.HIP.fdb.txt 5 certain at 4",
        "warning miopen-retired-solver gfx1030_36.HIP.fdb.txt 2 certain at 12",
        "warning miopen-no-perf-db gfx803_36.HIP.fdb.txt 1 certain at null",
        "warning miopen-no-perf-db gfx803_64.HIP.fdb.txt 1 certain at null",
        "warning miopen-no-perf-db gfx900_64.HIP.fdb.txt 1 certain at null",
        "note miopen-duplicate-key gfx1030_36.HIP.fdb.txt 1 certain at 6",
        "note miopen-dead-perf-row gfx1030_36.db 2 certain at row 2",
        "note miopen-dead-perf-row gfx900_56.db.txt 2 certain at 1",
    ];
    assert_eq!(got, expected);
    let kinds: BTreeSet<_> = expected.iter().map(|row| row.split(' ').nth(1).unwrap()).collect();
    let here = rules().map(|rule| rule.id).filter(|id| !ELSEWHERE.contains(id));
    assert_eq!(kinds, here.collect());
}

#[test]
fn the_page_on_databases_has_every_kind_of_defect_with_its_severity() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/databases.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `miopen-")).collect();
    assert_eq!(rows.len(), rules().count());
    for rule in rules() {
        let row = format!("| `{}` | {} |", rule.id, rule.severity.name());
        assert!(rows.iter().any(|line| line.starts_with(&row)), "{row}");
    }
}

#[test]
fn a_device_that_no_file_is_named_for_gets_what_miopen_would_find() {
    let report = json(&["--arch", "gfx900", "--cu", "60", FIXTURES]);
    let folder = folder(&report);
    let of = |kind| opened(folder, "gfx900_60", kind);
    let pair = |state: &str, file: &str| (state.to_owned(), file.to_owned());
    assert_eq!(of("find-db-hip"), pair("unreachable", "gfx900_56.HIP.fdb.txt"));
    assert_eq!(of("perf-db-text"), pair("unreachable", "gfx900_56.db.txt"));
    assert_eq!(of("perf-db-sqlite"), pair("none", ""));
    assert_eq!(of("kernel-db"), pair("pointer", "gfx900.kdb"));
    assert_eq!(of("user-find-db"), pair("none", ""));
    let (only, targets): (BTreeSet<_>, BTreeSet<_>) = list(folder, "databases")
        .iter()
        .map(|file| (file["target"].as_str().unwrap(), file["base"].as_str().unwrap()))
        .unzip();
    assert_eq!((only, targets), (["gfx900"].into(), ["gfx900", "gfx900_56", "gfx900_64"].into()));
    let drawn = text(&["--arch", "gfx900", "--cu", "60", FIXTURES]);
    let words: Vec<_> = drawn.split_whitespace().collect();
    assert!(words.join(" ").contains("path::extension(), which of gfx900_56.HIP.fdb.txt is only .txt"));
}

#[test]
fn users_databases_are_opened_beside_the_installed_ones() {
    let report = json(&[FIXTURES]);
    let (state, file) = opened(folder(&report), "gfx900_64", "user-find-db");
    assert_eq!((state.as_str(), file.as_str()), ("exact", "gfx900_64.HIP.3_3_0_1234.ufdb.txt"));
    let (state, file) = opened(folder(&report), "gfx900_64", "find-db-hip");
    assert_eq!((state.as_str(), file.as_str()), ("exact", "gfx900_64.HIP.fdb.txt"));
}

#[test]
fn sqlite_is_what_a_default_build_makes_text_of() {
    let report = json(&["--arch", "gfx1030", FIXTURES]);
    let (state, file) = opened(folder(&report), "gfx1030_36", "perf-db-text");
    assert_eq!((state.as_str(), file.as_str()), ("exact", "gfx1030_36.db.txt"));
    let row = &list(folder(&report), "lines")[0];
    assert_eq!((&row["find_db_hip"], &row["perf_db"], &row["lines"]), (&14.into(), &5.into(), &19.into()));
}

#[test]
fn a_target_without_any_database_is_answered_with_nothing() {
    let report = json(&["--arch", "gfx1100", FIXTURES]);
    let folder = folder(&report);
    assert!(list(folder, "databases").is_empty());
    let ids: Vec<_> = list(folder, "findings").iter().map(|finding| &finding["id"]).collect();
    assert_eq!(ids, ["no-database"]);
    assert_eq!(opened(folder, "gfx1100", "find-db-hip"), ("none".to_owned(), String::new()));
    assert!(text(&["--arch", "gfx1100", FIXTURES]).contains("No database here is of a target"));
}

#[test]
fn lines_sum_by_processor_and_over_all() {
    let report = json(&[FIXTURES]);
    let rows = list(folder(&report), "lines");
    let lines = |processor: Value, base: Value| {
        let row = rows.iter().find(|row| row["processor"] == processor && row["base"] == base);
        row.map(|row| row["lines"].as_u64().unwrap())
    };
    assert_eq!(lines("gfx900".into(), Value::Null), Some(103));
    assert_eq!(lines("gfx1030".into(), Value::Null), None);
    let bases: u64 =
        rows.iter().filter(|row| !row["base"].is_null()).map(|row| row["lines"].as_u64().unwrap()).sum();
    assert_eq!(lines(Value::Null, Value::Null), Some(bases));
}

#[test]
fn each_target_has_the_sums_of_its_databases() {
    let report = json(&[FIXTURES]);
    let folder = folder(&report);
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap_or(0);
    let files = |target: &Value| -> Vec<&Value> {
        list(folder, "databases").iter().filter(|file| file["target"] == *target).collect()
    };
    let targets = list(folder, "targets");
    let names: Vec<&str> = targets.iter().map(|row| row["target"].as_str().unwrap()).collect();
    let of_files: BTreeSet<&str> =
        list(folder, "databases").iter().map(|file| file["target"].as_str().unwrap()).collect();
    assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), of_files);
    assert_eq!(names.len(), of_files.len(), "{names:?}");
    for row in targets {
        let files = files(&row["target"]);
        assert_eq!(number(row, "files"), files.len() as u64);
        for field in ["records", "entries", "bytes"] {
            let sum: u64 = files.iter().map(|file| number(file, field)).sum();
            assert_eq!(number(row, field), sum, "{field} of {row}");
            let kinds: u64 = list(row, "kinds").iter().map(|kind| number(kind, field)).sum();
            assert_eq!(kinds, sum, "{field} of the kinds of {row}");
        }
    }
    for field in ["records", "entries", "bytes"] {
        let sum: u64 = targets.iter().map(|row| number(row, field)).sum();
        assert_eq!(number(folder, field), sum, "{field}");
    }
    let gfx900 = targets.iter().find(|row| row["target"] == "gfx900").unwrap();
    assert!(list(gfx900, "compute_units").iter().any(|units| units == 56), "{gfx900}");
}

#[test]
fn verbose_shows_every_example_and_reason() {
    let (short, long) = (text(&[FIXTURES]), text(&["-v", FIXTURES]));
    let second = "line 13: 16-7-7-1x1-16-7-7-6-0x0-1x1-1x1-0-NCHW-BF16-F: ConvOclDirectFwdFused";
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!flat(&short).contains(second) && flat(&long).contains(second), "{long}");
    assert!(long.contains("gfx1101_54.HIP.fdb.txt is not there"), "{long}");
}

#[test]
fn pages_keep_their_width_and_are_the_same_every_time() {
    for width in [80, 120] {
        let drawn = |words: &[&str]| String::from_utf8(miopen(width, words).stdout).unwrap();
        let page = drawn(&[FIXTURES]);
        let widest = page.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} of {width}");
        assert_eq!(page, drawn(&["--jobs", "1", FIXTURES]));
    }
    assert!(text(&["--ascii", "-v", FIXTURES]).is_ascii());
    let page = text(&["-f", "md", FIXTURES]);
    assert!(page.contains(r"| gfx900\_64 |") && page.contains("miopen-zero-time"), "{page}");
}

#[test]
fn a_broken_database_makes_the_report_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gfx900_56.db"), b"no SQLite at all").unwrap();
    let report = json(&[folder.path().to_str().unwrap()]);
    assert_eq!(report["complete"], false);
    let found = list(self::folder(&report), "findings");
    let unread: Vec<_> = found.iter().filter(|f| f["id"] == "malformed-bytes").collect();
    assert_eq!(unread.len(), 1, "{found:?}");
    assert!(unread[0]["locations"][0]["path"].as_str().unwrap().ends_with("gfx900_56.db"));
}

#[test]
fn misuse_is_answered_with_what_to_do() {
    for (words, expected) in [
        (&["--cu", "60", FIXTURES][..], "name its target with --arch"),
        (&["--arch", "gfx900", "--cu", "0", FIXTURES], "0 is not in 1.."),
        (&["fixtures/model"], "no database of MIOpen"),
        (&["-f", "jsonl", FIXTURES], "use -f json"),
    ] {
        let output = miopen(100, words);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
}

/// MIOpen's repository has its databases compressed, each by itself: they are one folder, whose devices open
/// the perf-db beside the find-db, and findings name the file that is there.
#[cfg(feature = "sqlite")]
#[test]
fn compressed_databases_beside_each_other_are_one_folder() {
    let (plain, packed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["gfx900_56.db.txt", "gfx900_56.HIP.fdb.txt", "gfx900.kdb"] {
        let bytes = std::fs::read(Path::new(FIXTURES).join(name)).unwrap();
        std::fs::write(plain.path().join(name), &bytes).unwrap();
        let file = std::fs::File::create(packed.path().join(format!("{name}.bz2"))).unwrap();
        let mut writer = bzip2::write::BzEncoder::new(file, bzip2::Compression::fast());
        std::io::Write::write_all(&mut writer, &bytes).unwrap();
        writer.finish().unwrap();
    }
    let of = |folder: &Path| json(&[folder.to_str().unwrap()]);
    let (plain, report) = (of(plain.path()), of(packed.path()));
    let found = folder(&report);
    assert_eq!(opened(found, "gfx900_56", "find-db-hip").1, "gfx900_56.HIP.fdb.txt");
    assert_eq!(opened(found, "gfx900_56", "perf-db-text").1, "gfx900_56.db.txt");
    assert_eq!(found["devices"], folder(&plain)["devices"]);
    let places = |report: &Value| -> Vec<String> {
        let all = list(report, "findings").iter().flat_map(|one| list(one, "locations").iter());
        all.map(|at| at["path"].as_str().unwrap().to_owned()).collect()
    };
    let places = places(&report);
    assert!(!places.is_empty());
    for place in places {
        let (package, member) = place.split_once("!/").unwrap_or_else(|| panic!("{place}"));
        assert!(Path::new(package).is_file() && package.ends_with(&format!("/{member}.bz2")), "{place}");
    }
    // A file that was named is a tree by itself.
    let one = packed.path().join("gfx900_56.db.txt.bz2");
    let other = packed.path().join("gfx900_56.HIP.fdb.txt.bz2");
    let named = json(&[one.to_str().unwrap(), other.to_str().unwrap()]);
    assert_eq!(list(&named, "databases").len(), 2);
}
