//! An audit's statements on what a library has for a target: kernels that run, files that contain them,
//! copies, run-time compilers.

use crate::common::bundles::bundle;
use crate::common::packages::{member, zip};
use crate::common::{elf, fixture, seen};
use object::{Object, ObjectSymbol};
use rocm_audit::capability::Capability;
use rocm_audit::capability::coverage::{Coverage, CoverageCell};
use rocm_audit::capability::requirement::Required;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A report as JSON, the form that other programs read.
fn report(roots: &[&Path], targets: &[&str]) -> Value {
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    let asked: Vec<TargetId> = targets.iter().map(|text| TargetId::parse(text).unwrap()).collect();
    let inventory = audit(&roots, &Options::default(), &Silent, None).unwrap();
    let report = rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &asked));
    serde_json::to_value(&report).unwrap()
}

fn rows<'v>(report: &'v Value, library: &str) -> Vec<&'v Value> {
    report["matrix"].as_array().unwrap().iter().filter(|row| row["library"] == library).collect()
}

fn cell<'v>(row: &'v Value, processor: &str) -> &'v Value {
    row["cells"].as_array().unwrap().iter().find(|cell| cell["processor"] == processor).unwrap()
}

/// A shared library with one bundle of fixture code objects.
fn library(objects: &[&str]) -> Vec<u8> {
    let bodies: Vec<Vec<u8>> = objects
        .iter()
        .map(|name| std::fs::read(fixture(&format!("rocm/lib/codeobject/{name}.hsaco"))).unwrap())
        .collect();
    let bodies: Vec<&[u8]> = bodies.iter().map(Vec::as_slice).collect();
    elf::library(&[(".hip_fatbin", &bundle(&bodies, 4096))])
}

#[test]
fn a_library_is_native_only_where_all_of_its_files_have_the_target() {
    let (both, one) = (library(&["v5_gfx1030", "v4_gfx906"]), library(&["v4_gfx906"]));
    let tree = seen::folder(&[("libbitsandbytes_rocm1.so", &both), ("libbitsandbytes_rocm2.so", &one)]);
    let found = report(&[tree.path()], &[]);
    let [row] = rows(&found, "bitsandbytes")[..] else { panic!("{found}") };
    assert_eq!(cell(row, "gfx906")["coverage"], "native");
    let some = cell(row, "gfx1030");
    assert_eq!(some["coverage"], "some-files");
    assert_eq!(some["files"]["with"][0], "libbitsandbytes_rocm1.so");
    assert_eq!(some["files"]["without"][0], "libbitsandbytes_rocm2.so");

    let asked = report(&[tree.path()], &["gfx1030"]);
    let covered = &asked["answers"][0]["libraries"][0];
    assert_eq!((&covered["coverage"], &covered["parts"][0]["files"]), (&some["coverage"], &some["files"]));
}

#[test]
fn copies_of_a_library_in_several_roots_or_packages_have_a_row_each() {
    let both = library(&["v5_gfx1030", "v4_gfx906"]);
    let (one, other) = (seen::folder(&[("librccl.so.1", &both)]), seen::folder(&[("librccl.so.1", &both)]));
    let apart = report(&[one.path(), other.path()], &[]);
    let places: Vec<&Value> = rows(&apart, "RCCL").into_iter().map(|row| &row["place"]).collect();
    let mut expected = [one.path().to_str().unwrap(), other.path().to_str().unwrap()];
    expected.sort_unstable();
    assert_eq!(places, expected);
    assert!(rows(&report(&[one.path()], &[]), "RCCL")[0]["place"].is_null(), "one copy needs no name");

    let wheels = zip(&[member("x/librccl.so.1", both)]);
    let packages = seen::folder(&[("a.whl", &wheels), ("b.whl", &wheels)]);
    let apart = report(&[packages.path()], &[]);
    let places: Vec<&str> = rows(&apart, "RCCL").iter().map(|row| row["place"].as_str().unwrap()).collect();
    assert!(places[0].ends_with("a.whl") && places[1].ends_with("b.whl") && places.len() == 2, "{places:?}");
}

