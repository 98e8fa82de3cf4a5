//! Tuning files row by row: each file of fixtures/tuning is in force as it is, and where one row is broken,
//! exactly that row is not.

use super::common::fixture;
use rocm_audit::engines::tensile::library::Library as RocBlas;
use rocm_audit::engines::tensile::lite::library::Library as HipBlasLt;
use rocm_audit::engines::tensile::tuning::{CheckedTuning, Libraries, TuningFormat, check};
use std::sync::Arc;

/// How a row is broken: given its cells, and whether it was changed.
type Break = (&'static str, fn(&mut Vec<String>) -> bool);

fn libraries(target: &str) -> Libraries {
    let rocblas = RocBlas::open(fixture("tensile/library").as_path(), target).ok();
    let hipblaslt = HipBlasLt::open(fixture("hipblaslt/library").as_path(), target).ok();
    Libraries {
        target: target.to_owned(),
        multiprocessors: 110,
        rocblas: rocblas.map(Arc::new),
        hipblaslt: hipblaslt.map(Arc::new),
    }
}

fn stale_lines(checked: &CheckedTuning) -> Vec<u64> {
    checked.stale.iter().map(|stale| stale.line).collect()
}

/// Breaks each row that names a solution in each of these ways. Gives how many files were checked.
fn each_row(name: &str, target: &str, kind: TuningFormat, breaks: &[Break]) -> usize {
    let text = std::fs::read_to_string(fixture(&format!("tuning/{name}"))).unwrap();
    let libraries = libraries(target);
    let whole = check(&text, &libraries);
    assert_eq!((whole.kind, stale_lines(&whole), whole.rejected), (kind, vec![], None), "{name}");
    assert!(whole.rows >= 9, "{name}: {} rows", whole.rows);
    let lines: Vec<&str> = text.lines().collect();
    let mut files = 0;
    for (at, line) in lines.iter().enumerate() {
        let is_heading = line.contains("transA") || line.starts_with("Git") || line.starts_with("Validator");
        for (what, change) in breaks.iter().filter(|_| !is_heading) {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if !change(&mut cells) {
                continue;
            }
            let broken = cells.join(",");
            let mut all: Vec<&str> = lines.clone();
            all[at] = &broken;
            let found = check(&all.join("\n"), &libraries);
            let own = at as u64 + 1;
            assert_eq!(stale_lines(&found), [own], "{name}, {what}, line {own}: {broken}: {:?}", found.stale);
            assert_eq!(found.rows, whole.rows, "{name}, {what}, line {own}");
            files += 1;
        }
    }
    files
}

fn set(cells: &mut [String], at: usize, text: &str) -> bool {
    cells[at] = text.to_owned();
    true
}

fn set_last(cells: &mut [String], text: &str) -> bool {
    set(cells, cells.len() - 1, text)
}

const OF_ROCBLAS: [Break; 8] = [
    ("an index of nothing", |cells| set_last(cells, "99999999")),
    ("an index of rocBLAS 5", |cells| set_last(cells, "-606602328")),
    ("no index", |cells| set_last(cells, "0")),
    ("a word for a size", |cells| set(cells, 2, "many")),
    ("a type that is none", |cells| {
        let at = cells.len() - 2;
        set(cells, at, "f31_r")
    }),
    ("blanks", |cells| {
        let at = cells.len() - 2;
        let text = format!(" {}", cells[at]);
        set(cells, at, &text)
    }),
    ("a cell less", |cells| cells.pop().is_some()),
    ("a product that the solution cannot solve", |cells| {
        // A solution for the transposition has another problem type.
        let text = if cells[0] == "N" { "T" } else { "N" };
        set(cells, 0, text)
    }),
];

#[test]
fn rows_of_rocblas_overrides() {
    for name in ["rocblas-15.csv", "rocblas-18.csv"] {
        assert_eq!(each_row(name, "gfx90a", TuningFormat::RocBlas, &OF_ROCBLAS), 80);
    }
}

const OF_HIPBLASLT: [Break; 5] = [
    ("an index of nothing", |cells| set_last(cells, "4294967")),
    ("an index below one", |cells| set_last(cells, "-5")),
    ("no index", |cells| set_last(cells, "0")),
    ("a cell more", |cells| {
        cells.insert(4, "1".to_owned());
        true
    }),
    ("another transposition", |cells| {
        let text = if cells[0] == "N" { "T" } else { "N" };
        set(cells, 0, text)
    }),
];

#[test]
fn rows_of_hipblaslt_up_to_1_4() {
    for name in ["hipblaslt-10.csv", "hipblaslt-37.csv"] {
        assert_eq!(each_row(name, "gfx1151", TuningFormat::HipBlasLt, &OF_HIPBLASLT), 50);
    }
}

const OF_NAMED: [Break; 4] = [
    ("a kernel of another build", |cells| set_last(cells, "Cijk_of_another_build")),
    ("an index of nothing", |cells| set(cells, 11, "4294967")),
    ("the index of another kernel", |cells| {
        let text = if cells[11] == "10" { "1" } else { "10" };
        set(cells, 11, text)
    }),
    ("a cell less", |cells| cells.pop().is_some()),
];

#[test]
fn rows_of_hipblaslt_from_1_5_on() {
    assert_eq!(each_row("hipblaslt-named.csv", "gfx1151", TuningFormat::HipBlasLt, &OF_NAMED), 40);
}

const OF_TUNABLE_OP: [Break; 3] = [
    ("a solution of nothing", |cells| {
        let Some((kind, _)) = cells[2].rsplit_once('_') else { return false };
        let text = format!("{kind}_4294967");
        set(cells, 2, &text)
    }),
    ("another library", |cells| set(cells, 2, "Gemm_CkTile_1")),
    ("no sizes", |cells| {
        // Only those of rocBLAS are held against their product.
        cells[2].starts_with("Gemm_Rocblas_") && set(cells, 1, "nn_of_nothing")
    }),
];

#[test]
fn rows_of_pytorchs_tunable_op() {
    // Ten rows of rocBLAS in three ways, two of hipBLASLt in two, and the default in one.
    assert_eq!(each_row("tunable-op.csv", "gfx90a", TuningFormat::TunableOp, &OF_TUNABLE_OP), 30 + 4 + 1);
}

#[test]
fn variables_name_solutions_too() {
    let of = |text: &str| {
        let found = check(text, &libraries("gfx90a"));
        (found.kind, found.rows, stale_lines(&found))
    };
    // The first solution of rocBLAS's overrides, without what a file adds.
    assert_eq!(of("export TENSILE_SOLUTION_INDEX=606602316\n"), (TuningFormat::Variables, 1, vec![]));
    let text = "TENSILE_DB=1\nTENSILE_SOLUTION_INDEX=606602316\nexport TENSILE_SOLUTION_INDEX=\"99999999\"\nTENSILE_SOLUTION_INDEX=-1\n";
    assert_eq!(of(text), (TuningFormat::Variables, 3, vec![3, 4]));
    // hipBLASLt's own are in its catalogs, and its matmul does not ask.
    let found = check("TENSILE_SOLUTION_INDEX=1\n", &libraries("gfx1151"));
    assert!(found.stale[0].why.contains("hipblasLtMatmul does not ask"), "{:?}", found.stale);
}

#[cfg(feature = "cli")]
#[test]
fn a_stale_row_fails_a_run_that_asks_for_it() {
    use super::common::program::{run, said};
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, target: &str, change: fn(&str) -> String| {
        let text = std::fs::read_to_string(fixture(&format!("tuning/{name}"))).unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, change(&text)).unwrap();
        let file = file.to_str().unwrap();
        let call = ["verify", "--arch", target, "--cu", "110", "--tuning", file, "--fail-on", "stale-tuning"];
        let call = [&call[..], &["fixtures/tensile", "fixtures/hipblaslt"]].concat();
        let output = run(&call);
        (output.status.code(), said(&output))
    };
    let files = [
        ("rocblas-15.csv", "gfx90a"),
        ("rocblas-18.csv", "gfx90a"),
        ("hipblaslt-10.csv", "gfx1151"),
        ("hipblaslt-37.csv", "gfx1151"),
        ("hipblaslt-named.csv", "gfx1151"),
        ("tunable-op.csv", "gfx90a"),
    ];
    for (name, target) in files {
        assert_eq!(of(name, target, str::to_owned).0, Some(0), "{name}");
        let (status, report) = of(name, target, |text| format!("{text}x,y,z\n"));
        assert_eq!(status, Some(1), "{name}: {report}");
    }
}