/// Number of a code object's kernels whose names mark them as stubs.
fn named_stubs(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let names = file.dynamic_symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    names.filter(|name| name.starts_with("stub_") && name.ends_with(".kd")).count() as u64
}

#[test]
fn kernels_that_can_only_trap_are_counted_without_decoding_the_rest() {
    for entry in std::fs::read_dir(fixture("instructions")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("kernels_") || !name.ends_with(".co") {
            continue;
        }
        let inventory = audit(std::slice::from_ref(&path), &Options::default(), &Silent, None).unwrap();
        let found = Capability::from_inventory(&inventory, &[]);
        let stubs: u64 = found.targets.iter().map(|target| target.build.code.trap_stubs).sum();
        assert_eq!(stubs, named_stubs(&path), "{}", path.display());
        assert!(stubs > 0, "{}", path.display());
    }
}

/// The cell for ggml's kernels and a processor.
fn ggml_cell(folder: &str, processor: &str) -> (Coverage, u64, u64) {
    let asked = [TargetId::bare(processor)];
    let inventory = audit(&[fixture(folder)], &Options::default(), &Silent, None).unwrap();
    let found = Capability::from_inventory(&inventory, &asked);
    let cell: &CoverageCell<'_> = &found.matrix[0].cells[0];
    (cell.coverage, cell.kernels, cell.trap_stubs)
}

#[test]
fn stubs_of_a_library_known_for_them_are_counted_in_compressed_bundles_too() {
    for processor in ["gfx900", "gfx1100"] {
        let plain = ggml_cell("ggml/plain", processor);
        assert_eq!(plain, ggml_cell("ggml/compressed", processor), "{processor}");
        assert_eq!(plain.0, Coverage::Native);
        assert!(0 < plain.2 && plain.2 < plain.1, "{processor}: {plain:?}");
    }
}

#[test]
fn a_target_that_only_the_runtimes_own_kernels_are_for_is_marked() {
    let runtime = library(&["v5_gfx1030", "v4_gfx906"]);
    let other = library(&["v4_gfx906"]);
    let tree = seen::folder(&[("libhsa-runtime64.so.1", &runtime), ("librccl.so.1", &other)]);
    let found = report(&[tree.path()], &[]);
    let only: Vec<(&Value, &Value)> = found["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| (&target["processor"], &target["runtime_kernels_only"]))
        .collect();
    assert_eq!(only, [(&"gfx906".into(), &false.into()), (&"gfx1030".into(), &true.into())]);
}

#[test]
fn what_compiles_kernels_at_run_time_is_named() {
    let tree = seen::folder(&[
        ("triton/backends/amd/driver.py", b"pass"),
        ("lib/libhiprtc.so.6", b"\x7fELF"),
        ("lib/libhiprtc-notes.txt", b""),
    ]);
    let found = report(&[tree.path()], &[]);
    let names: Vec<&Value> =
        found["run_time_compilers"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["Triton", "hiprtc"]);
    assert!(report(&[&fixture("ggml")], &[])["run_time_compilers"].as_array().unwrap().is_empty());
}

#[test]
fn a_catalog_of_everything_counts_for_each_target_that_it_serves() {
    let folder = crate::common::tensile::Folder::new();
    let found = report(&[folder.path("").as_path()], &[]);
    let served = |report: &Value| -> u64 {
        report["targets"].as_array().unwrap().iter().filter(|t| t["selection"]["solutions"] != 0).count()
            as u64
    };
    let lazy = served(&found);
    assert!(lazy > 1, "the fixtures have a master catalog for each target");
    // rocBLAS up to ROCm 5.5 has one catalog for everything; a target's master catalog that contains
    // solutions is like that.
    let merged = seen::folder(&[(
        "rocblas/library/TensileLibrary.dat",
        &std::fs::read(folder.path("TensileLibrary_lazy_gfx900.dat")).unwrap(),
    )]);
    let found = report(&[merged.path()], &["gfx900"]);
    assert_eq!(found["targets"][0]["selection"]["catalogs"], 1, "{}", found["targets"]);
}

/// The verdict on a processor.
fn verdict(roots: &[&Path], target: &str) -> Value {
    report(roots, &[target])["verdicts"][0].clone()
}

#[test]
fn the_verdict_names_what_runs_what_does_not_and_what_instead() {
    let runs = verdict(&[&fixture("ggml/plain")], "gfx900");
    assert_eq!((&runs["answer"], &runs["libraries"][0]["library"]), (&"runs".into(), &"ggml".into()));

    let not = verdict(&[&fixture("ggml/plain")], "gfx1103");
    assert_eq!(not["answer"], "not");
    assert_eq!(not["overrides"][0]["value"], "11.0.0", "gfx1100 is all there is of its major version");
    assert_eq!(not["overrides"][0]["features"][0], "allocate1_5xvgprs");
    assert!(not["here"].as_array().unwrap().contains(&"gfx1100".into()));
    assert!(not["products"].as_array().unwrap().contains(&"Radeon 780M".into()));

    let older = verdict(&[&fixture("ggml/plain")], "gfx803");
    assert!(older["overrides"].as_array().unwrap().is_empty(), "no code of its major version is here");
}

#[test]
fn what_could_not_be_read_is_not_known() {
    let mut cut = library(&["v4_gfx906"]);
    cut.truncate(cut.len() / 2);
    let tree = seen::folder(&[("libspfft.so.1", &cut)]);
    let found = verdict(&[tree.path()], "gfx906");
    assert_eq!(
        (&found["answer"], &found["damaged"][0]["path"]),
        (&"unknown".into(), &"libspfft.so.1".into())
    );
    let nothing = seen::folder(&[("notes.txt", b"")]);
    assert_eq!(verdict(&[nothing.path()], "gfx906")["answer"], "not");
    let compiler = seen::folder(&[("triton/backends/amd/driver.py", b"pass")]);
    assert_eq!(verdict(&[compiler.path()], "gfx906")["answer"], "compiles");
}

/// rocBLAS starts from the master catalog of its GPU; without it, it finds none of the kernels.
#[test]
fn kernels_without_their_master_catalog_are_none() {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(fixture("rocm/lib/rocblas/library")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let coverage = |processor: &str| {
        let found = report(&[copy.path()], &[]);
        let row = rows(&found, "rocBLAS").into_iter().find(|row| row["tensile"] == true).unwrap().clone();
        cell(&row, processor)["coverage"].clone()
    };
    let (before, other) = (coverage("gfx906"), coverage("gfx900"));
    assert!(before != "absent" && other != "absent", "{before} {other}");
    std::fs::remove_file(copy.path().join("TensileLibrary_lazy_gfx906.dat")).unwrap();
    assert_eq!(coverage("gfx906"), "absent");
    assert_eq!(coverage("gfx900"), other);
}

/// Each required variant has its own answer.
#[test]
fn variants_of_one_processor_are_required_apart() {
    let tree = seen::folder(&[("libfoo.so", &library(&["v2_gfx900_xnack"]))]);
    let inventory = audit(&[tree.path().to_owned()], &Options::default(), &Silent, None).unwrap();
    let targets: Vec<TargetId> =
        ["gfx900:xnack+", "gfx900:xnack-"].iter().map(|text| TargetId::parse(text).unwrap()).collect();
    let found = Capability::from_inventory(&inventory, &targets);
    let required = Required { targets: &targets, libraries: &[], per_file: false, before: &[], ignores: &[] };
    let report = rocm_audit::comparison::check::check(&inventory, &found, &required, None);
    let rows: Vec<(&str, bool)> =
        report.requirements.iter().map(|row| (row.processor.as_str(), row.is_met)).collect();
    assert_eq!(rows, [("gfx900:xnack+", true), ("gfx900:xnack-", false)]);
    assert!(!report.passed && report.failed_because == ["requirement-not-met"]);
}
